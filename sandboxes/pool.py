"""A pool of boxes: one thread each, work waits until one is free."""

from __future__ import annotations

import asyncio
import atexit
import queue
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType

from sandboxes.executor import Limits, Mode, Run
from sandboxes.worker import Accept, BrokenBox, Worker

ATTEMPTS = 3  # boxes that a program is tried in before it is given back as `infra`
RECYCLE_AFTER = 2000  # programs; a box that has run so many is replaced


class PoolExecutor:
    """An `Executor` over boxes of one kind. Awaitable from any loop and any thread."""

    def __init__(
        self, start: Callable[[], Worker], mode: Mode, workers: int, confirm: bool = False
    ) -> None:
        """Starts one box at once, so that a machine that allows none says so here.

        confirm: what passes in mode `program` is run again in mode `test`, which decides.
        """
        self.mode = mode
        self.confirm = confirm
        self._start = start
        self._free: queue.LifoQueue[tuple[Worker, int]] = queue.LifoQueue()
        self._free.put((start(), 0))
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="sandbox")
        atexit.register(self.close)

    async def run(
        self,
        program: str | bytes,
        inputs: Sequence[str | bytes],
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        accept: Accept | None = None,
    ) -> list[Run]:
        """See `Executor`."""
        work = self._threads.submit(
            self._run, _bytes(program), [_bytes(given) for given in inputs], limits, accept
        )
        return await asyncio.wrap_future(work)

    def close(self) -> None:
        """End all boxes; programs that still wait are dropped."""
        atexit.unregister(self.close)
        self._threads.shutdown(wait=True, cancel_futures=True)
        while not self._free.empty():
            self._free.get()[0].close()

    async def __aenter__(self) -> PoolExecutor:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self.close)

    def _run(
        self, program: bytes, inputs: list[bytes], limits: Limits, accept: Accept | None
    ) -> list[Run]:
        reason = ""
        for _ in range(ATTEMPTS):
            try:
                worker, programs = self._take()
            except Exception as error:  # noqa: BLE001 (whatever keeps a box from starting is ours)
                reason = str(error)
                continue
            try:
                runs = self._modes(worker, program, inputs, limits, accept)
            except BrokenBox as error:
                worker.close()
                reason = str(error)
                continue
            except BaseException:
                worker.close()
                raise
            self._give_back(worker, programs + 1)
            if not any(run.status == "infra" for run in runs):
                return runs
            reason = runs[-1].detail
        return [Run("infra", detail=f"{reason} ({ATTEMPTS} boxes tried)")]

    def _modes(
        self,
        worker: Worker,
        program: bytes,
        inputs: list[bytes],
        limits: Limits,
        accept: Accept | None,
    ) -> list[Run]:
        accepted = True

        def judge(number: int, run: Run) -> bool:
            nonlocal accepted
            accepted = accept is None or accept(number, run)
            return accepted

        runs = worker.run(program, inputs, limits, self.mode, judge)
        if self.confirm and self.mode == "program" and accepted:
            runs = worker.run(program, inputs, limits, "test", judge)
        return runs

    def _take(self) -> tuple[Worker, int]:
        """A box that is alive: one that died while it waited is no attempt at a program."""
        while True:
            try:
                worker, programs = self._free.get_nowait()
            except queue.Empty:
                return self._start(), 0
            if worker.alive():
                return worker, programs
            worker.close()

    def _give_back(self, worker: Worker, programs: int) -> None:
        if programs >= RECYCLE_AFTER:
            worker.close()
        else:
            self._free.put((worker, programs))


def _bytes(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
