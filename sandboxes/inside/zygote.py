"""Pid 1 of a box: forks a supervisor for each program, which forks what runs it.

zygote      has the modules loaded that programs import; never sees a program
supervisor  pid 1 of a pid namespace of its own; compiles the program, never runs it; keeps time
solution    untrusted: limits, no capability, no new process, no socket; one a test (mode "test")
            or one for all tests (mode "program")

All data travel as descriptors of anonymous files. The owner sends settings first, then one request
per program with [code, a socket to the supervisor]; over that socket one message per test with
[input, stdout, stderr], answered by one JSON object. End of file ends the supervisor.

In a jail it may make namespaces: every program has its own processes, every solution its own
/tmp. In a container it may not, and every solution has a user id of its own instead.

python zygote.py [SOCKET]    (without one the owner's socket is descriptor 3)
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import fcntl
import gc
import io
import itertools
import json
import math
import os
import resource
import select
import shutil
import signal
import socket
import sys
import threading
import time
import traceback
import types
from typing import Any

NEWNS, NEWIPC, NEWPID = 0x20000, 0x8000000, 0x20000000
NO_SUID, NO_DEV = 2, 4
SECCOMP, DUMPABLE, DROP_BOUND, NO_NEW_PRIVILEGES = 22, 4, 24, 38  # prctl
CAPABILITY_VERSION = b"\x22\x05\x08\x20"
MESSAGE = 1 << 16
SETUP_FAILED = 121  # exit code of a solution that could not be confined; nothing of it has run
FIRST_UID = 100_000  # of solutions in a container
COMPILE_SECONDS = 60
GRACE = 0.005  # seconds between two looks at a CPU clock that is nearly used up
libc = ctypes.CDLL(None, use_errno=True)
# The system's own fork: Python's runs handlers in the child that seed `random` anew (0.6 ms), which
# one thread does not need, and which would make a program's luck differ from run to run.
fork = ctypes.PyDLL(None).fork
libc.mount.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_ulong, ctypes.c_char_p]


class Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def receive(sock: socket.socket, count: int) -> tuple[bytes, list[int]]:
    message, parts, _, _ = sock.recvmsg(MESSAGE, socket.CMSG_SPACE(4 * count))
    return message, array.array("i", parts[0][2][: 4 * count]).tolist() if parts else []


# --- the solution: untrusted from `confine` on


def confine(request: dict[str, Any], tests: int) -> None:
    if request["namespaces"]:
        check(libc.unshare(NEWNS | NEWIPC), "unshare")
        options = b"size=16m,nr_inodes=256,mode=777"
        check(libc.mount(b"tmpfs", b"/tmp", b"tmpfs", NO_SUID | NO_DEV, options), "mount /tmp")
    os.chdir("/tmp")
    cpu = math.ceil(request["cpu_seconds"] * tests) + 1  # the supervisor is exact; this is a net
    for limit, value in (
        (resource.RLIMIT_AS, request["memory_mb"] << 20),
        (resource.RLIMIT_FSIZE, request["output_bytes"]),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_NPROC, request["processes"]),
        (resource.RLIMIT_NOFILE, 64),
    ):
        resource.setrlimit(limit, (value, value))
    if not request["namespaces"]:
        become(request["uid"])
    check(libc.capset(CAPABILITY_VERSION + b"\0" * 4, b"\0" * 24), "capset")
    check(libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no_new_privs")
    check(libc.prctl(DUMPABLE, 0, 0, 0, 0), "not dumpable")
    program = bytes.fromhex(request["filter"])
    buffer = ctypes.create_string_buffer(program, len(program))
    compiled = Filter(len(program) // 8, ctypes.addressof(buffer))
    check(libc.prctl(SECCOMP, 2, ctypes.byref(compiled), 0, 0), "seccomp")


def become(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def fresh_streams(descriptors: list[int]) -> None:
    """Input, output and errors of one test on 0, 1, 2, with nothing buffered from before."""
    # above the low numbers first: a program before may have closed some of those
    high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10) for descriptor in descriptors]
    for source, received, target in zip(high, descriptors, (0, 1, 2), strict=True):
        if received > 2:
            os.close(received)
        os.dup2(source, target)
        os.close(source)
    form: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape"}
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.BufferedReader(raw(0, "r")), **form)  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = io.TextIOWrapper(io.BufferedWriter(raw(1, "w")), **form)  # type: ignore[misc]
    form["errors"] = "backslashreplace"
    sys.stderr = sys.__stderr__ = io.TextIOWrapper(raw(2, "w"), **form, write_through=True)  # type: ignore[misc]


def raw(descriptor: int, mode: str) -> io.FileIO:
    return io.FileIO(descriptor, mode, closefd=False)


def execute(code: Any) -> int:
    """Run it as a script; the exit code that Python would have ended with."""
    status = 0
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    module.__dict__["__file__"] = "solution.py"
    try:
        if isinstance(code, BaseException):
            raise code
        exec(code, module.__dict__)
    except SystemExit as end:
        status = exit_code(end)
    except BaseException:  # what the program raises is its own result  # noqa: BLE001
        status = 1
        traceback.print_exc(limit=-5)
    try:
        threading._shutdown()  # type: ignore[attr-defined]
        sys.stdout.flush()
    except BaseException:  # noqa: BLE001
        status = status or 1
    return status & 255


def exit_code(end: SystemExit) -> int:
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1


def run_one(request: dict[str, Any], code: Any, descriptors: list[int]) -> None:
    """Mode "test": this process is for one input."""
    started = False
    try:
        os.setsid()
        confine(request, 1)
        started = True
        fresh_streams(descriptors)
        os.closerange(3, 64)
        os._exit(execute(code))
    finally:
        os._exit(1 if started else SETUP_FAILED)


def run_all(request: dict[str, Any], code: Any, sock: socket.socket) -> None:
    """Mode "program": this process takes one input after the other."""
    started = False
    try:
        os.setsid()
        os.dup2(sock.detach(), 3)
        os.closerange(4, 64)
        inputs = socket.socket(fileno=3)  # asks the kernel about it, which `confine` ends
        confine(request, request["tests"])
        started = True
        while True:
            message, descriptors = receive(inputs, 3)
            if not message:
                os._exit(0)
            fresh_streams(descriptors)
            inputs.send(bytes([execute(code)]))
    finally:
        os._exit(1 if started else SETUP_FAILED)


# --- the supervisor: keeps time, believes nothing that a solution says but one byte


class Solution:
    """A running solution: its pid, something to wait for its end, its CPU clock."""

    def __init__(self, pid: int, inputs: socket.socket | None) -> None:
        self.pid, self.inputs = pid, inputs
        self.ended = os.pidfd_open(pid)
        self.poll = select.poll()
        self.poll.register(self.ended, select.POLLIN)
        if inputs is not None:
            self.poll.register(inputs, select.POLLIN)

    def cpu(self) -> float:
        """CPU seconds used so far, of a process that may have just ended."""
        try:
            return time.clock_gettime((~self.pid << 3) | 2)
        except OSError:
            return 0.0

    def in_time(self, cpu_seconds: float, wall_seconds: float) -> bool:
        """Wait until it ends or answers; False when it is over one of its times."""
        used, stop = self.cpu(), time.monotonic() + wall_seconds
        while True:
            left = min(cpu_seconds - (self.cpu() - used), stop - time.monotonic())
            if self.poll.poll(max(left, GRACE) * 1000):
                return True
            if left <= 0:
                return False

    def end(self) -> tuple[int, float]:
        """Kill it where it still runs; its wait status and CPU seconds."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.ended, signal.SIGKILL)
        _, status, usage = os.wait4(self.pid, 0)
        os.close(self.ended)
        if self.inputs is not None:
            self.inputs.close()
        return status, usage.ru_utime + usage.ru_stime


def fork_one(request: dict[str, Any], code: Any, descriptors: list[int]) -> Solution:
    pid = fork()
    if pid == 0:
        run_one(request, code, descriptors)
    return Solution(pid, None)


def fork_all(request: dict[str, Any], code: Any) -> Solution:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = fork()
    if pid == 0:
        run_all(request, code, theirs)
    theirs.close()
    return Solution(pid, ours)


def judge_one(request: dict[str, Any], code: Any, descriptors: list[int]) -> dict[str, Any]:
    solution = fork_one(request, code, descriptors)
    in_time = solution.in_time(request["cpu_seconds"], request["wall_seconds"])
    status, cpu = solution.end()
    return {"in_time": in_time, "status": status, "cpu": cpu}


def judge_next(
    request: dict[str, Any], solution: Solution, descriptors: list[int]
) -> tuple[dict[str, Any], bool]:
    """(the reply, whether the solution can take another input)."""
    assert solution.inputs is not None
    before = solution.cpu()
    rights = array.array("i", descriptors)
    with contextlib.suppress(OSError):  # it has ended already
        solution.inputs.sendmsg([b"t"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
    in_time = solution.in_time(request["cpu_seconds"], request["wall_seconds"])
    cpu = solution.cpu() - before
    answer = b""
    if in_time:
        with contextlib.suppress(OSError):
            answer = solution.inputs.recv(1, socket.MSG_DONTWAIT)
    if answer:
        return {"in_time": True, "status": answer[0] << 8, "cpu": cpu}, True
    status, total = solution.end()
    return {"in_time": in_time, "status": status, "cpu": max(cpu, total - before)}, False


def clean(request: dict[str, Any]) -> None:
    """Remove what a solution left in /tmp; only its own user may."""
    if request["namespaces"] or not os.listdir("/tmp"):
        return
    pid = fork()
    if pid == 0:
        try:
            become(request["uid"])
            for entry in os.scandir("/tmp"):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


def supervise(request: dict[str, Any], code_file: int, sock: socket.socket) -> None:
    os.setsid()  # a signal to a process group crosses pid namespaces
    gc.enable()
    # for compiling, which a program can make endless; soft, since solutions inherit it
    resource.setrlimit(resource.RLIMIT_CPU, (COMPILE_SECONDS, resource.RLIM_INFINITY))
    code = compiled(code_file)
    sys.argv = ["solution.py"]
    gc.collect()
    gc.freeze()
    solution: Solution | None = None
    while True:
        message, descriptors = receive(sock, 3)
        if not message:
            if solution is not None:
                solution.end()
                clean(request)
            os._exit(0)
        if request["mode"] == "test":
            reply = judge_one(request, code, descriptors)
        else:
            solution = solution or fork_all(request, code)
            reply, goes_on = judge_next(request, solution, descriptors)
            solution = solution if goes_on else None
        for descriptor in descriptors:
            os.close(descriptor)
        if solution is None:
            clean(request)
        sock.send(json.dumps(reply).encode())


def compiled(code_file: int) -> Any:
    """A code object, or the exception that the solution will raise."""
    with open(code_file, "rb") as file:
        source = file.read()
    try:
        return compile(source, "solution.py", "exec", dont_inherit=True)
    except BaseException as error:  # noqa: BLE001
        return error.with_traceback(None)


# --- the zygote


def serve(owner: socket.socket) -> None:
    settings = json.loads(receive(owner, 1)[0])
    sys.path += settings["path"]
    for name in settings["preload"]:
        with contextlib.suppress(ImportError):
            __import__(name)
    gc.collect()
    gc.freeze()
    gc.disable()
    if settings["namespaces"]:
        drop_bounding_set()
    own_namespace = os.pidfd_open(os.getpid())
    owner.send(b"ready")
    for number in itertools.count():
        message, descriptors = receive(owner, 2)
        if not message:
            os._exit(0)  # the owner is gone; the kernel ends everything in here
        uid = FIRST_UID + number % (1 << 16)
        request = {**json.loads(message), **settings, "uid": uid}
        if settings["namespaces"]:
            check(libc.unshare(NEWPID), "unshare")
        pid = fork()
        if pid == 0:
            start_supervisor(request, descriptors, owner, own_namespace)
        if settings["namespaces"]:
            check(libc.setns(own_namespace, NEWPID), "setns")
        for descriptor in descriptors:
            os.close(descriptor)
        _, status = os.waitpid(pid, 0)  # returns once its whole pid namespace is gone
        owner.send(json.dumps({"status": status}).encode())


def drop_bounding_set() -> None:
    for capability in range(64):
        libc.prctl(DROP_BOUND, capability, 0, 0, 0)


def start_supervisor(
    request: dict[str, Any], descriptors: list[int], owner: socket.socket, namespace: int
) -> None:
    try:
        owner.close()
        os.close(namespace)
        supervise(request, descriptors[0], socket.socket(fileno=descriptors[1]))
    finally:
        os._exit(SETUP_FAILED)


def connect(arguments: list[str]) -> socket.socket:
    if not arguments:
        return socket.socket(fileno=3)
    owner = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    owner.connect(arguments[0])
    return owner


if __name__ == "__main__":
    serve(connect(sys.argv[1:]))
