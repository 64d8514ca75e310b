"""What is sent into the box: the solution as it is, or a driver around it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from harness.problem import Program

DRIVERS = Path(__file__).parent / "drivers"


def program_source(code: str, key: Program) -> bytes:
    """Python source for an executor. A stdin program under `judge` runs unchanged.

    A lone surrogate (no Unicode text) reaches the box as bytes that Python refuses to compile.
    """
    solution = f"{key.preamble}\n{code}" if key.preamble else code
    if key.semantics == "check":
        return _driven("check", f"{solution!a}")
    if key.function is not None:
        strict = key.semantics == "lcb"
        return _driven("function", f"{solution!a}, {key.function!a}, {strict}")
    if key.semantics == "lcb":
        return _driven("lcb_stdin", f"{solution!a}")
    return solution.encode("utf-8", "surrogatepass")


def _driven(driver: str, arguments: str) -> bytes:
    return f"{_text(driver)}\n\nmain({arguments})\n".encode()


@cache
def _text(driver: str) -> str:
    return (DRIVERS / f"{driver}.py").read_text(encoding="utf-8")
