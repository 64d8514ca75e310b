"""Read a plan out of what a conductor wrote: a `Plan`, a `Keep`, or a `PlanError`, nothing else.

The three lists may stand anywhere after free reasoning, in Python or JSON or nearly so. Of each
list the first mention that reads as a list counts, as in the authors' code; where those make no
plan (a draft in the reasoning, a form quoted from the prompt) the last mentions get their chance.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import suppress
from typing import Literal, overload

from conductor.literal import Item, LiteralError, read_list
from conductor.plan import Access, Keep, Plan, PlanError, Step

LABEL = re.compile(
    r"(?<![A-Za-z0-9_])(?:(?P<model_id>model(?:\\?_|[- ])ids?)|(?P<subtasks>sub[-_ ]?tasks?)"
    r"|(?P<access_list>access(?:(?:\\?_|[- ])lists?)?))"
    r"[\"'`*]{0,4}[ \t]{0,8}[:=：][\"'`*]{0,4}\s{0,64}(?=\[)",
    re.I,
)
THOUGHT_START = re.compile(r"<think(?:ing)?>", re.I)
THOUGHT_END = re.compile(r"</think(?:ing)?>", re.I)
NAMES = ("model_id", "subtasks", "access_list")
THREE_LISTS = "model_id = [...], subtasks = [...] and access_list = [...]"
FAILURES = 16  # how many lists may turn out unreadable: keeps hostile text linear
INTEGER = re.compile(r"[+-]?\d{1,9}")
Lists = dict[str, list[Item]]


@overload
def parse_plan(
    text: str,
    workers: int | Collection[int] = 7,
    max_steps: int = 5,
    access: Access = "binary",
    keep_allowed: Literal[False] = False,
    previous: bool = False,
) -> Plan: ...
@overload
def parse_plan(
    text: str,
    workers: int | Collection[int] = 7,
    max_steps: int = 5,
    access: Access = "binary",
    *,
    keep_allowed: bool,
    previous: bool = False,
) -> Plan | Keep: ...
def parse_plan(
    text: str,
    workers: int | Collection[int] = 7,
    max_steps: int = 5,
    access: Access = "binary",
    keep_allowed: bool = False,
    previous: bool = False,
) -> Plan | Keep:
    """The plan that `text` states.

    workers: how many there are, or the ordinals that may be used. access: ``binary`` (an entry is
    ``[]`` or ``["all"]``) or ``positions`` (indices of earlier steps). keep_allowed: in rounds
    after the first, three empty lists mean "keep the answer". previous: there is earlier work
    (a round before, steps that are done), which a step with ``"all"`` also sees, or one that
    says ``"previous"`` where access is by positions.
    Raises PlanError naming the step and what is wrong; linear in the length of `text`.
    """
    first, last = _find_lists(_without_thinking(text))
    try:
        return _read(first, _ordinals(workers), max_steps, access, keep_allowed, previous)
    except PlanError as error:
        if first == last:
            raise
        with suppress(PlanError):
            return _read(last, _ordinals(workers), max_steps, access, keep_allowed, previous)
        raise error


def _read(
    lists: Lists,
    workers: Collection[int],
    max_steps: int,
    access: Access,
    keep_allowed: bool,
    previous: bool,
) -> Plan | Keep:
    models, subtasks, entries = (lists[name] for name in NAMES)
    if not models and not subtasks and not entries:
        if keep_allowed:
            return Keep()
        raise PlanError("the three lists are empty; a first plan needs at least one step")
    if not len(models) == len(subtasks) == len(entries):
        raise PlanError(
            f"the lists differ in length: {len(models)} models, {len(subtasks)} subtasks, "
            f"{len(entries)} access entries"
        )
    if len(models) > max_steps:
        raise PlanError(f"{len(models)} steps; at most {max_steps} are allowed")
    read = _binary if access == "binary" else _positions
    steps = tuple(
        Step(
            _worker(number, model, workers),
            _subtask(number, subtask),
            *read(number, entry, previous),
        )
        for number, (model, subtask, entry) in enumerate(
            zip(models, subtasks, entries, strict=True)
        )
    )
    if access == "positions":
        _all_used(steps)
    return Plan(steps)


def _without_thinking(text: str) -> str:
    """Thinking is no plan. A closing tag alone (its opening stood in the prompt) counts too."""
    kept, position = [], 0
    while opening := THOUGHT_START.search(text, position):
        closing = THOUGHT_END.search(text, opening.end())
        kept.append(text[position : opening.start()])
        position = closing.end() if closing else len(text)
    kept.append(text[position:])
    return THOUGHT_END.split("".join(kept))[-1]


def _find_lists(text: str) -> tuple[Lists, Lists]:
    """The first and the last list of each name. Raises PlanError when one has no closed list."""
    first: Lists = {}
    last: Lists = {}
    broken: dict[str, LiteralError] = {}
    position = failures = 0
    while failures < FAILURES and (label := LABEL.search(text, position)):
        name = str(label.lastgroup)
        try:
            last[name], position = read_list(text, label.end())
            first.setdefault(name, last[name])
        except LiteralError as cause:
            broken.setdefault(name, cause)
            position = label.end()
            failures += 1
    for name in NAMES:
        if name not in first:
            reason = broken.get(name)
            raise PlanError(
                f"{name}: {reason}" if reason else f"no list {name!r}; a plan needs {THREE_LISTS}"
            ) from reason
    return first, last


def _ordinals(workers: int | Collection[int]) -> Collection[int]:
    return range(workers) if isinstance(workers, int) else workers


def _worker(number: int, item: Item, workers: Collection[int]) -> int:
    if not isinstance(item, str) or not INTEGER.fullmatch(item.strip()):
        raise PlanError(f"step {number}: the model must be a number, not {_show(item)}")
    worker = int(item)
    if worker not in workers:
        known = ", ".join(str(ordinal) for ordinal in sorted(workers)[:20])
        raise PlanError(f"step {number}: there is no model {worker}; there are {known}")
    return worker


def _subtask(number: int, item: Item) -> str:
    if not isinstance(item, str):
        raise PlanError(f"step {number}: the subtask must be a text, not {_show(item)}")
    if not item.strip():
        raise PlanError(f"step {number}: the subtask is empty")
    return item


def _binary(number: int, item: Item, earlier: bool) -> tuple[tuple[int, ...], bool]:
    """Access, and whether earlier work is seen: "all" is all that there is."""
    entries = item if isinstance(item, list) else [item]
    if any(_says(entry, "all") for entry in entries):
        return tuple(range(number)), earlier
    if entries:
        raise PlanError(f'step {number}: access must be [] or ["all"], not {_show(item)}')
    return (), False


def _positions(number: int, item: Item, earlier: bool) -> tuple[tuple[int, ...], bool]:
    if not isinstance(item, list):
        raise PlanError(f"step {number}: access must be a list of steps, not {_show(item)}")
    previous = earlier and any(_says(entry, "previous") for entry in item)
    steps = [entry for entry in item if not (earlier and _says(entry, "previous"))]
    return tuple(sorted({_position(number, entry) for entry in steps})), previous


def _position(number: int, entry: Item) -> int:
    if not isinstance(entry, str) or not INTEGER.fullmatch(entry.strip()):
        raise PlanError(f"step {number}: access must name steps by number, not {_show(entry)}")
    if not 0 <= int(entry) < number:
        raise PlanError(
            f"step {number} reads step {int(entry)}; a step may read only earlier steps"
        )
    return int(entry)


def _says(entry: Item, word: str) -> bool:
    return isinstance(entry, str) and entry.strip().lower() == word


def _all_used(steps: tuple[Step, ...]) -> None:
    read = {position for step in steps for position in step.access}
    for number in range(len(steps) - 1):
        if number not in read:
            raise PlanError(f"step {number} is read by no later step; only the last may be")


def _show(item: Item) -> str:
    text = repr(item)
    return text if len(text) <= 60 else text[:57] + "..."
