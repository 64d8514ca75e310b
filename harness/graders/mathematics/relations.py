"""Equations and inequalities: what they assign, what they solve to, when two are one."""

from __future__ import annotations

from fractions import Fraction

from harness.graders.mathematics.answer import is_name, read_answer
from harness.graders.mathematics.expression import Apply, Expression, Symbol, UnreadableError
from harness.graders.mathematics.reader import read_expression
from harness.graders.mathematics.shapes import (
    Answer,
    Interval,
    Matrix,
    Relation,
    Union,
    Value,
    Words,
)
from harness.graders.mathematics.value import constant_ratio, number
from harness.problem import MathRules

FLIP = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
ORDERS = ("<", "<=", ">", ">=")
INFINITY = Symbol("oo")


def named(relation: Relation) -> str:
    first = relation.sides[0] if is_name(relation.sides[0]) else relation.sides[-1]
    return "".join(first.split())


def assigned(relation: Relation, rules: MathRules) -> Answer | None:
    """What an equation gives a name, or what a chain of equal values ends in."""
    if set(relation.operators) != {"="}:
        return None
    first, last = relation.sides[0], relation.sides[-1]
    if is_name(first):
        return read_answer(last, rules)
    if is_name(last) and len(relation.sides) == 2:
        return read_answer(first, rules)
    sides = [read_answer(side, rules) for side in relation.sides]
    if isinstance(sides[0], Value) and number(sides[0].expression) is not None:
        return sides[-1]
    has_value = isinstance(sides[-1], Value) and number(sides[-1].expression) is not None
    opaque = isinstance(sides[0], Matrix) or (isinstance(sides[0], Words) and sides[0].mathematical)
    return sides[-1] if opaque and has_value else None  # `\lim … = 1`


def two_sided(key: Relation, given: Relation) -> bool:
    """Equations and inequalities are equal up to a constant factor; a negative one flips."""
    a, b = _difference(key), _difference(given)
    if a is None or b is None:
        return key.operators == given.operators and _squeezed(key) == _squeezed(given)
    ratio = constant_ratio(a, b)
    if ratio is None:
        return False
    (mine,), (theirs,) = key.operators, given.operators
    if mine in ORDERS:
        negative = not isinstance(ratio, Fraction) and getattr(ratio, "imag", 0) != 0
        if negative:
            return False
        real = ratio if isinstance(ratio, Fraction) else ratio.real
        return theirs == (mine if real > 0 else FLIP[mine])
    return mine == theirs


def _squeezed(relation: Relation) -> tuple[str, ...]:
    return tuple("".join(side.split()) for side in relation.sides)


def _difference(relation: Relation) -> Expression | None:
    try:
        left, right = (read_expression(side) for side in relation.sides)
    except UnreadableError:
        return None
    return Apply("+", (left, Apply("neg", (right,))))


def solution_set(relation: Relation, rules: MathRules) -> Answer | None:
    """`a < x <= b` and `x > a` as intervals; `a <= |x| <= b` as two of them."""
    if relation.operators == ("!=",) and is_name(relation.sides[0]):
        hole, infinite = read_answer(relation.sides[1], rules), Value(INFINITY)
        both = (False, False)
        return Union((Interval(_negated(infinite), hole, both), Interval(hole, infinite, both)))
    if not set(relation.operators) <= set(ORDERS):
        return None
    sides, operators = list(relation.sides), list(relation.operators)
    if operators[0] in (">", ">="):
        sides, operators = sides[::-1], [FLIP[operator] for operator in operators[::-1]]
    if any(operator not in ("<", "<=") for operator in operators):
        return None
    closed = [operator == "<=" for operator in operators]
    if len(sides) == 2:
        return _ray(sides, closed[0], rules)
    if len(sides) != 3:
        return None
    low, high = read_answer(sides[0], rules), read_answer(sides[2], rules)
    middle = sides[1].strip()
    if middle.startswith("|") and middle.endswith("|") and is_name(middle.strip("| ")):
        return Union((
            Interval(_negated(high), _negated(low), (closed[1], closed[0])),
            Interval(low, high, (closed[0], closed[1])),
        ))  # fmt: skip
    return Interval(low, high, (closed[0], closed[1])) if is_name(middle) else None


def _ray(sides: list[str], closed: bool, rules: MathRules) -> Answer | None:
    infinite = Value(INFINITY)
    if is_name(sides[0]):
        return Interval(_negated(infinite), read_answer(sides[1], rules), (False, closed))
    if is_name(sides[1]):
        return Interval(read_answer(sides[0], rules), infinite, (closed, False))
    return None


def _negated(answer: Answer) -> Answer:
    return Value(Apply("neg", (answer.expression,))) if isinstance(answer, Value) else answer
