"""Text of a call as it comes, for whoever listens; the reply stays what counts."""

from __future__ import annotations

import re
from contextvars import ContextVar
from typing import Protocol


class Listener(Protocol):
    """Hears the text of the calls that are made where it is set as `LISTENER`."""

    def restart(self) -> None:
        """An attempt begins: what was heard before belongs to one that failed."""
        ...

    def text(self, fragment: str) -> None:
        """More text of this attempt."""
        ...


LISTENER: ContextVar[Listener | None] = ContextVar("conductor_listener", default=None)


def stream_refused(error: BaseException) -> bool:
    """Whether the provider can't stream: it says so, or it sent its answer as if not asked to."""
    if type(error).__name__ == "NoStreamDataError":  # Inspect's, which is private
        return True
    status = getattr(error, "status_code", None)
    return status in (400, 404, 405, 422, 501) and bool(re.search(r"stream", str(error), re.I))
