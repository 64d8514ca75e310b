"""Run systems one after the other through Inspect's eval-set: resumable, under one budget."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai import eval_set
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.model import get_model

from conductor.ledger import Ledger
from conductor.strict import ConfigError
from conductor.systems.folder import Base, prepare
from conductor.systems.spec import SIZED, System, sized
from harness.resume import is_unscored, reopen

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Order:
    """What to run. tasks: files. options: of Inspect's eval_set (epochs, limit, display …)."""

    tasks: Sequence[Path]
    systems: Sequence[System]
    base: Base
    logs: Path
    task_args: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    equal_cost: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """A system's samples. score: mean over the scored ones. cost: US dollars a question, None when
    any is unknown; tokens and calls a question."""

    system: str
    samples: int
    unscored: int
    score: float | None
    cost: float | None
    tokens: float
    calls: float
    complete: bool


def run_systems(order: Order, say: Say) -> list[Result]:
    """Every system on every task; a system whose logs are complete is not run again.

    With `equal_cost` the first system sets the cost: policies with a number of calls come last,
    each with as many as that buys. Raises ConfigError for what the user can mend.
    """
    if not order.equal_cost:
        return _run_all(order, order.systems, say)
    reference, *others = order.systems
    fixed = [system for system in others if system.kind not in SIZED]
    if not any(system.kind == "single" for system in order.systems):
        say("--equal-cost needs the cost of one answer: `single` is added")
        fixed.insert(0, System("single", "single"))
    results = _run_all(order, [reference, *fixed], say)
    by_name = {result.system: result for result in results}
    alone = next(by_name[s.name] for s in (reference, *fixed) if s.kind == "single")
    first = by_name[reference.name]
    rest = [sized(system, *comparable(first, alone)) for system in others if system.kind in SIZED]
    return results + _run_all(order, rest, say)


def comparable(reference: Result, alone: Result) -> tuple[float, float]:
    """The costs of a question, in dollars where both are known, else in tokens."""
    if reference.cost and alone.cost:
        return reference.cost, alone.cost
    return reference.tokens, alone.tokens


def _run_all(order: Order, systems: Sequence[System], say: Say) -> list[Result]:
    results = []
    for number, system in enumerate(systems, 1):
        say(f"system {number} of {len(systems)}: {system.name}")
        if reason := Ledger(order.base.config.settings.budget).exhausted():
            say(f"  not run: {reason}; the same command goes on from here")
            continue
        results.append(_run(order, system))
    return results


def _run(order: Order, system: System) -> Result:
    folder = order.logs / system.name
    settings = prepare(folder, order.base, system)
    reopen(folder)
    model = get_model(f"conductor/{system.name}", settings=str(settings), memoize=False)
    eval_set(
        [os.path.relpath(task) for task in order.tasks],
        log_dir=str(folder),
        model=model,
        task_args=dict(order.task_args),
        retry_attempts=1,
        fail_on_error=False,
        log_dir_allow_dirty=True,
        **order.options,
    )
    logs = latest_logs(folder)
    if not logs:
        raise ConfigError(f"{system.name}: no log was written to {folder}")
    return summarize(system.name, logs)


def latest_logs(folder: Path) -> list[EvalLog]:
    """The newest log of each task: a run that was killed leaves an older, torn one behind."""
    newest: dict[str, str] = {}
    for info in reversed(list_eval_logs(str(folder))):  # they come newest first
        newest[info.task_id] = info.name
    return [read_eval_log(name) for name in newest.values()]


def summarize(name: str, logs: Sequence[EvalLog]) -> Result:
    samples = [sample for log in logs for sample in log.samples or []]
    unscored = sum(is_unscored(sample) for sample in samples)
    scored = [_value(sample) for sample in samples if not is_unscored(sample)]
    outcomes = [(sample.output.metadata or {}).get("conductor") or {} for sample in samples]
    costs = [outcome.get("cost") for outcome in outcomes]
    count = max(1, len(samples))
    return Result(
        system=name,
        samples=len(samples),
        unscored=unscored,
        score=sum(scored) / len(scored) if scored else None,
        cost=None if None in costs else math.fsum(c for c in costs if c is not None) / count,
        tokens=sum(o.get("input_tokens", 0) + o.get("output_tokens", 0) for o in outcomes) / count,
        calls=sum(o.get("calls", 0) for o in outcomes) / count,
        complete=not unscored and all(log.status == "success" for log in logs),
    )


def _value(sample: Any) -> float:
    values = [score.as_float() for score in (sample.scores or {}).values()]
    return float(next(value for value in values if not math.isnan(value)))
