"""A problem as an Inspect sample and back, and as a row of a training set."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver

from harness.arrange import arrange, shown_order
from harness.datasets.source import Loaded
from harness.problem import Choice, Problem

PROBLEM = "problem"  # keys of Sample.metadata
ORDER_SEED = "order_seed"


def to_sample(problem: Problem, order_seed: int | None = None) -> Sample:
    """A sample that stores the problem as it is; what is shown is rendered by `present`.

    order_seed: the seed of the options' order, None when they keep theirs. `target` is for
    people: scoring never reads it.
    """
    key = problem.answer
    return Sample(
        id=problem.id,
        input=problem.question,
        target=key.options[ord(key.letter) - ord("A")] if isinstance(key, Choice) else "",
        metadata={
            PROBLEM: problem.to_dict(),
            ORDER_SEED: order_seed,
            "cluster": problem.cluster or problem.id,
            **problem.metadata,
        },
    )


def to_dataset(
    problems: Iterable[Problem], loaded: Loaded, order_seed: int | None = None
) -> MemoryDataset:
    """The dataset of a task; where its rows came from goes into the log."""
    samples = [to_sample(problem, order_seed) for problem in problems]
    return MemoryDataset(samples, name=loaded.name, location=loaded.location)


def problem_of(state: TaskState) -> Problem:
    """The problem as it was shown in this sample's epoch."""
    stored = Problem.from_dict(state.metadata[PROBLEM])
    return arrange(stored, state.metadata.get(ORDER_SEED), state.epoch)


def order_of(state: TaskState) -> str:
    stored = Problem.from_dict(state.metadata[PROBLEM])
    return shown_order(stored, state.metadata.get(ORDER_SEED), state.epoch)


@solver
def present() -> Solver:
    """`Task(setup=present())`: puts the question of this epoch into the user message.

    As setup it stays when `--solver` replaces the task's solver.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.messages = [ChatMessageUser(content=problem_of(state).question)]
        return state

    return solve


def training_row(problem: Problem, order_seed: int | None = None, epoch: int = 1) -> dict[str, Any]:
    """One row of a training set: what `present` shows and `grade` judges in that epoch.

    `problem` is JSON text, since Arrow would merge the fields of different answer keys.
    """
    shown = arrange(problem, order_seed, epoch)
    return {
        "prompt": [{"role": "user", "content": shown.question}],
        "problem": shown.to_json(),
        "epoch": epoch,
    }
