"""`--cache` saves calls and changes nothing else: configurations and draws stay apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog

from harness.problem import Choice, Problem
from harness.sample import present, to_sample
from harness.scorer import graded
from tests.e2e.openai_server import Answer, Server
from tests.e2e.test_agreement import answers, run


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def counting(tmp_path: Path, server: Server) -> str:
    """One worker that never answers the same twice."""
    server.behaviours["one"] = lambda request, asked: Answer(f"draw {len(server.requests)}")
    path = tmp_path / "pool.yaml"
    path.write_text("workers:\n  - {model: openai-api/loop/one}\n")
    return str(path)


def evaluate(tmp_path: Path, ids: tuple[str, ...], epochs: int = 1, **arguments: Any) -> EvalLog:
    from inspect_ai import Task
    from inspect_ai.solver import generate

    twins = [Problem(name, "demo", "The same?", Choice("A", ("yes", "no"))) for name in ids]
    task = Task(
        dataset=[to_sample(problem) for problem in twins],
        setup=present(),
        solver=generate(),
        scorer=graded(),
    )
    return run(tmp_path, task, model="conductor", model_args=arguments, epochs=epochs, cache=True)


def test_the_same_run_again_calls_nobody(tmp_path: Path, counting: str, server: Server) -> None:
    first = evaluate(tmp_path, ("a", "b"), epochs=2, pool=counting, policy="single")
    asked = len(server.requests)
    again = evaluate(tmp_path, ("a", "b"), epochs=2, pool=counting, policy="single")
    assert len(server.requests) == asked == 4
    assert sorted(answers(again)) == sorted(answers(first))


def test_equal_questions_and_epochs_are_draws_of_their_own(
    tmp_path: Path, counting: str, server: Server
) -> None:
    log = evaluate(tmp_path, ("a", "b"), epochs=3, pool=counting, policy="single")
    assert len(set(answers(log))) == 6


def test_another_configuration_is_not_served_the_first_ones_answers(
    tmp_path: Path, counting: str, server: Server
) -> None:
    single = evaluate(tmp_path, ("a",), pool=counting, policy="single")
    rule = evaluate(tmp_path, ("a",), pool=counting, policy="rule")
    assert answers(single) != answers(rule)


def test_equal_prompts_in_one_plan_are_two_draws(
    tmp_path: Path, counting: str, server: Server
) -> None:
    """Votes: two steps of one plan may ask one worker the very same."""
    import asyncio

    from inspect_ai.model import GenerateConfig

    from conductor import CallKey, Message, Pool
    from conductor.inspect_call import InspectCall

    worker = Pool.read(Path(counting)).workers[0]
    call = InspectCall(GenerateConfig(cache=True))

    async def vote() -> list[str]:
        keys = [CallKey("a", step=step, attempt=attempt) for step in (0, 1) for attempt in (0, 1)]
        return [(await call(worker, [Message("user", "Vote!")], key)).text for key in keys]

    first = asyncio.run(vote())
    assert len(set(first)) == 4
    assert asyncio.run(vote()) == first
