"""Workers and pools: which models may be called, with which settings, at which price."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conductor.strict import ConfigError, Document, Place, near

SHIPPED = Path(__file__).parent / "pools"
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")


@dataclass(frozen=True, slots=True)
class Generation:
    """How a worker samples; None leaves the provider's default.

    max_tokens, reasoning_tokens: tokens. system: a system message put before every prompt.
    """

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    reasoning_effort: str | None = None
    reasoning_tokens: int | None = None
    system: str | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    input: float
    output: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        return (input_tokens * self.input + output_tokens * self.output) / 1e6


@dataclass(frozen=True, slots=True)
class Worker:
    """One model under one setting.

    model: an Inspect model string (``openai/gpt-5``, ``vllm/…``, ``local/smollm2``).
    args: the provider's own arguments. timeout: seconds for one attempt at a call; a
    retry has as many again, within the plan's deadline.
    prefill: whether an assistant message may start its answer. backoff: seconds before the first
    retry, doubled for each further one (a provider's Retry-After counts first). latency: seconds
    that a call typically takes, as far as its pool file knows. fallback: names of workers that
    take its calls when it fails, in order.
    """

    name: str
    model: str
    generation: Generation = Generation()
    base_url: str | None = None
    args: Mapping[str, Any] = field(default_factory=dict)
    price: Price | None = None
    tags: tuple[str, ...] = ()
    description: str = ""
    prefill: bool = False
    timeout: float = 600.0
    max_retries: int = 5
    backoff: float = 1.0
    latency: float | None = None
    fallback: tuple[str, ...] = ()
    where: str = field(default="", compare=False)  # "file:line", for errors


@dataclass(frozen=True, slots=True)
class Pool:
    """The workers of a run; a worker's ordinal is its position here, always."""

    name: str
    workers: tuple[Worker, ...]

    def __post_init__(self) -> None:
        if not self.workers:
            raise ConfigError(f"{self.name}: a pool needs at least one worker")
        names = [worker.name for worker in self.workers]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ConfigError(f"{self.name}: the worker {twice[0]!r} stands twice")
        for worker in self.workers:
            for name in worker.fallback:
                if name not in names or name == worker.name:
                    place = worker.where or self.name
                    raise ConfigError(
                        f"{place}: worker {worker.name!r}: the fallback {name!r} is no other "
                        f"worker of this pool{near(name, [n for n in names if n != worker.name])}"
                    )

    def __len__(self) -> int:
        return len(self.workers)

    def ordinal(self, name: str) -> int:
        """The ordinal of the worker called `name` (or written as its ordinal)."""
        names = [worker.name for worker in self.workers]
        if name in names:
            return names.index(name)
        if name.isdecimal() and int(name) < len(self):
            return int(name)
        raise ConfigError(f"{self.name}: unknown worker {name!r}{near(name, names)}")

    @classmethod
    def read(cls, path: Path) -> Pool:
        """A pool file. Raises ConfigError with file, line and remedy."""
        return cls.of(Document.read(path))

    @classmethod
    def of(cls, document: Document, place: Place = ()) -> Pool:
        """A pool from a document: a list of workers, or a mapping with `workers`."""
        value: Any = document.data
        for key in place:
            value = value[key]
        if isinstance(value, dict) or not value:
            document.mapping(place, value or {}, ("workers",), "a pool")
            place, value = (*place, "workers"), (value or {}).get("workers")
        if not isinstance(value, list) or not value:
            raise document.error(place, "a pool needs `workers:`, a list with at least one worker")
        workers = [read_worker(document, (*place, i), item) for i, item in enumerate(value)]
        _refuse_doubles(document, place, workers)
        return cls(document.name, tuple(workers))

    @classmethod
    def shipped(cls, name: str) -> Pool:
        """A pool that comes with the package, by name."""
        return cls.read(SHIPPED / f"{name}.yaml")


def shipped_pools() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.yaml")))


WORKER_KEYS = (
    "name", "model", "generation", "base_url", "args", "price", "tags", "description", "prefill",
    "timeout", "max_retries", "backoff", "latency", "fallback",
)  # fmt: skip
SECRET = re.compile(r"(^|[_-])((api|access)?[_-]?key|token|secret|password|authorization)$", re.I)


def read_worker(document: Document, place: Place, value: Any) -> Worker:
    """One item of `workers:`."""
    _refuse_secrets(document, place, value)
    title = f"worker {value['name']!r}" if isinstance(value, dict) and "name" in value else "worker"
    _refuse_misplaced(document, place, value, title)
    data = document.mapping(place, value, WORKER_KEYS, title)
    if "model" not in data:
        raise document.error(place, f"{title} needs `model:`, e.g. model: local/smollm2")
    model = document.text((*place, "model"), data["model"], "`model`")
    if "/" not in model.strip("/"):
        raise document.error(
            (*place, "model"), f"`model` is PROVIDER/NAME, e.g. openai/gpt-5, not {model!r}"
        )
    where = str(document.error((*place, "model"), "")).removesuffix(": ")
    fields: dict[str, Any] = {"name": model, "model": model, "where": where}
    for key in data.keys() - {"model"}:
        fields[key] = _WORKER_FIELDS[key](document, (*place, key), data[key])
    return Worker(**fields)


def read_generation(document: Document, place: Place, value: Any) -> Generation:
    data = document.mapping(place, value, _GENERATION_FIELDS, "`generation`")
    return Generation(
        **{key: _GENERATION_FIELDS[key](document, (*place, key), data[key]) for key in data}
    )


def read_price(document: Document, place: Place, value: Any) -> Price:
    data = document.mapping(place, value, ("input", "output"), f"`{place[-1]}`")
    if set(data) != {"input", "output"}:
        raise document.error(
            place, f"`{place[-1]}` needs `input` and `output`, in $ per million tokens"
        )
    return Price(**{key: document.number((*place, key), data[key], 0, 1e6, key) for key in data})


def _args(document: Document, place: Place, value: Any) -> dict[str, Any]:
    _refuse_secrets(document, place, value)
    if not isinstance(value, dict):
        raise document.error(place, "`args` must be a mapping of the provider's arguments")
    return value


def _refuse_secrets(document: Document, place: Place, value: Any) -> None:
    """No keys in files: they end in logs, which carry the configuration, and in commits."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        if SECRET.search(str(key)):
            raise document.error(
                (*place, key),
                f"{key!r} does not belong in a file; set the provider's environment variable "
                "(e.g. OPENAI_API_KEY) instead",
            )
        _refuse_secrets(document, (*place, key), inner)


def _refuse_misplaced(document: Document, place: Place, value: Any, title: str) -> None:
    for key in value if isinstance(value, dict) else ():
        if key in _GENERATION_FIELDS:
            raise document.error(
                (*place, key),
                f"unknown key {key!r} of {title}; did you mean generation: {{{key}: …}}?",
            )


def _refuse_doubles(document: Document, place: Place, workers: list[Worker]) -> None:
    seen: set[str] = set()
    for index, worker in enumerate(workers):
        if worker.name in seen:
            raise document.error(
                (*place, index), f"the worker {worker.name!r} stands twice; give each a `name:`"
            )
        seen.add(worker.name)


def _text(document: Document, place: Place, value: Any) -> str:
    return document.text(place, value, f"`{place[-1]}`")


def _in(low: float, high: float) -> Any:
    return lambda document, place, value: document.number(place, value, low, high, f"`{place[-1]}`")


def _whole(low: int, high: int) -> Any:
    return lambda document, place, value: document.integer(
        place, value, low, high, f"`{place[-1]}`"
    )


_GENERATION_FIELDS: dict[str, Any] = {
    "temperature": _in(0, 5),
    "top_p": _in(0, 1),
    "top_k": _whole(0, 10**6),
    "presence_penalty": _in(-2, 2),
    "frequency_penalty": _in(-2, 2),
    "max_tokens": _whole(1, 10**7),
    "seed": _whole(0, 2**32 - 1),
    "reasoning_effort": lambda document, place, value: document.one_of(
        place, value, EFFORTS, "reasoning effort"
    ),
    "reasoning_tokens": _whole(0, 10**7),
    "system": _text,
}
_WORKER_FIELDS: dict[str, Any] = {
    "name": _text,
    "generation": read_generation,
    "base_url": _text,
    "args": _args,
    "price": read_price,
    "tags": lambda document, place, value: document.texts(place, value, "`tags`"),
    "description": _text,
    "prefill": lambda document, place, value: document.flag(place, value, "`prefill`"),
    "timeout": _in(0.1, 86_400),
    "max_retries": _whole(0, 100),
    "backoff": _in(0, 3600),
    "latency": _in(0, 86_400),
    "fallback": lambda document, place, value: document.texts(place, value, "`fallback`"),
}
