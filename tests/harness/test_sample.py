"""An Inspect sample, a training row and the scorer see one and the same problem."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest
from inspect_ai.model import ModelName, ModelOutput
from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from harness import Choice, Problem, grade
from harness.sample import present, problem_of, to_sample, training_row
from harness.scorer import graded

PROBLEM = Problem(
    "q7", "demo", "Which?", Choice("A", ("one", "two", "three", "four")), "subject", {"level": 3}
)


def state(epoch: int, completion: str = "", metadata: dict[str, Any] | None = None) -> TaskState:
    sample = to_sample(PROBLEM, order_seed=5)
    output = ModelOutput.from_content("m", completion)
    output.metadata = metadata
    assert isinstance(sample.input, str)
    return TaskState(
        model=ModelName("mockllm/model"),
        sample_id=sample.id or "",
        epoch=epoch,
        input=sample.input,
        messages=[],
        output=output,
        metadata=dict(sample.metadata or {}),
    )


async def no_generate(state: TaskState, *args: Any, **kwargs: Any) -> TaskState:
    raise AssertionError("setup generates nothing")


def score(given: TaskState) -> Score:
    found = asyncio.run(graded()(given, Target("never looked at")))
    assert found is not None
    return found


@pytest.mark.parametrize("epoch", [1, 2, 3])
def test_setup_scorer_and_training_row_agree_in_every_epoch(epoch: int) -> None:
    shown = asyncio.run(present()(state(epoch), no_generate))  # type: ignore[arg-type]
    row = training_row(PROBLEM, order_seed=5, epoch=epoch)
    assert row["prompt"] == [{"role": "user", "content": shown.messages[0].text}]
    assert Problem.from_json(row["problem"]) == problem_of(shown)
    assert row["epoch"] == epoch


@pytest.mark.parametrize("epoch", [1, 2, 3])
@pytest.mark.parametrize("letter", "ABCD")
def test_the_scorer_gives_what_grade_gives(epoch: int, letter: str) -> None:
    completion = f"Answer: {letter}"
    verdict = asyncio.run(grade(problem_of(state(epoch)), completion))
    found = score(state(epoch, completion))
    assert found.value == verdict.value
    assert found.answer == letter
    assert found.metadata is not None
    assert sorted(found.metadata["order"]) == list("ABCD")


def test_the_sample_stores_the_problem_as_it_is() -> None:
    sample = to_sample(PROBLEM, order_seed=5)
    assert sample.metadata is not None
    assert Problem.from_dict(sample.metadata["problem"]) == PROBLEM
    assert sample.metadata["cluster"] == "subject"
    assert sample.metadata["level"] == 3
    assert sample.target == "one"


def test_a_fault_is_unscored_with_its_cause_whatever_was_said() -> None:
    found = score(state(1, "Answer: A", {"conductor": {"fault": "worker b is down"}}))
    assert isinstance(found.value, float)
    assert math.isnan(found.value)
    assert "worker b is down" in (found.explanation or "")


def test_no_plan_is_wrong_with_its_reason() -> None:
    found = score(state(1, "", {"conductor": {"plan_error": "the lists differ", "fault": None}}))
    assert found.value == 0.0
    assert "no plan: the lists differ" in (found.explanation or "")
