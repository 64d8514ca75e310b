"""The system calls that an untrusted program may make: a list of what is allowed, x86-64.

Everything else fails with EPERM. New threads are allowed, new processes are not (EAGAIN), nor
sockets, exec, mounts, ptrace, namespaces, keys, bpf, io_uring. Assembled here because libseccomp's
Python binding is not on PyPI.
"""

from __future__ import annotations

import errno
import struct

ALLOWED = {
    "read": 0, "write": 1, "open": 2, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "poll": 7,
    "lseek": 8, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13,
    "rt_sigprocmask": 14, "rt_sigreturn": 15, "pread64": 17, "pwrite64": 18, "readv": 19,
    "writev": 20, "access": 21, "pipe": 22, "select": 23, "sched_yield": 24, "mremap": 25,
    "msync": 26, "mincore": 27, "madvise": 28, "dup": 32, "dup2": 33, "pause": 34,
    "nanosleep": 35, "getitimer": 36, "alarm": 37, "setitimer": 38, "getpid": 39, "sendto": 44,
    "sendmsg": 46, "recvmsg": 47, "exit": 60, "wait4": 61, "kill": 62, "uname": 63, "fcntl": 72,
    "fsync": 74, "fdatasync": 75, "truncate": 76, "ftruncate": 77, "getcwd": 79, "chdir": 80,
    "rename": 82, "mkdir": 83, "rmdir": 84, "unlink": 87, "readlink": 89, "chmod": 90, "fchmod": 91,
    "umask": 95,
    "gettimeofday": 96, "getrlimit": 97, "getrusage": 98, "sysinfo": 99, "times": 100,
    "getuid": 102, "getgid": 104, "geteuid": 107, "getegid": 108, "getppid": 110, "getpgrp": 111,
    "getgroups": 115, "getresuid": 118, "getresgid": 120, "getpgid": 121, "getsid": 124,
    "rt_sigpending": 127, "rt_sigtimedwait": 128, "rt_sigsuspend": 130, "sigaltstack": 131,
    "sched_getparam": 143, "sched_getscheduler": 145, "arch_prctl": 158, "setrlimit": 160,
    "gettid": 186, "tkill": 200, "time": 201, "futex": 202, "sched_getaffinity": 204,
    "getdents64": 217, "set_tid_address": 218, "restart_syscall": 219, "clock_gettime": 228,
    "clock_getres": 229, "clock_nanosleep": 230, "exit_group": 231, "epoll_wait": 232,
    "epoll_ctl": 233, "tgkill": 234, "waitid": 247, "openat": 257, "mkdirat": 258,
    "newfstatat": 262, "unlinkat": 263, "renameat": 264, "readlinkat": 267, "fchmodat": 268,
    "faccessat": 269,
    "pselect6": 270, "ppoll": 271, "set_robust_list": 273, "get_robust_list": 274,
    "utimensat": 280, "epoll_pwait": 281, "eventfd2": 290, "epoll_create1": 291, "dup3": 292,
    "pipe2": 293,
    "prlimit64": 302, "getcpu": 309, "renameat2": 316, "getrandom": 318, "membarrier": 324,
    "statx": 332, "rseq": 334, "close_range": 436, "faccessat2": 439,
}  # fmt: skip
IOCTL, CLONE, CLONE3 = 16, 56, 435
CLOSE_ON_EXEC = (0x5450, 0x5451)  # the only ioctls: FIONCLEX, FIOCLEX
THREAD, NAMESPACES = 0x10000, 0x7E020000  # CLONE_THREAD; every CLONE_NEW…
X86_64, X32 = 0xC000003E, 0x40000000

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, FAIL, KILL = 0x7FFF0000, 0x00050000, 0x80000000
NUMBER, ARCHITECTURE, FIRST, SECOND = 0, 4, 16, 24  # offsets in struct seccomp_data

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, operand


def build_filter() -> bytes:
    """The filter as an array of struct sock_filter."""
    program = [
        *_unless(JUMP_EQUAL, X86_64, KILL, ARCHITECTURE),
        (LOAD, 0, 0, NUMBER),
        *_when(JUMP_AT_LEAST, X32, KILL),
        *_when(JUMP_EQUAL, CLONE3, FAIL | errno.ENOSYS),  # glibc falls back to clone
        *_section(CLONE, _clone()),
        *_section(IOCTL, _ioctl()),
    ]
    for first, last in _runs(sorted(ALLOWED.values())):
        # below the run: denied, since runs are in order; inside it: allowed; above it: go on
        program += [
            (JUMP_AT_LEAST, 1, 0, first),
            (RETURN, 0, 0, FAIL | errno.EPERM),
            (JUMP_AT_LEAST, 1, 0, last + 1),
            (RETURN, 0, 0, ALLOW),
        ]
    program.append((RETURN, 0, 0, FAIL | errno.EPERM))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)


def _when(jump: int, operand: int, result: int) -> list[Instruction]:
    return [(jump, 0, 1, operand), (RETURN, 0, 0, result)]


def _unless(jump: int, operand: int, result: int, offset: int) -> list[Instruction]:
    return [(LOAD, 0, 0, offset), (jump, 1, 0, operand), (RETURN, 0, 0, result)]


def _section(number: int, body: list[Instruction]) -> list[Instruction]:
    """A body that ends in a return, for one system call."""
    return [(JUMP_EQUAL, 0, len(body), number), *body]


def _clone() -> list[Instruction]:
    return [
        (LOAD, 0, 0, FIRST),
        *_when(JUMP_ANY_BIT, NAMESPACES, FAIL | errno.EPERM),
        *_when(JUMP_ANY_BIT, THREAD, ALLOW),
        (RETURN, 0, 0, FAIL | errno.EAGAIN),
    ]


def _ioctl() -> list[Instruction]:
    calls = [step for call in CLOSE_ON_EXEC for step in _when(JUMP_EQUAL, call, ALLOW)]
    return [(LOAD, 0, 0, SECOND), *calls, (RETURN, 0, 0, FAIL | errno.ENOTTY)]


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """Neighbouring numbers as (first, last)."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = runs[-1][0], number
        else:
            runs.append((number, number))
    return runs
