"""The shapes of an answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.graders.mathematics.expression import Expression


@dataclass(frozen=True, slots=True)
class Words:
    """Text that is no mathematics to us; equal when it reads the same."""

    text: str
    mathematical: bool = False  # has commands or operators: an algebra system may know more


@dataclass(frozen=True, slots=True)
class Value:
    expression: Expression
    percent: bool = False
    fraction: tuple[int, int] | None = None  # as written, to tell an unreduced one
    text: str = field(default="", compare=False)  # as written: `odd` may be a word or a product


@dataclass(frozen=True, slots=True)
class Based:
    """Digits in a base: `204_5`."""

    digits: str
    base: int


@dataclass(frozen=True, slots=True)
class Items:
    """kind: list (`1, 2`), set (`{1, 2}`), tuple (`(1, 2)`), ratio (`1:2`)."""

    kind: str
    items: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Interval:
    low: Answer
    high: Answer
    closed: tuple[bool, bool]


@dataclass(frozen=True, slots=True)
class Union:
    parts: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    rows: tuple[tuple[Answer, ...], ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """A chain: `sides[0] operators[0] sides[1] …`; operators: = < <= > >= !=."""

    sides: tuple[str, ...]
    operators: tuple[str, ...]


Answer = Words | Value | Based | Items | Interval | Union | Matrix | Relation
