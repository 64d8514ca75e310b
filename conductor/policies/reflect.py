"""Self-reflection: one worker answers and then reconsiders, at n times the cost of one answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conductor.plan import Keep, Plan, Step
from conductor.policies.base import Baseline, Context
from conductor.policies.rule import SOLVE
from conductor.trace import Planning, Round

RECONSIDER = (
    "The last response you are shown is your own. Look for errors in it, think again, and give the "
    "final answer in exactly the form that the overall task asks for, changed or not."
)


@dataclass(frozen=True, slots=True)
class Reflect(Baseline):
    """calls: of the worker in all. worker: None is the first that a question may use."""

    calls: int = 5
    worker: int | None = None

    @property
    def description(self) -> str:
        return f"self-reflection: one worker, {self.calls} calls in a row"

    @property
    def workers(self) -> tuple[int, ...]:
        return () if self.worker is None else (self.worker,)

    async def plan(self, question: str, history: Sequence[Round], context: Context) -> Planning:
        if history:
            return Planning(Keep())
        worker = context.listed[0] if self.worker is None else self.worker
        first = Step(worker, SOLVE)
        later = [Step(worker, RECONSIDER, (number,)) for number in range(self.calls - 1)]
        return Planning(Plan((first, *later)))
