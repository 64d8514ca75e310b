"""Where the time of a round went: a bar a step, the critical path marked."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from conductor.show.record import StepRecord

LABEL, WIDTH, ROW = 150, 640, 26


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


def timeline(steps: Sequence[StepRecord]) -> str:
    """An inline SVG."""
    total = max((step.end for step in steps), default=0.0) or 1e-9
    critical = critical_path(steps)
    rows = [_row(row, step, total, step.number in critical) for row, step in enumerate(steps)]
    height = ROW * len(steps) + 4
    title = f"time of each step, {total:.1f} s in all"
    return (
        f'<svg class="timeline" viewBox="0 0 {LABEL + WIDTH + 80} {height}" '
        f'width="{LABEL + WIDTH + 80}" height="{height}" '
        f'role="img" aria-label="{title}"><title>{title}</title>{"".join(rows)}</svg>'
    )


def _row(row: int, step: StepRecord, total: float, critical: bool) -> str:
    y = row * ROW + 2
    x = LABEL + WIDTH * step.start / total
    width = max(2.0, WIDTH * step.seconds / total)
    kind = "bar critical" if critical else "bar"
    return (
        f'<text x="0" y="{y + 16}">{step.number} · {escape(step.worker[:16])}</text>'
        f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 6}" rx="3"/>'
        f'<text x="{min(x + width + 6, LABEL + WIDTH + 6):.1f}" y="{y + 16}">'
        f"{step.seconds:.1f} s</text>"
    )
