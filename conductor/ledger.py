"""Money: what every call cost, in a file that outlives the process, and a budget over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from conductor.appended import Tail, append_line, read_object
from conductor.call import Call, CallKey, Message, Reply
from conductor.pool import Worker

STOPPED = "budget"  # the stop reason of a call that the budget did not allow


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may spend; None is no limit.

    dollars: US dollars. tokens: in and out together. calls: of workers and policy. ledger: the
    file that the spending is kept in; runs that share it share the budget, and a run that is
    started again goes on where it was. unknown_price: whether a worker may be called whose cost
    nobody knows, when the budget is in dollars.
    """

    dollars: float | None = None
    tokens: int | None = None
    calls: int | None = None
    ledger: str | None = None
    unknown_price: Literal["refuse", "allow"] = "refuse"

    @property
    def limited(self) -> bool:
        return (self.dollars, self.tokens, self.calls) != (None, None, None)


@dataclass(slots=True)
class Spending:
    """Sums over calls; unpriced: how many had no known cost."""

    dollars: float = 0.0
    tokens: int = 0
    calls: int = 0
    unpriced: int = 0

    def add(self, entry: dict[str, Any]) -> None:
        self.calls += entry.get("calls", 1)
        self.tokens += entry.get("input_tokens", 0) + entry.get("output_tokens", 0)
        if entry.get("cost") is None:
            self.unpriced += 1
        else:
            self.dollars += entry["cost"]


class Ledger:
    """One line of JSON a call, appended; other processes' lines count as well.

    The budget stops calls from being made; what is in flight is let finish, so that spending may
    pass it by at most what was in flight (calls are counted exactly).
    """

    def __init__(self, budget: Budget) -> None:
        self.budget, self.spent = budget, Spending()
        self._path = Path(budget.ledger) if budget.ledger else None
        self._tail = Tail(self._path) if self._path else None
        self._in_flight = 0

    def around(self, call: Call) -> Call:
        async def metered(worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
            if reason := self.exhausted():
                return Reply("", worker.model, stop_reason=STOPPED, fault=reason, calls=0)
            self._in_flight += 1
            try:
                reply = await call(worker, messages, key)
            finally:
                self._in_flight -= 1
            if reply.calls:
                self.charge(worker, key, reply)
            return reply

        return metered

    def exhausted(self) -> str | None:
        """Why no further call may begin, or None."""
        self._catch_up()
        for name, unit in (("dollars", "US dollars"), ("tokens", "tokens"), ("calls", "calls")):
            limit = getattr(self.budget, name)
            spent = getattr(self.spent, name) + (self._in_flight if name == "calls" else 0)
            if limit is not None and spent >= limit:
                return f"the budget of {limit:g} {unit} is spent"
        return None

    def charge(self, worker: Worker, key: CallKey, reply: Reply) -> None:
        entry = {
            **asdict(key),
            "worker": worker.name,
            "model": reply.model or worker.model,
            "input_tokens": reply.input_tokens,
            "output_tokens": reply.output_tokens,
            "cost": reply.cost if reply.fault is None else reply.cost or 0.0,
            "calls": reply.calls,
            "seconds": round(reply.seconds, 3),
            "fault": reply.fault,
        }
        if self._path is None:
            self.spent.add(entry)
        else:
            append_line(self._path, entry)

    def _catch_up(self) -> None:
        """Count what was appended since, by whomever."""
        for _, line in self._tail.lines() if self._tail else ():
            if entry := read_object(line):
                self.spent.add(entry)


def read_ledger(path: Path) -> list[dict[str, Any]]:
    """All entries; lines that were torn by a crash are left out."""
    with path.open("rb") as file:
        return [entry for line in file if (entry := read_object(line))]
