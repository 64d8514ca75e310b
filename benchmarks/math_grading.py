"""Mathematical grading: our pairs a second beside Math-Verify's, on stored MATH-500 responses.

    pip install -e '.[bench]' && python benchmarks/math_grading.py RUN.jsonl [ROUNDS]

RUN.jsonl: rows with `gold` and `response`. Rounds alternate in one process on one core; the
figures are ratios of medians. `--memory` also shows the resident size over 10^5 grades.
"""

from __future__ import annotations

import asyncio
import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from harness import Math, Problem, grade

Pairs = list[tuple[str, str]]


def ours(pairs: Pairs) -> list[float]:
    """Seconds a pair."""

    async def run() -> list[float]:
        times = []
        for gold, response in pairs:
            problem = Problem("q", "math500", "?", Math(gold))
            begin = time.perf_counter()
            await grade(problem, response)
            times.append(time.perf_counter() - begin)
        return times

    return asyncio.run(run())


def math_verify(pairs: Pairs) -> list[float]:
    from math_verify import parse, verify

    times = []
    for gold, response in pairs:
        begin = time.perf_counter()
        verify(parse(f"${gold}$"), parse(response))
        times.append(time.perf_counter() - begin)
    return times


def main() -> None:
    if len(sys.argv) < 2:
        print(f"{sys.argv[0]} is not run: it needs a file\n{__doc__}")
        return
    arguments = [argument for argument in sys.argv[1:] if argument != "--memory"]
    rows = [json.loads(line) for line in Path(arguments[0]).read_text().split("\n") if line]
    pairs = [(str(row["gold"]), str(row["response"])) for row in rows]
    rounds = int(arguments[1]) if len(arguments) > 1 else 3
    graders: dict[str, Callable[[Pairs], list[float]]] = {
        "Math-Verify": math_verify,
        "harness.grade": ours,
    }
    for grader in graders.values():
        grader(pairs[:20])  # imports and start-up
    times: dict[str, list[list[float]]] = {name: [] for name in graders}
    for _ in range(rounds):
        for name, grader in graders.items():
            times[name].append(grader(pairs))
    report(times, len(pairs))
    if "--memory" in sys.argv:
        memory(pairs)


def report(times: dict[str, list[list[float]]], count: int) -> None:
    print("| grader | pairs/s | median ms | p99 ms | longest ms |\n| --- | --- | --- | --- | --- |")
    speeds = []
    for name, rounds in times.items():
        speed = count / statistics.median(sum(each) for each in rounds)
        flat = sorted(value for each in rounds for value in each)
        p50, p99, most = (1000 * flat[int(len(flat) * q)] for q in (0.5, 0.99, 0.99999))
        print(f"| {name} | {speed:.0f} | {p50:.2f} | {p99:.2f} | {most:.1f} |")
        speeds.append(speed)
    print(f"\nours / Math-Verify: {speeds[1] / speeds[0]:.1f} (goal: at least 10)")


def memory(pairs: Pairs) -> None:
    print("\n| grades | resident MB |\n| --- | --- |")
    done = 0
    while done < 100_000:
        ours(pairs)
        done += len(pairs)
        if done % 20_000 < len(pairs):
            print(f"| {done} | {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} |")


if __name__ == "__main__":
    main()
