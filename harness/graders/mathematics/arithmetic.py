"""The value of an expression at a point, every operation bounded.

Rational arithmetic is exact; all else has 40 digits. What would grow beyond use is undefined.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from harness.graders.mathematics.expression import Expression, Number, Symbol

EXACT_BITS = 100_000  # numerators and denominators beyond this are computed inexactly
MAGNITUDE = 10**7  # |log2| of the largest value that is computed at all
FACTORIAL = 5_000  # exact up to here
DIGITS = 40
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


def inexact(value: Any) -> Any:
    if isinstance(value, Fraction):
        return context().mpf(value.numerator) / value.denominator
    return value


def divide(a: Any, b: Any) -> Any:
    if b == 0:
        raise UndefinedError("division by zero")
    return a / b if isinstance(a, Fraction) and isinstance(b, Fraction) else inexact(a) / inexact(b)


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
        return value if bits <= EXACT_BITS else inexact(value)
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
            return (max if name == "max" else min)(inexact(argument) for argument in arguments)
        case "gcd" | "lcm":
            return _integers(name, arguments)
    return _function(name, [inexact(argument) for argument in arguments])


def _arithmetic(name: str, a: Any, b: Any) -> Any:
    if not (isinstance(a, Fraction) and isinstance(b, Fraction)):
        a, b = inexact(a), inexact(b)
    if name == "+":
        return a + b
    return a * b if name == "*" else divide(a, b)


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(exponent, Fraction) and exponent.denominator == 1 and isinstance(base, Fraction):
        size = max(base.numerator.bit_length(), base.denominator.bit_length())
        if abs(exponent.numerator) * size <= EXACT_BITS:
            if base == 0 and exponent < 0:
                raise UndefinedError("division by zero")
            return base**exponent.numerator
    ctx = context()
    a, b = inexact(base), inexact(exponent)
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
    a = inexact(value)
    if odd and context().im(a) == 0 and a < 0:  # the real root, as in school
        return -((-a) ** (1 / inexact(degree)))
    return context().sqrt(a) if degree == 2 else a ** (1 / inexact(degree))


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
    if abs(inexact(value)) > MAGNITUDE // 100:
        raise UndefinedError("beyond use")
    return context().gamma(inexact(value) + 1)


def _binomial(n: Any, k: Any) -> Any:
    import math

    whole = all(isinstance(v, Fraction) and v.denominator == 1 and v >= 0 for v in (n, k))
    if whole and n <= FACTORIAL:
        return Fraction(math.comb(n.numerator, k.numerator))
    if abs(inexact(n)) > MAGNITUDE // 100 or abs(inexact(k)) > MAGNITUDE // 100:
        raise UndefinedError("beyond use")
    return context().binomial(inexact(n), inexact(k))


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
