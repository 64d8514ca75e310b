"""`--sandbox conductor`: our boxes as a sandbox of Inspect, for its `python` tool and for tasks.

A box runs Python programs and nothing else: `python3 -c CODE`, `python3 FILE`, `python3 -`, also
wrapped in `bash -c` as Inspect's tools do. Each exec is a fresh process in a fresh /tmp that holds
the files written with `write_file`; what a program writes does not outlive it.
"""

from __future__ import annotations

import re
import shlex
from pathlib import PurePosixPath
from typing import Any, Literal, overload

from inspect_ai.util import (
    ExecResult,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxUnavailableError,
    SandboxUserUnsupportedError,
    sandboxenv,
)

from sandboxes.executor import Limits, Run
from sandboxes.opening import shared_executor

HOME = PurePosixPath("/tmp")  # the box's own
SECONDS = 60.0  # CPU time where no timeout is given
PYTHON = re.compile(r"(?:/usr(?:/local)?/bin/)?python(?:3(?:\.\d+)?)?")
SHELLS = ("bash", "sh")


@sandboxenv(name="conductor")
class BoxEnvironment(SandboxEnvironment):
    """Files live outside the box, as bytes by absolute path."""

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, bytes] = {}

    @classmethod
    async def sample_init(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        metadata: dict[str, str],
    ) -> dict[str, SandboxEnvironment]:
        return {"default": cls()}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        """Boxes are the process's: they end with it."""

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,  # noqa: ASYNC109  Inspect's signature
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Raises PermissionError for what is no Python program, TimeoutError, and
        SandboxUnavailableError for trouble of ours."""
        if user is not None:
            raise SandboxUserUnsupportedError(f"a box has no user {user!r}")
        code, arguments, given = self._program(cmd, input)
        program = self._prepared(code, arguments, cwd, env or {})
        limits = Limits(cpu_seconds=float(timeout or SECONDS), memory_mb=2048)
        (run,) = await shared_executor().run(program, [given], limits)
        return _result(run, timeout)

    def _program(
        self, cmd: list[str], given: str | bytes | None
    ) -> tuple[bytes, list[str], str | bytes]:
        """(source, arguments, stdin) of a command."""
        words = _unwrapped(cmd)
        if not words or not PYTHON.fullmatch(words[0]):
            raise PermissionError(f"a box runs Python programs only, not {shlex.join(cmd)[:80]!r}")
        words = [word for word in words[1:] if word not in ("-I", "-B", "-u", "-s", "-E")]
        stdin = "" if given is None else given
        if words[:1] == ["-c"] and len(words) > 1:
            return words[1].encode(), ["-c", *words[2:]], stdin
        if words in ([], ["-"]):
            return stdin.encode() if isinstance(stdin, str) else stdin, ["-"], ""
        path = self._path(words[0])
        if path not in self.files:
            raise FileNotFoundError(f"no file {words[0]!r}")
        return self.files[path], words, stdin

    def _prepared(
        self, code: bytes, arguments: list[str], cwd: str | None, env: dict[str, str]
    ) -> str:
        """The program behind what sets up its files, folder, environment and arguments."""
        return (
            "import os, sys\n"
            f"for _path, _data in {self.files!r}.items():\n"
            "    os.makedirs(os.path.dirname(_path), exist_ok=True)\n"
            "    with open(_path, 'wb') as _file:\n"
            "        _file.write(_data)\n"
            f"os.chdir({self._path(cwd or '.')!r})\n"
            f"os.environ.update({env!r})\n"
            f"sys.argv = {arguments!r}\n"
            "sys.path.insert(0, '')\n"
            f"exec(compile({code!r}, '<program>', 'exec'), {{'__name__': '__main__'}})\n"
        )

    async def write_file(self, file: str, contents: str | bytes) -> None:
        data = contents.encode() if isinstance(contents, str) else contents
        self.files[self._path(file)] = data

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...
    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...
    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """What `write_file` wrote."""
        path = self._path(file)
        if path not in self.files:
            raise FileNotFoundError(f"no file {file!r}")
        return self.files[path].decode() if text else self.files[path]

    def _path(self, file: str) -> str:
        """Absolute, inside /tmp: the only place of a box that can be written."""
        parts = [part for part in PurePosixPath(file).parts if part not in ("/", ".", "tmp")]
        if ".." in parts:
            raise PermissionError(f"{file!r} leads out of the box")
        return str(HOME.joinpath(*parts))


def _unwrapped(cmd: list[str]) -> list[str]:
    """The words of a command, out of `bash --login -c "…"`."""
    if cmd and PurePosixPath(cmd[0]).name in SHELLS and "-c" in cmd[:-1]:
        try:
            return shlex.split(cmd[cmd.index("-c") + 1])
        except ValueError:
            return []
    return cmd


def _result(run: Run, timeout: int | None) -> ExecResult[str]:
    if run.status == "infra":
        raise SandboxUnavailableError(run.detail or "the box gave no result")
    if run.status == "timeout":
        raise TimeoutError(f"the program took more than {timeout or SECONDS:g} s of CPU time")
    code = {"ok": 0, "signal": 139}.get(run.status, 1)
    if found := re.match(r"exit code (\d+)", run.detail):
        code = int(found[1])
    return ExecResult(code == 0, code, run.stdout.decode("utf-8", "replace"), run.stderr)


__all__: list[Any] = ["BoxEnvironment"]
