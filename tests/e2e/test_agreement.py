"""Every way to name the conductor reaches the same conductor: same prompts, same answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import get_model
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from harness.problem import Choice, Problem
from harness.sample import present, to_sample
from harness.scorer import graded
from tests.e2e.openai_server import Answer, Server

PROBLEMS = [
    Problem(f"q{number}", "demo", f"What is {number} + 1?", Choice("A", (f"{number + 1}", "0")))
    for number in range(3)
]


def task(**extra: Any) -> Task:
    return Task(
        dataset=[to_sample(problem, order_seed=0) for problem in PROBLEMS],
        setup=present(),
        solver=extra.pop("solver", generate()),
        scorer=graded(),
        **extra,
    )


def run(tmp_path: Path, the_task: Task, **arguments: Any) -> EvalLog:
    (log,) = eval(the_task, display="none", log_dir=str(tmp_path / "logs"), **arguments)
    assert log.status == "success", log.error
    return log


@pytest.fixture
def pool(tmp_path: Path, server: Server) -> str:
    """Two workers whose answers depend on their prompts alone."""

    def answer(request: dict[str, Any], asked: int) -> Answer:
        return Answer(f"Answer: {'AB'[len(json.dumps(request['messages'])) % 2]}")

    server.behaviours |= {"one": answer, "two": answer}
    path = tmp_path / "pool.yaml"
    path.write_text(
        "workers:\n  - {model: openai-api/loop/one}\n  - {model: openai-api/loop/two}\n"
    )
    return str(path)


@solver
def by_role() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = await get_model(role="helper").generate(state.messages)
        state.messages.append(state.output.message)
        return state

    return solve


def answers(log: EvalLog) -> list[str]:
    return [sample.output.completion for sample in log.samples or []]


def test_model_solver_role_and_environment_agree(
    tmp_path: Path, pool: str, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from conductor.agent import conductor_agent

    ways: dict[str, Callable[[], EvalLog]] = {
        "bare": lambda: run(tmp_path, task(), model="conductor", model_args={"pool": pool}),
        "named": lambda: run(
            tmp_path, task(), model="conductor/default", model_args={"pool": pool}
        ),
        "agent": lambda: run(
            tmp_path, task(solver=conductor_agent(pool=pool)), model="mockllm/model"
        ),
        "role": lambda: run(
            tmp_path,
            task(solver=by_role()),
            model="mockllm/model",
            model_roles={"helper": get_model("conductor", pool=pool)},
        ),
    }
    seen = {}
    for name, way in ways.items():
        server.requests.clear()
        log = way()
        seen[name] = (server.prompts(), answers(log))
        assert len(server.requests) == 2 * len(PROBLEMS)
    assert all(result == seen["bare"] for result in seen.values())
    monkeypatch.setenv("INSPECT_EVAL_MODEL", "conductor")
    server.requests.clear()
    assert answers(run(tmp_path, task(), model_args={"pool": pool})) == seen["bare"][1]
    assert server.prompts() == seen["bare"][0]


def test_the_solver_goes_by_its_bare_name_on_the_registry(pool: str) -> None:
    from inspect_ai._util.registry import registry_lookup

    get_model("conductor", pool=pool)  # Inspect loads entry points at the first look-up
    assert registry_lookup("agent", "conductor") is not None
    assert registry_lookup("agent", "conductor/conductor") is not None


def test_outside_an_eval_the_conductor_is_a_model_like_any_other(pool: str, server: Server) -> None:
    output = asyncio.run(get_model("conductor", pool=pool).generate("What is 2 + 2?"))
    assert output.completion.startswith("Answer:")
    assert output.metadata is not None
    assert output.metadata["conductor"]["calls"] == 2


def test_other_bare_names_keep_inspects_own_error() -> None:
    with pytest.raises(ValueError, match="'gpt-4o' should be in the format of"):
        get_model("gpt-4o")


def test_usage_is_the_workers_and_counted_once(tmp_path: Path, pool: str) -> None:
    log = run(tmp_path, task(), model="conductor", model_args={"pool": pool})
    total = sum(usage.total_tokens for usage in log.stats.model_usage.values())
    assert total == 2 * len(PROBLEMS) * 15
    for sample in log.samples or []:
        assert sum(usage.total_tokens for usage in sample.model_usage.values()) == 2 * 15


def test_a_conductor_may_work_for_a_conductor_on_one_connection(
    tmp_path: Path, pool: str, server: Server
) -> None:
    outer = tmp_path / "outer.yaml"
    outer.write_text(
        f"workers:\n  - {{model: conductor/inner, args: {{pool: {pool}, policy: single}}}}\n"
    )
    log = run(
        tmp_path, task(), model="conductor", model_args={"pool": str(outer)}, max_connections=1
    )
    assert len(server.requests) == 2 * len(PROBLEMS), "two outer steps, one inner call each"
    assert log.status == "success"


def test_a_pool_that_leads_back_to_itself_ends_as_a_fault_not_as_a_hang(
    tmp_path: Path, server: Server
) -> None:
    circle = tmp_path / "circle.yaml"
    circle.write_text(f"workers:\n  - {{model: conductor/again, args: {{pool: {circle}}}}}\n")
    log = run(tmp_path, task(), model="conductor", model_args={"pool": str(circle)}, limit=1)
    (sample,) = log.samples or []
    assert (sample.output.metadata or {})["conductor"]["fault"]
    assert log.results is not None
    assert log.results.scores[0].unscored_samples == 1


def test_tools_and_pictures_are_refused_plainly(pool: str) -> None:
    from inspect_ai.model import ChatMessageUser, ContentImage
    from inspect_ai.tool import ToolInfo

    model = get_model("conductor", pool=pool)
    tool = ToolInfo(name="search", description="searches")
    with pytest.raises(RuntimeError, match="calls no tools"):
        asyncio.run(model.generate("hello", tools=[tool]))
    picture = ChatMessageUser(content=[ContentImage(image="data:image/png;base64,AA==")])
    with pytest.raises(ValueError, match="reads text only"):
        asyncio.run(model.generate([picture]))


def test_system_and_earlier_messages_are_part_of_the_question(pool: str, server: Server) -> None:
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser

    messages = [ChatMessageSystem(content="Be brief."), ChatMessageUser(content="Why?")]
    asyncio.run(get_model("conductor", pool=pool, policy="single").generate(messages))
    (prompt,) = server.prompts()
    assert "Be brief." in prompt
    assert "Why?" in prompt


def test_a_sample_keeps_the_unshuffled_problem(tmp_path: Path, pool: str) -> None:
    log = run(tmp_path, task(), model="conductor", model_args={"pool": pool}, epochs=2)
    for sample in log.samples or []:
        assert Problem.from_dict(sample.metadata["problem"]) in PROBLEMS


def test_a_plain_inspect_task_runs_unchanged(tmp_path: Path, pool: str) -> None:
    from inspect_ai.scorer import includes

    plain = Task(dataset=[Sample(input="Say A", target="Answer")], scorer=includes())
    log = run(tmp_path, plain, model="conductor", model_args={"pool": pool})
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
