"""What a user got wrong, in one line on stderr and without a traceback."""

from __future__ import annotations

import sys
from typing import NoReturn


def was_refused(error: BaseException) -> bool:
    """Whether the user has been told already: the line is written, only the end is left."""
    from inspect_ai._util.error import SilentException

    return isinstance(error, SilentException)


def refuse(message: str, cause: BaseException | None = None) -> NoReturn:
    """Tell the user what is wrong and how to mend it, and stop.

    Inspect prints its own PrerequisiteError only when it has a display, and on stdout; so the
    line is written here, and the exception is one that Inspect ends on silently. In-process
    callers get it as an exception with the same message.
    """
    from inspect_ai._util.error import SilentException

    line = " ".join(message.split())
    print(f"error: {line}", file=sys.stderr, flush=True)
    raise SilentException(line) from cause
