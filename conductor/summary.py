"""What a log says of the conductor's work: who was asked, what came out, what it took."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, EvalMetric, EvalSample, list_eval_logs, read_eval_log

from conductor.ledger import Spending, read_ledger
from conductor.strict import ConfigError


def newest_log(path: Path) -> EvalLog:
    """The log at `path`, or the newest one in that folder. Raises ConfigError if there is none."""
    logs = list_eval_logs(str(path)) if path.is_dir() else []
    if path.is_dir() and not logs:
        raise ConfigError(f"no log in {path}; `inspect eval … --log-dir {path}` writes one")
    try:
        return read_eval_log(logs[0] if logs else str(path))
    except Exception as cause:  # a foreign or torn file fails in as many ways as there are parsers
        raise ConfigError(f"{path}: no log of Inspect that can be read: {cause}") from cause


def summarize(log: EvalLog) -> Iterator[str]:
    """The lines to print: the run, each sample, the score, each worker."""
    yield f"{log.eval.task}, {log.eval.model}, {len(log.samples or ())} samples: {log.status}"
    if log.error:
        yield f"error: {log.error.message}"
    samples = [sample for sample in log.samples or () if _outcome(sample)]
    if not samples:
        yield "no sample of this log was answered by a conductor"
        return
    yield f"policy: {_outcome(samples[0])['policy']}"
    yield ""
    yield from _table(("sample", "verdict", "answer", "workers", "tokens", "retries"), [
        _row(sample) for sample in samples
    ])  # fmt: skip
    yield from _scores(log)
    yield from _rounds(samples)
    yield ""
    yield from _table(("worker", "calls", "tokens in", "tokens out", "seconds", "cost"), [
        work.row(name) for name, work in sorted(_by_worker(samples).items())
    ])  # fmt: skip


def _outcome(sample: EvalSample) -> dict[str, Any]:
    """What `conductor.report.summary` put into the sample's output."""
    return (sample.output.metadata or {}).get("conductor") or {}


def _rounds(samples: Sequence[EvalSample]) -> Iterator[str]:
    """What further rounds did to the answers, if there were any."""
    later = [outcome for sample in samples if len((outcome := _outcome(sample))["rounds"]) > 1]
    if later:
        kept = sum(outcome["rounds"][-1]["kept"] for outcome in later)
        changed = sum(len(set(_answers(outcome))) > 1 for outcome in later)
        yield f"further rounds: {len(later)} samples, {changed} answers changed, {kept} kept"


def _answers(outcome: dict[str, Any]) -> list[str]:
    """The response that each round ended with."""
    return [
        one["steps"][one["answered_by"]]["response"].strip()
        for one in outcome["rounds"]
        if one["answered_by"] is not None
    ]


def _steps(outcome: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for one in outcome["rounds"] for step in one["steps"]]


def _row(sample: EvalSample) -> tuple[str, ...]:
    outcome = _outcome(sample)
    verdict, answer = _verdict(sample)
    return (
        f"{sample.id}" if sample.epoch == 1 else f"{sample.id} (epoch {sample.epoch})",
        verdict,
        answer,
        _workers(outcome),
        str(outcome["input_tokens"] + outcome["output_tokens"]),
        str(outcome["retries"]),
    )


def _workers(outcome: dict[str, Any]) -> str:
    """Who was asked, in order; a star marks whose response became the answer."""
    workers = " → ".join(
        step["worker"] + ("*" if [one["round"], step["step"]] == outcome["answered_by"] else "")
        for one in outcome["rounds"]
        for step in one["steps"]
    )
    trouble = f"fault: {outcome['fault']}" if outcome["fault"] else ""
    if outcome["plan_error"]:
        trouble = f"no plan: {outcome['plan_error']}"
    return _short("; ".join(filter(None, (workers, trouble))), 72)


def _verdict(sample: EvalSample) -> tuple[str, str]:
    for score in (sample.scores or {}).values():
        verdict = (score.metadata or {}).get("outcome", score.value)
        return str(verdict), _short(score.answer or "-", 24)
    return "not graded", "-"


def _short(text: str, width: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"


def _scores(log: EvalLog) -> Iterator[str]:
    for score in log.results.scores if log.results else ():
        figures = ", ".join(f"{_title(m)} {m.value:.3f}" for m in score.metrics.values())
        yield f"{figures}; {score.scored_samples} scored, {score.unscored_samples} unscored"


def _title(metric: EvalMetric) -> str:
    return f"{metric.name} (clustered)" if metric.params.get("cluster") else metric.name


@dataclass(slots=True)
class Work:
    """What one worker did in all. cost: US dollars, None as soon as one call's is unknown."""

    calls: int = 0
    read: int = 0
    written: int = 0
    seconds: float = 0.0
    cost: float | None = 0.0

    def add(self, step: dict[str, Any]) -> None:
        read, written = step["tokens"]
        self.calls, self.read, self.written = (
            self.calls + 1,
            self.read + read,
            self.written + written,
        )
        self.seconds += step["seconds"]
        known = self.cost is not None and step["cost"] is not None
        self.cost = self.cost + step["cost"] if known else None

    def row(self, name: str) -> tuple[str, ...]:
        cost = "unknown" if self.cost is None else f"${self.cost:.4f}"
        counts = (self.calls, self.read, self.written)
        return (name, *map(str, counts), f"{self.seconds:.1f}", cost)


def _by_worker(samples: Sequence[EvalSample]) -> dict[str, Work]:
    works: defaultdict[str, Work] = defaultdict(Work)
    for sample in samples:
        for step in _steps(_outcome(sample)):
            if step["stop_reason"] != "skipped":
                works[step["worker"]].add(step)
    return works


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def spending(path: Path, by: str) -> Iterator[str]:
    """A ledger's sums, the largest first. Raises ConfigError when the file is no ledger."""
    groups: defaultdict[str, Spending] = defaultdict(Spending)
    for entry in read_ledger(path):
        if by not in entry:
            raise ConfigError(f"{path}: is no ledger: a line has no {by!r}")
        groups[str(entry[by])].add(entry)
    rows = [
        (name, str(s.calls), str(s.tokens), f"${s.dollars:.4f}", str(s.unpriced or ""))
        for name, s in sorted(groups.items(), key=lambda pair: (-pair[1].dollars, -pair[1].tokens))
    ]
    total = Spending()
    for one in groups.values():
        total.dollars, total.tokens = total.dollars + one.dollars, total.tokens + one.tokens
        total.calls, total.unpriced = total.calls + one.calls, total.unpriced + one.unpriced
    rows.append(("total", str(total.calls), str(total.tokens), f"${total.dollars:.4f}",
                 str(total.unpriced or "")))  # fmt: skip
    yield from _table((by, "calls", "tokens", "cost", "calls of unknown cost"), rows)
