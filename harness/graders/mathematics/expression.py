"""Expressions as a small tree. Nothing is evaluated by reading one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


class UnreadableError(ValueError):
    """Not an expression that this reader knows."""


@dataclass(frozen=True, slots=True)
class Number:
    """digits: significant digits of a decimal as written, 0 for an exact number."""

    value: Fraction
    digits: int = 0


@dataclass(frozen=True, slots=True)
class Symbol:
    name: str


@dataclass(frozen=True, slots=True)
class Apply:
    """A function or operator on its arguments: "+", "*", "/", "^", "neg", "sqrt", "sin" …"""

    name: str
    arguments: tuple[Expression, ...]


Expression = Number | Symbol | Apply


def symbols(expression: Expression) -> frozenset[str]:
    """Names of the free symbols; pi, e, i and infinity are constants."""
    found: set[str] = set()
    pending: list[Expression] = [expression]
    while pending:
        node = pending.pop()
        if isinstance(node, Symbol):
            found.add(node.name)
        elif isinstance(node, Apply):
            pending.extend(node.arguments)
    return frozenset(found - {"pi", "e", "i", "oo"})
