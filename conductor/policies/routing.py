"""One worker a question, chosen without looking at it: what a router has to beat."""

from __future__ import annotations

from dataclasses import dataclass

from conductor.plan import Plan, Step
from conductor.policies.base import Context, OneRound
from conductor.policies.rule import SOLVE


@dataclass(frozen=True, slots=True)
class RandomWorker(OneRound):
    """Drawn from (seed, problem id, epoch)."""

    description = "random routing: one worker, drawn for each question"

    def first_plan(self, question: str, context: Context) -> Plan:
        drawn = context.chance("worker", str(context.key.epoch)) % len(context.listed)
        return Plan((Step(context.listed[drawn], SOLVE),))


@dataclass(frozen=True, slots=True)
class RoundRobin(OneRound):
    """Starts at a worker of the problem's own; each epoch takes the next. No counter: the order
    in which questions come is chance, and a result must not depend on it."""

    description = "round robin: one worker, the epochs go round the pool"

    def first_plan(self, question: str, context: Context) -> Plan:
        turn = (context.chance("start") + context.key.epoch - 1) % len(context.listed)
        return Plan((Step(context.listed[turn], SOLVE),))
