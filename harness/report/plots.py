"""Plots as inline SVG: no library, no script, readable in both colour schemes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from harness.compare import Contest, Standing

LABEL, WIDTH, ROW, GAP = 180, 380, 28, 24


def _svg(width: float, height: float, title: str, body: str) -> str:
    name = escape(title, quote=True)
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        f'role="img" aria-label="{name}"><title>{name}</title>{body}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{escape(text)}</text>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def frontier(standings: Sequence[Standing]) -> str:
    """Score against cost of an answer (logarithmic); the line joins what nothing cheaper beats."""
    by_cost = all(s.cost for s in standings)
    points = [
        (float(s.cost if by_cost and s.cost else s.tokens), s.mean, s.system)
        for s in standings if s.mean is not None and (by_cost or s.tokens > 0)
    ]  # fmt: skip
    if not points:
        return ""
    low, high = _span([math.log10(cost) for cost, _, _ in points], 0.3)
    bottom, top = _span([mean for _, mean, _ in points], 0.05)
    height = 320

    def place(cost: float, mean: float) -> tuple[float, float]:
        x = 60 + WIDTH * (math.log10(cost) - low) / (high - low)
        return x, 20 + (height - 70) * (top - mean) / (top - bottom)

    best: list[tuple[float, float]] = []
    record = -1.0
    for cost, mean, _ in sorted(points):
        if mean > record:
            record = mean
            best.append(place(cost, mean))
    path = " ".join(f"{'L' if n else 'M'}{x:.1f},{y:.1f}" for n, (x, y) in enumerate(best))
    marks = [f'<path class="frontier" d="{path}"/>']
    labels: list[tuple[float, float]] = []
    for cost, mean, name in points:
        x, y = place(cost, mean)
        marks.append(f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="5"/>')
        label_y = _free(x, y - 7, labels)
        labels.append((x, label_y))
        near_edge = x > 60 + 0.75 * WIDTH
        marks.append(
            _text(x + (-9 if near_edge else 9), label_y, name, "end" if near_edge else "start")
        )
    unit = "US dollars" if by_cost else "tokens"
    for value, y in ((top, 20.0), (bottom, height - 50.0)):
        marks += [
            _line(60, y, 60 + WIDTH, y, "axis"),
            _text(54, y + 4, f"{100 * value:.0f}", "end", "dim"),
        ]
    for value, x in ((low, 60.0), (high, 60.0 + WIDTH)):
        marks.append(_text(x, height - 28, f"{10**value:.3g}", "middle", "dim"))
    marks.append(
        _text(60 + WIDTH / 2, height - 8, f"{unit} an answer (logarithmic)", "middle", "dim")
    )
    return _svg(60 + WIDTH + 40, height, "score against cost", "".join(marks))


def _free(x: float, y: float, taken: Sequence[tuple[float, float]]) -> float:
    """The next height below y at which a label at x covers no other."""
    while any(abs(x - other_x) < 80 and abs(y - other_y) < 13 for other_x, other_y in taken):
        y += 13
    return y


def _span(values: Sequence[float], least: float) -> tuple[float, float]:
    """A range with room around its values."""
    low, high = min(values), max(values)
    room = max(least, 0.15 * (high - low))
    return low - room, high + room


def forest(contests: Sequence[Contest], level: float) -> str:
    """Differences to the baseline with their intervals; a line at zero."""
    shown = [c for c in contests if c.low is not None]  # without a spread: in the table
    if not shown:
        return ""
    ends = [end for c in shown for end in (c.low, c.high) if end is not None and math.isfinite(end)]
    reach = min(1.0, max([0.05, *(abs(end) for end in ends)]) * 1.1)

    def place(value: float) -> float:
        return LABEL + WIDTH * (max(-reach, min(reach, value)) + reach) / (2 * reach)

    rows = []
    for row, c in enumerate(shown):
        y = GAP + row * ROW
        kind = {"better": "better", "worse": "worse"}.get(c.verdict(level), "bar")
        assert c.low is not None
        assert c.high is not None
        assert c.difference is not None
        rows += [
            _text(0, y + 5, _short(f"{c.task} · {c.system}", 27)),
            _line(place(c.low), y, place(c.high), y, f"bar {kind}"),
            f'<circle class="{kind if kind != "bar" else "dot"}" cx="{place(c.difference):.1f}" '
            f'cy="{y}" r="5"/>',
            _text(LABEL + WIDTH + 8, y + 5, f"{100 * c.difference:+.1f}"),
        ]
    height = GAP + len(shown) * ROW + 22
    axis = [
        _line(place(0), 6, place(0), height - 24, "zero"),
        *(
            _text(place(v), height - 6, f"{100 * v:+.0f}", "middle", "dim")
            for v in (-reach, 0, reach)
        ),
    ]
    return _svg(LABEL + WIDTH + 60, height, "differences to the baseline", "".join(axis + rows))


def heat(cells: Mapping[tuple[str, str], float | None], systems: Sequence[str],
         parts: Sequence[str]) -> str:  # fmt: skip
    """Score by system (rows) and part (columns); the deeper, the higher."""
    if not parts:
        return ""
    width = max(70, min(130, WIDTH // len(parts)))
    marks = [
        _text(LABEL + width * (n + 0.5), 16, _short(part, width // 8), "middle", "dim")
        for n, part in enumerate(parts)
    ]
    for row, system in enumerate(systems):
        y = GAP + row * ROW
        marks.append(_text(0, y + 18, _short(system, 25)))
        for column, part in enumerate(parts):
            value = cells.get((system, part))
            x = LABEL + width * column
            shade = 0 if value is None else 0.08 + 0.5 * value
            label = "–" if value is None else f"{100 * value:.0f}"
            marks.append(
                f'<rect class="heat" x="{x}" y="{y}" width="{width - 3}" height="{ROW - 3}" rx="3" '
                f'fill-opacity="{shade:.2f}"/>' + _text(x + width / 2 - 2, y + 18, label, "middle")
            )
    size = LABEL + width * len(parts) + 10
    return _svg(size, GAP + ROW * len(systems) + 6, "score by part", "".join(marks))


def bars(counts: Mapping[str, float], title: str) -> str:
    """Horizontal bars, the longest first."""
    most = max(counts.values(), default=0) or 1
    rows = []
    for row, (name, count) in enumerate(sorted(counts.items(), key=lambda pair: -pair[1])):
        y = 4 + row * ROW
        length = (WIDTH - 60) * count / most
        rows += [
            _text(0, y + 17, _short(name, 25)),
            f'<rect class="heat" x="{LABEL}" y="{y}" width="{length:.1f}" height="22" rx="3"/>',
            _text(LABEL + length + 8, y + 17, f"{count:g}"),
        ]
    return _svg(LABEL + WIDTH + 20, 8 + ROW * len(counts), title, "".join(rows))


def curve(points: Sequence[tuple[float, float]], title: str) -> str:
    """One line through (step, value)."""
    if len(points) < 2:
        return ""
    left, right = points[0][0], points[-1][0]
    bottom, top = _span([value for _, value in points], 1e-6)
    height = 200

    def place(step: float, value: float) -> str:
        x = 60 + WIDTH * (step - left) / ((right - left) or 1)
        return f"{x:.1f},{16 + (height - 56) * (top - value) / (top - bottom):.1f}"

    path = " ".join(f"{'L' if n else 'M'}{place(*point)}" for n, point in enumerate(points))
    marks = f'<path class="curve" d="{path}"/>'
    marks += "".join(
        _text(54, y, f"{value:.3g}", "end", "dim")
        for value, y in ((top, 20), (bottom, height - 36))
    )
    marks += _text(60, height - 14, f"{left:g}", "middle", "dim")
    marks += _text(60 + WIDTH, height - 14, f"{right:g} steps", "end", "dim")
    return _svg(60 + WIDTH + 20, height, title, marks)


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: max(1, length - 1)] + "…"
