"""`--sandbox conductor`: our boxes as Inspect's sandbox, in a real eval and by itself."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessageTool
from inspect_ai.scorer import includes
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import python
from inspect_ai.util import ExecResult, SandboxUserUnsupportedError, sandbox

from sandboxes.provider import BoxEnvironment
from tests.sandboxes.conftest import opened


@pytest.fixture(autouse=True)
def a_box() -> None:
    opened("test", "local", workers=1).close()  # skips loudly where there is none


def run(*cmd: str, environment: BoxEnvironment | None = None, **options: Any) -> ExecResult[str]:
    return asyncio.run((environment or BoxEnvironment()).exec(list(cmd), **options))


@pytest.mark.parametrize(
    ("cmd", "options", "stdout"),
    [
        (("python3", "-c", "print(6 * 7)"), {}, "42\n"),
        (("python3", "-"), {"input": "print(6 * 7)"}, "42\n"),
        (("bash", "--login", "-c", "python3 -"), {"input": b"print(6 * 7)"}, "42\n"),
        (("/usr/bin/python3.11", "-I", "-c", "print(input())"), {"input": "hello"}, "hello\n"),
        (("python", "-c", "import sys; print(sys.argv)", "a", "b c"), {}, "['-c', 'a', 'b c']\n"),
        (("python3", "-c", "import os; print(os.environ['K'])"), {"env": {"K": "v"}}, "v\n"),
        (("python3", "-c", "import os; print(os.getcwd())"), {}, "/tmp\n"),
    ],
)
def test_python_programs_run(cmd: tuple[str, ...], options: dict[str, Any], stdout: str) -> None:
    result = run(*cmd, **options)
    assert (result.success, result.returncode, result.stdout) == (True, 0, stdout), result.stderr


def test_files_are_there_and_what_a_program_writes_is_not() -> None:
    environment = BoxEnvironment()

    async def go() -> tuple[ExecResult[str], ExecResult[str], str]:
        await environment.write_file("src/main.py", "from other import x; print(x)")
        await environment.write_file("/tmp/other.py", b"x = open('/tmp/data.txt').read()")
        await environment.write_file("data.txt", "hi")
        first = await environment.exec(["python3", "src/main.py"])
        await environment.exec(["python3", "-c", "open('/tmp/data.txt', 'w').write('changed')"])
        return (
            first,
            await environment.exec(["python3", "src/main.py"]),
            await environment.read_file("data.txt"),
        )

    first, second, text = asyncio.run(go())
    assert first.stdout == second.stdout == "hi\n", first.stderr
    assert text == "hi"


def test_failures_are_inspects_own() -> None:
    assert run("python3", "-c", "raise SystemExit(3)").returncode == 3
    failed = run("python3", "-c", "1 / 0")
    assert (failed.success, "ZeroDivisionError" in failed.stderr) == (False, True)
    with pytest.raises(TimeoutError):
        run("python3", "-c", "while True: pass", timeout=1)
    with pytest.raises(SandboxUserUnsupportedError):
        run("python3", "-c", "1", user="root")
    for cmd in (["ls", "/"], ["bash", "-c", "rm -rf /"], ["bash", "-c", "python3 'open"], []):
        with pytest.raises(PermissionError):
            run(*cmd)
    with pytest.raises(FileNotFoundError):
        run("python3", "missing.py")
    with pytest.raises(PermissionError):
        asyncio.run(BoxEnvironment().write_file("../etc/passwd", "x"))


@solver
def use_python_tool() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        said = await python(timeout=5)("print(sum(range(10)))")
        state.messages.append(ChatMessageTool(content=str(said)))
        await sandbox().write_file("note.txt", "kept")
        state.output.completion = f"{said} {await sandbox().read_file('note.txt')}"
        return state

    return solve


def test_inspects_python_tool_runs_in_a_box_in_a_real_eval() -> None:
    task = Task(
        dataset=[Sample(input="add", target="45")], solver=use_python_tool(), scorer=includes()
    )
    (log,) = _eval(task)
    assert log.status == "success", log.error
    assert log.results
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
    assert "kept" in (log.samples or [])[0].output.completion


def _eval(task: Task) -> list[EvalLog]:
    return eval(task, sandbox="conductor", model="mockllm/model", display="none", log_level="error")
