"""A plan as a graph: who sees whose work. SVG, laid out in columns by how deep a step stands."""

from __future__ import annotations

from html import escape

from conductor.show.record import RoundRecord, StepRecord

WIDTH, HEIGHT = 190, 62  # of a node
HEAD = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    'orient="auto"><path class="head" d="M0,0 L8,4 L0,8 z"/></marker></defs>'
)
GAP_X, GAP_Y, EDGE = 46, 16, 8


def plan_graph(one: RoundRecord) -> str:
    """An inline SVG; a node leads to its step on the same page."""
    places = _places(one)
    columns = max((x for x, _ in places.values()), default=0) + 1
    rows = max((y for _, y in places.values()), default=0) + 1
    width = columns * (WIDTH + GAP_X) - GAP_X + 2 * EDGE
    height = rows * (HEIGHT + GAP_Y) - GAP_Y + 2 * EDGE
    edges = [_edge(places[seen], places[step.number]) for step in one.steps
             for seen in step.access if seen in places]  # fmt: skip
    nodes = [_node(step, *places[step.number], one.answered_by) for step in one.steps]
    title = f"plan of round {one.number}: {len(one.steps)} steps"
    return (
        f'<svg class="graph" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{title}"><title>{title}</title>'
        f"{HEAD}{''.join(edges + nodes)}</svg>"
    )


def _places(one: RoundRecord) -> dict[int, tuple[int, int]]:
    """(column, row) of each step: one column right of the last step that it sees."""
    depth: dict[int, int] = {}
    taken: dict[int, int] = {}
    places: dict[int, tuple[int, int]] = {}
    for step in one.steps:
        depth[step.number] = 1 + max((depth[seen] for seen in step.access if seen in depth),
                                     default=-1)  # fmt: skip
        column = depth[step.number]
        places[step.number] = (column, taken.get(column, 0))
        taken[column] = taken.get(column, 0) + 1
    return places


def _corner(column: int, row: int) -> tuple[int, int]:
    return EDGE + column * (WIDTH + GAP_X), EDGE + row * (HEIGHT + GAP_Y)


def _edge(begin: tuple[int, int], end: tuple[int, int]) -> str:
    x1, y1 = _corner(*begin)
    x2, y2 = _corner(*end)
    x1, y1, y2 = x1 + WIDTH, y1 + HEIGHT // 2, y2 + HEIGHT // 2
    bend = max(24, (x2 - x1) // 2)
    curve = f"M{x1},{y1} C{x1 + bend},{y1} {x2 - bend},{y2} {x2},{y2}"
    return f'<path class="edge" marker-end="url(#head)" d="{curve}"/>'


def _node(step: StepRecord, column: int, row: int, answered_by: int | None) -> str:
    x, y = _corner(column, row)
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
