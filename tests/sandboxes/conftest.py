"""The sandbox that this machine has; tests that need one are skipped, loudly, without."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from sandboxes import Limits, Mode, Run, SandboxError, open_executor
from sandboxes.pool import PoolExecutor


@dataclass
class Box:
    """An executor that tests can call without a loop."""

    executor: PoolExecutor

    def run(self, program: str | bytes, *inputs: str, **limits: float) -> list[Run]:
        given = inputs or ("",)
        return asyncio.run(self.executor.run(program, given, Limits(**limits)))  # type: ignore[arg-type]


def opened(mode: Mode, kind: str = "local", **options: int) -> PoolExecutor:
    try:
        return open_executor(kind, mode, **options)  # type: ignore[arg-type]
    except SandboxError as reason:
        pytest.skip(f"no {kind} sandbox here: {reason}")


@pytest.fixture(
    scope="module", params=["local-test", "local-program", "docker-test", "docker-program"]
)
def box(request: pytest.FixtureRequest) -> Iterator[Box]:
    kind, mode = request.param.split("-")
    executor = opened(mode, kind, workers=1)
    yield Box(executor)
    executor.close()
