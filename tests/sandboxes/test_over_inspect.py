"""The executor over an Inspect sandbox: Inspect's own local one, and its docker where it runs."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.util import ExecResult, OutputLimitExceededError, SandboxUnavailableError

from harness import Program, Test
from harness.graders.program import grade_program
from sandboxes import Limits, Run, SandboxError, docker
from sandboxes.over_inspect import InspectExecutor

ROOT = Path(__file__).resolve().parents[2]


class Here:
    """An environment that runs the command on this machine: what a provider does, without one."""

    def __init__(self, limit: int = 10 << 20) -> None:
        self.limit, self.execs = limit, 0

    async def exec(self, cmd: list[str], input: str, timeout: int) -> ExecResult[str]:  # noqa: ASYNC109
        self.execs += 1
        done = await asyncio.to_thread(
            subprocess.run, [sys.executable, *cmd[1:]], input=input, capture_output=True,
            text=True, timeout=timeout,
        )  # fmt: skip
        if len(done.stdout) > self.limit:
            raise OutputLimitExceededError("10 MiB", None)
        return ExecResult(not done.returncode, done.returncode, done.stdout, done.stderr)


def run(program: str | bytes, *inputs: str, here: Any = None, **limits: Any) -> list[Run]:
    executor = InspectExecutor(here or Here())
    limits = {"cpu_seconds": 0.5, "memory_mb": 2048, **limits}
    return asyncio.run(executor.run(program, inputs or ("",), Limits(**limits)))


def test_all_inputs_take_one_exec() -> None:
    here = Here()
    runs = run("print(2 * int(input()))", "1", "2", "3", here=here)
    assert [(r.status, r.stdout) for r in runs] == [("ok", b"2\n"), ("ok", b"4\n"), ("ok", b"6\n")]
    assert here.execs == 1


@pytest.mark.parametrize(
    ("program", "status", "detail"),
    [
        ("raise ValueError('x')", "error", "exit code 1: ValueError: x"),
        ("while True: pass", "timeout", "time limit"),
        ("import time; time.sleep(60)", "timeout", "time limit"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "signal", "killed by SIGSEGV"),
        ("x = bytearray(1 << 40)", "error", "MemoryError"),
        (b"\xff", "error", "SyntaxError"),
        ("import os; os.fork() or __import__('time').sleep(30)", "ok", ""),
    ],
)
def test_trouble_of_the_program_is_named(program: str | bytes, status: str, detail: str) -> None:
    (result,) = run(program)
    assert result.status == status, result
    assert detail in result.detail


def test_what_is_not_accepted_ends_the_list() -> None:
    executor = InspectExecutor(Here())  # type: ignore[arg-type]
    runs = asyncio.run(
        executor.run("print(1)", ["", "", ""], accept=lambda number, run: number < 1)
    )
    assert len(runs) == 2


def test_too_much_output_is_asked_for_in_parts() -> None:
    here = Here(limit=5000)
    runs = run("print('x' * 1000)", *[""] * 8, here=here)
    assert [len(result.stdout) for result in runs] == [1001] * 8
    (flood,) = run("print('x' * 10000)", here=here)
    assert (flood.status, flood.detail) == ("error", "more output than the sandbox gives back")


@pytest.mark.parametrize("trouble", [TimeoutError("slow"), SandboxUnavailableError("gone")])
def test_trouble_of_the_provider_is_infra_and_leaves_a_program_unscored(trouble: Exception) -> None:
    class Broken(Here):
        async def exec(self, cmd: list[str], input: str, timeout: int) -> ExecResult[str]:  # noqa: ASYNC109
            self.execs += 1
            raise trouble

    broken = Broken()
    (result,) = run("print(1)", here=broken)
    assert (result.status, broken.execs) == ("infra", 2)
    key = Program((Test("", "1"),))
    executor = InspectExecutor(broken)  # type: ignore[arg-type]
    verdict = asyncio.run(grade_program("```python\nprint(1)\n```", key, executor))
    assert verdict.outcome == "unscored"


def test_grades_are_those_of_our_own_boxes() -> None:
    executor = InspectExecutor(Here())  # type: ignore[arg-type]
    for code, outcome in (("print(2 * int(input()))", "correct"), ("print(1)", "incorrect")):
        key = Program((Test("21\n", "42\n"), Test("5\n", "10\n")))
        verdict = asyncio.run(grade_program(f"```python\n{code}\n```", key, executor))
        assert verdict.outcome == outcome
    call = Program((Test("21", "42"),), "f")
    text = "```python\nclass Solution:\n    def f(self, a): return 2 * a\n```"
    assert asyncio.run(grade_program(text, call, executor)).outcome == "correct"


def test_an_unknown_choice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from sandboxes import opening

    monkeypatch.setenv("CONDUCTOR_SANDBOX", "dokcer")
    monkeypatch.setattr(opening, "_shared", None)
    with pytest.raises(
        SandboxError, match=r"unknown sandbox 'dokcer'; auto, inspect, docker or local"
    ):
        opening.shared_executor()


@pytest.mark.parametrize("provider", ["local", "docker"])
def test_a_task_is_graded_in_inspects_own_sandbox(provider: str, tmp_path: Path) -> None:
    options = []
    if provider == "docker":
        reason = docker.why_not()
        compose = subprocess.run(["docker", "compose", "version"], capture_output=True, check=False)
        if reason or compose.returncode:
            pytest.skip(f"no docker sandbox here: {reason or 'no docker compose'}")
        compose_file = tmp_path / "compose.yaml"
        compose_file.write_text((ROOT / "sandboxes/image/compose.yaml").read_text())
        options = [f"docker:{compose_file}"]
    done = subprocess.run(
        [sys.executable, "-m", "inspect_ai", "eval", "tasks/humaneval.py", "-T", "data=sample",
         "--model", "conductor", "-M", "policy=single", "--limit", "2", "--display", "none",
         "--sandbox", *(options or [provider]), "--log-dir", str(tmp_path / "logs"),
         "--log-format", "json"],
        cwd=ROOT, env={**os.environ, "CONDUCTOR_SANDBOX": "inspect"}, capture_output=True,
        text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (log,) = (tmp_path / "logs").glob("*.json")
    data = json.loads(log.read_text())
    assert data["status"] == "success", data.get("error")
    outcomes = [s["scores"]["graded"]["metadata"]["outcome"] for s in data["samples"]]
    assert len(outcomes) == 2
    assert "unscored" not in outcomes, data["samples"][0]["scores"]
