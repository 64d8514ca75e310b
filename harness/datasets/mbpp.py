"""MBPP (Austin et al. 2021, arXiv 2108.07732): 500 test problems (ids 11 to 510), three asserts."""

from __future__ import annotations

import re

from harness.datasets.source import Row, Source
from harness.problem import Problem, Program, Test

TEST_IDS = range(11, 511)
ASK = "You write Python. {task} Your code must pass these tests; answer with one fenced code block."

MBPP = Source(
    name="mbpp",
    urls=(
        "https://raw.githubusercontent.com/google-research/google-research/master/mbpp/mbpp.jsonl",
    ),
    sha256=None,
    sample="mbpp.jsonl",
    columns=("task_id", "text", "test_list"),
)


def mbpp_problem(row: Row) -> Problem:
    """The asserts are shown, as in the paper: they name the function."""
    setup = row.get("test_setup_code") or ""
    asserts = [str(line) for line in row["test_list"]]
    shown = "\n".join(asserts)
    return Problem(
        id=f"mbpp/{row['task_id']}",
        benchmark="mbpp",
        question=f"{ASK.format(task=row['text'].strip())}\n\n```python\n{shown}\n```\n",
        answer=Program(
            tests=tuple(Test(f"{setup}\n{line}\n", "", public=True) for line in asserts),
            function=_called(asserts),
            semantics="check",
        ),
    )


def _called(asserts: list[str]) -> str | None:
    """The function that all asserts call: the first name before a bracket that they share."""
    names = [re.findall(r"([A-Za-z_]\w*)\s*\(", line) for line in asserts]
    shared = set.intersection(*map(set, names)) if names else set()
    shared -= {"set", "sorted", "tuple", "list", "isclose", "len", "str", "abs", "round"}
    return next((name for name in names[0] if name in shared), None) if names else None
