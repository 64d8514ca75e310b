"""Boxes that are hardened containers: one long-lived container a box, spoken to over a socket.

The container has no network, a read-only root and three capabilities (SETUID, SETGID, KILL), so
that its zygote can give every program a user of its own; solutions have none. It ends with its
owner's end of the socket, whatever ended the owner. The engine must be on this machine: inputs
and outputs travel as descriptors. The command line is used rather than the SDK: what is needed of
Docker is one `run`.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

from sandboxes.executor import SandboxError
from sandboxes.worker import BrokenBox, Worker

INSIDE = Path(__file__).parent / "inside"
IMAGE = os.environ.get("CONDUCTOR_SANDBOX_IMAGE", "conductor-sandbox")
LABEL = "conductor.sandbox"
CONNECT_SECONDS = 30.0
PROBE_SECONDS = 10.0
HARDENING = (
    "--network=none",
    "--read-only",
    "--cap-drop=ALL",
    "--cap-add=SETUID",
    "--cap-add=SETGID",
    "--cap-add=KILL",
    "--security-opt=no-new-privileges",
    "--pids-limit=256",
    "--memory=6g",
    "--memory-swap=6g",
    "--ipc=private",
    "--ulimit=core=0",
    "--ulimit=stack=268435456",
    "--ulimit=nofile=256",
    "--tmpfs=/tmp:rw,nosuid,nodev,size=64m,nr_inodes=1024,mode=1777",
    "--log-driver=none",
)
ENVIRONMENT = ("PYTHONHASHSEED=0", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "LANG=C.UTF-8")


def why_not() -> str | None:
    """Why there is no Docker here, or None when there is: an engine that answers, and the image."""
    if shutil.which("docker") is None:
        return "no docker command"
    try:
        done = _docker("image", "inspect", "--format", "{{.Id}}", IMAGE)
    except subprocess.TimeoutExpired:
        return "the Docker engine does not answer"
    if done.returncode:
        reason = done.stderr.strip().rsplit("\n", 1)[-1]
        if "No such image" in reason or "no such image" in reason:
            return f"no image {IMAGE}; build it: docker build -t {IMAGE} sandboxes/image"
        return reason or "the Docker engine does not answer"
    return None


def start_worker() -> Worker:
    """A running container. Raises SandboxError with the reason and the remedy."""
    reason = why_not()
    if reason is not None:
        raise SandboxError(f"the docker sandbox cannot start: {reason}")
    with tempfile.TemporaryDirectory(prefix="sandbox-") as folder:
        os.chmod(folder, 0o711)  # root in the container has no power over other users' files
        try:
            return _start(Path(folder))
        except (BrokenBox, OSError) as cause:
            raise SandboxError(f"the docker sandbox cannot start: {cause}") from cause


def _start(folder: Path) -> Worker:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(folder / "owner"))
        os.chmod(folder / "owner", 0o777)
        listener.listen(1)
        listener.settimeout(CONNECT_SECONDS)
        process = _launch(folder)
        try:
            control, _ = listener.accept()
        except OSError as cause:
            process.kill()
            errors = process.communicate()[1].decode("utf-8", "replace").strip()
            raise BrokenBox(errors[-500:] or "the container does not connect") from cause
    return Worker(control, process, namespaces=False)


def _launch(folder: Path) -> subprocess.Popen[bytes]:
    command = [
        "docker", "run", "--rm", "--init", f"--label={LABEL}={os.getpid()}", *HARDENING,
        *(f"--env={setting}" for setting in ENVIRONMENT),
        f"--volume={folder}:/control:ro", f"--volume={INSIDE}:/sandbox:ro",
        IMAGE, "python3", "-I", "-B", "/sandbox/zygote.py", "/control/owner",
    ]  # fmt: skip
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def _docker(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["docker", *arguments], capture_output=True, text=True, timeout=PROBE_SECONDS
    )
