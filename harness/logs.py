"""Inspect logs as plain records: who answered what, how well, at what cost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, EvalSample, list_eval_logs, read_eval_log

from harness.errors import refuse
from harness.stats import Scores, StatsError
from harness.stats.scores import Row

DOMAIN = ("domain", "subject", "category", "topic", "type")  # first key that a sample has
DIFFICULTY = ("difficulty", "level")


@dataclass(frozen=True, slots=True)
class Answer:
    """One sample. value: in [0, 1], None when unscored. cost: US dollars, None when unknown.
    seconds: wall time of the answer. tokens: of all calls. workers: of a conductor's steps."""

    question: str
    epoch: int
    value: float | None
    cluster: str | None
    domain: str | None
    difficulty: str | None
    cost: float | None
    seconds: float
    tokens: int
    workers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """All answers of one system on one task."""

    system: str
    task: str
    answers: tuple[Answer, ...]

    def scores(self) -> Scores:
        """Where all questions are of one cluster they count as independent: its own spread is all
        that can be known. Raises StatsError when a (question, epoch) stands twice."""
        alone = len({answer.cluster for answer in self.answers}) < 2
        rows = [
            Row(a.question, a.epoch, a.value, None if alone else a.cluster) for a in self.answers
        ]
        return Scores.from_rows(rows)

    def part(self, by: str, value: str) -> Run:
        """The answers of one domain or difficulty."""
        kept = tuple(answer for answer in self.answers if getattr(answer, by) == value)
        return Run(self.system, self.task, kept)

    @property
    def cost(self) -> float | None:
        """Mean US dollars an answer; unknown once one is."""
        costs = [answer.cost for answer in self.answers]
        known = [cost for cost in costs if cost is not None]
        return math.fsum(known) / len(known) if known and len(known) == len(costs) else None

    @property
    def seconds(self) -> float:
        return math.fsum(answer.seconds for answer in self.answers) / max(1, len(self.answers))

    @property
    def tokens(self) -> float:
        return sum(answer.tokens for answer in self.answers) / max(1, len(self.answers))


def read_runs(arguments: Sequence[str]) -> list[Run]:
    """The runs of logs and folders of logs; `NAME=LOG` names a system.

    Of a task that was retried the newest log counts. Refuses, in one line, what is no log, and two
    logs of one system on one task.
    """
    runs: dict[tuple[str, str], Run] = {}
    for argument in arguments:
        name, path = _named(argument)
        for log in _newest(_files(path)):
            run = read_run(log, name)
            if (run.system, run.task) in runs:
                refuse(
                    f"two logs of {run.system} on {run.task}; name them apart: "
                    f"first={argument} second=…"
                )
            runs[run.system, run.task] = run
    if not runs:
        refuse(f"no log with samples in {', '.join(arguments)}")
    return list(runs.values())


def read_run(log: EvalLog, name: str | None = None) -> Run:
    """Refuses, in one line, a log whose scores are no shares or that holds a sample twice."""
    samples = log.samples or []
    system = name or system_name(log.eval.model, _policy(samples))
    task = log.eval.task.rpartition("/")[2]
    run = Run(system, task, tuple(_answer(sample) for sample in samples))
    try:
        run.scores()
    except StatsError as error:
        refuse(f"{log.location or task}: {error}", error)
    return run


def system_name(model: str, policy: str | None = None) -> str:
    """`harness run` names its models after the systems: conductor/vote-5 is vote-5. A conductor
    without a name is told apart by its policy, any other model that answers by plans too."""
    provider, _, rest = model.partition("/")
    if provider == "conductor" and rest not in ("", "default"):
        return rest
    plain = "conductor" if provider == "conductor" else model
    return f"{plain} ({policy})" if policy else plain


def _policy(samples: Sequence[EvalSample]) -> str | None:
    """What made the plans; None when no answer came by a plan."""
    return next((str(p) for s in samples if (p := _outcome(s).get("policy"))), None)


def _outcome(sample: EvalSample) -> dict[str, Any]:
    """What the conductor says of its answer; empty for any other model."""
    outcome = (sample.output.metadata or {}).get("conductor")
    return outcome if isinstance(outcome, dict) else {}


def _named(argument: str) -> tuple[str | None, Path]:
    name, equals, rest = argument.partition("=")
    if equals and not Path(argument).exists():
        return name, Path(rest)
    return None, Path(argument)


def _files(path: Path) -> list[str]:
    if not path.exists():
        refuse(f"{path}: no such log or folder")
    if path.is_file():
        return [str(path)]
    return [info.name for info in list_eval_logs(str(path), recursive=True)]  # newest first


def _newest(names: Iterable[str]) -> Iterator[EvalLog]:
    """One log a task that was set out to run (a retry has its task's id), the oldest first."""
    newest: dict[str, EvalLog] = {}
    for name in names:
        try:
            log = read_eval_log(name)
        except (OSError, ValueError, KeyError) as error:
            refuse(f"{name}: cannot be read as an Inspect log: {error}", error)
        if log.samples:
            newest.setdefault(log.eval.task_id, log)
    yield from reversed(newest.values())


def _answer(sample: EvalSample) -> Answer:
    outcome = _outcome(sample)
    usage = sample.model_usage or {}
    costs = [use.total_cost for use in usage.values()]
    tokens = sum(use.total_tokens for use in usage.values())
    return Answer(
        question=str(sample.id),
        epoch=sample.epoch,
        value=_value(sample),
        cluster=_text(sample.metadata.get("cluster")),
        domain=_first(sample.metadata, DOMAIN),
        difficulty=_first(sample.metadata, DIFFICULTY),
        cost=outcome.get("cost", _sum(costs)),
        seconds=outcome.get("seconds", sample.total_time or 0.0),
        tokens=outcome.get("input_tokens", 0) + outcome.get("output_tokens", 0) or tokens,
        workers=tuple(
            str(step["worker"]) for one in outcome.get("rounds", ()) for step in one["steps"]
        ),
    )


def _value(sample: EvalSample) -> float | None:
    """Of the first scorer that says anything; an error is no zero."""
    if sample.error is not None:
        return None
    for score in (sample.scores or {}).values():
        value = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}.get(str(score.value), score.value)
        if isinstance(value, int | float) and not math.isnan(value):
            return float(value)
    return None


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return math.fsum(known) if known and len(known) == len(costs) else None


def _first(metadata: dict[str, Any], keys: Sequence[str]) -> str | None:
    return next((_text(metadata[key]) for key in keys if metadata.get(key) is not None), None)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
