"""One worker a question, chosen without looking at it: what a router has to beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conductor.plan import Keep, Plan, Step
from conductor.policies.base import Baseline, Context
from conductor.policies.rule import SOLVE
from conductor.trace import Planning, Round


@dataclass(frozen=True, slots=True)
class RandomWorker(Baseline):
    """Drawn from (seed, problem id, epoch)."""

    description = "random routing: one worker, drawn for each question"

    async def plan(self, question: str, history: Sequence[Round], context: Context) -> Planning:
        if history:
            return Planning(Keep())
        drawn = context.chance("worker", str(context.key.epoch)) % len(context.listed)
        return Planning(Plan((Step(context.listed[drawn], SOLVE),)))


@dataclass(frozen=True, slots=True)
class RoundRobin(Baseline):
    """Starts at a worker of the problem's own; each epoch takes the next. No counter: the order
    in which questions come is chance, and a result must not depend on it."""

    description = "round robin: one worker, the epochs go round the pool"

    async def plan(self, question: str, history: Sequence[Round], context: Context) -> Planning:
        if history:
            return Planning(Keep())
        turn = (context.chance("start") + context.key.epoch - 1) % len(context.listed)
        return Planning(Plan((Step(context.listed[turn], SOLVE),)))
