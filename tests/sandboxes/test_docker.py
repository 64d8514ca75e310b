"""Containers as boxes: what happens when one, the engine or the owner goes away."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandboxes import Run, SandboxError, docker, open_executor
from sandboxes.docker import LABEL
from tests.sandboxes.conftest import opened

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def engine() -> None:
    reason = docker.why_not()
    if reason is not None:
        pytest.skip(f"no docker sandbox here: {reason}")


def containers(owner: int) -> list[str]:
    command = ["docker", "ps", "-q", f"--filter=label={LABEL}={owner}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=30).stdout.split()


def gone(owner: int, seconds: float = 20.0) -> bool:
    stop = time.monotonic() + seconds
    while containers(owner) and time.monotonic() < stop:
        time.sleep(0.2)
    return not containers(owner)


@pytest.mark.usefixtures("engine")
def test_a_container_killed_in_the_middle_is_replaced_and_the_program_run_again() -> None:
    executor = opened("test", "docker", workers=1)

    async def both() -> list[Run]:
        running = asyncio.ensure_future(executor.run("import time; time.sleep(1); print(1)", [""]))
        await asyncio.sleep(0.3)
        await asyncio.to_thread(
            subprocess.run, ["docker", "kill", *containers(os.getpid())], capture_output=True
        )
        return await running

    runs = asyncio.run(both())
    executor.close()
    assert [(run.status, run.stdout) for run in runs] == [("ok", b"1\n")]
    assert gone(os.getpid())


@pytest.mark.usefixtures("engine")
def test_no_container_outlives_an_owner_that_is_killed() -> None:
    script = (
        "import time; from sandboxes import open_executor\n"
        "executor = open_executor('docker', workers=1); print('up', flush=True); time.sleep(60)"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert owner.stdout is not None
    assert owner.stdout.readline() == "up\n"
    assert containers(owner.pid)
    owner.send_signal(signal.SIGKILL)
    owner.communicate()
    assert gone(owner.pid)


@pytest.mark.usefixtures("engine")
def test_what_one_program_leaves_in_tmp_the_next_does_not_find() -> None:
    executor = opened("test", "docker", workers=1)
    leave = "import os; os.makedirs('/tmp/a/b'); open('/tmp/a/b/c', 'w'); open('/tmp/d', 'w')"
    asyncio.run(executor.run(leave, [""]))
    (run,) = asyncio.run(executor.run("import os; print(os.listdir('/tmp'))", [""]))
    executor.close()
    assert run.stdout == b"[]\n"


@pytest.mark.usefixtures("engine")
def test_a_missing_image_is_named_with_the_command_that_builds_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(docker, "IMAGE", "no-such-image-here")
    with pytest.raises(SandboxError, match="docker build -t no-such-image-here sandboxes/image"):
        open_executor("docker")


def test_without_docker_a_docker_sandbox_is_refused_and_auto_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SandboxError, match="no docker command"):
        open_executor("docker")
    opened("test", "local", workers=1).close()
    executor = open_executor("auto", workers=1)
    runs = asyncio.run(executor.run("print(1)", [""]))
    executor.close()
    assert runs[0].stdout == b"1\n"


def test_an_engine_that_is_down_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    with pytest.raises(SandboxError, match="docker"):
        open_executor("docker")
