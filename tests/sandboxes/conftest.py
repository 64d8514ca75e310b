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


def opened(mode: Mode, **options: int) -> PoolExecutor:
    try:
        return open_executor("local", mode, **options)  # type: ignore[arg-type]
    except SandboxError as reason:
        pytest.skip(f"no local sandbox here: {reason}")


@pytest.fixture(scope="module", params=["test", "program"])
def box(request: pytest.FixtureRequest) -> Iterator[Box]:
    executor = opened(request.param, workers=1)
    yield Box(executor)
    executor.close()
