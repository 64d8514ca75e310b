"""Policies that learn from a table of who was right on what: router, cascade and oracle.

A table is a file of JSON lines, made of logs by `conductor table`: `{"problem": ID, "question":
TEXT, "scores": {WORKER: VALUE}, "cost": {WORKER: DOLLARS or null}}`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from conductor.plan import Plan, PlanError, Step
from conductor.policies.base import Context, OneRound
from conductor.policies.rule import CHECK, SOLVE
from conductor.policies.similarity import cosine, require
from conductor.pool import Pool
from conductor.strict import ConfigError

NEIGHBOURS = 16


@dataclass(frozen=True)
class Table:
    """path: where it came from. rows: of the workers of this pool, scores by ordinal."""

    path: str
    problems: tuple[str, ...]
    questions: tuple[str, ...]
    scores: tuple[Mapping[int, float], ...]

    @cached_property
    def by_problem(self) -> dict[str, Mapping[int, float]]:
        return dict(zip(self.problems, self.scores, strict=True))

    def predict(self, question: str, problem: str, listed: Sequence[int]) -> dict[int, float]:
        """Expected score of each listed worker: the mean over the nearest questions, weighted by
        similarity. The question itself, if it is in the table, does not count."""
        rows = [row for row, other in enumerate(self.problems) if other != problem]
        if not rows:
            raise PlanError(f"{self.path} holds no other question to learn from")
        alike = cosine([question], [self.questions[row] for row in rows])[0]
        nearest = sorted(range(len(rows)), key=lambda n: -alike[n])[:NEIGHBOURS]
        return {
            worker: _weighted(
                [(alike[n] + 1e-3, self.scores[rows[n]].get(worker)) for n in nearest]
            )
            for worker in listed
        }


def _weighted(pairs: Sequence[tuple[float, float | None]]) -> float:
    known = [(weight, score) for weight, score in pairs if score is not None]
    total = sum(weight for weight, _ in known)
    return sum(weight * score for weight, score in known) / total if total else 0.0


def read_table(path: str, pool: Pool) -> Table:
    """Raises ConfigError naming the line: no table, or none of this pool's workers in it."""
    require()
    try:
        lines = Path(path).expanduser().read_text(encoding="utf-8").splitlines()
    except OSError as cause:
        raise ConfigError(f"{path}: cannot be read: {cause.strerror or cause}") from cause
    names = {worker.name: ordinal for ordinal, worker in enumerate(pool.workers)}
    problems, questions, scores = [], [], []
    for number, line in enumerate(lines, 1):
        row = _row(path, number, line)
        known = {names[name]: value for name, value in row["scores"].items() if name in names}
        if known:
            problems.append(str(row["problem"]))
            questions.append(str(row["question"]))
            scores.append(known)
    if not scores:
        raise ConfigError(f"{path}: holds no score of a worker of this pool")
    return Table(path, tuple(problems), tuple(questions), tuple(scores))


def _row(path: str, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
        if not all(isinstance(value, int | float) for value in row["scores"].values()):
            raise ValueError("a score that is no number")
        return {key: row[key] for key in ("problem", "question", "scores")}
    except (ValueError, KeyError, TypeError, AttributeError) as cause:
        raise ConfigError(
            f"{path}:{number}: no row of a table ({cause}); `conductor table LOGS` makes one"
        ) from cause


@dataclass(frozen=True)
class _Learned(OneRound):
    table: Table = field(repr=False)

    def _ranked(self, question: str, context: Context) -> list[tuple[int, float]]:
        expected = self.table.predict(question, context.key.problem, context.listed)
        return sorted(expected.items(), key=lambda pair: (-pair[1], pair[0]))


@dataclass(frozen=True)
class Router(_Learned):
    """RouterDC-like (arXiv 2409.19886): a worker by what was right on similar questions; nearest
    neighbours take the place of a trained encoder."""

    description = "a router: one worker, predicted from similar questions"

    def first_plan(self, question: str, context: Context) -> Plan:
        best, _ = self._ranked(question, context)[0]
        return Plan((Step(best, SOLVE),))


@dataclass(frozen=True)
class Cascade(_Learned):
    """MasRouter-like (arXiv 2502.11133): how many workers collaborate depends on how hard the
    question seems; who they are, on similar questions."""

    sure: float = 0.8
    unsure: float = 0.5
    description = "a cascade: one to three workers, by predicted difficulty"

    def first_plan(self, question: str, context: Context) -> Plan:
        ranked = self._ranked(question, context)
        chance = ranked[0][1]
        wanted = 1 if chance >= self.sure else 2 if chance >= self.unsure else 3
        team = [worker for worker, _ in ranked[:wanted]]
        first = Step(team[0], SOLVE)
        if len(team) == 1:
            return Plan((first,))
        others = [Step(worker, SOLVE) for worker in team[2:]]
        seen = tuple(range(1 + len(others)))
        return Plan((first, *others, Step(team[1], CHECK, seen)))


@dataclass(frozen=True)
class Oracle(_Learned):
    """Whoever the table says did best on this very question."""

    description = "an oracle: the worker known to be right, an upper bound and no system"

    def first_plan(self, question: str, context: Context) -> Plan:
        problem = context.key.problem
        row = self.table.by_problem.get(problem) or self.table.by_problem.get(
            problem.partition("/")[2]
        )
        if row is None:
            raise PlanError(f"{self.table.path} does not hold the question {problem!r}")
        known = [worker for worker in context.listed if worker in row]
        if not known:
            raise PlanError(f"{self.table.path} has no listed worker for {problem!r}")
        return Plan((Step(max(known, key=lambda worker: (row[worker], -worker)), SOLVE),))
