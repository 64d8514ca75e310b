"""The final answer of a mathematical completion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.extract.boxed import boxed_spans, last_box
from harness.extract.math import (
    extract_boxed,
    extract_gsm8k,
    extract_last_number,
    extract_math,
)
from harness.extract.think import strip_think
from tests.ground_truth import grader_rows

FOUND = {
    "So it is $\\boxed{42}$.": "42",
    "\\boxed{1} no, \\boxed{\\frac{1}{2}}": "\\frac{1}{2}",
    "\\boxed{1} and \\boxed{2}": "1, 2",
    "\\boxed 7": "7",
    "<answer>12</answer>": "12",
    "<answer>1</answer> better: <answer>2</answer>": "2",
    "work\n#### 1,234": "1,234",
    "The answer is 42.": "42",
    "The answer is 3.14.": "3.14",
    "Answer: 42 because geometry proves it": "42",
    "**Final Answer:** $x+1$": "x+1",
    "The final answer is $12$ and $13$. I hope it is correct.": "12, 13",
    "we get $a$, so finally $a = 5$": "a = 5",
    "First 6*7.\n42": "42",
    "He pays 12 dollars, then 30.": "30",
    "所以答案是 36。": "36",
    "\\frac{1}{2}": "\\frac{1}{2}",
    "7 apples. The answer is 8.\nQuestion: next? The answer is 9.": "8",
}
NOTHING = (
    "",
    "   ",
    "\\boxed{5",
    "\\boxed{1} \\boxed{2",
    "<think>\\boxed{5}</think>",
    "<think> 42",
)


@pytest.mark.parametrize("text", FOUND, ids=repr)
def test_the_final_answer_is_found(text: str) -> None:
    assert extract_math(text) == FOUND[text]


@pytest.mark.parametrize("text", NOTHING, ids=repr)
def test_there_may_be_none(text: str) -> None:
    assert extract_math(text) is None


def test_boxed_only_reads_nothing_else() -> None:
    assert extract_math("The answer is 42.", boxed_only=True) is None


def test_ground_truth_of_boxes() -> None:
    for row in grader_rows("boxed_extract"):
        assert extract_boxed(row["answer"]) == row["expected"], row


def test_ground_truth_of_gsm8k_and_last_integers() -> None:
    for row in grader_rows("gsm8k_extract"):
        assert extract_gsm8k(row["answer"]) == row["expected"], row
    for row in grader_rows("last_int_extract"):
        expected = row["expected"]
        assert extract_last_number(row["answer"]) == (None if expected is None else str(expected))


def test_ground_truth_of_final_answers() -> None:
    for row in grader_rows("final_answer_extract"):
        found = (extract_math(row["answer"]) or "").replace("\\frac12", "\\frac{1}{2}")
        assert found == row["expected"], row


def test_ground_truth_of_thinking() -> None:
    for row in grader_rows("think_strip"):
        assert strip_think(row["answer"]) == row["expected"]


@given(st.text("\\boxed{}fb 1$", max_size=80))
def test_boxes_are_balanced_and_in_order(text: str) -> None:
    spans = boxed_spans(text)
    assert spans == sorted(spans)
    for start, end in spans:
        inner = text[start:end].replace("\\\\", "").replace("\\{", "").replace("\\}", "")
        assert inner.count("{") == inner.count("}")


@given(st.text("ab{}\\ ", max_size=30))
def test_what_is_put_in_a_balanced_box_comes_out(text: str) -> None:
    balanced = text.replace("\\", "")
    if balanced.count("{") == balanced.count("}") and _never_negative(balanced):
        assert last_box(f"x \\boxed{{{balanced}}} y") == balanced


def _never_negative(text: str) -> bool:
    level = 0
    for char in text:
        level += (char == "{") - (char == "}")
        if level < 0:
            return False
    return True


@given(st.text(max_size=300))
def test_any_text_gives_an_answer_or_none(text: str) -> None:
    assert extract_math(text) is None or isinstance(extract_math(text), str)
