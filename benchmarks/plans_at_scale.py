"""What plans cost at scale: latency over the critical path, memory in flight, growth with samples.

Workers are functions that sleep; nothing but the core runs. Prints
  - a plan's latency beyond its critical path, in ms a step (goal: at most 5);
  - memory of 1,000 plans in flight, in MB over the idle process (goal: under 500 in all);
  - time of 10,000 plans over ten times that of 1,000 (goal: about 1, linear).

    python benchmarks/plans_at_scale.py
"""

from __future__ import annotations

import asyncio
import resource
import statistics
import time
from collections.abc import Sequence

from conductor import CallKey, Message, Plan, Pool, Reply, Settings, Step, Worker, run_plan

POOL = Pool("bench", tuple(Worker(name, f"x/{name}") for name in "abcde"))
CHAIN = Plan(tuple(Step(n, "Do the next part.", tuple(range(n))) for n in range(5)))
QUESTION = "What is asked here? " * 50
ANSWER = "Some reasoning that leads to an answer. " * 100
SLEEP = 0.05  # seconds a call


class Sleeping:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    async def __call__(self, worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
        await asyncio.sleep(self.seconds)
        return Reply(ANSWER, worker.model, 500, 500, seconds=self.seconds)


async def run(call: Sleeping, number: int) -> None:
    settings = Settings()
    await run_plan(CHAIN, QUESTION, POOL, call=call, key=CallKey(f"p{number}"), settings=settings)


def overhead_ms() -> float:
    """Median over 20 plans of (latency - sum of sleeps) a step."""
    call, taken = Sleeping(SLEEP), []
    for number in range(20):
        begin = time.perf_counter()
        asyncio.run(run(call, number))
        taken.append(time.perf_counter() - begin - len(CHAIN.steps) * SLEEP)
    return 1000 * statistics.median(taken) / len(CHAIN.steps)


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def many(count: int, seconds: float, in_flight: int = 1000) -> float:
    """CPU seconds of `count` plans, so many at once."""

    async def together() -> None:
        call = Sleeping(seconds)
        slots = asyncio.Semaphore(in_flight)

        async def one(number: int) -> None:
            async with slots:
                await run(call, number)

        await asyncio.gather(*(one(number) for number in range(count)))

    begin = time.process_time()
    asyncio.run(together())
    return time.process_time() - begin


def main() -> None:
    print(f"overhead: {overhead_ms():.2f} ms a step beyond the critical path")
    idle = peak_mb()
    many(1000, 0.2)
    print(f"1,000 plans in flight: {peak_mb() - idle:.0f} MB more, {peak_mb():.0f} MB in all")
    ratios = [many(10_000, 0.0, 200) / (10 * many(1000, 0.0, 200)) for _ in range(3)]
    print(f"10,000 plans against ten times 1,000: {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
