"""Where our verdicts differ from the stored ones of three graders, case by case.

    python benchmarks/grader_disagreements.py RUN.jsonl [RUN.jsonl …]

Rows hold `gold`, `response` and `correct_qwen`, `correct_math_verify`, `correct_prm800k`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path

from harness import Math, Problem, Verdict, grade

STORED = ("correct_qwen", "correct_math_verify", "correct_prm800k")


async def compare(name: str, text: str) -> None:
    matrix: Counter[tuple[str, str, bool]] = Counter()
    differences = []
    for line in text.split("\n"):
        if line:
            row = json.loads(line)
            verdict = await grade(Problem("q", "run", "?", Math(str(row["gold"]))), row["response"])
            for name in STORED:
                matrix[name, verdict.outcome, bool(row[name])] += 1
            if any(bool(row[name]) != (verdict.value == 1.0) for name in STORED):
                differences.append((row, verdict))
    print(f"\n## {name}\n\n| grader | both right | both wrong | only ours | only theirs |")
    print("| --- | --- | --- | --- | --- |")
    for name in STORED:
        cells = [
            matrix[name, "correct", True],
            matrix[name, "incorrect", False],
            matrix[name, "correct", False],
            matrix[name, "incorrect", True],
        ]
        print(f"| {name.removeprefix('correct_')} | " + " | ".join(map(str, cells)) + " |")
    show(differences)


def show(differences: list[tuple[dict[str, object], Verdict]]) -> None:
    print("\n| key | read | ours | Qwen, Math-Verify, prm800k |\n| --- | --- | --- | --- |")
    for row, verdict in differences:
        votes = "".join("✓" if row[name] else "✗" for name in STORED)
        print(f"| {cell(row['gold'])} | {cell(verdict.answer)} | {verdict.outcome} | {votes} |")


def cell(text: object) -> str:
    short = " ".join(str(text).split()).replace("|", "¦")
    return f"`{short[:60]}`"


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        path = Path(argument)
        asyncio.run(compare(path.name, path.read_text()))
