"""Mixture of agents: layers of all workers, each shown the layer before, then an aggregator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conductor.plan import Keep, Plan, Step
from conductor.policies.base import Baseline, Context
from conductor.policies.rule import SOLVE
from conductor.trace import Planning, Round

AGGREGATE = (
    "You are shown responses of several agents to the overall task. Some may be wrong. Weigh them "
    "against each other, do not just repeat one, and give the best final answer in exactly the "
    "form that the overall task asks for."
)


@dataclass(frozen=True, slots=True)
class MixtureOfAgents(Baseline):
    """layers: of proposers. aggregator: its ordinal (None: the first that may be used)."""

    layers: int = 1
    aggregator: int | None = None

    @property
    def description(self) -> str:
        return f"mixture of agents: {self.layers} layer(s) of all workers, then an aggregator"

    @property
    def workers(self) -> tuple[int, ...]:
        return () if self.aggregator is None else (self.aggregator,)

    async def plan(self, question: str, history: Sequence[Round], context: Context) -> Planning:
        if history:
            return Planning(Keep())
        steps: list[Step] = []
        seen: tuple[int, ...] = ()
        for _ in range(self.layers):
            begin = len(steps)
            task = AGGREGATE if seen else SOLVE
            steps += [Step(worker, task, seen) for worker in context.listed]
            seen = tuple(range(begin, len(steps)))
        last = context.listed[0] if self.aggregator is None else self.aggregator
        return Planning(Plan((*steps, Step(last, AGGREGATE, seen))))
