"""Workers that are plain functions: what the core is tested with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conductor import CallKey, Message, Pool, Reply, Worker

Answer = Callable[[Worker, Sequence[Message], CallKey], "str | Reply"]


def pool_of(*names: str, prefill: bool = False) -> Pool:
    workers = (Worker(name, f"fake/{name}", prefill=prefill) for name in names or ("a", "b", "c"))
    return Pool("test", tuple(workers))


class FakeCall:
    """A `Call` that answers by a function and remembers what it was asked."""

    def __init__(self, answer: Answer | str = "fine") -> None:
        self.answer = answer
        self.asked: list[tuple[Worker, tuple[Message, ...], CallKey]] = []

    async def __call__(self, worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
        self.asked.append((worker, tuple(messages), key))
        answer = self.answer
        said = answer if isinstance(answer, str) else answer(worker, messages, key)
        return said if isinstance(said, Reply) else Reply(said, worker.model, 10, 5)

    @property
    def keys(self) -> list[CallKey]:
        return [key for _, _, key in self.asked]


def fault(reason: str = "provider down") -> Reply:
    return Reply("", "fake/a", fault=reason, stop_reason="error")
