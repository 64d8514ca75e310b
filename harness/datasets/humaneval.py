"""HumanEval (Chen et al. 2021, arXiv 2107.03374): 164 functions to complete from a docstring."""

from __future__ import annotations

from harness.datasets.source import Row, Source
from harness.problem import Problem, Program, Test

ASK = "Complete this Python function; answer with the whole function in one fenced code block:"
COMMIT = "6d43fb980f9fee3c892a914eda09951f772ad10d"

HUMANEVAL = Source(
    name="humaneval",
    urls=(f"https://raw.githubusercontent.com/openai/human-eval/{COMMIT}/data/HumanEval.jsonl.gz",),
    sha256="b796127e635a67f93fb35c04f4cb03cf06f38c8072ee7cee8833d7bee06979ef",
    revision=COMMIT,
    sample="humaneval.jsonl",
    columns=("task_id", "prompt", "entry_point", "test"),
)


def humaneval_problem(row: Row) -> Problem:
    """The prompt's imports and helpers stand before the solution, its stub included."""
    return Problem(
        id=row["task_id"],
        benchmark="humaneval",
        question=f"{ASK}\n\n```python\n{row['prompt'].rstrip()}\n```\n",
        answer=Program(
            tests=(Test(f"{row['test']}\ncheck({row['entry_point']})\n", ""),),
            function=row["entry_point"],
            semantics="check",
            preamble=f"{row['prompt'].rstrip()}\n    pass\n",
        ),
    )
