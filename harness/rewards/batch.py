"""Many verdicts at once, in order, on one core or several."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice

from harness.grade import grade
from harness.problem import Answer, Problem
from harness.rewards.trl import run_sync
from harness.verdict import Verdict

Pair = tuple[Problem, str]
Keyed = tuple[Answer, str]
CHUNK = 256  # pairs that travel together; more would delay the first verdict, fewer cost calls
AHEAD = 4  # chunks in flight a worker: a bound on memory, whatever the length of the input


def score_many(pairs: Iterable[Pair], workers: int = 1) -> Iterator[Verdict]:
    """The verdict of each (problem, completion), in order, as they are done.

    workers: processes, started clean (spawn), each with its own grader. Memory is bounded by
    what is in flight, so `pairs` may be a generator without end.
    """
    chunks = _chunks(iter(pairs))
    if workers <= 1:
        for chunk in chunks:
            yield from run_sync(_graded(chunk))
        return
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        waiting = deque(
            pool.submit(_grade_chunk, chunk) for chunk in islice(chunks, workers * AHEAD)
        )
        while waiting:
            yield from waiting.popleft().result()
            waiting.extend(pool.submit(_grade_chunk, chunk) for chunk in islice(chunks, 1))


def _chunks(pairs: Iterator[Pair]) -> Iterator[list[Keyed]]:
    """Only what grading needs travels: a question would cost more to send than to grade."""
    keyed = ((problem.answer, completion) for problem, completion in pairs)
    while chunk := list(islice(keyed, CHUNK)):
        yield chunk


def _grade_chunk(chunk: list[Keyed]) -> list[Verdict]:
    return asyncio.run(_graded(chunk))


async def _graded(chunk: list[Keyed]) -> list[Verdict]:
    graded = (grade(Problem("", "", "", key), text) for key, text in chunk)
    return list(await asyncio.gather(*graded))
