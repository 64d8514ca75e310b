from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from tests.e2e.openai_server import Server, serve

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def loopback() -> Iterator[Server]:
    """One server for the session: Inspect keeps a model, and with it its URL, once made."""
    with serve() as running:
        os.environ |= {"LOOP_API_KEY": "test-key", "LOOP_BASE_URL": running.url}
        yield running
        del os.environ["LOOP_API_KEY"], os.environ["LOOP_BASE_URL"]


@pytest.fixture
def server(loopback: Server) -> Server:
    """A loopback server, reached as provider `openai-api/loop/MODEL`; it has forgotten all."""
    loopback.requests.clear()
    loopback.behaviours.clear()
    return loopback


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str
    logs: Path

    def log(self) -> EvalLog:
        (found,) = list_eval_logs(str(self.logs))
        return read_eval_log(found)


class Inspect:
    """Runs Inspect's command line as a user does, in a process of its own."""

    def __init__(self, logs: Path) -> None:
        self.logs = logs

    def __call__(
        self,
        *arguments: str,
        cwd: Path = ROOT,
        seconds: float = 120,
        **environment: str,
    ) -> Done:
        command = [sys.executable, "-m", "inspect_ai", *arguments, "--log-dir", str(self.logs)]
        done = subprocess.run(
            command,
            cwd=cwd,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr, self.logs)


@pytest.fixture
def inspect(tmp_path: Path) -> Inspect:
    return Inspect(tmp_path / "logs")


@pytest.fixture
def pool_file(tmp_path: Path) -> Path:
    """A configuration beside which its pool lies: two workers of the loopback server."""
    (tmp_path / "pool.yaml").write_text(
        "workers:\n"
        "  - {name: slow, model: openai-api/loop/slow, price: {input: 1, output: 2}}\n"
        "  - {name: busy, model: openai-api/loop/busy, price: {input: 1, output: 2}}\n"
    )
    config = tmp_path / "conductor.yaml"
    config.write_text("policy: rule\npool: pool.yaml\n")
    return config
