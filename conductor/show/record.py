"""What a page shows of a sample: plain data, read from an Inspect log."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.event import Event, InfoEvent, ModelEvent, SpanBeginEvent
from inspect_ai.log import EvalSample

from conductor.inspect_call import REPLAY


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step. prompt: (role, text) of each message; empty where the log has none. cost: US
    dollars, None if unknown. start: seconds after its round began."""

    round: int
    number: int
    worker: str
    model: str
    subtask: str
    access: tuple[int, ...]
    previous: bool
    prompt: tuple[tuple[str, str], ...]
    response: str
    tokens: tuple[int, int]
    cost: float | None
    start: float
    seconds: float
    retries: int
    stop_reason: str
    fault: str | None

    @property
    def end(self) -> float:
        return self.start + self.seconds

    @property
    def anchor(self) -> str:
        return f"r{self.round}s{self.number}"


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """One plan. written: what a policy model wrote (its reasoning and the lists), if one did."""

    number: int
    kept: bool
    trouble: str | None
    answered_by: int | None
    steps: tuple[StepRecord, ...]
    written: str


@dataclass(frozen=True, slots=True)
class SampleRecord:
    """A sample. verdict: correct, incorrect, partial, unscored, or error."""

    id: str
    epoch: int
    question: str
    answer: str
    verdict: str
    reason: str
    policy: str
    trouble: str | None
    answered_by: tuple[int, int] | None
    rounds: tuple[RoundRecord, ...]
    tokens: int
    calls: int
    cost: float | None
    seconds: float

    @property
    def steps(self) -> Iterator[StepRecord]:
        for one in self.rounds:
            yield from one.steps


def read_sample(sample: EvalSample) -> SampleRecord:
    """Also of a sample that no conductor answered: it then has no rounds."""
    outcome = (sample.output.metadata or {}).get("conductor") or {}
    calls = _Calls(sample.events)
    verdict, reason, stated = _verdict(sample)
    answered = outcome.get("answered_by")
    return SampleRecord(
        id=str(sample.id),
        epoch=sample.epoch,
        question=_question(sample),
        answer=stated or sample.output.completion,
        verdict=verdict,
        reason=reason,
        policy=outcome.get("policy", ""),
        trouble=outcome.get("fault") or outcome.get("plan_error"),
        answered_by=(answered[0], answered[1]) if answered else None,
        rounds=tuple(_round(one, calls) for one in outcome.get("rounds", ())),
        tokens=outcome.get("input_tokens", 0) + outcome.get("output_tokens", 0),
        calls=outcome.get("calls", 0),
        cost=outcome.get("cost"),
        seconds=outcome.get("seconds", sample.total_time or 0.0),
    )


def _round(one: dict[str, Any], calls: _Calls) -> RoundRecord:
    number = one["round"]
    return RoundRecord(
        number=number,
        kept=one["kept"],
        trouble=one["fault"] or one["plan_error"],
        answered_by=one["answered_by"],
        steps=tuple(_step(number, step, calls) for step in one["steps"]),
        written=calls.reply(_span(number, "policy")),
    )


def _step(number: int, step: dict[str, Any], calls: _Calls) -> StepRecord:
    return StepRecord(
        round=number,
        number=step["step"],
        worker=step["worker"],
        model=step["model"],
        subtask=step["subtask"],
        access=tuple(step["access"]),
        previous=step["previous"],
        prompt=calls.prompt(_span(number, f"step {step['step']}: ")),
        response=step["response"],
        tokens=(step["tokens"][0], step["tokens"][1]),
        cost=step["cost"],
        start=step["start"],
        seconds=step["seconds"],
        retries=step["retries"],
        stop_reason=step["stop_reason"],
        fault=step["fault"],
    )


def _span(number: int, what: str) -> str:
    return f"round {number}, {what}" if number else what


class _Calls:
    """Prompts and replies by the name of the span that they were made in.

    Only of the sample's last conductor (a task may ask several times; the last one answered), and
    not of conductors inside it.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        spans = [event for event in events if isinstance(event, SpanBeginEvent)]
        conductors = [span for span in spans if span.type == "conductor"]
        inner = {c.id for c in conductors if _is_inside(c, conductors, spans)}
        outer = [span.id for span in conductors if span.id not in inner]
        own = {s.id: s.name for s in spans if outer and s.parent_id == outer[-1]}
        self._events = {own[str(e.span_id)]: e for e in events if e.span_id in own and _tells(e)}

    def _find(self, begin: str) -> Event | None:
        return next((e for name, e in self._events.items() if name.startswith(begin)), None)

    def prompt(self, begin: str) -> tuple[tuple[str, str], ...]:
        event = self._find(begin)
        if isinstance(event, ModelEvent):
            return tuple((message.role, message.text) for message in event.input)
        data: Any = event.data if isinstance(event, InfoEvent) else {}
        return tuple((m["role"], m["text"]) for m in data.get("prompt", ()))

    def reply(self, begin: str) -> str:
        event = self._find(begin)
        if isinstance(event, ModelEvent):
            return event.output.completion
        data: Any = event.data if isinstance(event, InfoEvent) else {}
        return str(data.get("reply", ""))


def _tells(event: Event) -> bool:
    """Whether an event holds a call: made, or replayed."""
    replayed = isinstance(event, InfoEvent) and event.source == REPLAY
    return replayed or isinstance(event, ModelEvent)


def _is_inside(
    span: SpanBeginEvent, conductors: Sequence[SpanBeginEvent], spans: Sequence[SpanBeginEvent]
) -> bool:
    parents = {each.id: each.parent_id for each in spans}
    ids = {conductor.id for conductor in conductors}
    parent = span.parent_id
    while parent is not None:
        if parent in ids:
            return True
        parent = parents.get(parent)
    return False


def _question(sample: EvalSample) -> str:
    """As it was put: the first user message, else the input."""
    for message in sample.messages:
        if message.role == "user":
            return message.text
    return sample.input if isinstance(sample.input, str) else sample.input[-1].text


def _verdict(sample: EvalSample) -> tuple[str, str, str]:
    """(verdict, reason, the answer as it was read)."""
    if sample.error is not None:
        return "error", sample.error.message, ""
    for score in (sample.scores or {}).values():
        if score.value in ("C", "I"):
            value = float(score.value == "C")
        elif isinstance(score.value, bool | int | float):
            value = float(score.value)
        else:
            continue
        named = "unscored" if math.isnan(value) else _NAMES.get(value, "partial")
        return named, score.explanation or "", score.answer or ""
    return "unscored", "no score", ""


_NAMES = {1.0: "correct", 0.0: "incorrect"}
