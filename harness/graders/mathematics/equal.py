"""Whether two answers are the same: by shape first, then by value. The key comes first."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd
from typing import Any

from harness.graders.mathematics.answer import (
    Answer,
    Based,
    Interval,
    Items,
    Matrix,
    Relation,
    Union,
    Value,
    Words,
    is_name,
    read_answer,
    words_of,
)
from harness.graders.mathematics.expression import (
    Apply,
    Expression,
    Number,
    Symbol,
    UnreadableError,
)
from harness.graders.mathematics.reader import read_expression
from harness.graders.mathematics.value import (
    close_decimals,
    constant_ratio,
    number,
    same_value,
    within,
)
from harness.problem import MathRules

FLIP = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
ORDERS = ("<", "<=", ">", ">=")
INFINITY = Symbol("oo")


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
                found = _solution_set(other, rules)
                return found is not None and equal(one, found, rules)
            case Union(), Items(kind="list"):
                parts = [_solution_set(i, rules) for i in other.items if isinstance(i, Relation)]
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
        short = _assigned(key, rules), _assigned(given, rules)
        if short[0] is not None and short[1] is not None and _named(key) == _named(given):
            return short[0], short[1]
        return key, given
    if isinstance(key, Relation) and not isinstance(given, Relation):
        return _assigned(key, rules) or key, given
    if isinstance(given, Relation):
        return key, _assigned(given, rules) or given
    return key, given


def _named(relation: Relation) -> str:
    first = relation.sides[0] if is_name(relation.sides[0]) else relation.sides[-1]
    return "".join(first.split())


def _assigned(relation: Relation, rules: MathRules) -> Answer | None:
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


def _relations(key: Relation, given: Relation, rules: MathRules) -> bool:
    if len(key.sides) == 2 and len(given.sides) == 2:
        return _two_sided(key, given)
    one, other = _solution_set(key, rules), _solution_set(given, rules)
    return one is not None and other is not None and equal(one, other, rules)


def _two_sided(key: Relation, given: Relation) -> bool:
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


def _solution_set(relation: Relation, rules: MathRules) -> Answer | None:
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
