"""Smoothie-like routing without labels: of all workers' answers, the most central one counts.

After "Smoothie: Label Free Language Model Routing" (arXiv 2412.04692), whose estimate of a
worker's quality is how close its answer is to those of the others; similarity here is the cosine
of TF-IDF vectors, not of sentence embeddings.
"""

from __future__ import annotations

from dataclasses import dataclass

from conductor.plan import Plan, Step
from conductor.policies.base import Context, OneRound, responses
from conductor.policies.rule import SOLVE
from conductor.policies.similarity import cosine
from conductor.trace import Trace


@dataclass(frozen=True, slots=True)
class Smoothie(OneRound):
    description = "Smoothie-like: all workers answer, the answer closest to the others counts"

    def first_plan(self, question: str, context: Context) -> Plan:
        return Plan(tuple(Step(worker, SOLVE) for worker in context.listed))

    async def answer(self, trace: Trace, context: Context) -> str:
        texts = responses(trace)
        if len(texts) < 3:  # of two, neither is more central
            return texts[0] if texts else ""
        closeness = cosine(texts, texts).sum(axis=1)
        return texts[int(closeness.argmax())]
