"""Short free-form answers, by RLPR's rules."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import FreeForm, Problem, Verdict, grade


def graded(key: str, completion: str) -> Verdict:
    return asyncio.run(grade(Problem("q", "rlpr", "?", FreeForm(key)), completion))


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("Paris", "paris"),
        ("42 km", "42 km"),
        ("42 km", "42"),
        ("42", "about 42 km"),
        ("25%", "0.25"),
        ("0.25", "25 percent"),
        ("1,234.5", "1234.5"),
        ("$12", "12 dollars"),
        ("12 dollars", "USD 12"),
        ("3.1416", "3.1415"),
        ("1/4", "0.25"),
        ("2 million", "2000000"),
        ("6.02e23", "6.0200e23"),
        ("increase", "Increase."),
    ],
)
def test_the_same_answer_is_correct(key: str, answer: str) -> None:
    assert graded(key, f"So: <answer>{answer}</answer>").outcome == "correct"


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("Paris", "London"),
        ("42 km", "42 m"),
        ("42", "43"),
        ("0.5", "0.5001"),
        ("25%", "25"),
        ("5", "between 4 and 6"),
        ("increase", "decrease"),
        ("Paris", ""),
        ("", ""),
    ],
)
def test_another_answer_is_incorrect(key: str, answer: str) -> None:
    assert graded(key, f"<answer>{answer}</answer>").outcome == "incorrect"


def test_large_numbers_have_a_thousandth_and_small_ones_a_millionth() -> None:
    assert graded("1000", "<answer>1000.9</answer>").outcome == "correct"
    assert graded("1000", "<answer>1001.1</answer>").outcome == "incorrect"
    assert graded("0.5", "<answer>0.5000004</answer>").outcome == "correct"
    assert graded("0.5", "<answer>0.500001</answer>").outcome == "incorrect"


def test_without_a_tag_the_final_statement_counts() -> None:
    assert graded("42", "I think the answer is 42.").outcome == "correct"


def test_thoughts_do_not_count() -> None:
    assert graded("42", "<think><answer>42</answer></think>").outcome == "incorrect"


@given(st.text(max_size=40), st.text(max_size=200))
def test_any_text_gives_a_verdict(key: str, completion: str) -> None:
    assert graded(key, completion).outcome in ("correct", "incorrect")
