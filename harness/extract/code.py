"""The program in a completion: the last fenced block that looks like the one asked for.

Two rules. The default reads what models really write: several drafts, other languages, fences
that are never opened or never closed, no fence at all. LiveCodeBench's own rule (`lcb_code`)
takes whatever stands between the last two lines that hold three backticks.
Nothing here parses Python: a hostile text could exhaust the parser, and this runs outside the box.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from harness.extract.think import strip_think

PYTHON = {"python", "python3", "py", "py3", "python2", "pypy", "pypy3", "ipython", "ipython3"}
FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<marks>`{3,}|~{3,})[ \t]*(?P<info>[^`~]*)")
# An opening fence behind prose on its line needs a language: "Here it is: ```python".
LATE_FENCE = re.compile(r"(?P<marks>`{3,})(?P<info>[A-Za-z][\w+#.-]{0,20})[ \t]*$")
ONE_LINE = re.compile(r"`{3,}(?:python3?|py) (?P<code>[^`]+)`{3,}")
LONGEST_LINE = 2000  # characters of a line that are looked at to tell code from prose
WRAPPER = re.compile(
    r"<(?P<end>/?)(?P<tag>code|answer|solution|program)>|\[(?P<close>/?)(?P<mark>PYTHON|CODE)\]",
    re.I,
)
# How a line of Python begins at the left margin; anything else there is taken for prose.
STATEMENT = re.compile(
    r"""(?:
      (?:import|from)\s+[\w.]+(?:\s*$|\s*,|\s+import\b|\s+as\b)
    | (?:async\s+)?(?:def|class)\s+\w+
    | @\w | \#
    | (?:if|elif|while|for|with|match|case|except)\b.*:\s*(?:\#.*|\w.*)?$
    | (?:else|try|finally|except)\s*:
    | (?:return|raise|assert|del|global|nonlocal|yield|await|lambda|not)\b(?!.*[.!?]$)
    | (?:pass|break|continue|return)\s*$
    | (?:if|while|for|with|assert|return)\s*[(\[]
    | [\w.\[\]'"]+ (?:[ ]?[,:][ ]?\*?[\w.\[\]'"]+)* [ ]{0,8} (?:[-+*/%&|^@]|//|\*\*|<<|>>)?=(?!=)
    | [A-Za-z_][\w.]*(?:\(|\[).*[\])(,\[{:\\'"]\s*(?:\#.*)?$
    | ["'\])}({\[*] | [rbuf]{1,2}["']
    )""",
    re.X,
)
TRIPLE = re.compile(r'"""|' + "'''")
READS_STDIN = re.compile(
    r"\binput\s*\(|\bstdin\b|\bopen\s*\(\s*0|\bfileinput\b|/dev/stdin|os\.read"
)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block. language: lower case, '' when the fence names none."""

    language: str
    code: str


def extract_code(
    text: str, function: str | None = None, reads_stdin: bool = False, asserts: bool = True
) -> str:
    """The program in `text`, or '' when it holds none. Linear in the length of `text`.

    function: the name that it must define, reads_stdin: that it must read its input; blocks that
    do are preferred (models append examples of use). Then blocks marked as Python, then unmarked
    ones; among equals the last. asserts: False drops top-level assert lines.
    """
    text = strip_think(text.replace("\r\n", "\n"))
    code = _fenced(text, _wanted(function, reads_stdin)) or ""
    return code if asserts else _without_asserts(code)


def lcb_code(text: str) -> str:
    """LiveCodeBench's rule, on the raw output: '' with fewer than two lines that hold ```."""
    lines = text.split("\n")
    marks = [number for number, line in enumerate(lines) if "```" in line]
    return "\n".join(lines[marks[-2] + 1 : marks[-1]]) if len(marks) >= 2 else ""


def blocks(text: str) -> list[Block]:
    """All fenced blocks that hold something, in order; the last may lack its closing fence."""
    return [block for block in _Fences(text).blocks if block.code.strip()]


def _wanted(function: str | None, reads_stdin: bool) -> Callable[[str], bool]:
    if function is not None:
        defines = re.compile(rf"^\s*(?:async\s+)?(?:def|class)\s+{re.escape(function)}\b", re.M)
        return lambda code: bool(defines.search(code))
    return lambda code: not reads_stdin or bool(READS_STDIN.search(code))


def _fenced(text: str, wanted: Callable[[str], bool]) -> str | None:
    found = blocks(text)
    lead = _before_lone_fence(text)
    if lead is not None:
        return lead
    if not found:
        wrapped = _last_wrapped(text)
        return _longest_run(text if wrapped is None else wrapped)

    def rank(position: int) -> tuple[bool, bool, bool, int]:
        block = found[position]
        python, unmarked = block.language in PYTHON, not block.language
        return (python or unmarked) and wanted(block.code), python, unmarked, position

    return found[max(range(len(found)), key=rank)].code


def _last_wrapped(text: str) -> str | None:
    """What stands between the last pair of tags (`<code>…</code>`, `[PYTHON]…[/PYTHON]`)."""
    opened: dict[str, int] = {}
    found = None
    for tag in WRAPPER.finditer(text):
        name = (tag["tag"] or tag["mark"]).lower()
        if not (tag["end"] or tag["close"]):
            opened.setdefault(name, tag.end())
        elif name in opened:
            found = text[opened.pop(name) : tag.start()]
    return found


def _before_lone_fence(text: str) -> str | None:
    """Code whose opening fence stood in the prompt: the first fence closes what none opened."""
    lines = text.split("\n")
    marks = [number for number, line in enumerate(lines) if "```" in line]
    if len(marks) % 2 == 0 or lines[marks[0]].strip() != "```":
        return None
    lead = "\n".join(lines[: marks[0]])
    code = _longest_run(lead)
    return code if code and (len(marks) == 1 or code == _tidy(lead)) else None


class _Fences:
    """Reads a text line by line; a block ends at a fence no deeper than its opening one.

    Deeper fences stand in docstrings and comments. A fence with a language never closes: inside
    a block it begins another one (and an empty first one is a doubled opening).
    """

    def __init__(self, text: str) -> None:
        self.blocks: list[Block] = []
        self.opening: re.Match[str] | None = None
        self.lines: list[str] = []
        for line in text.split("\n"):
            self._read(line)
        self._close(unclosed=True)

    def _read(self, line: str) -> None:
        fence = FENCE.fullmatch(line) if "```" in line or "~~~" in line else None
        if self.opening is None:
            single = ONE_LINE.fullmatch(line.strip())
            if single:
                self.blocks.append(Block("python", single["code"].strip()))
            else:
                self.opening = fence or _late_fence(line)
        elif fence and self._ends(fence):
            self._close()
            self.opening = fence if fence["info"].strip() else None
        else:
            self.lines.append(line)

    def _ends(self, fence: re.Match[str]) -> bool:
        assert self.opening is not None
        opened = self.opening.groupdict()
        same = fence["marks"][0] == opened["marks"][0]
        long_enough = len(fence["marks"]) >= len(opened["marks"])
        return same and long_enough and len(fence["indent"]) <= len(opened.get("indent") or "") + 3

    def _close(self, unclosed: bool = False) -> None:
        if self.opening is not None:
            code = "\n".join(self.lines)
            if unclosed:
                code = re.split(r"`{3,}[ \t]*(?:\n|$)", code, maxsplit=1)[0]
            self.blocks.append(Block(_language(self.opening["info"]), _tidy(code)))
        self.opening, self.lines = None, []


def _late_fence(line: str) -> re.Match[str] | None:
    found = LATE_FENCE.search(line) if line.count("`") == 3 else None
    return found if found and line[: found.start()].strip() else None


def _language(info: str) -> str:
    word = re.match(r"[\s{.]*([\w+#.-]+)", info)
    return word[1].lower() if word else ""


def _tidy(code: str) -> str:
    """Blank outer lines removed, and what all lines are indented by (a block inside a list)."""
    code = code.strip("\n").rstrip()
    # dedent() also empties blank lines, which may stand in a string: only where it is needed
    return textwrap.dedent(code) if code[:1] in (" ", "\t") else code


def _longest_run(text: str) -> str:
    """The most lines in a row that look like Python; '' when none defines or does anything."""
    runs: list[list[str]] = [[]]
    inside: str | None = None  # the quotes of a string that is still open
    for line in text.split("\n"):
        if inside or not line.strip() or line[0] in " \t" or STATEMENT.match(line[:LONGEST_LINE]):
            runs[-1].append(line)
            inside = _open_string(line, inside)
        else:
            runs.append([])
    best = max(runs, key=_size)
    return _tidy("\n".join(best)) if _is_code(best) else ""


def _open_string(line: str, inside: str | None) -> str | None:
    for quotes in TRIPLE.findall(line.split("#")[0] if inside is None else line):
        if inside is None:
            inside = quotes
        elif inside == quotes:
            inside = None
    return inside


def _size(lines: list[str]) -> int:
    return sum(bool(line.strip()) for line in lines)


def _is_code(lines: list[str]) -> bool:
    return any(line[:1] not in ("", " ", "\t", "#") for line in lines)


def _without_asserts(code: str) -> str:
    kept = [line for line in code.split("\n") if not re.match(r"assert\b", line)]
    return "\n".join(kept).strip("\n")
