"""Our verdicts against LiveCodeBench's own, program by program.

python -m tests.harness.programs.agreement [--every N] [--mode program]

Prints the matrix for both semantics and every program on which a verdict differs where it may
not: a passing one that fails, or a failing one whose recorded failing test is among the tests.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from harness.datasets.livecodebench import livecodebench_problem
from harness.grade import grade
from harness.problem import Problem, Program
from harness.verdict import Verdict
from sandboxes import Executor, open_executor
from tests.harness.programs.shared import rows

SEMANTICS = ("lcb", "judge")
SHOWN = 300  # characters of a failing test that the official metadata keep
AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Case:
    """One official generation. revealed: its recorded failing test is among the problem's."""

    problem: Problem
    output: str
    official: bool
    revealed: bool
    source: str

    @property
    def group(self) -> str:
        if self.official:
            return "pass"
        return "fail, its test is here" if self.revealed else "fail, its test is not here"


@dataclass(frozen=True, slots=True)
class Comparison:
    case: Case
    semantics: str
    verdict: Verdict

    @property
    def differs(self) -> bool:
        """Whether this cannot be explained by tests that are missing."""
        ours = self.verdict.outcome == "correct"
        return self.verdict.outcome == "unscored" or (
            not ours if self.case.official else ours and self.case.revealed
        )


def official_cases() -> list[Case]:
    """All stored generations, each with its problem and the tests that are known of it."""
    known = {
        problem.id: problem
        for problem in map(livecodebench_problem, rows("lcb/code_generation_lite_partial.jsonl"))
    }
    return [
        Case(
            problem := known[row["question_id"]],
            row["output"],
            bool(row["graded"]),
            _revealed(problem, row["metadata"] or {}),
            name,
        )
        for name in ("o1-mini", "qwen2.5-7b")
        for row in rows(f"lcb/generations_{name}.jsonl")
    ]


def _revealed(problem: Problem, failure: dict[str, Any] | str) -> bool:
    """The recorded input is one of our tests': whole, and as the official repr shows it."""
    details = json.loads(failure) if isinstance(failure, str) else failure
    given = str(details.get("inputs", ""))
    assert isinstance(problem.answer, Program)
    if not given or "...(truncated)" in given:
        return False
    call = problem.answer.function is not None
    shown = (
        str([json.loads(line) for line in test.input.split("\n")]) if call else test.input
        for test in problem.answer.tests
    )
    return given in shown


async def compare(chosen: list[Case], executor: Executor) -> list[Comparison]:
    """Both semantics for every case, a few at a time, in order."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(case: Case, semantics: str) -> Comparison:
        assert isinstance(case.problem.answer, Program)
        key = replace(case.problem.answer, semantics=semantics)
        async with gate:
            verdict = await grade(replace(case.problem, answer=key), case.output, executor)
        return Comparison(case, semantics, verdict)

    return await asyncio.gather(*(one(case, name) for case in chosen for name in SEMANTICS))


def report(found: list[Comparison]) -> str:
    counts = Counter((c.semantics, c.case.group, c.verdict.outcome) for c in found)
    lines = [
        "| semantics | official verdict | correct | incorrect | unscored |",
        "|---|---|---|---|---|",
    ]
    for semantics in SEMANTICS:
        for group in ("pass", "fail, its test is here", "fail, its test is not here"):
            numbers = [counts[semantics, group, o] for o in ("correct", "incorrect", "unscored")]
            lines.append(f"| {semantics} | {group} | " + " | ".join(map(str, numbers)) + " |")
    lines += ["", "differences:"]
    for c in found:
        if c.differs:
            name = f"{c.case.source} {c.case.problem.id}"
            lines.append(f"{c.semantics}: {name}: official {c.case.group}; {c.verdict.reason}")
    return "\n".join(lines)


async def main(arguments: argparse.Namespace) -> None:
    chosen = official_cases()[:: arguments.every]
    async with open_executor(arguments.sandbox, mode=arguments.mode) as executor:
        print(report(await compare(chosen, executor)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sandbox", default="auto")
    parser.add_argument("--mode", choices=("test", "program"), default="test")
    parser.add_argument("--every", type=int, default=1, help="take each N-th generation")
    asyncio.run(main(parser.parse_args()))
