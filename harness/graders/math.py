"""Mathematics: the answer a completion states, against the key, by shape and value."""

from __future__ import annotations

import re
from functools import lru_cache

from harness.extract.boxed import last_box
from harness.extract.math import extract_math
from harness.graders.mathematics.answer import read_answer
from harness.graders.mathematics.equal import equal
from harness.graders.mathematics.shapes import Answer, Words
from harness.problem import Math, MathRules
from harness.verdict import Verdict, correct, incorrect, unscored

DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d{1,2}(?!\d))")
SHOWN = 200  # characters of an answer that a verdict repeats


async def grade_math(completion: str, key: Math) -> Verdict:
    """Correct when the final answer equals the key by `key.rules`.

    Cheap and exact first; an algebra system is asked only about what this reader cannot read, in
    a process of its own with a deadline, whose end is *unscored*.
    """
    if key.rules.decimal_comma:
        completion = DECIMAL_COMMA.sub(".", completion)
    stated = extract_math(completion, key.rules.boxed_only)
    if stated is None or not stated.strip():
        return incorrect(None, "no final answer is stated")
    shown = stated if len(stated) <= SHOWN else stated[: SHOWN - 1] + "…"
    expected = read_key(key.answer, key.rules)
    if isinstance(expected, Words) and not expected.text:
        return unscored("the key is empty: no answer can be judged by it", shown)
    given = read_answer(stated, key.rules)
    if equal(expected, given, key.rules):
        return correct(shown, "equals the key")
    return await _asked(expected, given, key, stated, shown)


async def _asked(expected: Answer, given: Answer, key: Math, stated: str, shown: str) -> Verdict:
    """What the reader could not read, and only that, goes to the algebra system."""
    unread = [a for a in (expected, given) if isinstance(a, Words) and a.mathematical]
    words = [a for a in (expected, given) if isinstance(a, Words) and not a.mathematical]
    if not unread or words:
        return incorrect(shown, "differs from the key")
    from harness.graders.mathematics.algebra import AlgebraDeadline, same_by_algebra

    try:
        same = await same_by_algebra(key_text(key.answer), stated)
    except AlgebraDeadline as deadline:
        return unscored(f"grader: {deadline}", shown)
    if same:
        return correct(shown, "equals the key (by algebra)")
    return incorrect(shown, "differs from the key")


def key_text(answer: str) -> str:
    """The final answer of a key that may be a whole worked solution."""
    boxed = last_box(answer) if "\\boxed" in answer or "\\fbox" in answer else None
    if boxed is not None or len(answer) > 120:
        return extract_math(answer) or answer
    if answer.count(" ") >= 2 and answer.lower().startswith(("answer", "the answer", "so the")):
        return extract_math(answer) or answer
    return answer


@lru_cache(maxsize=4096)
def read_key(answer: str, rules: MathRules) -> Answer:
    """A group of rollouts has one key: it is read once."""
    return read_answer(key_text(answer), rules)
