"""Mixture of agents: layers of all workers, each shown the layer before, then an aggregator."""

from __future__ import annotations

from dataclasses import dataclass

from conductor.plan import Plan, Step
from conductor.policies.base import Context, OneRound
from conductor.policies.rule import SOLVE

AGGREGATE = (
    "You are shown responses of several agents to the overall task. Some may be wrong. Weigh them "
    "against each other, do not just repeat one, and give the best final answer in exactly the "
    "form that the overall task asks for."
)


@dataclass(frozen=True, slots=True)
class MixtureOfAgents(OneRound):
    """layers: of proposers. aggregator: its ordinal (None: the first that may be used)."""

    layers: int = 1
    aggregator: int | None = None

    @property
    def description(self) -> str:
        return f"mixture of agents: {self.layers} layer(s) of all workers, then an aggregator"

    @property
    def workers(self) -> tuple[int, ...]:
        return () if self.aggregator is None else (self.aggregator,)

    def first_plan(self, question: str, context: Context) -> Plan:
        steps: list[Step] = []
        seen: tuple[int, ...] = ()
        for _ in range(self.layers):
            begin = len(steps)
            task = AGGREGATE if seen else SOLVE
            steps += [Step(worker, task, seen) for worker in context.listed]
            seen = tuple(range(begin, len(steps)))
        last = context.pick(self.aggregator)
        return Plan((*steps, Step(last, AGGREGATE, seen)))
