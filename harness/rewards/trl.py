"""Rewards in the shape that TRL's GRPOTrainer calls."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from harness.grade import grade
from harness.problem import Problem, ProblemError

Completion = str | Sequence[dict[str, Any]]
T = TypeVar("T")


async def trl_reward(
    prompts: Sequence[Any] | None,
    completions: Sequence[Completion],
    *,
    problem: Sequence[str],
    **columns: Any,
) -> list[float | None]:
    """One reward a completion: the verdict's value in [0, 1], None when unscored.

    completions: texts, or conversations whose last assistant message counts. problem: the
    training set's column, each a Problem as JSON (`harness.sample.training_row`). Other columns
    and TRL's own arguments are ignored. TRL leaves a None out of its group: it is no zero.
    Raises ProblemError naming the row when the column holds no problems.
    """
    problems = [_read(number, text) for number, text in enumerate(problem)]
    if len(problems) != len(completions):
        raise ProblemError(
            f"{len(completions)} completions, but the `problem` column has {len(problems)} rows"
        )
    verdicts = await asyncio.gather(
        *(
            grade(each, text_of(completion))
            for each, completion in zip(problems, completions, strict=True)
        )
    )
    return [verdict.value for verdict in verdicts]


def trl_reward_sync(
    prompts: Sequence[Any] | None,
    completions: Sequence[Completion],
    *,
    problem: Sequence[str],
    **columns: Any,
) -> list[float | None]:
    """The same for trainers that call rewards synchronously, also inside a running loop."""
    return run_sync(trl_reward(prompts, completions, problem=problem, **columns))


def text_of(completion: Completion) -> str:
    """What was said last: the text, or the last assistant message of a conversation."""
    if isinstance(completion, str):
        return completion
    said = [message for message in completion if message.get("role") == "assistant"]
    content = said[-1].get("content") if said else ""
    if isinstance(content, list):  # parts, as in multimodal conversations
        return "".join(part.get("text", "") for part in content if isinstance(part, dict))
    return content or ""


def run_sync(work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`; in a thread of its own where a loop is running already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    results: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(asyncio.run(work))
        except BaseException as failure:  # noqa: BLE001  carried to the caller's thread
            failures.append(failure)

    thread = threading.Thread(target=run, name="reward")
    thread.start()
    thread.join()
    if failures:
        raise failures[0]
    return results[0]


def _read(number: int, text: str) -> Problem:
    try:
        return Problem.from_json(text)
    except ProblemError as error:
        raise ProblemError(f"row {number} of the `problem` column: {error}") from error
