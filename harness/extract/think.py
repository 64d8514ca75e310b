"""Thinking is not the answer."""

from __future__ import annotations

import re

OPEN = re.compile(r"<(?:think|thinking|thought|reasoning)>|◁think▷", re.I)
CLOSE = re.compile(r"</(?:think|thinking|thought|reasoning)>|◁/think▷", re.I)


def strip_think(text: str) -> str:
    """What a model says after, before and between its thoughts, outer blanks removed.

    A closing tag whose opening stood in the prompt ends a thought too. A thought that is never
    closed (the output was cut) has no answer behind it. Linear in the length of `text`.
    """
    kept, position = [], 0
    while opening := OPEN.search(text, position):
        closing = CLOSE.search(text, opening.end())
        kept.append(text[position : opening.start()])
        position = closing.end() if closing else len(text)
    kept.append(text[position:])
    return CLOSE.split("".join(kept))[-1].strip()


def thoughts(text: str) -> str:
    """The text up to the last closing tag: where an answer is looked for only as a last resort."""
    end = 0
    for closing in CLOSE.finditer(text):
        end = closing.start()
    return text[:end]
