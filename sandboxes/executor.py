"""The contract of every sandbox: a program and its inputs go in, bytes come out.

Expected outputs never enter the box; comparing is the caller's work, outside, on plain data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Status = Literal["ok", "timeout", "error", "signal", "infra"]
Mode = Literal["test", "program"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run of a program may use.

    cpu_seconds: CPU time of one input; wall time is cut at twice that plus a second.
    memory_mb: address space. output_bytes: stdout; stderr keeps a short tail only.
    processes: processes and threads together.
    """

    cpu_seconds: float = 6.0
    memory_mb: int = 1024
    output_bytes: int = 16 << 20
    processes: int = 64


@dataclass(frozen=True, slots=True)
class Run:
    """What came of one input.

    status: ``ok`` = exit code 0; ``error`` = another code (memory included); ``timeout`` = CPU or
        wall limit; ``signal`` = killed by one; ``infra`` = trouble of ours, never the program's.
    detail: one line for people ("exit code 1: ValueError: …"). cpu_seconds: user + system.
    """

    status: Status
    stdout: bytes = b""
    stderr: str = ""
    cpu_seconds: float = 0.0
    detail: str = ""


class SandboxError(RuntimeError):
    """No sandbox can be had; the message says why and what to do."""


class Executor(Protocol):
    """Runs programs that nobody trusts; open one with `open_executor`."""

    async def run(
        self,
        program: str | bytes,
        inputs: Sequence[str | bytes],
        limits: Limits = ...,
        accept: Callable[[int, Run], bool] | None = None,
    ) -> list[Run]:
        """Run `program` (Python source) once per input, in order.

        accept: called outside the box after each run; False stops early (the list is then
            shorter than `inputs`). Awaitable from any loop and any thread. Never raises for
            anything a program does.
        """
        ...
