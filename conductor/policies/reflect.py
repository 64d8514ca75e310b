"""Self-reflection: one worker answers and then reconsiders, at n times the cost of one answer."""

from __future__ import annotations

from dataclasses import dataclass

from conductor.plan import Plan, Step
from conductor.policies.base import Context, OneRound
from conductor.policies.rule import SOLVE

RECONSIDER = (
    "The last response you are shown is your own. Look for errors in it, think again, and give the "
    "final answer in exactly the form that the overall task asks for, changed or not."
)


@dataclass(frozen=True, slots=True)
class Reflect(OneRound):
    """calls: of the worker in all. worker: None is the first that a question may use."""

    calls: int = 5
    worker: int | None = None

    @property
    def description(self) -> str:
        return f"self-reflection: one worker, {self.calls} calls in a row"

    @property
    def workers(self) -> tuple[int, ...]:
        return () if self.worker is None else (self.worker,)

    def first_plan(self, question: str, context: Context) -> Plan:
        worker = context.pick(self.worker)
        first = Step(worker, SOLVE)
        later = [Step(worker, RECONSIDER, (number,)) for number in range(self.calls - 1)]
        return Plan((first, *later))
