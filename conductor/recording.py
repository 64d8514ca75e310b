"""Calls recorded and replayed: a run can be repeated, resumed or shared without spending."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from conductor.appended import Tail, append_line, read_object
from conductor.call import Call, CallKey, Message, Reply
from conductor.pool import Worker

FIELDS = (
    "text", "model", "input_tokens", "output_tokens", "cost", "seconds", "stop_reason", "calls",
)  # fmt: skip
Show = Callable[[Worker, Sequence[Message], CallKey, Reply], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Recording:
    """path: the file of recorded calls. on_miss: `live` makes the call and records it; `error`
    is a fault (nothing is called, nothing is spent)."""

    path: str | None = None
    on_miss: Literal["live", "error"] = "live"


class Recorder:
    """A content-addressed file of replies: one line of JSON each, found by what was asked.

    The address is a hash of the worker's name, model and settings, the messages and the draw
    (problem, epoch, rollout, round, step, attempt): n draws stay n draws. Faults are not recorded:
    the same command asks those again. Only addresses are kept in memory.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._path = Path(recording.path) if recording.path else None
        self._places: dict[str, int] = {}
        self._tail = Tail(self._path) if self._path else None

    def around(self, call: Call, show: Show | None = None) -> Call:
        """show: is told of every reply that was replayed."""
        if self._path is None:
            return call
        path = self._path

        async def recorded(worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
            address = address_of(worker, messages, key)
            found = self.find(address)
            if found is not None:
                if show is not None:
                    await show(worker, messages, key, found)
                return found
            if self._recording.on_miss == "error":
                fault = f"{path} holds no reply of {worker.name} for this call"
                return Reply("", worker.model, stop_reason="skipped", fault=fault, calls=0)
            reply = await call(worker, messages, key)
            if reply.fault is None:
                append_line(path, _entry(address, worker, key, reply))
            return reply

        return recorded

    def find(self, address: str) -> Reply | None:
        """The recorded reply: it cost what it cost then, and no retries."""
        self._index()
        if self._path is None or address not in self._places:
            return None
        with self._path.open("rb") as file:
            file.seek(self._places[address])
            entry = json.loads(file.readline())
        return Reply(**{name: entry["reply"][name] for name in FIELDS})

    def _index(self) -> None:
        """Note addresses that were appended since, by whomever; the first reply counts."""
        for offset, line in self._tail.lines() if self._tail else ():
            if address := _address_in(line):
                self._places.setdefault(address, offset)


def address_of(worker: Worker, messages: Sequence[Message], key: CallKey) -> str:
    asked = {
        "worker": [worker.name, worker.model],  # not its address: a recording can be shared
        "args": dict(worker.args),
        "generation": asdict(worker.generation),
        "messages": [[message.role, message.text] for message in messages],
        "key": asdict(key),
    }
    text = json.dumps(asked, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def _entry(address: str, worker: Worker, key: CallKey, reply: Reply) -> dict[str, Any]:
    return {
        "address": address,
        "worker": worker.name,
        "key": asdict(key),
        "reply": {name: getattr(reply, name) for name in FIELDS},
    }


def _address_in(line: bytes) -> str | None:
    entry = read_object(line)
    if entry is None or "address" not in entry or not isinstance(entry.get("reply"), dict):
        return None
    return str(entry["address"])
