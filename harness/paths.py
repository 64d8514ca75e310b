"""Paths as the person who typed them means them: relative to the folder they stand in.

Inspect changes to a task's folder while it loads and runs it. This module is imported by the
entry point, before that happens, and remembers where the process was started.
"""

from __future__ import annotations

import os
from pathlib import Path

LAUNCHED_IN = Path.cwd()


def caller_path(text: str, launched_in: Path | None = None) -> Path:
    """The existing file that `text` names, seen from the caller's folder.

    `$PWD` (what the shell says) is tried second: it differs where a program was started from a
    shell in another folder. Raises FileNotFoundError that names every place tried.
    """
    path = Path(text).expanduser()
    folders = [launched_in or LAUNCHED_IN, Path(os.environ.get("PWD") or LAUNCHED_IN)]
    tried = list(dict.fromkeys(folder / path for folder in folders))  # an absolute path wins
    for candidate in tried:
        if candidate.exists():
            return candidate.resolve()
    raise FileNotFoundError(f"no file {text!r}; looked for " + " and ".join(map(str, tried)))
