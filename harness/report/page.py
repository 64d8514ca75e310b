"""The page: leaderboard, frontier, forest, parts, workers, training. Everything is escaped, and the
page allows no script at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from harness.compare import Study
from harness.compare_text import Rows, contest_rows, standing_rows
from harness.logs import Run
from harness.report import plots

STYLE = Path(__file__).parent / "assets/style.css"
FILES = ("report.csv", "report.json", "report.md")
Points = Sequence[tuple[float, float]]


def page(
    title: str,
    study: Study,
    parts: Study,
    runs: Sequence[Run],
    curves: Mapping[str, Points],
    plans: Mapping[str, str],
) -> str:
    """parts: the same study by domain. curves: by metric. plans: address of a system's plans."""
    tasks = list(dict.fromkeys(standing.task for standing in study.standings))
    sections = [
        _head(title, study, tasks),
        _table("Leaderboard", standing_rows(study), plans),
        *(_frontier(study, task) for task in tasks),
        _forest(study),
        *(_heat(parts, task) for task in tasks),
        _workers(runs),
        _curves(curves),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE.read_text(encoding='utf-8')}</style></head>"
        f"<body>{''.join(sections)}</body></html>\n"
    )


def _head(title: str, study: Study, tasks: Sequence[str]) -> str:
    systems = {standing.system for standing in study.standings}
    files = ", ".join(f'<a href="{name}" download>{name}</a>' for name in FILES)
    return (
        f"<h1>{escape(title)}</h1><p class=dim>{len(systems)} systems, {len(tasks)} tasks; "
        f"baseline {escape(study.baseline)}; {study.level:.0%} intervals; unscored answers are "
        f"trouble of ours and left out. All numbers: {files}</p>"
    )


def _table(title: str, rows: Rows, plans: Mapping[str, str]) -> str:
    head, *body = rows
    cells = "".join(
        "<tr>" + "".join(_cell(n, cell, plans) for n, cell in enumerate(row)) + "</tr>"
        for row in body
    )
    names = "".join(
        f'<th class="{"" if n < 2 else "n"}">{escape(h)}</th>' for n, h in enumerate(head)
    )
    return (
        f'<h2>{title}</h2><div class="wide"><table><thead><tr>{names}</tr></thead>'
        f"<tbody>{cells}</tbody></table></div>"
    )


def _cell(column: int, text: str, plans: Mapping[str, str]) -> str:
    shown = escape(text)
    if column == 1 and text in plans:
        shown = f'<a href="{escape(plans[text])}">{shown}</a>'
    return f'<td class="{"" if column < 2 else "n"}">{shown}</td>'


def _figure(title: str, drawn: str, caption: str) -> str:
    if not drawn:
        return ""
    text = f"<figcaption>{escape(caption)}</figcaption>"
    return f"<h2>{escape(title)}</h2><figure>{drawn}{text}</figure>"


def _frontier(study: Study, task: str) -> str:
    standings = [s for s in study.standings if s.task == task and s.part is None]
    drawn = plots.frontier(standings)
    return _figure(f"Score against cost: {task}", drawn,
                   "The line joins systems that nothing cheaper beats.")  # fmt: skip


def _forest(study: Study) -> str:
    drawn = plots.forest(study.contests, study.level)
    caption = (
        f"Paired differences to {study.baseline} in points, with {study.level:.0%} intervals. "
        "Coloured where they are distinguishable after Holm's adjustment over all comparisons."
    )
    return _figure("Differences", drawn, caption) + _verdicts(study)


def _verdicts(study: Study) -> str:
    if not study.contests:
        return ""
    head, *body = contest_rows(study)
    rows = "".join(
        "<tr>" + "".join(
            f'<td class="{cell if cell in ("better", "worse") else "" if n in (0, 1, 7) else "n"}">'
            f"{escape(cell)}</td>"
            for n, cell in enumerate(row)
        ) + "</tr>"
        for row in body
    )  # fmt: skip
    names = "".join(f"<th>{escape(h)}</th>" for h in head)
    head_row = f"<thead><tr>{names}</tr></thead>"
    return f'<div class="wide"><table>{head_row}<tbody>{rows}</tbody></table></div>'


def _heat(parts: Study, task: str) -> str:
    here = [s for s in parts.standings if s.task == task and s.part is not None]
    cells = {(s.system, s.part or ""): s.mean for s in here}
    systems = list(dict.fromkeys(s.system for s in here))
    names = list(dict.fromkeys(s.part or "" for s in here))[:20]
    return _figure(f"By domain: {task}", plots.heat(cells, systems, names), "Score in percent.")


def _workers(runs: Sequence[Run]) -> str:
    used: Counter[str] = Counter()
    lengths: Counter[str] = Counter()
    for run in runs:
        for answer in run.answers:
            used.update(answer.workers)
            if answer.workers:
                lengths[f"{len(answer.workers)} steps"] += 1
    if not used:
        return ""
    return _figure(
        "Workers", plots.bars(used, "calls by worker"), "Steps by worker, over all systems."
    ) + _figure("Plan lengths", plots.bars(lengths, "plans by length"), "Answers by steps.")


def _curves(curves: Mapping[str, Points]) -> str:
    return "".join(
        _figure(f"Training: {name}", plots.curve(points, name), "By training step.")
        for name, points in curves.items()
    )
