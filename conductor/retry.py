"""When a failed call is tried again, and how long to wait before: the provider's word first.

Inspect's own back-off is not used: it ignores Retry-After and begins at three to six seconds.
"""

from __future__ import annotations

import email.utils
import hashlib
import re
import time
from dataclasses import astuple
from datetime import datetime
from typing import Any

from conductor.call import CallKey
from conductor.pool import Worker

# What providers say when a prompt may not end with an assistant message.
PREFILL_REFUSED = re.compile(
    r"prefill|\b(end|last|final)\b.{0,40}\b(user|assistant)\b|\bassistant\b.{0,40}\b(last|final|end)",
    re.I,
)
LONGEST = 60.0  # seconds: a back-off of our own never grows beyond this


def root_cause(error: BaseException) -> BaseException:
    """The provider's own error, inside tenacity's and Inspect's (whose texts hold the prompt)."""
    last: Any = getattr(error, "last_attempt", None)
    inner = last.exception() if last is not None else None
    error = inner if inner is not None else error
    wrapped = hasattr(error, "provider_message") and error.__cause__ is not None
    return error.__cause__ if wrapped and error.__cause__ else error


def wait_before(retry: int, error: BaseException, worker: Worker, key: CallKey) -> float | None:
    """Seconds to wait before the `retry`-th retry (0 is the first); None: it makes no sense.

    A provider that asks for more patience than the worker's `timeout` counts as down: a fallback
    can take over, and the sample is unscored otherwise.
    """
    asked = retry_after(error)
    if asked is not None:
        return asked if asked <= worker.timeout else None
    return min(worker.backoff * 2.0**retry, LONGEST) * (1 + _jitter(retry, worker, key) / 2)


def retry_after(error: BaseException) -> float | None:
    """Seconds that the provider's `Retry-After` asks for: a number or a date."""
    headers: Any = getattr(getattr(error, "response", None), "headers", None) or {}
    milliseconds = headers.get("retry-after-ms")
    if milliseconds and re.fullmatch(r"\d+(\.\d+)?", milliseconds):
        return float(milliseconds) / 1000
    value = str(headers.get("retry-after") or "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", value):
        return float(value)
    try:
        date: datetime = email.utils.parsedate_to_datetime(value)
        return max(0.0, date.timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def prefill_refused(error: BaseException) -> bool:
    """Whether the provider rejected the request because it ends with an assistant message."""
    status = getattr(error, "status_code", None)
    return status in (400, 422) and bool(PREFILL_REFUSED.search(str(error)[:2000]))


def _jitter(retry: int, worker: Worker, key: CallKey) -> float:
    """In [0, 1), of the draw: calls that failed together do not come back together."""
    digest = hashlib.sha256(repr((worker.name, retry, *astuple(key))).encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**32
