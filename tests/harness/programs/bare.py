"""An executor without any box, for programs that these tests trust: one subprocess an input."""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from sandboxes import Limits, Run


class Bare:
    """Same contract as the real executors, so that semantics can be tested without them."""

    def __init__(self) -> None:
        self.programs: list[bytes] = []

    async def run(
        self,
        program: str | bytes,
        inputs: Sequence[str | bytes],
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        accept: Callable[[int, Run], bool] | None = None,
    ) -> list[Run]:
        source = program.encode() if isinstance(program, str) else program
        self.programs.append(source)
        runs: list[Run] = []
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "solution.py"
            path.write_bytes(source)
            for number, given in enumerate(inputs):
                data = given.encode() if isinstance(given, str) else given
                runs.append(await asyncio.to_thread(one, path, data, limits))
                if accept is not None and not accept(number, runs[-1]):
                    break
        return runs


def one(path: Path, given: bytes, limits: Limits) -> Run:
    cpu = max(1, round(limits.cpu_seconds))

    def lower() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory_mb << 20,) * 2)

    started = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(path)],
            input=given,
            capture_output=True,
            timeout=2 * limits.cpu_seconds + 1,
            preexec_fn=lower,
            cwd=path.parent,
            env={},
        )
    except subprocess.TimeoutExpired:
        return Run("timeout", cpu_seconds=time.monotonic() - started)
    stderr = done.stderr[-2000:].decode("utf-8", "replace")
    if done.returncode < 0:
        status = "timeout" if done.returncode in (-24, -9) else "signal"
        return Run(status, done.stdout, stderr, detail=f"signal {-done.returncode}")  # type: ignore[arg-type]
    if done.returncode:
        last = stderr.strip().rsplit("\n", 1)[-1]
        return Run("error", done.stdout, stderr, detail=f"exit code {done.returncode}: {last}")
    return Run("ok", done.stdout, stderr, time.monotonic() - started)
