"""Choices, graded through the one door."""

from __future__ import annotations

import asyncio

import pytest

from harness import Choice, Problem, Verdict, grade


def graded(completion: str, key: Choice) -> Verdict:
    return asyncio.run(grade(Problem("q", "demo", "Which?", key), completion))


def test_the_right_letter_is_correct() -> None:
    verdict = graded("Answer: B", Choice("B", ("no", "yes")))
    assert (verdict.outcome, verdict.value, verdict.answer) == ("correct", 1.0, "B")


def test_another_letter_is_incorrect_and_named() -> None:
    verdict = graded("Answer: A", Choice("B", ("no", "yes")))
    assert (verdict.outcome, verdict.answer) == ("incorrect", "A")
    assert "not B" in verdict.reason


def test_no_letter_is_incorrect_not_unscored() -> None:
    verdict = graded("I cannot say.", Choice("B", ("no", "yes")))
    assert (verdict.outcome, verdict.answer) == ("incorrect", None)


def test_the_twin_of_the_right_option_is_right() -> None:
    key = Choice("B", ("7", "12", "12 ", "9"))
    assert graded("Answer: C", key).outcome == "correct"
    assert graded("Answer: 12", key).outcome == "correct"


def test_two_identical_wrong_options_stay_wrong() -> None:
    key = Choice("A", ("12", "7", "7", "9"))
    assert graded("Answer: 7", key).outcome == "incorrect"
    assert graded("Answer: 12", key).outcome == "correct"


@pytest.mark.parametrize(
    "right",
    ["two\nlines", "  outer blanks  ", "[excess] acid", "x (see B)", "C) in the text", "$x_1$"],
)
def test_options_may_hold_anything(right: str) -> None:
    key = Choice("B", ("something else", right, "a third", "a fourth"))
    for completion in ("Answer: B", f"Answer: B) {right}", f"<answer>{right}</answer>"):
        assert graded(completion, key).outcome == "correct", completion
    assert graded("Answer: A", key).outcome == "incorrect"
