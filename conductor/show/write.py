"""Pages written to a folder, sample by sample: a log of any size is never held whole."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log, read_eval_log_samples

from conductor.show.page import counted, index_page, sample_page
from conductor.show.record import SampleRecord, read_sample
from conductor.strict import ConfigError


def write_pages(log: Path, out: Path) -> Path:
    """Write `out`/index.html and a page a sample; returns the index.

    log: an .eval file, or a folder, whose newest log is taken. Raises ConfigError when there is
    none that can be read.
    """
    name = _newest(log)
    header = _header(name)
    (out / "samples").mkdir(parents=True, exist_ok=True)
    entries: list[tuple[str, SampleRecord]] = []
    previous: tuple[str, SampleRecord] | None = None
    samples = read_eval_log_samples(name, all_samples_required=False, resolve_attachments="full")
    for sample in samples:
        record = read_sample(sample)
        current = (_file(record), record)
        if previous is not None:
            _write(out, previous, entries[-1][0] if entries else None, current[0])
            entries.append((previous[0], _slim(previous[1])))
        previous = current
    if previous is not None:
        _write(out, previous, entries[-1][0] if entries else None, None)
        entries.append((previous[0], _slim(previous[1])))
    index = out / "index.html"
    linked = [(f"samples/{file}", record) for file, record in entries]
    index.write_text(
        index_page(f"{header.eval.task} · {header.eval.model}", _facts(header, entries), linked),
        encoding="utf-8", errors="replace",
    )  # fmt: skip
    return index


def _write(
    out: Path, entry: tuple[str, SampleRecord], before: str | None, after: str | None
) -> None:
    file, record = entry
    page = sample_page(record, before, after)
    (out / "samples" / file).write_text(page, encoding="utf-8", errors="replace")


def _slim(record: SampleRecord) -> SampleRecord:
    """What the index needs: texts are on the sample's own page by now."""
    rounds = tuple(
        replace(one, written="", steps=tuple(
            replace(step, prompt=(), response="", subtask="", inside=()) for step in one.steps
        ))
        for one in record.rounds
    )  # fmt: skip
    return replace(record, question="", answer=record.answer[:200], rounds=rounds)


def _file(record: SampleRecord) -> str:
    """A file name that any system takes, and no two samples share."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", record.id)[:60].strip("-.") or "sample"
    digest = hashlib.sha256(f"{record.id}\0{record.epoch}".encode()).hexdigest()[:8]
    return f"{plain}-{record.epoch}-{digest}.html"


def _newest(path: Path) -> str:
    if not path.is_dir():
        return str(path)
    logs = list_eval_logs(str(path))
    if not logs:
        raise ConfigError(f"no log in {path}; `inspect eval … --log-dir {path}` writes one")
    return logs[0].name


def _header(name: str) -> EvalLog:
    try:
        return read_eval_log(name, header_only=True)
    except Exception as cause:  # a foreign or torn file fails in as many ways as there are parsers
        raise ConfigError(f"{name}: no log of Inspect that can be read: {cause}") from cause


def _facts(header: EvalLog, entries: list[tuple[str, SampleRecord]]) -> str:
    costs = [record.cost for _, record in entries]
    known = None if None in costs else sum(cost for cost in costs if cost is not None)
    correct = sum(record.verdict == "correct" for _, record in entries)
    unscored = sum(record.verdict in ("unscored", "error") for _, record in entries)
    parts = [
        header.status, counted(len(entries), "sample"), f"{correct} correct",
        f"{unscored} unscored",
        f"{sum(record.tokens for _, record in entries)} tokens",
        "cost unknown" if known is None else f"${known:.4f}",
    ]  # fmt: skip
    return " · ".join(parts)
