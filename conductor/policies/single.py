"""One worker answers alone: the baseline that coordination has to beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conductor.plan import Keep, Plan, Step
from conductor.policies.base import Baseline, Context
from conductor.policies.rule import SOLVE
from conductor.trace import Planning, Round


@dataclass(frozen=True, slots=True)
class Single(Baseline):
    """worker: its ordinal; None is the first that a question may use."""

    worker: int | None = None

    @property
    def description(self) -> str:
        whom = "the first" if self.worker is None else f"model id {self.worker}"
        return f"a single worker ({whom}), no coordination"

    @property
    def workers(self) -> tuple[int, ...]:
        return () if self.worker is None else (self.worker,)

    async def plan(self, question: str, history: Sequence[Round], context: Context) -> Planning:
        if history:
            return Planning(Keep())
        worker = context.listed[0] if self.worker is None else self.worker
        return Planning(Plan((Step(worker, SOLVE),)))
