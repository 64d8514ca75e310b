"""What a policy is given and what it owes."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from conductor.call import Call, CallKey
from conductor.plan import Keep, Plan, PlanError
from conductor.pool import Pool
from conductor.settings import Settings
from conductor.trace import Planning, Round, Trace

# Answers → a label each; equal labels mean the same answer, a None is no answer.
Group = Callable[[Sequence[str]], Awaitable[Sequence[int | None]]]


class PolicyFault(RuntimeError):
    """Trouble of ours while an answer was chosen (a sandbox is down): the sample is unscored."""


async def group_by_text(answers: Sequence[str]) -> list[int | None]:
    """Answers whose last line is the same, case and spaces aside: all that is known of a text."""
    lines = [answer.strip().rpartition("\n")[2] for answer in answers]
    keys = [" ".join(line.lower().split()).strip("*_. ") for line in lines]
    return [keys.index(key) if key else None for key in keys]


@dataclass(frozen=True, slots=True)
class Context:
    """What a policy may use while it plans one question.

    key: names the draw; a policy that calls a model keeps its problem, epoch, rollout and round.
    listed: ordinals of the workers that may be used, ascending. group: which answers are the same.
    """

    pool: Pool
    settings: Settings
    call: Call
    key: CallKey
    listed: tuple[int, ...] = field(default=())
    group: Group = group_by_text

    def __post_init__(self) -> None:
        if not self.listed:
            object.__setattr__(self, "listed", tuple(range(len(self.pool))))

    def pick(self, worker: int | None) -> int:
        """The worker that is named, or the first that may be used."""
        return self.listed[0] if worker is None else worker

    def chance(self, *purpose: str) -> int:
        """A number from (seed, problem id) alone, the same on every machine."""
        parts = (str(self.settings.seed), self.key.problem, *purpose)
        return int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest()[:8], "big")


class Policy(Protocol):
    """Makes a plan for a question, and an answer of what came of it."""

    @property
    def description(self) -> str:
        """One line for logs and people: what this policy is, plainly."""
        ...

    async def plan(self, question: str, history: Sequence[Round], context: Context) -> Planning:
        """The plan of the next round; `Keep` in a later one leaves the answer as it is."""
        ...

    async def revise(self, question: str, trace: Trace, context: Context) -> Planning:
        """The remaining steps anew, once some are done; `Keep` leaves them as planned.

        trace: `trace.plan` is the whole plan, `trace.steps` those that ran.
        """
        ...

    async def answer(self, trace: Trace, context: Context) -> str:
        """The answer. Raises PolicyFault for trouble of ours."""
        ...


def responses(trace: Trace) -> list[str]:
    """What all steps said, empty ones left out. Raises PolicyFault if one failed: where an answer
    is chosen among all of them, the lost one might have decided."""
    for step in trace.steps:
        if step.reply.fault:
            raise PolicyFault(f"step {step.number} ({step.worker}): {step.reply.fault}")
    return [step.reply.text for step in trace.steps if step.reply.text.strip()]


class Baseline:
    """A policy that does not revise, and answers with the last step."""

    async def revise(self, question: str, trace: Trace, context: Context) -> Planning:
        return Planning(Keep())

    async def answer(self, trace: Trace, context: Context) -> str:
        return trace.answer


class OneRound(Baseline, ABC):
    """A policy with one plan a question: in a later round it keeps the answer."""

    async def plan(self, question: str, history: Sequence[Round], context: Context) -> Planning:
        if history:
            return Planning(Keep())
        try:
            return Planning(self.first_plan(question, context))
        except PlanError as error:
            return Planning(None, errors=(str(error),))

    @abstractmethod
    def first_plan(self, question: str, context: Context) -> Plan:
        """Raises PlanError where there is none to be had."""
