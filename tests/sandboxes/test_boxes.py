"""What a program may do in a box, what it gets for the rest, and what is left behind."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest

from sandboxes import Limits, Run, SandboxError, open_executor
from tests.sandboxes.conftest import Box, opened

ROOT = Path(__file__).resolve().parents[2]
DOUBLE = "print(2 * int(input()))"


def test_each_input_gets_its_output(box: Box) -> None:
    runs = box.run(DOUBLE, "21", "50\n", "-1")
    assert [(run.status, run.stdout) for run in runs] == [
        ("ok", b"42\n"),
        ("ok", b"100\n"),
        ("ok", b"-2\n"),
    ]


@pytest.mark.parametrize(
    ("program", "status", "detail"),
    [
        ("print(", "error", "exit code 1: SyntaxError"),
        ("1 / 0", "error", "exit code 1: ZeroDivisionError"),
        ("raise SystemExit(7)", "error", "exit code 7"),
        ("import sys; sys.exit('no')", "error", "exit code 1: no"),
        ("import os; os._exit(3)", "error", "exit code 3"),
        ("import os; os.abort()", "signal", "SIGABRT"),
        ("import ctypes; ctypes.string_at(0)", "signal", "SIGSEGV"),
        ("while True: pass", "timeout", "time limit"),
        ("import time; time.sleep(60)", "timeout", "time limit"),
        ("x = bytearray(8 << 30)", "error", "MemoryError"),
        ("def f(): f()\nf()", "error", "RecursionError"),
        ("import os; os.fork()", "error", "BlockingIOError"),
        ("import subprocess; subprocess.run(['/bin/true'])", "error", "exit code 1"),
        ("import socket; socket.socket()", "error", "PermissionError"),
        ("open('/usr/x', 'w')", "error", "Read-only file system"),
        ("open('/root/x')", "error", "exit code 1"),
        ("import os; os.kill(-1, 9); os.kill(os.getppid(), 9); 1 / 0", "error", "exit code 1"),
        ("import os; os.setuid(0); os.mkdir('/x')", "error", "exit code 1"),
        (b"print('\xff')", "error", "SyntaxError"),
        (b"\0", "error", "exit code 1"),
        ("print('x' * (40 << 20))", "error", "File too large"),
        ("(" * 100_000, "error", "exit code 1"),
    ],
)
def test_trouble_of_the_program_is_named(
    box: Box, program: str | bytes, status: str, detail: str
) -> None:
    (run,) = box.run(program, cpu_seconds=0.5)
    assert run.status == status
    assert detail in run.detail
    assert box.run(DOUBLE, "21")[0].stdout == b"42\n"


@pytest.mark.parametrize(
    "program",
    [
        "",
        "import sys; sys.exit()",
        "import numpy",
        "import sys; sys.setrecursionlimit(10**6)\ndef f(n): return n and f(n - 1)\nf(90_000)",
        "import threading; t = threading.Thread(target=print); t.start(); t.join()",
        "open('/tmp/x', 'w').write('x')",
        "assert __name__ == '__main__'",
        "import dataclasses\n@dataclasses.dataclass\nclass A:\n    x: 'int'\nA(1)",
        "x = 1\n" * 170_000,
    ],
)
def test_honest_programs_work(box: Box, program: str) -> None:
    (run,) = box.run(program)
    assert (run.status, run.detail) == ("ok", "")


@pytest.mark.parametrize(
    "program",
    [
        "print(open(0).read().strip())",
        "import os; print(os.read(0, 99).decode().strip()); os.close(0); os.close(2)",
        "import sys; print(sys.stdin.buffer.readline().decode().strip()); sys.stdin.close()",
        "import sys\nfor line in sys.stdin: print(line.strip())",
        "print(input()); import sys; sys.stdout.flush(); sys.stdout.detach()",
    ],
)
def test_every_way_to_read_works_for_every_input(box: Box, program: str) -> None:
    runs = box.run(program, "1\n", "2\n", "3\n")
    assert [run.stdout for run in runs] == [b"1\n", b"2\n", b"3\n"]


def test_a_thread_that_outlives_main_is_waited_for(box: Box) -> None:
    program = "import threading, time\nthreading.Timer(0.1, print, ['late']).start()"
    assert box.run(program)[0].stdout == b"late\n"


def test_large_inputs_and_outputs_pass_through(box: Box) -> None:
    (run,) = box.run("import sys; sys.stdout.write(sys.stdin.read())", "7" * (15 << 20))
    assert len(run.stdout) == 15 << 20
    assert box.run("print(len(input()))", "7" * (30 << 20))[0].stdout == b"31457280\n"


def test_cpu_seconds_are_measured(box: Box) -> None:
    (run,) = box.run("import time\nwhile time.process_time() < 0.3: pass")
    assert 0.2 < run.cpu_seconds < 0.6


def test_the_environment_of_the_grader_is_not_there(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_API_KEY", "secret")
    monkeypatch.setenv("PYTHONPATH", "secret")
    program = """import os, sys, glob
print(dict(os.environ), sys.argv, sys.path, os.getcwd())
for name in glob.glob('/proc/[0-9]*/*'):
    try: print(open(name, 'rb').read(99_999))
    except OSError: pass"""
    (run,) = box.run(program)
    assert (run.status, b"secret" in run.stdout) == ("ok", False)


@pytest.mark.parametrize("path", ["/etc/passwd", "/proc/self/maps", "/sys/kernel", "/home"])
def test_a_jail_holds_nothing_of_this_machine_but_python(path: str) -> None:
    executor = opened("test", workers=1)
    (run,) = asyncio.run(executor.run(f"import os; print(os.path.exists({path!r}))", [""]))
    executor.close()
    assert run.stdout == b"False\n"


def test_accept_stops_early() -> None:
    executor = opened("test", workers=1)
    seen: list[int] = []

    def accept(number: int, run: Run) -> bool:
        seen.append(number)
        return run.stdout != b"3\n"

    runs = asyncio.run(executor.run("print(input())", ["1", "3", "5"], accept=accept))
    executor.close()
    assert (len(runs), seen) == (2, [0, 1])


def test_mode_test_isolates_inputs_and_mode_program_does_not() -> None:
    program = "import builtins\nprint(getattr(builtins, 'left', 'clean'))\nbuiltins.left = 'dirty'"
    found = {}
    for mode in ("test", "program"):
        executor = opened(mode, workers=1)  # type: ignore[arg-type]
        runs = asyncio.run(executor.run(program, ["", ""]))
        executor.close()
        found[mode] = [run.stdout for run in runs]
    assert found == {"test": [b"clean\n"] * 2, "program": [b"clean\n", b"dirty\n"]}


def test_confirmed_passes_are_decided_in_mode_test() -> None:
    program = (
        "import builtins\nprint(getattr(builtins, 'n', 1))\nbuiltins.n = 2"  # 1, 2 only together
    )
    expected = [b"1\n", b"2\n"]
    for confirm, right in ((False, True), (True, False)):
        executor = opened("program", workers=1, confirm=confirm)
        runs = asyncio.run(
            executor.run(program, ["", ""], accept=lambda n, run: run.stdout == expected[n])
        )
        executor.close()
        assert ([run.stdout for run in runs] == expected) is right


def test_a_program_that_dies_does_not_end_the_others_inputs(box: Box) -> None:
    program = "import os\nx = input()\nif x == 'die': os._exit(9)\nprint(x)"
    runs = box.run(program, "a", "die", "b")
    assert [run.status for run in runs] == ["ok", "error", "ok"]


def test_many_callers_in_many_loops_and_threads_share_one_executor() -> None:
    executor = opened("program", workers=2)
    found: list[bytes] = []

    def call(number: int) -> None:
        async def several() -> None:
            runs = await asyncio.gather(
                *(executor.run(DOUBLE, [str(number + i)]) for i in range(5))
            )
            found.extend(run[0].stdout for run in runs)

        asyncio.run(several())

    threads = [threading.Thread(target=call, args=(100 * n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    executor.close()
    wanted = sorted(2 * (100 * n + i) for n in range(6) for i in range(5))
    assert sorted(map(int, found)) == wanted


def test_a_box_that_is_killed_is_replaced_and_the_program_run_again() -> None:
    executor = opened("test", workers=1)
    worker, _ = executor._free.queue[0]

    async def both() -> list[Run]:
        running = asyncio.ensure_future(executor.run("import time; time.sleep(1); print(1)", [""]))
        await asyncio.sleep(0.3)
        worker.process.send_signal(signal.SIGKILL)
        return await running

    runs = asyncio.run(both())
    executor.close()
    assert [(run.status, run.stdout) for run in runs] == [("ok", b"1\n")]


def test_closing_leaves_no_process_and_no_descriptor() -> None:
    before = len(os.listdir("/proc/self/fd"))
    executor = opened("program", workers=2)
    asyncio.run(executor.run(DOUBLE, ["1"] * 10))
    process = executor._free.queue[0][0].process
    executor.close()
    assert process.returncode is not None
    assert len(os.listdir("/proc/self/fd")) == before


def test_unknown_sandboxes_and_modes_are_refused() -> None:
    with pytest.raises(SandboxError, match="unknown sandbox"):
        open_executor("bare")  # type: ignore[arg-type]
    with pytest.raises(SandboxError, match="unknown mode"):
        open_executor("local", "fast")  # type: ignore[arg-type]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_an_ordinary_user_with_user_namespaces_has_it_too() -> None:
    """From a copy that everybody can read, by the system's Python: nobody may not enter root's."""
    python = shutil.which("python3", path="/usr/bin") or pytest.skip("no Python in /usr/bin")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        shutil.copytree(ROOT / "sandboxes", f"{folder}/sandboxes")
        script = "\n".join([
            "import os, asyncio, sys",
            "os.setgroups([]); os.setgid(65534); os.setuid(65534)",
            f"sys.path.insert(0, {folder!r})",
            "from sandboxes import open_executor, SandboxError",
            "try: executor = open_executor('local', workers=1)",
            "except SandboxError as e: print('REFUSED', e); raise SystemExit",
            "for program in ('print(6*7)', 'print(open(\"/etc/shadow\").read())'):",
            "    run = asyncio.run(executor.run(program, ['']))[0]",
            "    print(os.getuid(), run.status, run.stdout)",
            "executor.close()",
        ])  # fmt: skip
        done = subprocess.run(
            [python, "-c", script], capture_output=True, text=True, timeout=60, cwd="/"
        )
    if "REFUSED" in done.stdout:
        pytest.skip(f"nobody may not: {done.stdout[-300:]}")
    assert done.stdout.splitlines() == ["65534 ok b'42\\n'", "65534 error b''"], done.stderr


def test_no_program_outlives_its_limits_when_nobody_accepts() -> None:
    executor = opened("program", workers=1)
    runs = asyncio.run(executor.run("while 1: pass", ["", ""], Limits(cpu_seconds=0.3)))
    executor.close()
    assert [run.status for run in runs] == ["timeout", "timeout"]
