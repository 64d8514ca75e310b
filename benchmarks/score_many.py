"""`score_many` on two processes beside one, on stored MATH-500 responses.

python benchmarks/score_many.py RUN.jsonl [ROUNDS]
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path

from harness import Math, Problem
from harness.rewards import score_many

REPEAT = 150  # copies of the responses: enough work for starting a process not to matter


def main() -> None:
    if len(sys.argv) < 2:
        print(f"{sys.argv[0]} is not run: it needs a file\n{__doc__}")
        return
    rows = [json.loads(line) for line in Path(sys.argv[1]).read_text().split("\n") if line]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    pairs = [
        (Problem("q", "math500", "?", Math(str(row["gold"]))), str(row["response"]))
        for row in rows * REPEAT
    ]
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for workers, times in seconds.items():
            begin = time.perf_counter()
            right = sum(verdict.value == 1.0 for verdict in score_many(pairs, workers))
            times.append(time.perf_counter() - begin)
    print("| processes | pairs/s |\n| --- | --- |")
    medians = {workers: statistics.median(times) for workers, times in seconds.items()}
    for workers, median in medians.items():
        print(f"| {workers} | {len(pairs) / median:.0f} |")
    print(f"\nratio: {medians[1] / medians[2]:.2f} (goal: at least 1.6); {right} right")


if __name__ == "__main__":
    main()
