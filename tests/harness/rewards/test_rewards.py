"""Every reward is the scorer's value: the same number, from wherever it is asked for."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from inspect_ai.model import ModelName, ModelOutput
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from harness import Choice, FreeForm, Math, Problem, ProblemError
from harness.rewards import (
    compute_score,
    score_many,
    trl_reward,
    trl_reward_sync,
    verifiers_reward,
)
from harness.sample import to_sample
from harness.scorer import graded

COUNT = 2_000
FORMS = ("{}", "Answer: {}", "\\boxed{{{}}}", "<answer>{}</answer>", "I doubt it is {}, but …",
         "<think>{}</think>", "the answer is {}.")  # fmt: skip


def pairs() -> Iterator[tuple[Problem, str]]:
    """Problems of every pure kind, and completions right, wrong and silent."""
    for n in range(COUNT):
        key = (Math(f"\\frac{{{n % 97}}}{{7}}"), Choice("ABCD"[n % 4], ("p", "q", "r", "s")),
               FreeForm(f"{n % 50} km"), Math(""))[n % 4 if n % 40 else 3]  # fmt: skip
        said = (f"{n % 97}/7", "ABCD"[(n // 4) % 4], f"{n % 50} km", "5")[(n + n // 8) % 4]
        yield Problem(f"q{n}", "mixed", "?", key), FORMS[n % len(FORMS)].format(said)


@pytest.fixture(scope="module")
def scored() -> list[float]:
    """What Inspect's scorer gives."""
    scorer = graded()

    async def score(problem: Problem, completion: str) -> float:
        sample = to_sample(problem)
        state = TaskState(
            model=ModelName("mockllm/model"),
            sample_id=problem.id,
            epoch=1,
            input="?",
            messages=[],
            output=ModelOutput.from_content("m", completion),
            metadata=dict(sample.metadata or {}),
        )
        found = await scorer(state, Target(""))
        assert found is not None
        assert isinstance(found.value, float)
        return found.value

    async def all_of_them() -> list[float]:
        return [await score(problem, completion) for problem, completion in pairs()]

    return asyncio.run(all_of_them())


def same(values: list[float | None], scored: list[float]) -> bool:
    plain = [math.nan if value is None else value for value in values]
    return len(plain) == len(scored) and all(
        a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(plain, scored, strict=True)
    )


def columns() -> tuple[list[str], list[str]]:
    problems, completions = zip(*pairs(), strict=True)
    return list(completions), [problem.to_json() for problem in problems]


def test_the_pairs_hold_every_outcome(scored: list[float]) -> None:
    values = {None if math.isnan(value) else value for value in scored}
    assert values == {None, 0.0, 1.0}


def test_trl_gives_the_scorers_values_from_the_main_thread(scored: list[float]) -> None:
    completions, problem = columns()
    assert same(asyncio.run(trl_reward(None, completions, problem=problem, step=3)), scored)
    assert same(trl_reward_sync(None, completions, problem=problem), scored)


def test_trl_gives_the_scorers_values_inside_a_running_loop(scored: list[float]) -> None:
    completions, problem = columns()

    async def inside() -> list[float | None]:
        return trl_reward_sync(None, completions, problem=problem)

    assert same(asyncio.run(inside()), scored)


def test_trl_gives_the_scorers_values_from_worker_threads(scored: list[float]) -> None:
    completions, problem = columns()
    with ThreadPoolExecutor(3) as pool:
        found = pool.map(lambda _: trl_reward_sync(None, completions, problem=problem), range(3))
        assert all(same(values, scored) for values in found)


def test_conversations_are_judged_by_their_last_assistant_message(scored: list[float]) -> None:
    completions, problem = columns()
    talks = [
        [{"role": "assistant", "content": "Answer: A"}, {"role": "assistant", "content": text}]
        for text in completions
    ]
    assert same(asyncio.run(trl_reward([], talks, problem=problem)), scored)


@pytest.mark.parametrize("workers", [1, 2])
def test_score_many_keeps_the_order_on_any_number_of_workers(
    scored: list[float], workers: int
) -> None:
    assert same([verdict.value for verdict in score_many(pairs(), workers)], scored)


def test_score_many_streams() -> None:
    def endless() -> Iterator[tuple[Problem, str]]:
        while True:
            yield Problem("q", "demo", "?", Math("4")), "\\boxed{4}"

    verdicts = score_many(endless())
    assert [next(verdicts).value for _ in range(200)] == [1.0] * 200


def test_verl_and_verifiers_agree_with_the_scorer(scored: list[float]) -> None:
    for (problem, completion), value in list(zip(pairs(), scored, strict=True))[::7]:
        text = problem.to_json()
        verl = compute_score("demo", completion, text)
        rubric = asyncio.run(verifiers_reward(completion, {"problem": text}))
        assert verl["unscored"] == math.isnan(value)
        assert same([verl["score"], rubric], [value, value])


@pytest.mark.parametrize("column", [["no json"], ["{}"], [None], [""]])
def test_a_column_without_problems_names_the_row(column: list[str]) -> None:
    with pytest.raises(ProblemError, match="row 0 of the `problem` column"):
        asyncio.run(trl_reward(None, ["x"], problem=column))


def test_a_column_of_another_length_is_refused() -> None:
    problem = Problem("q", "demo", "?", Math("4")).to_json()
    with pytest.raises(ProblemError, match="2 completions, but the `problem` column has 1"):
        asyncio.run(trl_reward(None, ["x", "y"], problem=[problem]))


@pytest.mark.parametrize("column", ["no json", "4", "", None])
def test_a_row_of_verl_or_verifiers_without_a_problem_is_named(column: Any) -> None:
    with pytest.raises(ProblemError, match=r"Problem JSON|JSON object"):
        compute_score("demo", "x", column)
    with pytest.raises(ProblemError, match=r"Problem JSON|JSON object"):
        asyncio.run(verifiers_reward("x", {"problem": column}))
    with pytest.raises(ProblemError, match="`info` needs `problem`"):
        asyncio.run(verifiers_reward("x", {"answer": "4"}))
