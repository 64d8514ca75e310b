"""Whether two answers are the same: by shape first, then by value. The key comes first."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd
from typing import Any

from harness.graders.mathematics.answer import words_of
from harness.graders.mathematics.expression import Apply, Expression, Number
from harness.graders.mathematics.relations import assigned, named, solution_set, two_sided
from harness.graders.mathematics.shapes import (
    Answer,
    Based,
    Interval,
    Items,
    Matrix,
    Relation,
    Union,
    Value,
    Words,
)
from harness.graders.mathematics.value import (
    close_decimals,
    number,
    same_value,
    within,
)
from harness.problem import MathRules


def equal(key: Answer, given: Answer, rules: MathRules) -> bool:
    """Whether `given` is `key`, by the conventions of `rules`."""
    if key == given and not (isinstance(key, Words) and not key.text):
        return True
    key, given = _without_names(key, given, rules)
    match key, given:
        case Value(), Value():
            return _values(key, given, rules)
        case Words(), Words():
            return _words(key, given)
        case Based(), Based():
            return key == given
        case (Based(), Value()) | (Value(), Based()):
            return _digits_without_base(key, given)
        case Matrix(), Matrix():
            return _matrices(key, given, rules)
        case Interval(), Interval():
            ends = equal(key.low, given.low, rules) and equal(key.high, given.high, rules)
            return ends and key.closed == given.closed
        case Relation(), Relation():
            return _relations(key, given, rules)
        case Items(), Items():
            return _items(key, given, rules)
        case Union(), Union():
            return _unordered(key.parts, given.parts, rules)
    return _mixed(key, given, rules)


def _mixed(key: Answer, given: Answer, rules: MathRules) -> bool:
    """Two shapes that may say the same."""
    for one, other in ((key, given), (given, key)):
        match one, other:
            case Items(items=(only,)), _ if not isinstance(other, Items):
                return one.kind != "tuple" and equal(only, other, rules)
            case Words(), Value():
                return one.text == words_of(other.text) != ""
            case Interval(), Items() if other.kind in ("list", "tuple") and len(other.items) == 2:
                same_brackets = len(set(one.closed)) == 1
                return same_brackets and _ordered((one.low, one.high), other.items, rules)
            case Interval() | Union(), Relation():
                found = solution_set(other, rules)
                return found is not None and equal(one, found, rules)
            case Union(), Items(kind="list"):
                parts = [solution_set(i, rules) for i in other.items if isinstance(i, Relation)]
                solved = tuple(part for part in parts if part is not None)
                return len(solved) == len(other.items) and equal(one, Union(solved), rules)
            case ((Items(kind="tuple") | Interval(closed=(False, False))), Matrix()):
                cells = tuple(cell for row in other.rows for cell in row)
                return _is_vector(other) and _ordered(_entries(one), cells, rules)
    return False


def _entries(tuple_: Items | Interval) -> tuple[Answer, ...]:
    """The entries of a tuple; a pair is read as an open interval."""
    return tuple_.items if isinstance(tuple_, Items) else (tuple_.low, tuple_.high)


def _is_vector(matrix: Matrix) -> bool:
    return len(matrix.rows) == 1 or all(len(row) == 1 for row in matrix.rows)


def _values(key: Value, given: Value, rules: MathRules) -> bool:
    if rules.reduced and key.fraction and given.fraction and gcd(*given.fraction) != 1:
        return False
    a, b = _percented(key, rules), _percented(given, rules)
    if _same(a, b, rules):
        return True
    if rules.percent != "any":
        return False
    hundred = Number(Fraction(100))
    return _same(Apply("*", (a, hundred)), b, rules) or _same(Apply("/", (a, hundred)), b, rules)


def _same(a: Expression, b: Expression, rules: MathRules) -> bool:
    if same_value(a, b) or close_decimals(a, b):
        return True
    tolerant = rules.absolute > 0 or rules.relative > 0
    return tolerant and within(b, a, rules.relative, rules.absolute)


def _percented(value: Value, rules: MathRules) -> Expression:
    if value.percent and rules.percent == "value":
        return Apply("/", (value.expression, Number(Fraction(100))))
    return value.expression


def _words(key: Words, given: Words) -> bool:
    squeezed = (text.replace(" ", "") for text in (key.text, given.text))
    return bool(key.text) and len(set(squeezed)) == 1


def _digits_without_base(key: Answer, given: Answer) -> bool:
    """`204` for `204_5`: the question has named the base."""
    based, value = (key, given) if isinstance(key, Based) else (given, key)
    assert isinstance(based, Based)
    assert isinstance(value, Value)
    expression = value.expression
    return isinstance(expression, Number) and str(expression.value) == based.digits


def _matrices(key: Matrix, given: Matrix, rules: MathRules) -> bool:
    if [len(row) for row in key.rows] != [len(row) for row in given.rows]:
        return False
    return all(_ordered(a, b, rules) for a, b in zip(key.rows, given.rows, strict=True))


def _items(key: Items, given: Items, rules: MathRules) -> bool:
    kinds = {key.kind, given.kind}
    if kinds == {"ratio"}:
        return _ordered(key.items, given.items, rules) or _proportional(key, given)
    if "ratio" in kinds or len(key.items) != len(given.items):
        return False
    if "tuple" in kinds or (rules.ordered and kinds == {"list"}):
        return "set" not in kinds and _ordered(key.items, given.items, rules)
    return _unordered(key.items, given.items, rules)


def _ordered(key: Sequence[Answer], given: Sequence[Answer], rules: MathRules) -> bool:
    if len(key) != len(given):
        return False
    return all(equal(a, b, rules) for a, b in zip(key, given, strict=True))


def _unordered(key: Sequence[Answer], given: Sequence[Answer], rules: MathRules) -> bool:
    """Each item of one has its own partner in the other (few items: tried in turn)."""
    if len(key) != len(given):
        return False
    left = list(given)
    for item in key:
        partner = next((other for other in left if equal(item, other, rules)), None)
        if partner is None:
            return False
        left.remove(partner)
    return True


def _proportional(key: Items, given: Items) -> bool:
    """`2:4` for `1:2`; nothing with a zero in it (`12:00` is a time)."""
    values = [_numbers(items) for items in (key, given)]
    if None in values or len(key.items) != len(given.items):
        return False
    a, b = values
    assert a is not None
    assert b is not None
    if 0 in a or 0 in b:
        return False
    return all(x * b[0] == y * a[0] for x, y in zip(a, b, strict=True))


def _numbers(items: Items) -> list[Any] | None:
    found = [number(item.expression) for item in items.items if isinstance(item, Value)]
    exact = [value for value in found if isinstance(value, Fraction)]
    return exact if len(exact) == len(items.items) else None


def _without_names(key: Answer, given: Answer, rules: MathRules) -> tuple[Answer, Answer]:
    """`x = 3` against `3`: the name goes, unless both are relations of more than a name."""
    if isinstance(key, Relation) and isinstance(given, Relation):
        short = assigned(key, rules), assigned(given, rules)
        if short[0] is not None and short[1] is not None and named(key) == named(given):
            return short[0], short[1]
        return key, given
    if isinstance(key, Relation) and not isinstance(given, Relation):
        return assigned(key, rules) or key, given
    if isinstance(given, Relation):
        return key, assigned(given, rules) or given
    return key, given


def _relations(key: Relation, given: Relation, rules: MathRules) -> bool:
    if len(key.sides) == 2 and len(given.sides) == 2:
        return two_sided(key, given)
    one, other = solution_set(key, rules), solution_set(given, rules)
    return one is not None and other is not None and equal(one, other, rules)
