"""Plans as a graph: who sees whose work. SVG; rounds stand side by side, steps in columns by how
deep they stand."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from conductor.show.record import RoundRecord, StepRecord

WIDTH, HEIGHT = 190, 62  # of a node
GAP_X, GAP_Y, EDGE, TITLE = 46, 36, 8, 48
HEAD = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    'orient="auto"><path class="head" d="M0,0 L8,4 L0,8 z"/></marker></defs>'
)
Place = tuple[int, int]  # column, row


def plan_graph(rounds: Sequence[RoundRecord]) -> str:
    """An inline SVG; a node leads to its step on the same page.

    A dashed arrow: a step sees the round before, here its answering step.
    """
    parts: list[str] = []
    column, rows, answer = 0, 1, None
    for one in rounds:
        places = _places(one, column)
        parts += [_title(one, column), *_edges(one, places, answer)]
        parts += [_node(step, places[step.number], one.answered_by) for step in one.steps]
        column = 1 + max((x for x, _ in places.values()), default=column)
        rows = max(rows, 1 + max((y for _, y in places.values()), default=0))
        answer = answer if one.answered_by is None else places.get(one.answered_by, answer)
    width = column * (WIDTH + GAP_X) - GAP_X + 2 * EDGE
    height = TITLE + rows * (HEIGHT + GAP_Y) - GAP_Y + 2 * EDGE
    title = f"{len(rounds)} rounds, {sum(len(one.steps) for one in rounds)} steps"
    return (
        f'<svg class="graph" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="group" aria-label="{title}">{HEAD}{"".join(parts)}</svg>'
    )


def _places(one: RoundRecord, first: int) -> dict[int, Place]:
    """Of each step: one column right of the last step that it sees."""
    taken: dict[int, int] = {}
    places: dict[int, Place] = {}
    for step in one.steps:
        seen = [places[number][0] for number in step.access if number in places]
        column = 1 + max(seen, default=first - 1)
        places[step.number] = (column, taken.get(column, 0))
        taken[column] = taken.get(column, 0) + 1
    return places


def _corner(place: Place) -> tuple[int, int]:
    column, row = place
    return EDGE + column * (WIDTH + GAP_X), EDGE + TITLE + row * (HEIGHT + GAP_Y)


def _title(one: RoundRecord, column: int) -> str:
    said = ": the answer was kept" if one.kept else "" if one.steps else ": no plan"
    return f'<text class="dim" x="{_corner((column, 0))[0]}" y="20">round {one.number}{said}</text>'


def _edges(one: RoundRecord, places: dict[int, Place], answer: Place | None) -> list[str]:
    inner = [_edge(places[seen], places[step.number], "edge")
             for step in one.steps for seen in step.access if seen in places]  # fmt: skip
    before = [_edge(answer, places[step.number], "edge before")
              for step in one.steps if step.previous and answer]  # fmt: skip
    return before + inner


def _edge(begin: Place, end: Place, kind: str) -> str:
    span = end[0] - begin[0]
    curve = _straight(begin, end) if span == 1 else _arch(begin, end, span)
    return f'<path class="{kind}" marker-end="url(#head)" d="{curve}"/>'


def _straight(begin: Place, end: Place) -> str:
    """From a node's right to the left of one in the next column."""
    x1, y1 = _corner(begin)
    x2, y2 = _corner(end)
    x1, y1, y2 = x1 + WIDTH, y1 + HEIGHT // 2, y2 + HEIGHT // 2
    bend = GAP_X // 2
    return f"M{x1},{y1} C{x1 + bend},{y1} {x2 - bend},{y2} {x2},{y2}"


def _arch(begin: Place, end: Place, span: int) -> str:
    """Over the nodes between, which would hide it; arrows from afar end further right."""
    x1, y1 = _corner(begin)
    x2, y2 = _corner(end)
    x1, x2 = x1 + WIDTH * 3 // 4, x2 + min(WIDTH, 12 * span + 12 * begin[1])
    rise = min(40, 16 + 8 * span)
    return f"M{x1},{y1} C{x1 + 40},{y1 - rise} {x2 - 40},{y2 - rise} {x2},{y2}"


def _node(step: StepRecord, place: Place, answered_by: int | None) -> str:
    x, y = _corner(place)
    kind = "fault" if step.fault else "answer" if step.number == answered_by else "plain"
    facts = f"{sum(step.tokens)} tokens · {step.seconds:.1f} s"
    return (
        f'<a href="#{step.anchor}"><g class="node {kind}">'
        f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="7"/>'
        f'<text x="{x + 12}" y="{y + 24}" class="name">'
        f"{step.number} · {escape(_short(step.worker, 20))}</text>"
        f'<text x="{x + 12}" y="{y + 45}">{"fault" if step.fault else facts}</text></g></a>'
    )


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
