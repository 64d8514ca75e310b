"""A study for people and for programs: a table, markdown, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict

from harness.compare import Contest, Standing, Study

STANDING = ("task", "system", "score", "interval", "answers", "unscored", "$", "seconds", "tokens")
CONTEST = ("task", "system − baseline", "difference", "interval", "p", "p (Holm)", "MDE", "verdict")
Rows = list[tuple[str, ...]]


def write(study: Study, form: str) -> str:
    """form: table, markdown, csv or json."""
    match form:
        case "json":
            return as_json(study)
        case "csv":
            return as_csv(study)
        case "markdown":
            return "\n".join(
                [*_markdown(standing_rows(study)), "", *_markdown(contest_rows(study))]
            )
    level = f"{study.level:.0%}"
    return "\n".join([
        *_aligned(standing_rows(study)), "",
        f"against {study.baseline}, the same questions, {level} intervals, p adjusted over "
        f"{sum(contest.p is not None for contest in study.contests)} comparisons",
        *_aligned(contest_rows(study)),
        *_notes(study),
    ])  # fmt: skip


def standing_rows(study: Study) -> Rows:
    return [STANDING, *(_standing(standing) for standing in study.standings)]


def contest_rows(study: Study) -> Rows:
    return [CONTEST, *(_contest(contest, study.level) for contest in study.contests)]


def _standing(s: Standing) -> tuple[str, ...]:
    interval = "–" if s.estimate is None else _interval(s.estimate.low, s.estimate.high)
    return (
        _task(s.task, s.part), s.system, _percent(s.mean), interval, str(s.answers),
        str(s.unscored or ""), "unknown" if s.cost is None else f"{s.cost:.5f}",
        f"{s.seconds:.1f}", f"{s.tokens:.0f}",
    )  # fmt: skip


def _contest(c: Contest, level: float) -> tuple[str, ...]:
    pair = f"{c.system} − {c.baseline}"
    if c.difference is None:
        return (_task(c.task, c.part), pair, "–", "–", "–", "–", "–", c.verdict(level))
    interval = "–" if c.low is None or c.high is None else _interval(c.low, c.high)
    return (
        _task(c.task, c.part), pair, f"{100 * c.difference:+.1f}", interval,
        _p(c.p), _p(c.adjusted), _percent(c.mde), c.verdict(level),
    )  # fmt: skip


def _task(task: str, part: str | None) -> str:
    whole = task if part is None else f"{task}: {part}"
    return " ".join(whole.split())  # a data set's line breaks would end a row


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _interval(low: float, high: float) -> str:
    return f"[{100 * low:.1f}, {100 * high:.1f}]"


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _notes(study: Study) -> list[str]:
    notes = ["", "MDE: the difference that this many questions show with 80 % power."]
    if any(standing.unscored for standing in study.standings):
        notes.append(
            "unscored: trouble of ours, left out and no zero; the same command fills them."
        )
    return notes


def _aligned(rows: Rows) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if column < 2 or column == len(row) - 1 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _markdown(rows: Rows) -> list[str]:
    head, *body = rows
    clean = [[cell.replace("|", "\\|") for cell in row] for row in body]
    return [
        f"| {' | '.join(head)} |",
        f"|{' --- |' * len(head)}",
        *(f"| {' | '.join(row)} |" for row in clean),
    ]


def as_json(study: Study) -> str:
    """Every number in full: shares, not percent."""
    data = {
        "baseline": study.baseline,
        "level": study.level,
        "standings": [asdict(standing) for standing in study.standings],
        "contests": [
            {**asdict(contest), "verdict": contest.verdict(study.level)}
            for contest in study.contests
        ],
    }
    return json.dumps(data, indent=2, ensure_ascii=False)


def as_csv(study: Study) -> str:
    """One line a system and task; the comparison with the baseline beside it."""
    contests = {(c.task, c.part, c.system): c for c in study.contests}
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(
        ("task", "part", "system", "answers", "unscored", "score", "low", "high", "cost", "seconds",
         "tokens", "baseline", "difference", "difference_low", "difference_high", "p", "p_holm",
         "mde", "verdict")
    )  # fmt: skip
    for s in study.standings:
        estimate, c = s.estimate, contests.get((s.task, s.part, s.system))
        interval = (estimate.low, estimate.high) if estimate else (None, None)
        row: Sequence[object] = (
            s.task, s.part, s.system, s.answers, s.unscored, s.mean, *interval, s.cost, s.seconds,
            s.tokens,
        )  # fmt: skip
        compared: Sequence[object] = (
            (c.baseline, c.difference, c.low, c.high, c.p, c.adjusted, c.mde,
             c.verdict(study.level))
            if c else (None,) * 8
        )  # fmt: skip
        writer.writerow(["" if cell is None else cell for cell in (*row, *compared)])
    return file.getvalue().rstrip("\n")
