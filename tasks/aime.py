"""AIME 2024 and 2025: 30 problems a year, integers from 0 to 999.

inspect eval tasks/aime.py -T year=2025 --epochs 16 --model conductor

Thirty questions say little: run 16 epochs or more, and read the interval.
"""

from __future__ import annotations

from functools import partial

from inspect_ai import Task, task

from harness.datasets.mathematics import AIME24, AIME25, aime_problem
from harness.datasets.source import load_rows
from harness.errors import refuse
from harness.suite import problems_of, task_of

YEARS = {"2024": (AIME24,), "2025": (AIME25,), "both": (AIME24, AIME25)}


@task
def aime(data: str | None = None, year: int | str = "both") -> Task:
    """-T year=2024|2025|both. A file of your own (-T data=PATH) is taken for one year."""
    if str(year) not in YEARS:
        refuse(f"-T year={year}: there are {', '.join(YEARS)}")
    sources = YEARS[str(year)] if data is None else YEARS[str(year)][:1]
    loaded = [load_rows(source, data) for source in sources]
    problems = [
        problem
        for source, each in zip(sources, loaded, strict=True)
        for problem in problems_of(each, partial(aime_problem, year=int(source.name[-4:])))
    ]
    return task_of(problems, loaded)
