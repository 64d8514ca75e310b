"""Values of a request, checked one by one; an error names the parameter."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from conductor.serve.errors import bad_request
from conductor.strict import near


def flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise bad_request(f"`{name}` must be true or false", name)
    return value


def number(value: Any, name: str, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise bad_request(f"`{name}` must be a number between {low} and {high}", name)
    return float(value)


def integer(value: Any, name: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise bad_request(f"`{name}` must be a whole number between {low} and {high}", name)
    return value


def one_of(value: Any, name: str, known: Collection[str]) -> str:
    if not isinstance(value, str) or value not in known:
        raise bad_request(f"`{name}` must be one of: {', '.join(known)}", name)
    return value


def text(value: Any, name: str) -> str:
    """Text that can be sent on: JSON's half characters (lone surrogates) can't."""
    if not isinstance(value, str):
        raise bad_request(f"`{name}` must be a text", name)
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as cause:
        raise bad_request(f"`{name}` holds half a character (a lone surrogate)", name) from cause
    return value


def texts(value: Any, name: str, most: int, longest: int) -> tuple[str, ...]:
    """A text, or a list of `most` at most; none of them empty or longer than `longest`."""
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or len(listed) > most:
        raise bad_request(f"`{name}` must be a text or a list of at most {most}", name)
    found = tuple(text(one, name) for one in listed)
    if not all(0 < len(one) <= longest for one in found):
        raise bad_request(f"`{name}` must not be empty, nor longer than {longest}", name)
    return found


def mapping(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise bad_request(f"`{name}` must be an object", name)
    return value


def known_keys(value: Mapping[str, Any], name: str, known: Collection[str]) -> None:
    for key in value:
        if key not in known:
            raise bad_request(f"unknown key {key[:60]!r} of `{name}`{near(key[:60], known)}", name)
