"""A problem survives the trip through JSON, and a malformed one names what is wrong."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.problem import (
    LETTERS,
    Answer,
    Choice,
    FreeForm,
    Math,
    Problem,
    ProblemError,
    Program,
    Test,
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
tests = st.builds(Test, input=texts, output=texts)


@st.composite
def choices(draw: st.DrawFn) -> Choice:
    options = draw(st.lists(texts, min_size=2, max_size=len(LETTERS)))
    return Choice(draw(st.sampled_from(LETTERS[: len(options)])), tuple(options))


answers: st.SearchStrategy[Answer] = st.one_of(
    choices(),
    st.builds(Math, texts),
    st.builds(FreeForm, texts),
    st.builds(Program, st.lists(tests, max_size=3).map(tuple), st.none() | st.just("solve")),
)
problems = st.builds(
    Problem,
    id=texts,
    benchmark=texts,
    question=texts,
    answer=answers,
    cluster=st.none() | texts,
    metadata=st.dictionaries(texts, st.none() | st.integers() | texts, max_size=3),
)


@given(problems)
def test_json_gives_back_an_equal_problem(problem: Problem) -> None:
    assert Problem.from_json(problem.to_json()) == problem


@given(problems)
def test_json_is_one_line(problem: Problem) -> None:
    assert "\n" not in problem.to_json()


def example() -> dict[str, object]:
    return Problem("q1", "demo", "2 + 2?", Math("4")).to_dict()


@pytest.mark.parametrize("field", ["id", "benchmark", "question", "answer"])
def test_a_missing_field_is_named(field: str) -> None:
    data = example()
    del data[field]
    with pytest.raises(ProblemError, match=field):
        Problem.from_dict(data)


def test_an_unknown_kind_of_answer_lists_the_known_ones() -> None:
    with pytest.raises(ProblemError, match=r"'essay'.*choice, math, freeform, program"):
        Problem.from_dict({**example(), "answer": {"kind": "essay"}})


def test_an_answer_with_a_wrong_field_is_refused() -> None:
    with pytest.raises(ProblemError, match="freeform"):
        Problem.from_dict({**example(), "answer": {"kind": "freeform", "text": "x"}})


@pytest.mark.parametrize("text", ["", "4", "[]", "{", "null", json.dumps("x")])
def test_text_that_is_no_problem_is_refused(text: str) -> None:
    with pytest.raises(ProblemError):
        Problem.from_json(text)


@pytest.mark.parametrize("letter", ["", "C", "a", "AB", "1"])
def test_a_choice_needs_one_of_its_letters(letter: str) -> None:
    with pytest.raises(ProblemError, match="A to B"):
        Choice(letter, ("yes", "no"))


@pytest.mark.parametrize("count", [0, 1, 27])
def test_a_choice_needs_two_to_twenty_six_options(count: int) -> None:
    with pytest.raises(ProblemError, match=str(count)):
        Choice("A", ("x",) * count)


def test_problems_are_frozen() -> None:
    problem = Problem("q1", "demo", "2 + 2?", Math("4"))
    with pytest.raises(FrozenInstanceError):
        problem.question = "3 + 3?"  # type: ignore[misc]
