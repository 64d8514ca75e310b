"""In the box: LiveCodeBench's way to run a stdin program, in our own words.

The program becomes the body of a function (imports before it, a main guard at its end taken
off) that runs after star imports, with stdin and stdout replaced by objects that know less than
files. What this breaks (`global`, iteration over stdin, `stdin.buffer.readline`, `open(0)`, a
guard that is not last) is the point: official numbers contain it.
"""

from __future__ import annotations

import ast
import contextlib
import io
import sys
import types
from typing import Any

STARRED = [
    "string",
    "re",
    "datetime",
    "collections",
    "heapq",
    "bisect",
    "copy",
    "math",
    "random",
    "statistics",
    "itertools",
    "functools",
    "operator",
    "io",
    "sys",
    "json",
    "builtins",
    "typing",
]
GUARD = "__name__ == '__main__'"


class Bytes:
    """stdin.buffer: reads everything, or the first line again and again."""

    def __init__(self, text: str) -> None:
        self.content = text.encode()

    def read(self, *_: Any) -> bytes:
        return self.content

    def readline(self, *_: Any) -> bytes:
        return self.content.split(b"\n")[0] + b"\n"


class Stdin:
    """sys.stdin: read, readline, and lines that are split off without their ends; not iterable.

    read() gives the rest, as in the checker of 2024 that most published verdicts come from.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = io.StringIO(text)
        self.buffer = Bytes(text)

    def readlines(self, *_: Any) -> list[str]:
        return self.text.split("\n")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.lines, name)


class Printed(io.StringIO):
    """sys.stdout: no bytes beneath it, and it stays open."""

    def close(self) -> None:
        pass


def main(code: str) -> None:
    text = sys.stdin.read()
    real, printed, solution = sys.stdout, Printed(), load(code)
    sys.stdin, sys.stdout = Stdin(text), printed
    with contextlib.suppress(SystemExit):  # whatever its code
        solution()
    real.write(printed.getvalue())
    real.flush()


def load(code: str) -> Any:
    module = types.ModuleType("solution")
    exec(compile(wrapped(code), "solution.py", "exec"), module.__dict__)
    if "class Solution" in code:
        module.Solution()  # it takes the program for a LeetCode one, and fails
    return module.wrapped_function


def wrapped(code: str) -> str:
    function = ast.parse("def wrapped_function(): pass")
    imports: list[ast.stmt] = []
    rest: list[ast.stmt] = []
    for part in unguarded(ast.parse(code).body):
        (imports if isinstance(part, ast.Import | ast.ImportFrom) else rest).append(part)
    function.body[0].body = rest  # type: ignore[attr-defined]
    stars = "".join(f"from {name} import *\n" for name in STARRED)
    modules = "".join(f"import {name}\n" for name in STARRED[:-2])
    imported = ast.unparse(ast.Module(body=imports, type_ignores=[]))
    return f"{stars}{modules}sys.setrecursionlimit(50000)\n{imported}\n{ast.unparse(function)}\n"


def unguarded(body: list[ast.stmt]) -> list[ast.stmt]:
    last = body[-1] if body else None
    if isinstance(last, ast.If) and ast.unparse(last.test).strip() == GUARD:
        return [*body[:-1], *last.body]
    return body
