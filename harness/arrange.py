"""The order in which options are shown: a pure function of (seed, question id, epoch).

Inspect reuses one sample for every epoch and frameworks have been burnt by global generators
(another question dropped, and every letter after it changes). Here nothing but the question's
own name decides.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from harness.problem import LETTERS, Choice, Problem

INSTRUCTION = (
    "Answer the following multiple choice question. Think step by step, and end your response "
    "with a line of the form 'Answer: LETTER' (without quotes), where LETTER is one of {letters}."
)


def order(count: int, seed: int, question: str, epoch: int) -> tuple[int, ...]:
    """A permutation of range(count): by the hash of (seed, id, epoch, position)."""

    def rank(position: int) -> bytes:
        name = "\0".join((str(seed), question, str(epoch), str(position)))
        return hashlib.sha256(name.encode()).digest()

    return tuple(sorted(range(count), key=rank))


def arrange(problem: Problem, seed: int | None, epoch: int) -> Problem:
    """The problem as it is shown in `epoch`: options in order, the letter moved with them, and
    `question` the whole user message.

    seed: None keeps the options as they stand (benchmarks with a fixed order).
    """
    key = problem.answer
    if not isinstance(key, Choice):
        return problem
    count = len(key.options)
    shown = tuple(range(count)) if seed is None else order(count, seed, problem.id, epoch)
    options = tuple(key.options[position] for position in shown)
    letter = LETTERS[shown.index(LETTERS.index(key.letter))]
    return replace(problem, question=ask(problem.question, options), answer=Choice(letter, options))


def shown_order(problem: Problem, seed: int | None, epoch: int) -> str:
    """The stored letters in the order shown, e.g. "CADB": what stood at A was stored as C."""
    key = problem.answer
    if not isinstance(key, Choice):
        return ""
    count = len(key.options)
    shown = range(count) if seed is None else order(count, seed, problem.id, epoch)
    return "".join(LETTERS[position] for position in shown)


def ask(stem: str, options: tuple[str, ...]) -> str:
    """The user message; option texts come through unchanged, outer blanks aside."""
    letters = ", ".join(LETTERS[: len(options)])
    lines = [
        f"{letter}) {option.strip()}" for letter, option in zip(LETTERS, options, strict=False)
    ]
    return "\n\n".join((INSTRUCTION.format(letters=letters), stem.strip(), "\n".join(lines)))
