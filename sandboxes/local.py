"""Boxes on this machine without an engine: namespaces, seccomp and limits (Linux, x86-64).

Own code rather than bubblewrap: that would have to be started once a program (14-20 ms) where a
fork inside a standing jail takes 2, and run by root it maps to the real uid 0.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import platform
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from sandboxes.executor import SandboxError
from sandboxes.worker import BrokenBox, Worker

INSIDE = Path(__file__).parent / "inside"
SYSTEM = ("/usr", "/lib", "/lib64", "/bin")
PACKAGES = ("numpy", "numpy.libs", "sortedcontainers", "pandas", "scipy", "scipy.libs", "dateutil",
            "six", "pytz", "tzdata")  # fmt: skip
FIRST_UID = 1_879_048_192  # far from anybody's; each box has its own
_numbers = itertools.count()


def start_worker() -> Worker:
    """A standing jail. Raises SandboxError where this machine allows none."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise SandboxError("the local sandbox needs Linux on x86-64; use Docker")
    try:
        return start_jail()
    except (BrokenBox, OSError) as cause:
        raise SandboxError(
            f"the local sandbox cannot start ({_reason(cause)}): it needs root or unprivileged "
            "user namespaces (sysctl kernel.unprivileged_userns_clone=1); or use Docker"
        ) from cause


def start_jail() -> Worker:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        return Worker(ours, _launch(theirs.fileno()), namespaces=True)


def _reason(cause: BaseException) -> str:
    return str(cause).strip().rsplit("\n", 1)[-1]


def _launch(control: int) -> subprocess.Popen[bytes]:
    """exec, never a bare fork: the caller may be a trainer full of threads."""
    os.set_inheritable(control, True)
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(INSIDE / "jail.py"), json.dumps(_config(control))],
        pass_fds=[control],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={},
        cwd="/",
        start_new_session=True,
    )


def _config(control: int) -> dict[str, object]:
    prefix = os.path.realpath(sys.base_prefix)
    return {
        "control": control,
        "python": os.path.realpath(sys.executable),
        "binds": list(_binds(prefix)),
        "uid": FIRST_UID + (os.getpid() * 64 + next(_numbers) % 64) % (1 << 24),
        "zygote": "/sandbox/zygote.py",
        "environment": {
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": "/tmp",
            "TMPDIR": "/tmp",
            "PYTHONHASHSEED": "0",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "LD_LIBRARY_PATH": f"{prefix}/lib",
        },
    }


def _binds(prefix: str) -> Iterator[tuple[str, str]]:
    """What is visible inside, read-only: the system's libraries, Python, a few packages."""
    yield str(INSIDE), "/sandbox"
    yield from ((path, path) for path in SYSTEM)
    if not any(prefix.startswith(f"{path}/") or prefix == path for path in SYSTEM):
        yield prefix, prefix
    for name in PACKAGES:
        folder = _package(name)
        if folder is not None:
            yield folder, f"/packages/{name}"


def _package(name: str) -> str | None:
    """The folder of an installed package; its shared libraries lie beside it as NAME.libs."""
    found = importlib.util.find_spec(name.removesuffix(".libs"))
    if found is None or not found.submodule_search_locations:
        return None
    folder = Path(found.submodule_search_locations[0]).with_name(name)
    return str(folder) if folder.is_dir() else None
