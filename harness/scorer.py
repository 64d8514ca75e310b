"""The one Inspect scorer: `grade()` and nothing else."""

from __future__ import annotations

from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from harness.grade import grade
from harness.problem import Problem
from harness.sample import order_of, problem_of
from harness.verdict import Verdict, incorrect, unscored


def refusal(metadata: dict[str, Any] | None) -> Verdict | None:
    """The verdict that a conductor's outcome forces, before anything is graded.

    `fault` is trouble of ours: unscored. `plan_error` is a conductor that gave no plan: wrong.
    """
    outcome = (metadata or {}).get("conductor") or {}
    if outcome.get("fault"):
        return unscored(f"fault: {outcome['fault']}")
    if outcome.get("plan_error"):
        return incorrect(None, f"no plan: {outcome['plan_error']}")
    return None


async def judge(problem: Problem, completion: str, metadata: dict[str, Any] | None) -> Verdict:
    """The verdict on a model's output: what the scorer, rewards and regrading share."""
    return refusal(metadata) or await grade(problem, completion)


def to_score(verdict: Verdict, **metadata: Any) -> Score:
    """Unscored is Inspect's own sentinel (NaN): counted in the log, left out of every mean."""
    metadata = {"outcome": verdict.outcome, **verdict.metadata, **metadata}
    if verdict.value is None:
        return Score.unscored(reason=verdict.reason, explanation=verdict.reason, metadata=metadata)
    return Score(
        value=verdict.value,
        answer=verdict.answer,
        explanation=verdict.reason,
        metadata=metadata,
    )


@scorer(metrics=[accuracy(), stderr(), stderr(cluster="cluster")])
def graded() -> Scorer:
    """Grades every kind of problem; found by name (`conductor/graded`) when a log is rescored."""

    async def score(state: TaskState, target: Target) -> Score:
        problem = problem_of(state)
        verdict = await judge(problem, state.output.completion, state.output.metadata)
        return to_score(verdict, order=order_of(state), benchmark=problem.benchmark)

    return score
