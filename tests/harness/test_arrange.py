"""The order of options is a pure function of (seed, question id, epoch)."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from harness.arrange import arrange, order, shown_order
from harness.problem import LETTERS, Choice, Problem

identities = st.text(max_size=10)


@given(st.integers(2, 26), st.integers(), identities, st.integers(1, 99))
def test_an_order_is_a_permutation_and_repeats(
    count: int, seed: int, question: str, epoch: int
) -> None:
    first = order(count, seed, question, epoch)
    assert sorted(first) == list(range(count))
    assert order(count, seed, question, epoch) == first


@given(st.lists(st.text(max_size=5), min_size=2, max_size=10), st.data(), st.integers(1, 9))
def test_the_letter_follows_the_right_option(
    options: list[str], data: st.DataObject, epoch: int
) -> None:
    letter = data.draw(st.sampled_from(LETTERS[: len(options)]))
    problem = Problem("q", "demo", "Which?", Choice(letter, tuple(options)))
    shown = arrange(problem, 0, epoch)
    assert isinstance(shown.answer, Choice)
    assert (
        shown.answer.options[LETTERS.index(shown.answer.letter)] == options[LETTERS.index(letter)]
    )
    assert sorted(shown.answer.options) == sorted(options)
    positions = [LETTERS.index(stored) for stored in shown_order(problem, 0, epoch)]
    assert [options[position] for position in positions] == list(shown.answer.options)


def example(name: str = "q") -> Problem:
    return Problem(name, "demo", "Which?", Choice("A", ("one", "two", "three", "four")))


def test_epochs_seeds_and_questions_are_shuffled_apart() -> None:
    orders = {
        shown_order(example(name), seed, epoch)
        for name in ("q", "r")
        for seed in (0, 1)
        for epoch in range(1, 9)
    }
    assert len(orders) > 12


def test_every_letter_is_right_about_equally_often() -> None:
    letters = [
        arrange(example(f"q{number}"), 0, 1).answer.letter  # type: ignore[union-attr]
        for number in range(400)
    ]
    assert all(70 <= letters.count(letter) <= 130 for letter in "ABCD")


def test_the_order_is_the_same_on_every_machine() -> None:
    assert shown_order(example(), 0, 1) == "ADBC"
    assert shown_order(example(), 0, 2) == "DBAC"


def test_no_seed_keeps_the_benchmarks_order() -> None:
    shown = arrange(example(), None, 3)
    assert shown.answer == example().answer
    assert "A) one\nB) two\nC) three\nD) four" in shown.question


def test_option_texts_come_through_unchanged_but_for_outer_blanks() -> None:
    problem = replace(example(), answer=Choice("A", (" [a] \n b ", "{c}", "\\d", "%s {letters}")))
    question = arrange(problem, None, 1).question
    for text in ("[a] \n b", "{c}", "\\d", "%s {letters}"):
        assert text in question


def test_other_answers_are_left_alone() -> None:
    from harness.problem import Math

    problem = Problem("q", "demo", "2 + 2?", Math("4"))
    assert arrange(problem, 0, 1) is problem
    assert shown_order(problem, 0, 1) == ""
