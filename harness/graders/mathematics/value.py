"""The value of an expression, and when two of them are equal.

Rational arithmetic is exact. Everything else is evaluated to 40 digits, expressions with symbols
at several rational points that depend on the symbols' names alone: two expressions that agree
there to 25 digits are the same (Schwartz and Zippel), and no algebra system has to be trusted
with text from a model. Every operation is bounded: what would grow beyond use is undefined.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from harness.graders.mathematics.expression import Apply, Expression, Number, Symbol, symbols

EXACT_BITS = 100_000  # numerators and denominators beyond this are computed inexactly
MAGNITUDE = 10**7  # |log2| of the largest value that is computed at all
FACTORIAL = 5_000  # exact up to here
DIGITS = 40
AGREE = 25  # digits
POINTS = 3
TRIES = 8
_local = threading.local()


class UndefinedError(ValueError):
    """No value here: a division by zero, a logarithm of zero, or a number beyond use."""


def context() -> Any:
    """A context of mpmath for this thread (the global one is shared, precision and all)."""
    found = getattr(_local, "context", None)
    if found is None:
        import mpmath

        found = mpmath.MPContext()
        found.dps = DIGITS
        _local.context = found
    return found


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
        ratios.append(_divide(left, right))
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
                slack = abs(_mp(right)) * ctx.mpf(10) ** (1 - digits)
                return bool(abs(_mp(left) - _mp(right)) <= slack)
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
    slack = abs(_mp(right)) * context().mpf(relative) + context().mpf(absolute)
    return bool(abs(_mp(left) - _mp(right)) <= slack * (1 + context().mpf(10) ** -12))


def _close(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return False
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a == b
    a, b = _mp(a), _mp(b)
    if _infinite(a) or _infinite(b):
        return bool(a == b)
    largest = max(abs(a), abs(b))
    ten = context().mpf(10)
    return bool(abs(a - b) <= largest * ten**-AGREE or largest < ten ** -(DIGITS - 5))


def _infinite(value: Any) -> bool:
    return not isinstance(value, Fraction) and bool(context().isinf(value))


def _mp(value: Any) -> Any:
    if isinstance(value, Fraction):
        return context().mpf(value.numerator) / value.denominator
    return value


def _divide(a: Any, b: Any) -> Any:
    if b == 0:
        raise UndefinedError("division by zero")
    return a / b if isinstance(a, Fraction) and isinstance(b, Fraction) else _mp(a) / _mp(b)


def evaluate(expression: Expression, at: Mapping[str, Fraction]) -> Any:
    """A Fraction where arithmetic stays rational, else a number of mpmath (maybe complex).

    Raises UndefinedError.
    """
    if isinstance(expression, Number):
        return expression.value
    if isinstance(expression, Symbol):
        return _symbol(expression.name, at)
    arguments = [evaluate(argument, at) for argument in expression.arguments]
    try:
        value = _apply(expression.name, arguments)
    except (ZeroDivisionError, ValueError, OverflowError, TypeError, NotImplementedError) as cause:
        raise UndefinedError(f"{expression.name}: {cause}") from cause
    return _bounded(value)


def _bounded(value: Any) -> Any:
    if isinstance(value, Fraction):
        bits = value.numerator.bit_length() + value.denominator.bit_length()
        return value if bits <= EXACT_BITS else _mp(value)
    if context().isnan(value):
        raise UndefinedError("not a number")
    if not context().isinf(value) and value != 0 and abs(context().mag(value)) > MAGNITUDE:
        raise UndefinedError("beyond use")
    return value


def _symbol(name: str, at: Mapping[str, Fraction]) -> Any:
    if name in at:
        return at[name]
    ctx = context()
    constants = {"pi": ctx.pi, "e": ctx.e, "i": ctx.mpc(0, 1), "oo": ctx.inf}
    return +constants[name]


def _apply(name: str, arguments: list[Any]) -> Any:
    first, *rest = arguments
    match name:
        case "neg":
            return -first
        case "+" | "*" | "/":
            return _arithmetic(name, first, rest[0])
        case "^":
            return _power(first, rest[0])
        case "factorial":
            return _factorial(first)
        case "sqrt":
            return _root(first, Fraction(2))
        case "root":
            return _root(first, rest[0])
        case "binom":
            return _binomial(first, rest[0])
        case "abs":
            return abs(first)
        case "floor" | "ceil":
            return _whole(name, first)
        case "max" | "min":
            return (max if name == "max" else min)(_mp(argument) for argument in arguments)
        case "gcd" | "lcm":
            return _integers(name, arguments)
    return _function(name, [_mp(argument) for argument in arguments])


def _arithmetic(name: str, a: Any, b: Any) -> Any:
    if not (isinstance(a, Fraction) and isinstance(b, Fraction)):
        a, b = _mp(a), _mp(b)
    if name == "+":
        return a + b
    return a * b if name == "*" else _divide(a, b)


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(exponent, Fraction) and exponent.denominator == 1 and isinstance(base, Fraction):
        size = max(base.numerator.bit_length(), base.denominator.bit_length())
        if abs(exponent.numerator) * size <= EXACT_BITS:
            if base == 0 and exponent < 0:
                raise UndefinedError("division by zero")
            return base**exponent.numerator
    ctx = context()
    a, b = _mp(base), _mp(exponent)
    if a == 0 or ctx.isinf(a) or ctx.isinf(b):
        return a**b
    if abs(b) * abs(ctx.log(abs(a), 2)) > MAGNITUDE:
        raise UndefinedError("beyond use")
    return a**b


def _root(value: Any, degree: Any) -> Any:
    if isinstance(value, Fraction) and isinstance(degree, Fraction) and value >= 0:
        exact = _exact_root(value, degree)
        if exact is not None:
            return exact
    odd = isinstance(degree, Fraction) and degree.denominator == 1 and degree.numerator % 2 == 1
    a = _mp(value)
    if odd and context().im(a) == 0 and a < 0:  # the real root, as in school
        return -((-a) ** (1 / _mp(degree)))
    return context().sqrt(a) if degree == 2 else a ** (1 / _mp(degree))


def _exact_root(value: Fraction, degree: Fraction) -> Fraction | None:
    import math

    if degree != 2:
        return None
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Fraction(top, bottom)
    return None


def _factorial(value: Any) -> Any:
    import math

    if isinstance(value, Fraction) and value.denominator == 1:
        if value < 0:
            raise UndefinedError("the factorial of a negative number")
        if value <= FACTORIAL:
            return Fraction(math.factorial(value.numerator))
    if abs(_mp(value)) > MAGNITUDE // 100:
        raise UndefinedError("beyond use")
    return context().gamma(_mp(value) + 1)


def _binomial(n: Any, k: Any) -> Any:
    import math

    whole = all(isinstance(v, Fraction) and v.denominator == 1 and v >= 0 for v in (n, k))
    if whole and n <= FACTORIAL:
        return Fraction(math.comb(n.numerator, k.numerator))
    if abs(_mp(n)) > MAGNITUDE // 100 or abs(_mp(k)) > MAGNITUDE // 100:
        raise UndefinedError("beyond use")
    return context().binomial(_mp(n), _mp(k))


def _whole(name: str, value: Any) -> Any:
    import math

    if isinstance(value, Fraction):
        return Fraction(math.floor(value) if name == "floor" else math.ceil(value))
    ctx = context()
    return ctx.floor(value) if name == "floor" else ctx.ceil(value)


def _integers(name: str, arguments: list[Any]) -> Fraction:
    import math

    if not all(isinstance(v, Fraction) and v.denominator == 1 for v in arguments):
        raise UndefinedError(f"{name} of what is no integer")
    values = [argument.numerator for argument in arguments]
    return Fraction(math.gcd(*values) if name == "gcd" else math.lcm(*values))


def _function(name: str, arguments: list[Any]) -> Any:
    ctx, first = context(), arguments[0]
    if name in ("exp", "sinh", "cosh", "tanh") and abs(first) > MAGNITUDE // 2:
        raise UndefinedError("beyond use")
    if name in ("ln", "log", "logb", "log10") and first == 0:
        raise UndefinedError("the logarithm of zero")
    match name:
        case "ln" | "log":  # \log without a base: natural or decimal, but the same on both sides
            return ctx.ln(first)
        case "log10":
            return ctx.log(first, 10)
        case "logb":
            return ctx.ln(first) / ctx.ln(arguments[1])
        case "arcsin" | "arccos" | "arctan":
            return getattr(ctx, name.replace("arc", "a"))(first)
        case "Re" | "Im" | "arg":
            return getattr(ctx, {"Re": "re", "Im": "im", "arg": "arg"}[name])(first)
        case "sin" | "cos" | "tan" | "cot" | "sec" | "csc" | "sinh" | "cosh" | "tanh" | "exp":
            return getattr(ctx, name)(first)
    raise UndefinedError(f"no value for {name}")
