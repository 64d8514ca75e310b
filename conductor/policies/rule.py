"""The default until a policy is trained: a fixed rule, and it says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conductor.plan import Plan, Step
from conductor.policies.base import Context
from conductor.trace import Planning, Trace

SOLVE = (
    "Solve the overall task. Reason step by step, then give the final answer in exactly the form "
    "that the overall task asks for."
)
CHECK = (
    "Check the reasoning and the answer you are shown, correct what is wrong, and give the final "
    "answer in exactly the form that the overall task asks for."
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One worker solves, another one checks; which two is drawn from (seed, problem id)."""

    description = "a fixed rule, not a trained model: one worker solves, another checks"

    async def plan(self, question: str, history: Sequence[Trace], context: Context) -> Planning:
        count = len(context.pool)
        solver = context.chance("solver") % count
        if context.settings.max_steps == 1:
            return Planning(Plan((Step(solver, SOLVE),)))
        checker = (solver + 1 + context.chance("checker") % max(1, count - 1)) % count
        return Planning(Plan((Step(solver, SOLVE), Step(checker, CHECK, (0,)))))

    def answer(self, trace: Trace) -> str:
        return trace.answer
