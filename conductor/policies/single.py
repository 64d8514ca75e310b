"""One worker answers alone: the baseline that coordination has to beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conductor.plan import Plan, Step
from conductor.policies.base import Context
from conductor.policies.rule import SOLVE
from conductor.trace import Planning, Trace


@dataclass(frozen=True, slots=True)
class Single:
    worker: int

    @property
    def description(self) -> str:
        return f"a single worker (model id {self.worker}), no coordination"

    async def plan(self, question: str, history: Sequence[Trace], context: Context) -> Planning:
        return Planning(Plan((Step(self.worker, SOLVE),)))

    def answer(self, trace: Trace) -> str:
        return trace.answer
