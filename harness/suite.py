"""A suite as an Inspect task: rows, problems, the one setup and the one scorer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from inspect_ai import Task
from inspect_ai.solver import generate

from harness.datasets.source import Loaded, Row, Source, load_rows
from harness.errors import refuse
from harness.problem import Problem, ProblemError
from harness.sample import present, to_dataset
from harness.scorer import graded


def suite(
    source: Source,
    problem: Callable[[Row], Problem],
    data: str | None = None,
    order_seed: int | None = None,
) -> Task:
    """The task of a source. order_seed: shuffles options, None keeps them as they are."""
    loaded = load_rows(source, data)
    return task_of(problems_of(loaded, problem), [loaded], order_seed)


def problems_of(loaded: Loaded, problem: Callable[[Row], Problem]) -> list[Problem]:
    """One problem a row; a malformed row ends in one line that names it."""
    problems = []
    for number, row in enumerate(loaded.rows, 1):
        try:
            problems.append(problem(row))
        except (ProblemError, KeyError, ValueError, TypeError, IndexError) as error:
            refuse(f"{loaded.name}: row {number} of {loaded.location}: {error}", error)
    return problems


def task_of(
    problems: Sequence[Problem], loaded: Sequence[Loaded], order_seed: int | None = None
) -> Task:
    """The task; where its rows came from is in the log."""
    provenance = [each.provenance for each in loaded]
    return Task(
        dataset=to_dataset(distinct(problems), loaded[0], order_seed),
        setup=present(),
        solver=generate(),
        scorer=graded(),
        metadata={key: "; ".join(each[key] for each in provenance) for key in provenance[0]},
    )


def distinct(problems: Iterable[Problem]) -> Iterator[Problem]:
    """The same problems, a repeated id with its number: MMLU holds 105 questions twice.

    Inspect refuses a dataset in which two samples share an id.
    """
    seen: Counter[str] = Counter()
    for problem in problems:
        seen[problem.id] += 1
        count = seen[problem.id]
        yield problem if count == 1 else replace(problem, id=f"{problem.id}#{count}")
