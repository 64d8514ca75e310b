"""Majority vote (self-consistency): independent answers, the most frequent one counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from conductor.plan import Plan, Step
from conductor.policies.base import Context, OneRound, responses
from conductor.policies.rule import SOLVE
from conductor.trace import Trace


@dataclass(frozen=True, slots=True)
class Vote(OneRound):
    """votes: how many. worker: whose (None: the first that a question may use). everyone: the
    votes go round all workers instead."""

    votes: int = 5
    worker: int | None = None
    everyone: bool = False

    @property
    def description(self) -> str:
        whose = "of the pool in turn" if self.everyone else "of one worker"
        return f"majority vote: {self.votes} answers {whose}"

    @property
    def workers(self) -> tuple[int, ...]:
        return () if self.worker is None else (self.worker,)

    def first_plan(self, question: str, context: Context) -> Plan:
        first = context.pick(self.worker)
        team = context.listed if self.everyone else (first,)
        return Plan(tuple(Step(team[vote % len(team)], SOLVE) for vote in range(self.votes)))

    async def answer(self, trace: Trace, context: Context) -> str:
        """The first response of the largest group; of equal groups, the one that came first."""
        texts = responses(trace)
        labels = await context.group(texts)
        votes = Counter(label for label in labels if label is not None)
        if not votes:
            return texts[0] if texts else ""
        winner = max(votes, key=lambda label: (votes[label], -labels.index(label)))
        return texts[labels.index(winner)]
