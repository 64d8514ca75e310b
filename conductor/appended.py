"""Files of JSON lines that several processes append to and read while they grow."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def append_line(path: Path, entry: dict[str, Any]) -> None:
    """Append one line, whole or not at all, whoever else writes; a torn last line is closed."""
    data = json.dumps(entry).encode() + b"\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        end = file.seek(0, os.SEEK_END)
        if end:
            file.seek(end - 1)
            data = (b"" if file.read(1) == b"\n" else b"\n") + data
        file.write(data)
        file.flush()


class Tail:
    """The lines that were appended since it was asked last, by whomever."""

    def __init__(self, path: Path) -> None:
        self._path, self._read_to = path, 0

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """(offset, line) of each whole line; one that is torn, or being written, waits."""
        if not self._path.exists() or self._path.stat().st_size == self._read_to:
            return
        with self._path.open("rb") as file:
            file.seek(self._read_to)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                offset = self._read_to
                self._read_to += len(line)
                yield offset, line


def read_object(line: bytes) -> dict[str, Any] | None:
    """The JSON object of a line; None for anything else (a line torn by a crash)."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None
