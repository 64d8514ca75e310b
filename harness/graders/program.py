"""Programs: read the code out of a completion, run it in a box, compare outside.

A verdict says which test failed and how in words of a fixed vocabulary: nothing that a program
prints or raises is repeated, since it may hold a hidden test.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from harness.errors import refuse
from harness.extract.code import extract_code, lcb_code
from harness.graders.drive import program_source
from harness.graders.expect import Expected, expectations
from harness.problem import ProblemError, Program, Test
from harness.test_store import all_tests
from harness.verdict import Verdict, correct, incorrect, unscored
from sandboxes import Executor, Limits, Run, SandboxError, shared_executor

FAILURES = {
    "ok": "wrong answer",
    "timeout": "time limit",
    "error": "runtime error",
    "signal": "killed by a signal",
}
EXCEPTIONS = {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}


async def grade_program(completion: str, key: Program, executor: Executor | None = None) -> Verdict:
    """Right when every test passes; stops at the first that does not.

    Unscored, never wrong, when the sandbox fails, or the problem's own tests are missing or
    malformed.
    """
    code = extract(completion, key)
    if not code.strip():
        return incorrect(None, "no program in the answer")
    try:
        executor = executor or shared_executor()
        if lacking := await lacks(executor, key.libraries):
            return unscored(f"the sandbox lacks {', '.join(lacking)} (docs/code-grading.md)", code)
        tests = all_tests(key)
        expected = expectations(tests, key)
        runs = await _run(code, key, expected, executor)
    except (ProblemError, SandboxError) as fault:
        return unscored(str(fault), code)
    return _verdict(code, tests, expected, runs)


def require_sandbox() -> None:
    """Refuse at once where no program can be run, not after the answers have been paid for."""
    try:
        shared_executor()
    except SandboxError as error:
        refuse(str(error), error)


def extract(completion: str, key: Program) -> str:
    """The program by LiveCodeBench's rule under its semantics, else by ours."""
    if key.semantics == "lcb":
        return lcb_code(completion)
    reads_stdin = key.function is None and key.semantics == "judge"
    return extract_code(completion, key.function, reads_stdin)


IMPORTING = Limits(cpu_seconds=60, memory_mb=16_384)  # large libraries reserve much and load long


async def lacks(executor: Executor, libraries: Sequence[str]) -> list[str]:
    """Which of the modules can't be imported in the box; asked once an executor and module."""
    if not libraries:
        return []
    known = _present.setdefault(executor, {})
    for name in libraries:
        if name not in known:
            probe = f"import importlib; importlib.import_module({name!r})"
            (run,) = await executor.run(probe, [""], IMPORTING)
            if run.status == "infra":
                raise SandboxError(run.detail)
            known[name] = run.status == "ok"
    return [name for name in libraries if not known[name]]


_present: WeakKeyDictionary[Executor, dict[str, bool]] = WeakKeyDictionary()


async def _run(code: str, key: Program, expected: list[Expected], executor: Executor) -> list[Run]:
    limits = Limits(cpu_seconds=key.cpu_seconds, memory_mb=key.memory_mb)
    return await executor.run(
        program_source(code, key),
        [test.given for test in expected],
        limits,
        lambda number, run: expected[number].met_by(run),
    )


def _verdict(
    code: str, tests: tuple[Test, ...], expected: list[Expected], runs: list[Run]
) -> Verdict:
    for number, run in enumerate(runs):
        if run.status == "infra":
            return unscored(f"sandbox: {run.detail or 'no result'}", code)
        if not expected[number].met_by(run):
            return _failed(code, tests, runs, number)
    if len(runs) < len(tests):
        return unscored(f"sandbox: {len(runs)} results for {len(tests)} tests", code)
    return correct(code, f"passed {len(tests)} tests", tests=len(tests), **_cost(runs))


def _failed(code: str, tests: tuple[Test, ...], runs: list[Run], number: int) -> Verdict:
    failure = FAILURES[runs[number].status]
    exception = _exception(runs[number])
    kind = "public" if tests[number].public else "hidden"
    return incorrect(
        code,
        f"{kind} test {number + 1} of {len(tests)}: {failure}"
        + (f" ({exception})" if exception else ""),
        tests=len(tests),
        failed_test=number + 1,
        failed_public=tests[number].public,
        failure=failure,
        **_cost(runs),
    )


def _exception(run: Run) -> str | None:
    """The name of a built-in exception; a program's own might spell out its input."""
    found = re.findall(r"\b[A-Z]\w*", run.detail) if run.status == "error" else []
    return next((name for name in found if name in EXCEPTIONS), None)


def _cost(runs: list[Run]) -> dict[str, Any]:
    return {"cpu_seconds": round(max((run.cpu_seconds for run in runs), default=0.0), 3)}
