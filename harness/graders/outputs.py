"""What a program gave against what it must give, as plain data and outside the box.

The rules are LiveCodeBench's, for both semantics: lines are stripped, their number must agree,
and a line agrees as text or as a list of exact decimals (`1.0` = `1`, `1e3` = `1000`).
"""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from typing import Any

SLACK = 1 << 20  # bytes an answer may be longer than ten times the expected one before it is read


def same_stdout(got: bytes, expected: str) -> bool:
    """Outer blanks never matter; case, the order of lines and blank inner lines do."""
    if len(got) > 10 * len(expected) + SLACK:
        return False
    # surrogates for what is no UTF-8: equal to nothing that is
    return same_lines(got.decode("utf-8", "surrogateescape"), expected)


def same_lines(got: str, expected: str) -> bool:
    found, wanted = _lines(got), _lines(expected)
    return len(found) == len(wanted) and all(
        one == other or _same_numbers(one, other) for one, other in zip(found, wanted, strict=True)
    )


def same_value(got: bytes, expected: Any, size: int) -> bool:
    """A function's result, written as JSON by the driver in the last line, against plain data.

    Python's `==`: `1` = `1.0` = `true`; no tolerance, NaN equals nothing. size: length of the
    expected JSON.
    """
    if len(got) > 10 * size + SLACK:
        return False
    try:
        return bool(json.loads(got.rsplit(b"\n", 1)[-1]) == expected)
    except (ValueError, RecursionError):  # no JSON, no UTF-8, too many digits, too deep
        return False


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().split("\n")]


def _same_numbers(one: str, other: str) -> bool:
    try:
        found = [Decimal(word) for word in one.split()]
        return found == [Decimal(word) for word in other.split()]
    except InvalidOperation:  # a word that is no number, or a signalling NaN
        return False
