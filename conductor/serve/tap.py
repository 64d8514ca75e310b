"""Listening to the step whose response becomes the answer, while a question is conducted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from conductor.call import Call, CallKey, Message, Reply
from conductor.plan import Plan
from conductor.policies import Policy, Prompted
from conductor.policies.base import Baseline, Context
from conductor.pool import Worker
from conductor.settings import Settings
from conductor.streaming import LISTENER, Listener
from conductor.trace import Planning, Round, Trace


@dataclass
class Tap:
    """A policy that notes how long its plans are, and a call that lets a listener hear the last
    step of the last round's. Earlier rounds' answers may still change: they are not heard."""

    policy: Policy
    settings: Settings
    listener: Listener
    _problem: str | None = None  # the question itself; inner conductors have names of their own
    _lengths: dict[tuple[str, int], int] = field(default_factory=dict)

    @property
    def description(self) -> str:
        return self.policy.description

    async def plan(self, question: str, history: Sequence[Round], context: Context) -> Planning:
        planning = await self.policy.plan(question, history, context)
        if self._problem is None:
            self._problem = context.key.problem
        self._note(planning, context.key, 0)
        return planning

    async def revise(self, question: str, trace: Trace, context: Context) -> Planning:
        planning = await self.policy.revise(question, trace, context)
        self._note(planning, context.key, len(trace.steps))
        return planning

    async def answer(self, trace: Trace, context: Context) -> str:
        return await self.policy.answer(trace, context)

    def around(self, call: Call) -> Call:
        async def heard(worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
            token = LISTENER.set(self.listener if self._answers(key) else None)
            try:
                return await call(worker, messages, key)
            finally:
                LISTENER.reset(token)

        return heard if answers_with_last_step(self.policy) else call

    def _note(self, planning: Planning, key: CallKey, done: int) -> None:
        if isinstance(planning.plan, Plan):
            self._lengths[key.problem, key.round] = done + len(planning.plan.steps)

    def _answers(self, key: CallKey) -> bool:
        last = self._lengths.get((key.problem, key.round), 0) - 1
        return (
            key.problem == self._problem
            and key.round == self.settings.rounds
            and key.step == last >= 0
        )


def answers_with_last_step(policy: Policy) -> bool:
    """Whether the answer is the last response; policies that choose among responses know it only
    at the end."""
    return type(policy).answer in (Baseline.answer, Prompted.answer)
