"""Which sandbox runs programs on this machine; there is always one, or a refusal."""

from __future__ import annotations

import os
import threading
from typing import Literal

from sandboxes import docker, local
from sandboxes.executor import Executor, Mode, SandboxError
from sandboxes.pool import PoolExecutor

Kind = Literal["auto", "docker", "local"]
CHOICE = "CONDUCTOR_SANDBOX"  # the environment variable that chooses for the whole process
START = {"docker": docker.start_worker, "local": local.start_worker}


def open_executor(
    kind: Kind = "auto", mode: Mode = "test", workers: int | None = None, confirm: bool = False
) -> PoolExecutor:
    """`async with open_executor() as executor`. Raises SandboxError with the remedy.

    kind: ``auto`` = docker where an engine and the image are here, else local, else a refusal.
    mode: ``test`` = a fresh process for every input; ``program`` = one for all of them (faster,
    but one input can spoil the next). workers: boxes, one per CPU by default. confirm: what
    passes in mode ``program`` is run again in mode ``test``, which decides.
    """
    if kind != "auto" and kind not in START:
        raise SandboxError(f"unknown sandbox {kind!r}; use auto, {' or '.join(START)}")
    if mode not in ("test", "program"):
        raise SandboxError(f"unknown mode {mode!r}; use test or program")
    boxes = workers or len(os.sched_getaffinity(0))
    reasons = []
    for name in START if kind == "auto" else (kind,):
        try:
            return PoolExecutor(START[name], mode, boxes, confirm)
        except SandboxError as reason:
            reasons.append(str(reason))
    raise SandboxError("; ".join(reasons))


_lock = threading.Lock()
_shared: tuple[int, Executor] | None = None


def shared_executor() -> Executor:
    """The process-wide executor, made on first use and closed at exit.

    $CONDUCTOR_SANDBOX chooses it: auto (the default), docker, local, or inspect for the sandbox of
    the Inspect sample that is running (`--sandbox docker`, `k8s` …). A forked process makes its
    own.
    """
    global _shared
    with _lock:
        if _shared is None or _shared[0] != os.getpid():
            _shared = os.getpid(), _chosen(os.environ.get(CHOICE, "auto"))
        return _shared[1]


def _chosen(kind: str) -> Executor:
    if kind == "inspect":
        from sandboxes.over_inspect import InspectExecutor

        return InspectExecutor()
    if kind != "auto" and kind not in START:
        raise SandboxError(
            f"${CHOICE}: unknown sandbox {kind!r}; auto, inspect, {' or '.join(START)}"
        )
    return open_executor(kind)  # type: ignore[arg-type]
