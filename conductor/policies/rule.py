"""The default until a policy is trained: a fixed rule, and it says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conductor.plan import Plan, Step
from conductor.policies.base import Baseline, Context
from conductor.trace import Planning, Round

SOLVE = (
    "Solve the overall task. Reason step by step, then give the final answer in exactly the form "
    "that the overall task asks for."
)
CHECK = (
    "Check the reasoning and the answer you are shown, correct what is wrong, and give the final "
    "answer in exactly the form that the overall task asks for."
)


@dataclass(frozen=True, slots=True)
class Rule(Baseline):
    """One worker solves, another one checks; which two is drawn from (seed, problem id).

    In a later round the next worker checks the work of the round before.
    """

    description = "a fixed rule, not a trained model: one worker solves, another checks"

    async def plan(self, question: str, history: Sequence[Round], context: Context) -> Planning:
        team = context.listed
        solver = context.chance("solver") % len(team)
        checker = solver + 1 + context.chance("checker") % max(1, len(team) - 1) + len(history)
        check = Step(team[checker % len(team)], CHECK, (0,))
        if history:
            return Planning(Plan((Step(check.worker, CHECK, previous=True),)))
        solve = Step(team[solver], SOLVE)
        return Planning(Plan((solve,) if context.settings.max_steps == 1 else (solve, check)))
