"""Runs a program on all its inputs inside somebody else's sandbox: one `exec` for all of them.

Reads one JSON object from stdin and writes one line of JSON for each input. Whatever a program does
to this script it can only change what it is said to have printed: what was expected is not in here.
"""

import base64
import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time


def main() -> None:
    request = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program.py")
        with open(program, "wb") as file:
            file.write(base64.b64decode(request["program"]))
        for given in request["inputs"]:
            run = one(program, base64.b64decode(given), request)
            print(json.dumps(run), flush=True)


def one(program: str, given: bytes, request: dict) -> dict:  # type: ignore[type-arg]
    """One input: a process of its own, its group killed afterwards."""

    def limit() -> None:
        cpu = int(request["cpu_seconds"] + 1)
        size = request["memory_mb"] << 20
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_FSIZE, (request["output_bytes"],) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with (
        tempfile.TemporaryFile() as stdin,
        tempfile.TemporaryFile() as stdout,
        tempfile.TemporaryFile() as stderr,
        tempfile.TemporaryDirectory() as folder,
    ):
        stdin.write(given)
        stdin.seek(0)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = subprocess.Popen(
            [sys.executable, "-B", program], stdin=stdin, stdout=stdout, stderr=stderr, cwd=folder,
            env={"PATH": "/usr/bin:/bin", "HOME": folder, "PYTHONHASHSEED": "0", "LANG": "C.UTF-8"},
            preexec_fn=limit, start_new_session=True,
        )  # fmt: skip
        in_time = wait(process, request["wall_seconds"])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        stdout.seek(0)
        stderr.seek(max(0, stderr.seek(0, os.SEEK_END) - 4096))
        return {
            "code": process.returncode,
            "in_time": in_time,
            "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            "stdout": base64.b64encode(stdout.read(request["output_bytes"])).decode(),
            "stderr": stderr.read().decode("utf-8", "replace"),
        }


def wait(process: "subprocess.Popen[bytes]", seconds: float) -> bool:
    """Whether it ended in time; nothing of its group is left afterwards."""
    stop = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < stop:
        time.sleep(0.002)
    in_time = process.poll() is not None
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return in_time


main()
