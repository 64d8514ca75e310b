"""A report written to a folder: index.html, and all its numbers beside it."""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from harness.compare import study
from harness.compare_text import write as write_text
from harness.errors import refuse
from harness.logs import Run
from harness.report.page import FILES, page

FORMS = dict(zip(FILES, ("csv", "json", "markdown"), strict=True))


def write_report(
    runs: Sequence[Run],
    out: Path,
    title: str = "Report",
    baseline: str | None = None,
    metrics: Path | None = None,
) -> Path:
    """Write `out`/index.html; returns it.

    metrics: JSON lines with a `step` and numbers, as trainers log them. Systems whose plans were
    written to `out`/plans/SYSTEM by `conductor show` are linked.
    """
    whole, parts = study(runs, baseline), study(runs, baseline, by="domain")
    out.mkdir(parents=True, exist_ok=True)
    for name, form in FORMS.items():
        (out / name).write_text(write_text(parts, form) + "\n", encoding="utf-8")
    plans = {
        run.system: quote(f"plans/{run.system}/index.html")
        for run in runs
        if (out / "plans" / run.system / "index.html").is_file()
    }
    index = out / "index.html"
    curves = read_curves(metrics) if metrics else {}
    text = page(title, whole, parts, runs, curves, plans)
    index.write_text(text, encoding="utf-8", errors="replace")
    return index


def read_curves(path: Path) -> dict[str, list[tuple[float, float]]]:
    """(step, value) by metric. Refuses, in one line, what is no such file."""
    curves: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        refuse(f"{path}: cannot be read: {error.strerror or error}", error)
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            step = float(row.pop("step"))
        except (ValueError, OverflowError, KeyError, TypeError, AttributeError) as error:
            refuse(f"{path}:{number}: no JSON object with a `step`", error)
        for name, value in row.items():
            if isinstance(value, int | float) and _finite(step) and _finite(value):
                curves[name].append((step, float(value)))
    return dict(curves)


def _finite(value: float) -> bool:
    """JSON's integers have no bound, floats do."""
    return abs(value) < math.inf and abs(value) <= sys.float_info.max
