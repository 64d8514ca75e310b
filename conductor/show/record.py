"""What a page shows of a sample: plain data, read from an Inspect log."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalSample

from conductor.show.calls import CallRecord, Calls


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step. prompt: (role, text) of each message; empty where the log has none. cost: US
    dollars, None if unknown. start: seconds after its round began.
    inside: the calls that the step made of its own, where its worker is a conductor."""

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
    inside: tuple[CallRecord, ...] = ()

    @property
    def end(self) -> float:
        return self.start + self.seconds

    @property
    def anchor(self) -> str:
        return f"r{self.round}s{self.number}"


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """One plan. written: what a policy model wrote (its reasoning and the lists), if one did.
    planning: seconds that it took to do so."""

    number: int
    kept: bool
    trouble: str | None
    answered_by: int | None
    steps: tuple[StepRecord, ...]
    written: str
    planning: float = 0.0


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
    outcome = (sample.output.metadata or {}).get("conductor") or _plain(sample)
    calls = Calls(sample.events)
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
        tokens=outcome["input_tokens"] + outcome["output_tokens"],
        calls=outcome["calls"],
        cost=outcome["cost"],
        seconds=outcome["seconds"],
    )


def _plain(sample: EvalSample) -> dict[str, Any]:
    """What a model alone took, or a conductor whose sample broke before it could say."""
    usages = sample.model_usage.values()
    costs = [usage.total_cost for usage in usages]
    calls = sum(isinstance(event, ModelEvent) for event in sample.events)
    return {
        "calls": calls,
        "input_tokens": sum(usage.input_tokens for usage in usages),
        "output_tokens": sum(usage.output_tokens for usage in usages),
        "cost": None if None in costs or (calls and not costs) else sum(filter(None, costs)),
        "seconds": sample.total_time or 0.0,
    }


def _round(one: dict[str, Any], calls: Calls) -> RoundRecord:
    number = one["round"]
    return RoundRecord(
        number=number,
        kept=one["kept"],
        trouble=one["fault"] or one["plan_error"],
        answered_by=one["answered_by"],
        steps=tuple(_step(number, step, calls) for step in one["steps"]),
        written=calls.find(_span(number, "policy")).reply,
        planning=sum(one.get("planning", ())),
    )


def _step(number: int, step: dict[str, Any], calls: Calls) -> StepRecord:
    return StepRecord(
        round=number,
        number=step["step"],
        worker=step["worker"],
        model=step["model"],
        subtask=step["subtask"],
        access=tuple(step["access"]),
        previous=step["previous"],
        prompt=calls.find(_span(number, f"step {step['step']}: ")).prompt,
        response=step["response"],
        tokens=(step["tokens"][0], step["tokens"][1]),
        cost=step["cost"],
        start=step["start"],
        seconds=step["seconds"],
        retries=step["retries"],
        stop_reason=step["stop_reason"],
        fault=step["fault"],
        inside=calls.inside(number, step["step"]),
    )


def _span(number: int, what: str) -> str:
    return f"round {number}, {what}" if number else what


def _question(sample: EvalSample) -> str:
    """As it was put: the first user message, else the input."""
    for message in sample.messages:
        if message.role == "user":
            return message.text
    if isinstance(sample.input, str):
        return sample.input
    return sample.input[-1].text if sample.input else ""


def _verdict(sample: EvalSample) -> tuple[str, str, str]:
    """(verdict, reason, the answer as it was read)."""
    if sample.error is not None:
        return "error", sample.error.message, ""
    for score in (sample.scores or {}).values():
        if isinstance(score.value, str) and score.value in _LETTERS:
            value = _LETTERS[score.value]
        elif isinstance(score.value, bool | int | float):
            value = float(score.value)
        else:
            continue
        named = "unscored" if math.isnan(value) else _NAMES.get(value, "partial")
        return named, score.explanation or "", score.answer or ""
    return "unscored", "no score", ""


_NAMES = {1.0: "correct", 0.0: "incorrect"}
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # Inspect's
