"""Where the time of a round went: a bar a step, the critical path marked."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from conductor.show.record import RoundRecord, StepRecord

ROW, BAR = 36, 10  # heights


def critical_path(steps: Sequence[StepRecord]) -> set[int]:
    """Numbers of the steps whose time adds up to the round's: from the one that ended last back
    over whichever step it had to wait for longest."""
    by_number = {step.number: step for step in steps}
    path: set[int] = set()
    step = max(steps, key=lambda each: each.end, default=None)
    while step is not None:
        path.add(step.number)
        seen = [by_number[number] for number in step.access if number in by_number]
        step = max(seen, key=lambda each: each.end, default=None)
    return path


def timeline(one: RoundRecord) -> str:
    """An inline SVG as wide as the page: lengths are shares of the time, names stand above."""
    total = one.planning + max((step.end for step in one.steps), default=0.0)
    critical = critical_path(one.steps)
    bars = [("policy", 0.0, one.planning, True)] if one.planning else []
    bars += [(f"{step.number} · {step.worker}", one.planning + step.start, step.seconds,
              step.number in critical) for step in one.steps]  # fmt: skip
    rows = [_row(row, *bar, total or 1e-9) for row, bar in enumerate(bars)]
    title = f"time of each step, {total:.1f} s in all"
    return (
        f'<svg class="timeline" width="100%" height="{ROW * len(bars)}" '
        f'role="img" aria-label="{title}"><title>{title}</title>{"".join(rows)}</svg>'
    )


def _row(row: int, name: str, start: float, seconds: float, critical: bool, total: float) -> str:
    y = row * ROW
    kind = "bar critical" if critical else "bar"
    return (
        f'<text x="0" y="{y + 14}">{escape(name[:32])} · {seconds:.1f} s</text>'
        f'<rect class="track" x="0" y="{y + 20}" width="100%" height="{BAR}" rx="3"/>'
        f'<rect class="{kind}" x="{100 * start / total:.2f}%" y="{y + 20}" '
        f'width="{max(0.5, 100 * seconds / total):.2f}%" height="{BAR}" rx="3"/>'
    )
