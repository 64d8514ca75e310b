"""Read a list as a language model writes it: Python, JSON, or nearly so.

`ast.literal_eval` is the wrong tool: it turns the LaTeX of a subtask ("\\frac", "\\theta") into
form feeds and tabs, and refuses a text with one stray quote. This reader is one linear pass.
"""

from __future__ import annotations

import re
from typing import NamedTuple

Item = str | list["Item"]

MAX_DEPTH = 4
# By opening quote, what may close it: models mix typographic and plain ones.
CLOSING = {'"': '"', "'": "'", "`": "`", "“": '”"', "”": '”"', "‘": "’'", "’": "’'"}
PLAIN = {closing: re.compile(rf"[^\\{closing}]*") for closing in CLOSING.values()}
CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "b": "\b", "/": "/"}
# Commands of LaTeX that begin like an escape of Python: "\nabla" is no newline.
LATEX = re.compile(
    "(?:nabla|neq?|neg|nu|not(?:in)?|ni|nmid|nolimits|nleq|ngeq|newline|nsubseteq"
    "|theta|tau|tanh?|text(?:bf|it|rm)?|times|top?|tfrac|triangle|tilde|therefore"
    "|rho|right(?:arrow)?|rangle|rfloor|rceil|rm|rvert|frac|forall|flat|frown"
    "|bar|begin|beta|bf|bigg?|big(?:cap|cup|[lr])|binom|bmod|boldsymbol|bot|boxed|bullet"
    "|backslash|because)(?![A-Za-z])"
)
UNICODE = re.compile(r"u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})")
SPACE = re.compile(r"\s*")
BARE = re.compile(r"\d+(?=\s*+#)|[^,\[\]]+")
COMMENT = re.compile(r"#[^\n]*")
PREFIX = re.compile(r"[rRfFuUbB]{0,2}(?=[\"'])")
# What follows a quote that ends its text: the end of the list, or the next item. So the quotes of
# `"Explain "work", then solve"` are part of the text.
ITEM = r"[\]\[\"'`“”‘’#]|[rfub]{1,2}[\"']|(?:\d+|all|none)\s*+[,\]]|$"
CLOSED = re.compile(rf"\s*+(?:#[^\n]*\n\s*+)?(?:\]|$|,\s*+(?:{ITEM}))", re.I)
THOUGHT = re.compile(r"<(?=/?think)", re.I)


class LiteralError(ValueError):
    """The text at hand is no closed list."""


class Reading(NamedTuple):
    items: list[Item]
    end: int  # position after the closing bracket


def read_list(text: str, start: int) -> Reading:
    """The list that opens at `text[start]`. Raises LiteralError if it is not closed."""
    items: list[Item] = []
    stack = [items]
    position = start + 1
    while position < len(text):
        position = _end(PREFIX, text, _end(SPACE, text, position))
        char = text[position : position + 1]
        if char == "]":
            position += 1
            stack.pop()
            if not stack:
                return Reading(items, position)
        elif char == "[":
            if len(stack) == MAX_DEPTH:
                raise LiteralError(f"lists nest deeper than {MAX_DEPTH}")
            inner: list[Item] = []
            stack[-1].append(inner)
            stack.append(inner)
            position += 1
        elif char == ",":
            position += 1
        elif char == "#":
            position = _end(COMMENT, text, position)
        elif char in CLOSING:
            word, position = _quoted(text, position)
            stack[-1].append(word)
        elif char:
            end = _end(BARE, text, position)
            stack[-1].append(text[position:end].strip())
            position = end
    raise LiteralError("the list is not closed")


def _quoted(text: str, start: int) -> tuple[str, int]:
    """The quoted text at `start` and the position after it."""
    quote = text[start]
    if text.startswith(quote * 3, start) and quote in "\"'":
        return _until_triple(text, start + 3, quote * 3)
    closing, position = CLOSING[quote], start + 1
    pieces: list[str] = []
    while position < len(text):
        char = text[position]
        if char == "\\":
            piece, position = _escape(text, position)
        elif char not in closing:
            end = _end(PLAIN[closing], text, position)
            piece, position = text[position:end], end
        elif CLOSED.match(text, position + 1):
            return _join_surrogates("".join(pieces)), position + 1
        else:
            piece, position = _stray(text, position, quote)
        pieces.append(piece)
    raise LiteralError("a quoted text is not closed")


def _stray(text: str, position: int, quote: str) -> tuple[str, int]:
    """A quote that ends nothing: part of the text, or the seam of `"…"⏎"…"`, which is one text."""
    after = _end(SPACE, text, position + 1)
    if text[after : after + 1] == quote and "\n" in text[position:after]:
        return "", after + 1
    return text[position:after], after


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    """Where `pattern`, which matches everywhere, ends."""
    found = pattern.match(text, position)
    return found.end() if found else position


def _until_triple(text: str, start: int, close: str) -> tuple[str, int]:
    end = text.find(close, start)
    if end < 0:
        raise LiteralError("a triple-quoted text is not closed")
    return text[start:end], end + 3


def _escape(text: str, position: int) -> tuple[str, int]:
    """What the backslash at `position` stands for, and the position after it."""
    following = text[position + 1 : position + 2]
    if following in ("\\", '"', "'"):
        return following, position + 2
    code = UNICODE.match(text, position + 1)
    if code:
        return chr(int(code[1] or code[2], 16)), code.end()
    if following in CONTROLS and not LATEX.match(text, position + 1):
        return CONTROLS[following], position + 2
    return "\\", position + 1


def _join_surrogates(text: str) -> str:
    """JSON writes an emoji as two escapes; a lone half becomes the replacement character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def write_text(text: str) -> str:
    """`text` in double quotes so that `read_list` gives it back exactly, wherever it stands."""
    pieces = []
    for index, char in enumerate(text):
        if char in '\\"':
            pieces.append("\\" + char)
        elif char == "\n" and not text[index + 1 : index + 2].isalpha():
            pieces.append("\\n")
        elif char < " " or char == "\x7f" or THOUGHT.match(text, index):
            pieces.append(f"\\u{ord(char):04x}")
        else:
            pieces.append(char)
    return '"' + "".join(pieces) + '"'
