"""Suites of code: each row is a problem that its own reference solution solves."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest

from harness import Problem, grade
from harness.datasets.bigcodebench import BIGCODEBENCH, bigcodebench_problem, gradable, libraries
from harness.datasets.humaneval import HUMANEVAL, humaneval_problem
from harness.datasets.livecodebench import livecodebench_problem
from harness.datasets.livecodebench_release import increment
from harness.datasets.mbpp import MBPP, mbpp_problem
from harness.datasets.source import Source, load_rows
from harness.problem import ProblemError
from tests.ground_truth import shared
from tests.harness.programs.bare import Bare
from tests.harness.programs.shared import rows

Builder = Callable[[dict[str, Any]], Problem]
SUITES: list[tuple[Source, Builder]] = [
    (increment(6), livecodebench_problem),
    (BIGCODEBENCH["hard"], bigcodebench_problem),
    (HUMANEVAL, humaneval_problem),
    (MBPP, mbpp_problem),
]


@pytest.mark.parametrize(("source", "build"), SUITES, ids=lambda value: getattr(value, "name", ""))
def test_sample_rows_pass_with_their_solution_and_fail_without(
    source: Source, build: Builder
) -> None:
    for row in load_rows(source, "sample").rows:
        problem = build(row)
        assert Problem.from_json(problem.to_json()) == problem
        right = f"```python\n{row['reference_solution']}\n```"
        assert asyncio.run(grade(problem, right, Bare())).outcome == "correct", problem.id
        wrong = asyncio.run(grade(problem, "```python\npass\n```", Bare()))
        assert wrong.outcome == "incorrect", problem.id


def test_bigcodebench_shows_the_docstring_or_the_words() -> None:
    (row, *_) = load_rows(BIGCODEBENCH["hard"], "sample").rows
    assert '"""' in bigcodebench_problem(row, "complete").question
    assert row["instruct_prompt"] in bigcodebench_problem(row, "instruct").question


def test_bigcodebench_knows_what_a_task_needs_beyond_the_standard_library() -> None:
    row = {"libs": "['os', 'numpy', 'pandas']"}
    assert libraries(row) == {"numpy", "pandas"}
    assert gradable(row, {"numpy", "pandas", "scipy"})
    assert not gradable(row, {"numpy"})


@pytest.mark.parametrize("libs", ["__import__('os')", "[", "7", "(" * 9999])
def test_bigcodebench_refuses_libs_that_are_no_list(libs: str) -> None:
    with pytest.raises(ProblemError, match="libs"):
        libraries({"task_id": "x", "libs": libs})


def test_bigcodebench_refuses_a_row_without_tests() -> None:
    with pytest.raises(ProblemError, match=r"'t'.*must be text"):
        bigcodebench_problem({"task_id": "t"})


def test_all_hard_tasks_are_problems() -> None:
    found = rows("bigcodebench/bigcodebench_hard.jsonl")
    assert len({bigcodebench_problem(row).id for row in found}) == 148


@pytest.mark.slow
def test_humaneval_solutions_pass_as_a_whole_function() -> None:
    text = gzip.decompress(shared("data/code/HumanEval.jsonl.gz").read_bytes()).decode()
    failed = []
    for row in map(json.loads, text.strip().split("\n")[::8]):
        whole = f"```python\n{row['prompt']}{row['canonical_solution']}\n```"
        if asyncio.run(grade(humaneval_problem(row), whole, Bare())).outcome != "correct":
            failed.append(row["task_id"])
    assert failed == []


@pytest.mark.slow
def test_mbpp_solutions_pass() -> None:
    failed = []
    for row in rows("code/mbpp_test.jsonl")[::20]:
        official = {"task_id": row["task_id"], "text": row["prompt"], "test_list": row["test"]}
        code = f"```python\n{row['code']}\n```"
        if asyncio.run(grade(mbpp_problem(official), code, Bare())).outcome != "correct":
            failed.append(row["task_id"])
    assert failed == []
