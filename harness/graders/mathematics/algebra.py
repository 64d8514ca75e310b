"""The algebra of last resort: sympy, in a process that can be killed.

It is asked only about what our own reader cannot read (integrals, sums, limits …). The process is
started clean at the first question (never forked from a trainer), has a memory limit, answers one
question at a time and is replaced when one takes too long.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import re
import selectors
import subprocess
import sys
import threading
import time

from harness.graders.mathematics.clean import clean

SECONDS = 5.0  # for one question
STARTUP = 60.0  # importing sympy on a cold disk
LONGEST = 1_000  # characters of one side
WORKER = "harness.graders.mathematics.algebra_worker"


class AlgebraDeadline(RuntimeError):
    """No answer in time: trouble of ours, never a wrong answer."""


async def same_by_algebra(a: str, b: str, seconds: float = SECONDS) -> bool:
    """Whether sympy finds the two LaTeX texts equal. Usable from any loop and thread.

    Raises AlgebraDeadline when it does not answer in time.
    """
    if max(len(a), len(b)) > LONGEST:
        return False
    return await asyncio.to_thread(_process.ask, _braced(a), _braced(b), seconds)


def _braced(text: str) -> str:
    r"""One spelling, and `\frac12` with the braces that sympy's parser wants."""
    text = re.sub(r"\\frac\s*(\d)\s*(\d)", r"\\frac{\1}{\2}", clean(text))
    return text.replace("$", " ")


class _Process:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def ask(self, a: str, b: str, seconds: float) -> bool:
        with self._lock:
            child = self._started()
            try:
                line = json.dumps([a, b]).encode() + b"\n"
                assert child.stdin is not None
                child.stdin.write(line)
                child.stdin.flush()
                return _line(child, seconds) == b"same"
            except (OSError, TimeoutError) as cause:
                self._stop()
                raise AlgebraDeadline(f"algebra gave no answer within {seconds:g} s") from cause

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self._child = subprocess.Popen(
                [sys.executable, "-m", WORKER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"PATH": os.environ.get("PATH", ""), "PYTHONPATH": os.pathsep.join(sys.path)},
                start_new_session=True,
            )
            try:
                if _line(self._child, STARTUP) != b"ready":
                    raise OSError("did not start")
            except (OSError, TimeoutError) as cause:
                self._stop()
                raise AlgebraDeadline("the algebra process did not start") from cause
        return self._child

    def _stop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    pipe.close()

    def close(self) -> None:
        with self._lock:
            self._stop()


def _line(child: subprocess.Popen[bytes], seconds: float) -> bytes:
    """One line of the child's, or TimeoutError; an end of file is an OSError."""
    assert child.stdout is not None
    deadline, line = time.monotonic() + seconds, b""
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        while not line.endswith(b"\n"):
            if not selector.select(max(0.0, deadline - time.monotonic())):
                raise TimeoutError
            part = os.read(child.stdout.fileno(), 4096)
            if not part:
                raise OSError("the algebra process ended")
            line += part
    return line.strip()


_process = _Process()
atexit.register(_process.close)
