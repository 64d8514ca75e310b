"""LiveCodeBench, code generation (Jain et al. 2024, arXiv 2403.07974): a row as a problem."""

from __future__ import annotations

import json
from datetime import date
from typing import Literal

from harness.datasets.livecodebench_tests import function_name, read_tests
from harness.datasets.source import Row
from harness.problem import Problem, ProblemError, Program, Test
from harness.test_store import split_tests

COLUMNS = ("question_title", "question_content", "platform", "question_id", "contest_id",
           "contest_date", "starter_code", "difficulty", "public_test_cases",
           "private_test_cases", "metadata")  # fmt: skip

# Why a problem cannot be scored by its tests (LiveCodeBench's ERRATA.md), by id or title.
SEVERAL, INTERACTIVE, WRONG = "several right answers", "interactive", "wrong tests"
ERRATA = {
    **dict.fromkeys(
        ("abc311_c", "abc326_d", "abc327_b", "abc333_e", "abc343_a", "abc343_e", "abc362_c",
         "arc185_c", "find-words-containing-character", "find-the-peaks",
         "generate-binary-strings-without-adjacent-zeros"),
        SEVERAL,
    ),
    **dict.fromkeys(("abc337_e", "abc355_e"), INTERACTIVE),
    **dict.fromkeys(
        ("abc350_c", "arc189_a", "apply-operations-to-make-string-empty", "most-frequent-ids"),
        WRONG,
    ),
}  # fmt: skip

ROLE = (
    "You write Python. Below is the statement of a programming problem. Write a correct program "
    "that does what the statement asks and passes all of its tests."
)
USE_STARTER = "Complete this starter code and put your whole solution between the backticks."
USE_STDIN = (
    "Your program reads its input from stdin and writes its answer to stdout; do not test it on "
    "the sample inputs. Put the whole program between the backticks, like this."
)


def livecodebench_problem(row: Row, semantics: Literal["judge", "lcb"] = "judge") -> Problem:
    """A row of the official schema. Raises ProblemError naming the question and the field."""
    name = row.get("question_id")
    try:
        return _problem(row, semantics)
    except ProblemError as error:
        raise ProblemError(f"LiveCodeBench question {name!r}: {error}") from error


def _problem(row: Row, semantics: Literal["judge", "lcb"]) -> Problem:
    fields = {column: _text(row, column) for column in COLUMNS[:8]}
    tests, function = read_tests(row), function_name(row)
    if function is not None:
        _check_calls(tests)
    kept, stored = split_tests(tests)
    return Problem(
        id=fields["question_id"],
        benchmark="livecodebench",
        question=prompt(fields["question_content"], fields["starter_code"]),
        answer=Program(kept, function, semantics, stored=stored),
        cluster=fields["contest_id"] or None,
        metadata={
            "title": fields["question_title"],
            "platform": fields["platform"],
            "difficulty": fields["difficulty"],
            "contest_date": _day(row),
            "erratum": ERRATA.get(fields["question_id"]) or ERRATA.get(fields["question_title"]),
        },
    )


def prompt(statement: str, starter: str) -> str:
    """The official parts in the official order: role, question, format, answer."""
    form, code = (USE_STARTER, starter) if starter.strip() else (USE_STDIN, "# YOUR CODE HERE")
    return (
        f"{ROLE}\n\n### Question:\n{statement.strip()}\n\n"
        f"### Format: {form}\n```python\n{code.rstrip()}\n```\n\n"
        "### Answer: (in the format above, with backticks)\n"
    )


def _day(row: Row) -> str:
    """The contest's date (LiveCodeBench's site shows the day after it)."""
    try:
        return date.fromisoformat(_text(row, "contest_date")[:10]).isoformat()
    except ValueError as cause:
        raise ProblemError(f"contest_date must be an ISO date: {cause}") from cause


def _text(row: Row, field: str) -> str:
    value = row.get(field)
    if value is None:
        return ""
    if isinstance(value, str | int | date):
        return value.isoformat() if isinstance(value, date) else str(value)
    raise ProblemError(f"{field} must be text, not {type(value).__name__}")


def _check_calls(tests: tuple[Test, ...]) -> None:
    """Arguments and results must be JSON: a malformed one is our trouble, not the program's."""
    for number, test in enumerate(tests, 1):
        try:
            for line in test.input.split("\n"):
                if line.strip():
                    json.loads(line)
            json.loads(test.output)
        except (ValueError, RecursionError) as cause:
            raise ProblemError(f"test {number} holds what is no JSON: {cause!s:.100}") from cause
