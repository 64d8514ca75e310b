"""What a client is told when there is no answer, in the shape that OpenAI's clients read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conductor.trace import Outcome

RETRY_SOON = {"Retry-After": "2"}
NO_RETRY = {"x-should-retry": "false"}  # OpenAI's clients try 429 and 5xx again unless told


@dataclass(eq=False)  # not frozen: a context manager that it passes through sets its traceback
class ApiError(Exception):
    """An HTTP status and one line. param: the part of the request that is at fault."""

    status: int
    message: str
    kind: str
    code: str | None = None
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def body(self) -> dict[str, Any]:
        error = {"message": self.message, "type": self.kind, "param": self.param, "code": self.code}
        return {"error": error}


class ClientGone(Exception):
    """The client has hung up: there is nobody to answer."""


def bad_request(message: str, param: str | None = None, code: str | None = None) -> ApiError:
    return ApiError(400, message, "invalid_request_error", code, param)


def no_quota(message: str) -> ApiError:
    return ApiError(429, message, "insufficient_quota", "insufficient_quota", headers=NO_RETRY)


def no_money(message: str) -> ApiError:
    """The server's own budget, whosever the key."""
    return ApiError(503, message, "server_error", "budget_spent", headers=NO_RETRY)


def busy(limit: int) -> ApiError:
    message = f"the server works on {limit} requests at once, and has that many; try again"
    return ApiError(429, message, "rate_limit_error", "too_many_requests", headers=RETRY_SOON)


def too_slow(seconds: float) -> ApiError:
    message = f"no answer within {seconds:g} seconds; the plan was cancelled"
    return ApiError(504, message, "server_error", "timeout")


def no_answer(outcome: Outcome, breaker_seconds: float) -> ApiError:
    """A fault: trouble of ours or of a worker's provider, never a wrong answer.

    503 where a worker was not asked because it is left alone for a while, 502 where one failed.
    """
    message = without_secrets(outcome.fault or "")
    if any(reply.fault and not reply.calls for reply in outcome.replies):
        later = {"Retry-After": f"{max(1, round(breaker_seconds))}"}
        return ApiError(503, message, "server_error", "worker_unavailable", headers=later)
    return ApiError(502, message, "server_error", "worker_failed")


def without_secrets(text: str) -> str:
    """A provider may quote the key that it refused: no client may read it."""
    for name, value in os.environ.items():
        if name.endswith(("KEY", "TOKEN", "SECRET", "PASSWORD")) and len(value) >= 6:
            text = text.replace(value, f"${name}")
    return text
