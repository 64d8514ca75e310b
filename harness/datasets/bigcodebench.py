"""BigCodeBench (Zhuo et al. 2024, arXiv 2406.15877): functions over many libraries, unittest cases.

The checks run in the solution's process: this measures models, it is no reward (see
`harness.graders.drivers.check`).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection
from typing import Literal

from harness.datasets.download import HUB
from harness.datasets.source import Row, Source
from harness.problem import Problem, ProblemError, Program, Test

Split = Literal["complete", "instruct"]
COLUMNS = ("task_id", "complete_prompt", "instruct_prompt", "code_prompt", "test", "entry_point",
           "libs")  # fmt: skip
ASK = "Write a self-contained Python program that solves this problem, in one fenced code block:"
CPU_SECONDS = 30.0  # imports of large libraries count
MEMORY_MB = 16 << 10  # address space: what they reserve, not what they use


def _source(subset: str) -> Source:
    name = f"bigcodebench{'-hard' if subset == 'hard' else ''}"
    file = "data/v0.1.4-00000-of-00001.parquet"
    return Source(
        name=name.replace("-", "_"),
        urls=(f"{HUB}datasets/bigcode/{name}/resolve/main/{file}",),
        sha256=None,
        sample="bigcodebench.jsonl",
        columns=COLUMNS,
    )


BIGCODEBENCH = {"full": _source("full"), "hard": _source("hard")}


def bigcodebench_problem(row: Row, split: Split = "complete") -> Problem:
    """A row of the official schema; the solution runs behind its own stub ("calibrated").

    The stub brings the imports of the prompt, which chat models often leave out.
    """
    for column in COLUMNS:
        if not isinstance(row.get(column), str):
            raise ProblemError(f"BigCodeBench task {row.get('task_id')!r}: {column} must be text")
    shown = row["complete_prompt" if split == "complete" else "instruct_prompt"]
    text = f"```python\n{shown.rstrip()}\n```" if split == "complete" else shown.strip()
    return Problem(
        id=row["task_id"],
        benchmark="bigcodebench",
        question=f"{ASK}\n\n{text}\n",
        answer=Program(
            tests=(Test(row["test"], ""),),
            function=row["entry_point"],
            semantics="check",
            preamble=f"{row['code_prompt']}\n    pass\n",
            cpu_seconds=CPU_SECONDS,
            memory_mb=MEMORY_MB,
            libraries=tuple(sorted(libraries(row))),
        ),
        metadata={"libraries": sorted(libraries(row)), "split": split},
    )


def libraries(row: Row) -> set[str]:
    """What the task imports beyond the standard library; `libs` is a list as Python literal."""
    try:
        names = ast.literal_eval(row["libs"]) if isinstance(row["libs"], str) else row["libs"]
        return {str(name) for name in names} - sys.stdlib_module_names
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as cause:
        raise ProblemError(
            f"BigCodeBench task {row.get('task_id')!r}: libs must be a list of names"
        ) from cause


def gradable(row: Row, present: Collection[str]) -> bool:
    """Whether all libraries of the task are among those in the box."""
    return libraries(row) <= set(present)
