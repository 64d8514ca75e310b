"""One worker answers alone: the baseline that coordination has to beat."""

from __future__ import annotations

from dataclasses import dataclass

from conductor.plan import Plan, Step
from conductor.policies.base import Context, OneRound
from conductor.policies.rule import SOLVE


@dataclass(frozen=True, slots=True)
class Single(OneRound):
    """worker: its ordinal; None is the first that a question may use."""

    worker: int | None = None

    @property
    def description(self) -> str:
        whom = "the first" if self.worker is None else f"model id {self.worker}"
        return f"a single worker ({whom}), no coordination"

    @property
    def workers(self) -> tuple[int, ...]:
        return () if self.worker is None else (self.worker,)

    def first_plan(self, question: str, context: Context) -> Plan:
        worker = context.pick(self.worker)
        return Plan((Step(worker, SOLVE),))
