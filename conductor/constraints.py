"""Which workers may be used at all, whatever a policy would like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from conductor.pool import Worker
from conductor.strict import Document, Place

OPEN = "open"  # the tag of a worker whose weights are public


@dataclass(frozen=True, slots=True)
class Constraints:
    """All of these must hold; what a worker does not state, it does not fulfil.

    open_only: weights are public (tag ``open``). max_price: US dollars per million output tokens.
    max_latency: seconds of a typical call. deny_providers: e.g. ``openai``. deny_tags: any of them
    excludes. require_tags: all of them are needed.
    """

    open_only: bool = False
    max_price: float | None = None
    max_latency: float | None = None
    deny_providers: tuple[str, ...] = ()
    deny_tags: tuple[str, ...] = ()
    require_tags: tuple[str, ...] = ()

    def allow(self, worker: Worker) -> bool:
        return self.objection(worker) is None

    def objection(self, worker: Worker) -> str | None:
        """Why `worker` may not be used, or None."""
        tags = {tag.lower() for tag in worker.tags}
        if self.open_only and OPEN not in tags:
            return "is not tagged `open`"
        if self.max_price is not None and not _at_most(_price(worker), self.max_price):
            return f"costs more than ${self.max_price:g} per million tokens, or states no price"
        if self.max_latency is not None and not _at_most(worker.latency, self.max_latency):
            return f"takes longer than {self.max_latency:g} s, or states no latency"
        return self._denied(worker, tags)

    def _denied(self, worker: Worker, tags: set[str]) -> str | None:
        providers = set(worker.model.lower().split("/")[:-1])
        for provider in self.deny_providers:
            if provider.lower() in providers:
                return f"is of the denied provider {provider!r}"
        for tag in self.deny_tags:
            if tag.lower() in tags:
                return f"has the denied tag {tag!r}"
        for tag in self.require_tags:
            if tag.lower() not in tags:
                return f"lacks the tag {tag!r}"
        return None


def _price(worker: Worker) -> float | None:
    return worker.price.output if worker.price else None


def _at_most(value: float | None, limit: float) -> bool:
    return value is not None and value <= limit


def read_constraints(document: Document, place: Place, value: Any) -> Constraints:
    data = document.mapping(place, value, _FIELDS, "`constraints`")
    return Constraints(**{key: _FIELDS[key](document, (*place, key), data[key]) for key in data})


def _texts(document: Document, place: Place, value: Any) -> tuple[str, ...]:
    return document.texts(place, value, f"`{place[-1]}`")


def _number(document: Document, place: Place, value: Any) -> float:
    return document.number(place, value, 0, 1e6, f"`{place[-1]}`")


_FIELDS: dict[str, Any] = {
    "open_only": lambda document, place, value: document.flag(place, value, "`open_only`"),
    "max_price": _number,
    "max_latency": _number,
    "deny_providers": _texts,
    "deny_tags": _texts,
    "require_tags": _texts,
}
