"""LiveCodeBench's stored verdicts, on a sample here; all of them by `agreement.py`."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from harness import grade
from harness.datasets.bigcodebench import bigcodebench_problem, gradable
from sandboxes import SandboxError, open_executor
from tests.harness.programs.agreement import compare, official_cases
from tests.harness.programs.shared import rows

# Official verdicts that other hardware or an older checker explains (docs/code-grading.md).
ITERATES = {("lcb", "o1-mini", "abc344_b")}
FASTER_HERE = {"abc301_e", "abc346_c"}
REAL_STDIN = {"abc315_b", "abc344_b", "abc349_a", "abc359_b", "abc365_b", "abc368_f"}
LIBRARIES = {"numpy", "pandas", "scipy"}


@pytest.mark.slow
def test_livecodebench_verdicts_agree_in_both_semantics() -> None:
    found = asyncio.run(_compared())
    unexplained = [
        (item.semantics, item.case.source, item.case.problem.id, item.verdict.reason)
        for item in found
        if item.differs
        and not _explained(item.semantics, item.case.source, item.case.problem.id)
        and item.verdict.reason != "the problem has no tests"
    ]
    assert unexplained == []
    assert len(found) > 200


async def _compared():  # type: ignore[no-untyped-def]
    try:
        box = open_executor("auto", mode="program")
    except SandboxError as reason:
        pytest.skip(f"no sandbox: {reason}")
    async with box as executor:
        return await compare(official_cases()[::13], executor)


def _explained(semantics: str, source: str, problem: str) -> bool:
    return (
        (semantics, source, problem) in ITERATES
        or problem in FASTER_HERE
        or (semantics == "judge" and problem in REAL_STDIN)
    )


@pytest.mark.slow
def test_bigcodebench_verdicts_agree_where_the_libraries_are_here() -> None:
    stored = {
        row["task_id"]: row
        for row in rows("bigcodebench/hard_completions_qwen2.5-coder-1.5b.jsonl")
    }
    tasks = [
        row for row in rows("bigcodebench/bigcodebench_hard.jsonl") if gradable(row, LIBRARIES)
    ][::4]
    different = asyncio.run(_different(tasks, stored))
    assert different == []


async def _different(tasks, stored):  # type: ignore[no-untyped-def]
    try:
        box = open_executor("local")  # sees this environment's libraries; the plain image has few
    except SandboxError as reason:
        pytest.skip(f"no sandbox: {reason}")
    found = []
    async with box as executor:
        for row in tasks:
            official = stored[row["task_id"]]
            answer = f"```python\n{official['solution']}\n```"
            verdict = await grade(bigcodebench_problem(row), answer, executor)
            if (verdict.outcome == "correct") != (official["status"] == "pass"):
                found.append((row["task_id"], official["status"], verdict.reason))
    return found


def test_the_stored_generations_are_all_read() -> None:
    groups = Counter(case.group for case in official_cases())
    assert groups == {
        "pass": 854,
        "fail, its test is here": 723,
        "fail, its test is not here": 358,
    }
