"""Bytes from the net, with a deadline, an upper size, and one line when it fails."""

from __future__ import annotations

import http.client
import os
import time
import urllib.error
import urllib.request
from collections.abc import Sequence

HUB = "https://huggingface.co/"
MOST_BYTES = 8 << 30
CHUNK = 1 << 20


class DownloadError(RuntimeError):
    """Nothing usable came; the message says from where and why."""


def fetch(urls: Sequence[str], seconds: float) -> bytes:
    """The content of the first URL that answers. `seconds` bounds all of it."""
    deadline = time.monotonic() + seconds
    failures = []
    for url in urls:
        try:
            return _read(url, deadline)
        except (OSError, http.client.HTTPException, ValueError) as error:
            failures.append(f"{url}: {_reason(error)}")
    raise DownloadError("cannot be downloaded (" + "; ".join(failures) + ")")


def _read(url: str, deadline: float) -> bytes:
    request = urllib.request.Request(url)
    token = os.environ.get("HF_TOKEN")
    if token and url.startswith(HUB):
        # unredirected: the Hub forwards to storage that must not see the token
        request.add_unredirected_header("Authorization", f"Bearer {token}")
    timeout = max(0.1, min(10.0, deadline - time.monotonic()))
    with urllib.request.urlopen(request, timeout=timeout) as response:
        declared = response.headers.get("Content-Length")
        content = _read_body(response, deadline)
    if declared is not None and len(content) != int(declared):
        raise OSError(f"cut off after {len(content)} of {declared} bytes")
    return content


def _read_body(response: http.client.HTTPResponse, deadline: float) -> bytes:
    parts, size = [], 0
    while part := response.read1(CHUNK):
        parts.append(part)
        size += len(part)
        if time.monotonic() > deadline:
            raise TimeoutError("not finished at the deadline")
        if size > MOST_BYTES:
            raise OSError(f"larger than {MOST_BYTES} bytes")
    return b"".join(parts)


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        denied = {401: " (access denied)", 403: " (access denied)", 404: " (no such file)"}
        return f"HTTP {error.code}{denied.get(error.code, '')}"
    if isinstance(error, urllib.error.URLError):
        return str(getattr(error.reason, "strerror", None) or error.reason)
    return str(error) or type(error).__name__
