"""Choices: the letter that a completion states, or the text of an option."""

from __future__ import annotations

from harness.extract.choice import ALPHABET, extract_choice, same_text
from harness.problem import Choice
from harness.verdict import Verdict, correct, incorrect


def grade_choice(completion: str, key: Choice) -> Verdict:
    """Right when it chooses the right letter, or another one whose text is the same.

    Benchmarks do hold identical options (MMLU 12 times): whoever picks the twin of the right
    option is right.
    """
    letter = extract_choice(completion, len(key.options), key.options)
    if letter is None:
        return incorrect(None, "no option is stated")
    if letter == key.letter:
        return correct(letter, f"chose {letter}")
    chosen = key.options[ALPHABET.index(letter)]
    if same_text(chosen, key.options[ALPHABET.index(key.letter)]):
        return correct(letter, f"chose {letter}, whose text is that of {key.letter}")
    return incorrect(letter, f"chose {letter}, not {key.letter}")
