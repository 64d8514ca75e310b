"""Trouble of ours: unscored, never wrong, in bounded time, with nothing left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import Problem, Program, Test
from harness.graders.program import grade_program
from harness.rewards import trl_reward_sync
from sandboxes import docker, open_executor
from sandboxes.docker import LABEL
from tests.sandboxes.conftest import opened

KEY = Program((Test("21\n", "42\n"),), cpu_seconds=1.0)
HONEST = "```python\nprint(2 * int(input()))\n```"
ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


class Relay:
    """A socket before the engine's own: closing it is an engine that stopped, for its users."""

    def __init__(self, path: Path, engine: str) -> None:
        self.engine = engine
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        self.open: list[socket.socket] = [self.listener]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                ours, _ = self.listener.accept()
                theirs = socket.socket(socket.AF_UNIX)
                theirs.connect(self.engine)
                self.open += [ours, theirs]
                for ends in ((ours, theirs), (theirs, ours)):
                    threading.Thread(target=self._copy, args=ends, daemon=True).start()

    def _copy(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def stop(self) -> None:
        for each in self.open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


@pytest.fixture
def relay(monkeypatch: pytest.MonkeyPatch) -> Iterator[Relay]:
    reason = docker.why_not()
    if reason is not None:
        pytest.skip(f"no docker sandbox here: {reason}")
    engine = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://")
    with tempfile.TemporaryDirectory() as folder:  # pytest's own paths are too long for a socket
        relay = Relay(Path(folder) / "docker.sock", engine)
        monkeypatch.setenv("DOCKER_HOST", f"unix://{folder}/docker.sock")
        yield relay
        relay.stop()


def kill_containers(engine: str) -> None:
    command = ["docker", "-H", f"unix://{engine}"]
    listing = [*command, "ps", "-q", f"--filter=label={LABEL}={os.getpid()}"]
    found = subprocess.run(listing, capture_output=True, text=True, timeout=30).stdout.split()
    subprocess.run([*command, "kill", *found], capture_output=True, timeout=30)


def test_an_engine_that_stops_leaves_programs_unscored_in_bounded_time(relay: Relay) -> None:
    executor = opened("test", "docker", workers=1)
    before = asyncio.run(grade_program(HONEST, KEY, executor))
    relay.stop()
    kill_containers(relay.engine)
    begin = time.monotonic()
    after = asyncio.run(grade_program(HONEST, KEY, executor))
    executor.close()
    assert (before.outcome, after.outcome, after.value) == ("correct", "unscored", None)
    assert "docker" in after.reason.lower()
    assert time.monotonic() - begin < 60


def test_an_engine_that_comes_back_is_used_again(
    relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    executor = opened("test", "docker", workers=1)
    relay.stop()
    kill_containers(relay.engine)
    assert asyncio.run(grade_program(HONEST, KEY, executor)).outcome == "unscored"
    monkeypatch.setenv("DOCKER_HOST", f"unix://{relay.engine}")
    assert asyncio.run(grade_program(HONEST, KEY, executor)).outcome == "correct"
    executor.close()


@pytest.fixture
def full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Temporary files go to a disk that has no room for one more."""
    disk = tmp_path / "full"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4k,nr_inodes=2", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, timeout=30).returncode:
        pytest.skip("no file system can be mounted here")
    (disk / "file").write_bytes(b"x" * 4096)
    monkeypatch.setattr(tempfile, "tempdir", str(disk))
    yield disk
    subprocess.run(["umount", str(disk)], timeout=30, check=False)


@ROOT_ONLY
@pytest.mark.parametrize("kind", ["local", "docker"])
def test_a_full_disk_is_trouble_of_ours_or_none(kind: str, full_disk: Path) -> None:
    """A box that runs already needs no disk; one that can't start is unscored."""
    tempfile.tempdir = None
    executor = opened("test", kind, workers=1)
    tempfile.tempdir = str(full_disk)
    assert asyncio.run(grade_program(HONEST, KEY, executor)).outcome == "correct"
    executor._free.get()[0].close()  # the only box dies; a new one must be started on a full disk
    verdict = asyncio.run(grade_program(HONEST, KEY, executor))
    executor.close()
    assert verdict.outcome == ("unscored" if kind == "docker" else "correct")


@pytest.fixture
def few_processes(tmp_path: Path) -> Iterator[Path]:
    """A child cgroup with room for few processes; tests put a program into it."""
    group = Path("/sys/fs/cgroup/pids/sandbox-test")
    if not group.parent.is_dir():
        group = Path("/sys/fs/cgroup/sandbox-test")
    try:
        group.mkdir()
    except OSError as reason:
        pytest.skip(f"no cgroup can be made here: {reason}")
    if not (group / "pids.max").exists():
        group.rmdir()
        pytest.skip("this cgroup has no limit on processes")
    yield group
    for _ in range(50):
        with contextlib.suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.1)


SCRIPT = """
import asyncio, sys
from pathlib import Path
from harness import Problem, Program, Test
from harness.graders.program import grade_program
from harness.rewards import trl_reward_sync
from sandboxes import open_executor
group, room = Path(sys.argv[1]), int(sys.argv[2])
(group / "cgroup.procs").write_text("0")
executor = open_executor("local", workers=1)
key = Program((Test("21\\n", "42\\n"),), cpu_seconds=1.0)
text = "```python\\nprint(2 * int(input()))\\n```"
print(asyncio.run(grade_program(text, key, executor)).outcome, flush=True)
used = int((group / "pids.current").read_text())
(group / "pids.max").write_text(str(used + room))
print(asyncio.run(grade_program(text, key, executor)).outcome, flush=True)
(group / "pids.max").write_text("max")
print(asyncio.run(grade_program(text, key, executor)).outcome, flush=True)
executor.close()
print(int((group / "pids.current").read_text()))
"""


@ROOT_ONLY
@pytest.mark.parametrize("room", [0, 1])
def test_no_room_for_processes_is_unscored_and_passes(few_processes: Path, room: int) -> None:
    import sys

    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(few_processes), str(room)],
        capture_output=True, text=True, timeout=120, cwd=Path(__file__).resolve().parents[2],
    )  # fmt: skip
    lines = done.stdout.split()
    assert lines[:3] == ["correct", "unscored", "correct"], done.stderr
    assert int(lines[3]) <= 4, "no process is left in the group"


def test_nothing_is_left_behind_by_many_boxes() -> None:
    before = set(os.listdir("/proc/self/fd"))
    for _ in range(3):
        executor = open_executor("local", workers=2)
        asyncio.run(grade_program(HONEST, KEY, executor))
        executor.close()
    assert set(os.listdir("/proc/self/fd")) == before
    children = subprocess.run(
        ["ps", "--ppid", str(os.getpid()), "-o", "args="],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert "jail.py" not in children.stdout


@pytest.mark.parametrize("kind", ["local", "docker"])
def test_boxes_that_died_while_idle_cost_no_program_its_attempts(kind: str) -> None:
    executor = opened("test", kind, workers=5)

    async def together() -> None:
        await asyncio.gather(
            *(executor.run("import time; time.sleep(0.3)", [""]) for _ in range(5))
        )

    asyncio.run(together())
    idle = [worker for worker, _ in executor._free.queue]
    assert len(idle) == 5, "more than a program has attempts"
    for worker in idle:
        worker.process.kill()
    if kind == "docker":
        kill_containers(os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")[7:])
    for worker in idle:
        worker.process.wait(20)
    verdict = asyncio.run(grade_program(HONEST, KEY, executor))
    alive = executor._free.qsize()
    executor.close()
    assert (verdict.outcome, alive) == ("correct", 1)


def test_a_training_step_of_thousands_of_programs_is_graded_with_bounded_boxes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Through TRL's reward: the same `grade`, in order, no more boxes than workers."""
    executor = opened("program", "local", workers=2)
    monkeypatch.setattr("harness.graders.program.shared_executor", lambda: executor)
    problem = Problem("p", "code", "Print 2 n.", KEY).to_json()
    right, wrong, none = HONEST, "```python\nprint(1)\n```", "I would rather not."
    completions = [(right, wrong, none)[n % 3] for n in range(2001)]
    rewards = trl_reward_sync(None, completions, problem=[problem] * len(completions))
    boxes = executor._free.qsize()
    executor.close()
    assert rewards == [(1.0, 0.0, 0.0)[n % 3] for n in range(2001)]
    assert boxes <= 2
