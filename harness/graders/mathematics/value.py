"""The value of an expression, and when two of them are equal.

Rational arithmetic is exact. Everything else is evaluated to 40 digits, expressions with symbols
at several rational points that depend on the symbols' names alone: two expressions that agree
there to 25 digits are the same (Schwartz and Zippel), and no algebra system has to be trusted
with text from a model. Every operation is bounded: what would grow beyond use is undefined.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from harness.graders.mathematics.arithmetic import (
    DIGITS,
    UndefinedError,
    context,
    divide,
    evaluate,
    inexact,
)
from harness.graders.mathematics.expression import Apply, Expression, Number, symbols

AGREE = 25  # digits
POINTS = 3
TRIES = 8


def same_value(a: Expression, b: Expression) -> bool:
    """Whether two expressions are equal wherever both are defined."""
    names = symbols(a)
    if names != symbols(b):
        return _same_despite_names(a, b)
    if not names:
        return _close(_at(a, {}), _at(b, {}))
    return _agree_at_points(a, b, names)


def _same_despite_names(a: Expression, b: Expression) -> bool:
    """`x - x + 1` equals 1; a constant of integration may be c or C; else names differ."""
    return _agree_at_points(a, b, symbols(a) | symbols(b))


def _agree_at_points(a: Expression, b: Expression, names: frozenset[str]) -> bool:
    agreed = 0
    for attempt in range(TRIES):
        at = point(names, attempt)
        left, right = _maybe(a, at), _maybe(b, at)
        if (left is None) != (right is None):
            return False
        if left is None:
            continue
        if not _close(left, right):
            return False
        agreed += 1
        if agreed == POINTS:
            return True
    return False


def constant_ratio(a: Expression, b: Expression) -> Any | None:
    """a/b where it is the same non-zero number at every point; else None."""
    names = symbols(a)
    if names != symbols(b) or not names:
        return None
    ratios = []
    for attempt in range(TRIES):
        at = point(names, attempt)
        left, right = _maybe(a, at), _maybe(b, at)
        if left is None or right is None or right == 0 or left == 0:
            continue
        ratios.append(divide(left, right))
        if len(ratios) > 1 and not _close(ratios[0], ratios[-1]):
            return None
        if len(ratios) == POINTS:
            return ratios[0]
    return None


def number(expression: Expression) -> Any | None:
    """The value of an expression without symbols, None where there is none."""
    return None if symbols(expression) else _maybe(expression, {})


def point(names: frozenset[str], attempt: int) -> dict[str, Fraction]:
    """A positive rational for each name, the same on every machine."""
    same = {"c": "C"} if {"c", "C"} <= names else {}
    return {name: _coordinate(same.get(name, name), attempt) for name in names}


def _coordinate(name: str, attempt: int) -> Fraction:
    digest = hashlib.sha256(f"{name}\0{attempt}".encode()).digest()
    return Fraction(40 + digest[0] + 256 * (digest[1] % 2), 101 + digest[2])


def _maybe(expression: Expression, at: Mapping[str, Fraction]) -> Any | None:
    try:
        return evaluate(expression, at)
    except UndefinedError:
        return None


def _at(expression: Expression, at: Mapping[str, Fraction]) -> Any:
    return _maybe(expression, at)


def close_decimals(a: Expression, b: Expression) -> bool:
    """A decimal of ten digits or more stands for the exact value it was rounded from."""
    for decimal, exact in ((a, b), (b, a)):
        digits = _decimal_digits(decimal)
        if digits >= 10 and not _decimal_digits(exact):
            left, right = number(decimal), number(exact)
            if left is not None and right is not None:
                ctx = context()
                slack = abs(inexact(right)) * ctx.mpf(10) ** (1 - digits)
                return bool(abs(inexact(left) - inexact(right)) <= slack)
    return False


def _decimal_digits(expression: Expression) -> int:
    if isinstance(expression, Apply) and expression.name == "neg":
        return _decimal_digits(expression.arguments[0])
    return expression.digits if isinstance(expression, Number) else 0


def within(a: Expression, b: Expression, relative: float, absolute: float) -> bool:
    """|a − b| ≤ absolute + relative·|b| for two numbers."""
    left, right = number(a), number(b)
    if left is None or right is None or _infinite(left) or _infinite(right):
        return False
    slack = abs(inexact(right)) * context().mpf(relative) + context().mpf(absolute)
    return bool(abs(inexact(left) - inexact(right)) <= slack * (1 + context().mpf(10) ** -12))


def _close(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return False
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a == b
    a, b = inexact(a), inexact(b)
    if _infinite(a) or _infinite(b):
        return bool(a == b)
    largest = max(abs(a), abs(b))
    ten = context().mpf(10)
    return bool(abs(a - b) <= largest * ten**-AGREE or largest < ten ** -(DIGITS - 5))


def _infinite(value: Any) -> bool:
    return not isinstance(value, Fraction) and bool(context().isinf(value))
