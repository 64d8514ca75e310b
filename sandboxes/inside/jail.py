"""Builds an empty jail around itself, then becomes the zygote in it.

python -I -S jail.py CONFIG    (a socket to the owner is inherited as descriptor CONFIG["control"])

As root, mounts are made first, then a fresh unprivileged uid is taken, then a user namespace is
entered; as an ordinary user the user namespace comes first. What is left: a read-only root with
Python, /dev/null and its like, /tmp; no /proc, no network, no capability outside.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import sys
from typing import Any

NEWNS, NEWCGROUP, NEWUTS, NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000
READ_ONLY, NO_SUID, NO_DEV, NO_EXEC, REMOUNT, BIND = 1, 2, 4, 8, 32, 4096
RECURSIVE, PRIVATE = 16384, 1 << 18
DETACH = 2
DEATH_SIGNAL, DUMPABLE = 1, 4  # prctl
MOUNT_POINTS = ("/tmp", "/mnt", "/media", "/srv", "/var", "/home")
DEVICES = ("null", "zero", "full", "random", "urandom")
STACK = 256 << 20  # read at exec: leaves room below the main stack for deep recursion

libc = ctypes.CDLL(None, use_errno=True)
libc.mount.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_ulong, ctypes.c_char_p]


def check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    names = [text.encode() if text is not None else None for text in (source, target, kind)]
    check(libc.mount(*names, flags, data.encode()), f"mount {target}")


def bind_read_only(source: str, target: str) -> None:
    mount(source, target, None, BIND | RECURSIVE)
    mount(None, target, None, BIND | REMOUNT | READ_ONLY | NO_SUID | NO_DEV)


def write(path: str, text: str, folder: int | None = None) -> None:
    descriptor = os.open(path, os.O_WRONLY, dir_fd=folder)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def map_ids(uid: int, gid: int, process: int) -> None:
    write("setgroups", "deny", process)
    write("uid_map", f"0 {uid} 1", process)
    write("gid_map", f"0 {gid} 1", process)


def build_root(new: str, binds: list[list[str]]) -> None:
    mount("tmpfs", new, "tmpfs", NO_SUID | NO_DEV, "size=1m,mode=755")
    os.mkdir(f"{new}/dev")
    os.mkdir(f"{new}/tmp")
    for source, target in binds:
        place(source, new + target)
    mount("tmpfs", f"{new}/dev", "tmpfs", NO_SUID | NO_EXEC, "size=64k,mode=755")
    for name in DEVICES:
        os.close(os.open(f"{new}/dev/{name}", os.O_CREAT | os.O_WRONLY))
        mount(f"/dev/{name}", f"{new}/dev/{name}", None, BIND)
    mount(None, f"{new}/dev", None, REMOUNT | READ_ONLY | NO_SUID | NO_EXEC)
    mount(None, new, None, REMOUNT | READ_ONLY | NO_SUID | NO_DEV)


def place(source: str, target: str) -> None:
    if os.path.islink(source):
        os.symlink(os.readlink(source), target)
    elif os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
        bind_read_only(source, target)


def mount_point(sources: list[str]) -> str:
    """Where the new root is mounted: a folder that hides nothing that goes into it."""
    for folder in MOUNT_POINTS:
        if os.path.isdir(folder) and not any(f"{s}/".startswith(f"{folder}/") for s in sources):
            return folder
    raise OSError(f"every folder of {', '.join(MOUNT_POINTS)} holds something that is needed")


def enter_root(new: str) -> None:
    """The new root is stacked on the old one, then the old one is dropped."""
    os.chdir(new)
    check(libc.pivot_root(b".", b"."), "pivot_root")
    check(libc.umount2(b".", DETACH), "umount of the old root")
    os.chdir("/")


def confine(config: dict[str, Any]) -> None:
    uid, gid, is_root = os.geteuid(), os.getegid(), os.geteuid() == 0
    process = os.open("/proc/self", os.O_PATH | os.O_DIRECTORY)
    check(libc.unshare(NEWNS if is_root else NEWUSER | NEWNS), "unshare")
    if not is_root:
        map_ids(uid, gid, process)
    mount(None, "/", None, RECURSIVE | PRIVATE)
    new = mount_point([source for source, _ in config["binds"]])
    build_root(new, config["binds"])
    enter_root(new)
    rest = NEWPID | NEWNET | NEWIPC | NEWUTS | NEWCGROUP
    if is_root:
        own = config["uid"]
        os.setgroups([])
        os.setresgid(own, own, own)
        os.setresuid(own, own, own)
        check(libc.prctl(DUMPABLE, 1, 0, 0, 0), "prctl")
        check(libc.unshare(NEWUSER | NEWNS | rest), "unshare of all")
        map_ids(own, own, process)
    else:
        check(libc.unshare(rest), "unshare of the rest")
    os.close(process)
    libc.sethostname(b"sandbox", 7)


def main(config: dict[str, Any]) -> None:
    confine(config)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    child = os.fork()
    if child == 0:
        check(libc.prctl(DEATH_SIGNAL, 9, 0, 0, 0), "prctl")
        os.dup2(config["control"], 3)
        os.closerange(4, 256)
        os.set_inheritable(3, True)
        python = config["python"]
        os.execve(python, [python, "-I", "-B", config["zygote"]], config["environment"])
    os.close(config["control"])
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 0xFF)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
