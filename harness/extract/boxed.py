r"""The contents of `\boxed{…}`, braces balanced, in one linear pass."""

from __future__ import annotations

import re

BOX = re.compile(r"\\(?:boxed|fbox)\s*(?=\{)|\\boxed\s+(?=[^\s{])")


def boxed_spans(text: str) -> list[tuple[int, int]]:
    r"""(start, end) of what stands in each closed box, in order of their opening.

    A box that is never closed has no contents. `\boxed 5` holds one token.
    """
    closing = _closing_braces(text)
    spans = []
    for box in BOX.finditer(text):
        start = box.end()
        if text[start : start + 1] == "{":
            if start in closing:
                spans.append((start + 1, closing[start]))
        else:
            token = re.compile(r"[^\s$\\.,;]+").match(text, start)
            if token:
                spans.append((start, token.end()))
    return spans


def last_box(text: str) -> str | None:
    r"""What the last box holds; None when there is none or the last is never closed."""
    boxes = list(BOX.finditer(text))
    spans = boxed_spans(text)
    if not boxes or not spans:
        return None
    start = boxes[-1].end()
    last = spans[-1]
    return text[last[0] : last[1]] if last[0] in (start, start + 1) else None


def _closing_braces(text: str) -> dict[int, int]:
    """Position of each opening brace → position of its closing one; escaped braces are text."""
    pairs: dict[int, int] = {}
    stack: list[int] = []
    for brace in re.finditer(r"\\[\\{}]|[{}]", text):
        if brace.group() == "{":
            stack.append(brace.start())
        elif brace.group() == "}" and stack:
            pairs[stack.pop()] = brace.start()
    return pairs
