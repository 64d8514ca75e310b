"""An executor over any Inspect `sandbox()` (docker, k8s, Modal …): one `exec` a program.

The isolation is that provider's: between samples, not between the inputs of one program. What a
program could forge inside is only its own output.
"""

from __future__ import annotations

import base64
import json
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sandboxes.executor import Limits, Run
from sandboxes.worker import wall_seconds

if TYPE_CHECKING:
    from inspect_ai.util import SandboxEnvironment

DRIVER = Path(__file__).parent / "inside/one_exec.py"
SLACK_SECONDS = 20
ATTEMPTS = 2


class InspectExecutor:
    """See `Executor`. environment: None is the sandbox of the sample that is running."""

    def __init__(self, environment: SandboxEnvironment | None = None) -> None:
        self._environment = environment

    async def run(
        self,
        program: str | bytes,
        inputs: Sequence[str | bytes],
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        accept: Callable[[int, Run], bool] | None = None,
    ) -> list[Run]:
        """All inputs run (there is one exec); what comes after one not accepted is left out."""
        runs = await self._persist(_bytes(program), [_bytes(given) for given in inputs], limits)
        for number, run in enumerate(runs):
            if accept is not None and not accept(number, run):
                return runs[: number + 1]
        return runs

    async def _persist(self, program: bytes, inputs: list[bytes], limits: Limits) -> list[Run]:
        """Too much output for one exec is asked for in halves; trouble is tried again."""
        from inspect_ai.util import OutputLimitExceededError

        reason = ""
        for _ in range(ATTEMPTS):
            try:
                return await self._exec(program, inputs, limits)
            except OutputLimitExceededError:
                if len(inputs) == 1:
                    return [Run("error", detail="more output than the sandbox gives back")]
                half = len(inputs) // 2
                parts = (inputs[:half], inputs[half:])
                return [r for part in parts for r in await self._persist(program, part, limits)]
            except Exception as error:  # noqa: BLE001  a provider's trouble has many types
                reason = f"{type(error).__name__}: {error}"
        return [Run("infra", detail=" ".join(reason.split())[:300])]

    async def _exec(self, program: bytes, inputs: list[bytes], limits: Limits) -> list[Run]:
        from inspect_ai.util import sandbox

        request = {
            "program": base64.b64encode(program).decode(),
            "inputs": [base64.b64encode(given).decode() for given in inputs],
            "cpu_seconds": limits.cpu_seconds,
            "wall_seconds": wall_seconds(limits),
            "memory_mb": limits.memory_mb,
            "output_bytes": limits.output_bytes,
        }
        result = await (self._environment or sandbox()).exec(
            ["python3", "-c", DRIVER.read_text()],
            input=json.dumps(request),
            timeout=int(wall_seconds(limits) * max(1, len(inputs)) + SLACK_SECONDS),
        )
        lines = result.stdout.splitlines()
        if len(lines) < len(inputs):
            raise RuntimeError(f"{len(lines)} results of {len(inputs)}: {result.stderr[-200:]}")
        return [_run(json.loads(line), limits) for line in lines[: len(inputs)]]


def _run(reply: dict[str, Any], limits: Limits) -> Run:
    stdout, stderr = base64.b64decode(reply["stdout"]), reply["stderr"]
    cpu, code = round(reply["cpu"], 4), reply["code"]
    if not reply["in_time"] or cpu > limits.cpu_seconds or code == -signal.SIGXCPU:
        return Run("timeout", stdout, stderr, cpu, "time limit")
    if code < 0:
        return Run("signal", stdout, stderr, cpu, f"killed by {signal.Signals(-code).name}")
    if code:
        last = stderr.strip().rsplit("\n", 1)[-1][:200]
        return Run("error", stdout, stderr, cpu, f"exit code {code}: {last}".rstrip(": "))
    return Run("ok", stdout, stderr, cpu)


def _bytes(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
