"""`conductor serve` in a process of its own, as a user starts it."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openai

PATIENCE = 60.0  # seconds that anything may take before a test fails


@dataclass(frozen=True)
class Serving:
    url: str
    process: subprocess.Popen[bytes]
    said: Path  # its stderr

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.url.removeprefix("http://").removesuffix("/v1").rpartition(":")
        return host, int(port)

    def log(self) -> str:
        return self.said.read_text()

    def client(self, key: str = "unused") -> openai.OpenAI:
        return openai.OpenAI(base_url=self.url, api_key=key, max_retries=0, timeout=PATIENCE)

    def raw(self) -> socket.socket:
        return socket.create_connection(self.address, timeout=PATIENCE)


@contextmanager
def serving(folder: Path, *arguments: str, **environment: str) -> Iterator[Serving]:
    """A running server on a free port, with `folder` as its current folder."""
    said = folder / f"stderr-{len(list(folder.iterdir()))}.txt"
    process = start(said, "--port", "0", *arguments, **environment)
    try:
        until(lambda: "conductor serves" in said.read_text() or process.poll() is not None)
        found = re.search(r"http://\S+/v1", said.read_text())
        assert found, said.read_text()
        yield Serving(found[0], process, said)
    finally:
        process.kill()
        process.wait()


def start(said: Path, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", "from conductor.cli import main; main()", "serve", *arguments]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2]), **environment}
    with said.open("wb") as stderr:
        return subprocess.Popen(
            command, cwd=said.parent, env=env, stdout=subprocess.DEVNULL, stderr=stderr
        )


def until(true: Callable[[], Any]) -> None:
    """Wait for it; fail when it does not come."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
