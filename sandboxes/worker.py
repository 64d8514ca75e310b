"""One box from outside: starts it, hands it a program and its inputs, reads what came out."""

from __future__ import annotations

import array
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

from sandboxes.executor import Limits, Mode, Run
from sandboxes.seccomp import build_filter

PRELOAD = (
    "string re datetime collections heapq bisect copy math random statistics itertools functools "
    "operator io json typing decimal fractions threading array ast queue cmath time types enum "
    "dataclasses contextlib struct traceback numbers abc unittest numpy"
).split()  # what programs import: loaded once, before any of them
START_SECONDS = 30.0
SLACK_SECONDS = 20.0  # beyond a program's own wall time, before the box is given up as broken
STDERR_BYTES = 4096
SETUP_FAILED = 121
MESSAGE = 1 << 16
Accept = Callable[[int, Run], bool]


class BrokenBox(RuntimeError):
    """The box itself failed: the program is run again in another one."""


class Worker:
    """A box and its control socket; used by one thread at a time."""

    def __init__(
        self, control: socket.socket, process: subprocess.Popen[bytes], namespaces: bool
    ) -> None:
        """Raises BrokenBox when the box at the other end of `control` does not come up.

        namespaces: whether the zygote may make some (a jail may, a container may not).
        """
        self.socket, self.process = control, process
        settings = {
            "filter": build_filter().hex(),
            "preload": PRELOAD,
            "path": ["/packages"],
            "namespaces": namespaces,
        }
        with contextlib.suppress(BrokenBox):  # it says why on stderr
            _send(control, json.dumps(settings).encode(), [])
        if self._answer(self.socket, START_SECONDS) != b"ready":
            errors = self.close()
            raise BrokenBox(f"the box did not start: {errors or 'no reason given'}")

    def run(
        self,
        program: bytes,
        inputs: Sequence[bytes],
        limits: Limits,
        mode: Mode,
        accept: Accept | None,
    ) -> list[Run]:
        """Raises BrokenBox; the worker must then be closed."""
        tests = self._begin(program, limits, mode, len(inputs))
        runs: list[Run] = []
        try:
            for number, given in enumerate(inputs):
                runs.append(self._test(tests, given, limits))
                if accept is not None and not accept(number, runs[-1]):
                    break
        finally:
            tests.close()  # ends the supervisor
        self._finish()
        return runs

    def alive(self) -> bool:
        """Whether the box still listens: its process runs, and its end of the socket is open."""
        if self.process.poll() is not None:
            return False
        hang_up = select.poll()
        hang_up.register(self.socket, select.POLLHUP | select.POLLERR)
        return not hang_up.poll(0)

    def close(self) -> str:
        """End the box and everything in it; what it wrote to stderr."""
        self.socket.close()
        self.process.kill()
        _, errors = self.process.communicate()
        return (errors or b"").decode("utf-8", "replace").strip()[-500:]

    def _begin(self, program: bytes, limits: Limits, mode: Mode, tests: int) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        code = _file(program)
        request = {
            "mode": mode,
            "tests": max(tests, 1),
            "cpu_seconds": limits.cpu_seconds,
            "wall_seconds": wall_seconds(limits),
            "memory_mb": limits.memory_mb,
            "output_bytes": limits.output_bytes,
            "processes": limits.processes,
        }
        try:
            _send(self.socket, json.dumps(request).encode(), [code, theirs.fileno()])
        except BaseException:
            ours.close()
            raise
        finally:
            os.close(code)
            theirs.close()
        return ours

    def _test(self, tests: socket.socket, given: bytes, limits: Limits) -> Run:
        files = [_file(given), _file(b""), _file(b"")]
        try:
            try:
                _send(tests, b"test", files)
                reply = self._answer(tests, wall_seconds(limits) + SLACK_SECONDS)
            except BrokenBox:
                reply = b""
            if not reply:
                return self._lost()
            stdout = _read(files[1], limits.output_bytes)
            return describe(json.loads(reply), stdout, _tail(files[2]), limits)
        finally:
            for file in files:
                os.close(file)

    def _lost(self) -> Run:
        """The supervisor, which compiles the program, is gone: by the program's doing, or ours."""
        ready, _, _ = select.select([self.socket], [], [], 1.0)
        if not ready:
            raise BrokenBox("a supervisor does not answer")
        status = json.loads(self._answer(self.socket, 1.0) or b"{}").get("status")
        self._already_finished = True
        if status is None or status == SETUP_FAILED << 8:
            raise BrokenBox("a supervisor could not start")
        return Run("error", detail="the program could not be compiled within its limits")

    _already_finished = False

    def _finish(self) -> None:
        if self._already_finished:
            self._already_finished = False
        elif not self._answer(self.socket, SLACK_SECONDS):
            raise BrokenBox("the box does not end a program")

    def _answer(self, sock: socket.socket, seconds: float) -> bytes:
        """The next message; b'' when the other end is gone or says nothing in time."""
        sock.settimeout(seconds)
        try:
            return sock.recv(MESSAGE)
        except OSError:
            return b""


def wall_seconds(limits: Limits) -> float:
    """A stop for programs that sleep; CPU time is the limit that counts."""
    return 2 * limits.cpu_seconds + 1


def describe(reply: dict[str, Any], stdout: bytes, stderr: str, limits: Limits) -> Run:
    """The supervisor's reply as a Run."""
    status, cpu = reply["status"], round(reply["cpu"], 4)
    if not reply["in_time"] or cpu > limits.cpu_seconds:
        return Run("timeout", stdout, stderr, cpu, "time limit")
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        if name == "SIGXCPU":
            return Run("timeout", stdout, stderr, cpu, "time limit")
        return Run("signal", stdout, stderr, cpu, f"killed by {name}")
    code = os.WEXITSTATUS(status)
    if code == SETUP_FAILED and not stderr:
        return Run("infra", b"", "", cpu, "a solution could not be confined")
    if code:
        last = stderr.strip().rsplit("\n", 1)[-1][:200]
        return Run("error", stdout, stderr, cpu, f"exit code {code}: {last}".rstrip(": "))
    return Run("ok", stdout, stderr, cpu)


def _send(sock: socket.socket, message: bytes, descriptors: list[int]) -> None:
    rights = array.array("i", descriptors)
    attached = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)] if descriptors else []
    try:
        sock.settimeout(SLACK_SECONDS)
        sock.sendmsg([message], attached)
    except OSError as cause:
        raise BrokenBox(f"the box does not listen: {cause}") from cause


def _file(content: bytes) -> int:
    """An anonymous file at its beginning."""
    file = os.memfd_create("sandbox", os.MFD_CLOEXEC)
    view = memoryview(content)
    written = 0
    while written < len(view):
        written += os.pwrite(file, view[written : written + (64 << 20)], written)
    return file


def _read(file: int, most: int) -> bytes:
    return os.pread(file, min(most, os.fstat(file).st_size), 0)


def _tail(file: int) -> str:
    size = os.fstat(file).st_size
    return os.pread(file, STDERR_BYTES, max(0, size - STDERR_BYTES)).decode("utf-8", "replace")
