"""The calls of a sample, found in its transcript by the spans that they were made in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.event import Event, InfoEvent, ModelEvent, SpanBeginEvent

from conductor.inspect_call import REPLAY


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call. name: its span's. prompt: (role, text) of each message."""

    name: str
    prompt: tuple[tuple[str, str], ...] = ()
    reply: str = ""


class Calls:
    """Those of the sample's last conductor: a task may ask several times; the last one answered."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._spans = {each.id: each for each in events if isinstance(each, SpanBeginEvent)}
        outer = [
            each.id
            for each in self._spans.values()
            if each.type == "conductor"
            and not any(above.type == "conductor" for above in self._above(each))
        ]
        own = {i for i, each in self._spans.items() if outer and each.parent_id == outer[-1]}
        self._own: list[CallRecord] = []
        self._inner: list[tuple[str, CallRecord]] = []  # (own span that it was made in, call)
        for event in events:
            if (span := self._spans.get(event.span_id or "")) and (call := _read(event, span.name)):
                if span.id in own:
                    self._own.append(call)
                elif above := next((a for a in self._above(span) if a.id in own), None):
                    self._inner.append((above.name, call))

    def _above(self, span: SpanBeginEvent) -> Iterator[SpanBeginEvent]:
        above = self._spans.get(span.parent_id or "")
        while above is not None:
            yield above
            above = self._spans.get(above.parent_id or "")

    def find(self, begin: str) -> CallRecord:
        """The last call whose span's name begins so (after retries, or a fallback's); an empty one
        where the log has none."""
        found = (call for call in reversed(self._own) if call.name.startswith(begin))
        return next(found, CallRecord(""))

    def inside(self, number: int, step: int) -> tuple[CallRecord, ...]:
        """What a step called whose worker is a conductor: another, or the conductor itself."""
        title = f"round {number}, step {step}: " if number else f"step {step}: "
        begins = (f"inside {number}.{step},", f"inside {number}.{step}/")
        another = [call for name, call in self._inner if name.startswith(title)]
        itself = [call for call in self._own if call.name.startswith(begins)]
        return (*another, *itself)


def _read(event: Event, name: str) -> CallRecord | None:
    """A call that was made, or replayed; None for any other event."""
    if isinstance(event, ModelEvent):
        prompt = tuple((message.role, message.text) for message in event.input)
        return CallRecord(name, prompt, event.output.completion)
    if isinstance(event, InfoEvent) and event.source == REPLAY:
        data: Any = event.data
        told = tuple((message["role"], message["text"]) for message in data["prompt"])
        return CallRecord(name, told, str(data["reply"]))
    return None
