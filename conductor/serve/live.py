"""An answer's text while it comes: what may be shown already, and what can't be taken back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence


class Diverged(Exception):
    """Text was sent that the answer does not begin with."""


class Live:
    """A listener to the answering call (see `conductor.streaming`).

    After a failed attempt, the next one is shown from where it goes beyond what was sent; one
    that says something else is not shown at all, and `finish` raises.
    """

    def __init__(self, stop: Sequence[str] = ()) -> None:
        self._stop = tuple(stop)
        self._attempt: list[str] = []
        self.sent = ""
        self.changed = asyncio.Event()

    def restart(self) -> None:
        self._attempt = []

    def text(self, fragment: str) -> None:
        self._attempt.append(fragment)
        self.changed.set()

    def take(self) -> str:
        """What can be sent now; it counts as sent."""
        self._attempt = ["".join(self._attempt)]
        attempt = visible(self._attempt[0])
        return self._beyond(attempt[: safe_length(attempt, self._stop)])

    def finish(self, answer: str) -> str:
        """The rest of the answer. Raises Diverged."""
        answer = cut(answer, self._stop)
        if not answer.startswith(self.sent) and answer.rstrip() != self.sent.rstrip():
            raise Diverged
        return self._beyond(answer)

    def _beyond(self, text: str) -> str:
        if not text.startswith(self.sent):
            return ""
        rest = text[len(self.sent) :]
        self.sent = text
        return rest


def visible(text: str) -> str:
    """Without the reasoning that some servers send as text, as Inspect reads it out later; nothing
    while there is only space, which an empty answer may begin with as well."""
    body = text.lstrip()
    if body.startswith("<think"):
        return body.partition("</think>")[2].lstrip()
    return "" if "<think".startswith(body) else text


def cut(text: str, stop: Sequence[str]) -> str:
    """`text` before the first stop sequence."""
    return text[: min((text.find(one) for one in stop if one in text), default=len(text))]


def safe_length(text: str, stop: Sequence[str]) -> int:
    """How much of `text` stands, whatever follows: no more than before a stop sequence, or before
    what may turn out to be the beginning of one."""
    whole = len(cut(text, stop))
    if whole < len(text):
        return whole
    longest = max((len(one) for one in stop), default=1) - 1
    for size in range(min(longest, len(text)), 0, -1):
        if any(one.startswith(text[-size:]) for one in stop):
            return len(text) - size
    return len(text)
