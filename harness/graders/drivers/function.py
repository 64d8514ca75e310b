"""In the box: calls one function with JSON arguments from stdin; its result is the last line."""

from __future__ import annotations

import io
import json
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
UNEQUAL = {"no JSON": True}  # in place of what equals no JSON value (a set, a deque, an object)


def main(code: str, function: str, strict_types: bool) -> None:
    """strict_types: a tuple inside another value, a key that is no text: equal to no JSON (lcb)."""
    arguments = [json.loads(line) for line in sys.stdin.read().split("\n") if line.strip()]
    result_to, sys.stdout = sys.stdout, io.StringIO()  # what the solution prints is no result
    solution = load(code)
    result = getattr(solution, function)(*arguments)
    if isinstance(result, tuple):
        result = list(result)
    sys.set_int_max_str_digits(0)
    result_to.write("\n" + json.dumps(plain(result, strict_types)))
    result_to.flush()


def load(code: str) -> Any:
    """The object that holds the function: a `Solution()`, or the module itself."""
    names, compiled = prepared(code)
    module = types.ModuleType("solution")
    sys.modules["solution"] = module  # dataclasses and typing look their module up
    module.__dict__.update(names)
    exec(compiled, module.__dict__)
    return module.Solution() if "class Solution" in code else module


def prepared(code: str) -> tuple[dict[str, Any], types.CodeType]:
    """The ready-made names and the compiled solution, made once a process: in mode `program` one
    process takes all inputs, and this takes longer than most of them."""
    kept: tuple[dict[str, Any], types.CodeType] | None = vars(sys).get("_prepared")
    if kept is None:
        names: dict[str, Any] = {}
        exec(preamble(), names)
        del names["__builtins__"]
        kept = vars(sys)["_prepared"] = names, compile(code, "solution.py", "exec")
    return kept


def preamble() -> str:
    """LeetCode's solutions import nothing: its own page has these names ready."""
    stars = "".join(f"from {name} import *\n" for name in STARRED)
    modules = "".join(f"import {name}\n" for name in STARRED[:-2])
    return stars + modules + "sys.setrecursionlimit(50000)\n"


def plain(value: Any, strict_types: bool) -> Any:
    """JSON of exactly these types; subclasses lose whatever they override."""
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if isinstance(value, int):
        return int.__index__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, list):
        return [plain(item, strict_types) for item in list.__iter__(value)]
    if isinstance(value, tuple) and not strict_types:
        return [plain(item, strict_types) for item in tuple.__iter__(value)]
    if isinstance(value, dict):
        return plain_dict(value, strict_types)
    return plain_array(value, strict_types) if kind.__module__ == "numpy" else UNEQUAL


def plain_dict(value: dict[Any, Any], strict_types: bool) -> Any:
    pairs = list(dict.items(value))
    if strict_types and not all(isinstance(key, str) for key, _ in pairs):
        return UNEQUAL
    return {str(key): plain(item, strict_types) for key, item in pairs}


def plain_array(value: Any, strict_types: bool) -> Any:
    """A numpy scalar is its number; `==` of an array of one element has a truth value, too."""
    if value.ndim == 0 or (strict_types and value.size == 1):
        return value.tolist()
    return UNEQUAL
