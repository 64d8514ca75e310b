"""Where a text comes apart: brackets around it, separators that stand in none."""

from __future__ import annotations

import re

PAIRS = {"(": ")", "[": "]", "{": "}"}


def outer(text: str) -> tuple[str | None, str]:
    """The brackets around all of `text`: `(`, `[`, `{`, `\\{` or `\\langle`, and their partner."""
    if text.startswith(r"\langle") and text.endswith(r"\rangle"):
        return r"\langle", r"\rangle"
    if text.startswith(r"\{") and text.endswith(r"\}"):
        return r"\{", r"\}"
    if text[:1] not in PAIRS or text[-1:] not in ")]}":
        return None, ""
    level = 0
    for index, char in enumerate(text):
        if char in "([{":
            level += 1
        elif char in ")]}":
            level -= 1
            if level == 0 and index < len(text) - 1:
                return None, ""
    if level or (text[0] == "{") != (text[-1] == "}"):
        return None, ""
    return text[0], text[-1]


def split(text: str, separator: re.Pattern[str]) -> list[str]:
    """Parts between separators that stand in no bracket, brace or environment."""
    parts, start = [], 0
    for match in top_level(text, separator):
        parts.append(text[start : match.start()])
        start = match.end()
    return [*parts, text[start:]]


def top_level(text: str, separator: re.Pattern[str]) -> list[re.Match[str]]:
    levels, level = [], 0
    for token in re.finditer(r"\\begin|\\end|\\[{}]|\\langle|\\rangle|[(\[{]|[)\]}]", text):
        opens = token.group() in (r"\begin", r"\{", r"\langle", "(", "[", "{")
        level += 1 if opens else -1
        levels.append((token.start(), level))
    found, index, current = [], 0, 0
    for match in separator.finditer(text):
        while index < len(levels) and levels[index][0] <= match.start():
            current = levels[index][1]
            index += 1
        if current == 0:
            found.append(match)
    return found
