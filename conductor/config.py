"""What a conductor is configured by: a YAML file and single keys on top, read strictly."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from conductor.breaker import Breaking
from conductor.constraints import read_constraints
from conductor.ledger import Budget
from conductor.pool import Pool, read_generation, read_price, shipped_pools
from conductor.reach import check_reach
from conductor.recording import Recording
from conductor.settings import Settings
from conductor.strict import ConfigError, Document, Place, near

Resolve = Callable[[str], Path]

TABLE_POLICIES = ("router", "cascade", "oracle")  # their argument is a file
BY_THE_WAY = (
    "policy_price",
    "concurrency",
    "breaker",
    "budget",
    "recording",
)  # they change no answer


@dataclass(frozen=True, slots=True)
class Config:
    """Settings and the pool they are for."""

    settings: Settings
    pool: Pool

    @property
    def fingerprint(self) -> str:
        """16 hex digits that differ whenever an answer could: the configuration's cache key."""
        workers = [asdict(replace(worker, where="")) for worker in self.pool.workers]
        settings = {k: v for k, v in asdict(self.settings).items() if k not in BY_THE_WAY}
        data = {"settings": settings, "workers": workers}
        text = json.dumps(data, sort_keys=True, default=repr)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def read_config(
    path: Path | None = None,
    overrides: Mapping[str, Any] | None = None,
    resolve: Resolve = Path,
    source: str = "-M",
) -> Config:
    """The configuration of `path`, single keys of `overrides` on top.

    resolve: makes a path of what the user wrote (relative to the folder they stand in). source:
    what errors call the place where the overrides were written.
    Raises ConfigError with the place and the remedy.
    """
    documents = [Document(source, dict(overrides or {}), {})]
    if path is not None:
        documents.insert(0, Document.read(path))
    settings = Settings()
    for document in documents:
        document.mapping((), document.data, KEYS, "the configuration")
        settings = _placed(document, _settings(document, settings), resolve)
    named = [document for document in documents if "pool" in document.data]
    pool = _pool(named[-1], resolve) if named else Pool.shipped("default")
    check_reach(documents, settings, pool)
    return Config(settings, pool)


def _settings(document: Document, base: Settings) -> Settings:
    fields = {key: _READ[key](document, (key,), document.data[key])
              for key in document.data if key != "pool"}  # fmt: skip
    return replace(base, **fields)


def _pool(document: Document, resolve: Resolve) -> Pool:
    """A shipped pool's name, a file, or a list of workers on the spot."""
    value = document.data["pool"]
    if not isinstance(value, str):
        return Pool.of(document, ("pool",))
    if value in shipped_pools():
        return Pool.shipped(value)
    if not value.endswith((".yaml", ".yml")):
        hint = near(value, shipped_pools())
        raise document.error(("pool",), f"no pool {value!r}{hint} (or a .yaml file of your own)")
    try:
        return Pool.read(resolve(value))
    except FileNotFoundError as cause:
        raise document.error(("pool",), str(cause)) from cause


def _policy(document: Document, place: Place, value: Any) -> str:
    """The name of a policy (and its parameters), or a model."""
    return document.text(place, value, "`policy`")


def _subset(document: Document, place: Place, value: Any) -> tuple[tuple[int, float], ...]:
    """A size, or a mapping of sizes to weights."""
    if not isinstance(value, dict):
        return ((document.integer(place, value, 1, 1000, "`pool_subset`"), 1.0),)
    sizes = []
    for size, weight in value.items():
        if not str(size).isdecimal() or int(size) < 1:
            raise document.error(place, "`pool_subset` is a size, or sizes: weights, e.g. {3: 1}")
        sizes.append((int(size), document.number(place, weight, 0, 1e6, "a weight")))
    if sum(weight for _, weight in sizes) <= 0:
        raise document.error(place, "`pool_subset` needs a size of positive weight")
    return tuple(sorted(sizes))


def _breaker(document: Document, place: Place, value: Any) -> Breaking:
    data = document.mapping(place, value, ("failures", "seconds"), "`breaker`")
    failures = document.integer(place, data.get("failures", 5), 0, 10**6, "`failures`")
    return Breaking(
        failures, document.number(place, data.get("seconds", 30), 0, 86_400, "`seconds`")
    )


def _budget(document: Document, place: Place, value: Any) -> Budget:
    data = document.mapping(
        place, value, ("dollars", "tokens", "calls", "ledger", "unknown_price"), "`budget`"
    )
    read: dict[str, Any] = {
        "dollars": lambda v: document.number((*place, "dollars"), v, 0, 1e9, "`dollars`"),
        "tokens": lambda v: document.integer((*place, "tokens"), v, 0, 10**15, "`tokens`"),
        "calls": lambda v: document.integer((*place, "calls"), v, 0, 10**12, "`calls`"),
        "ledger": lambda v: _path(document, (*place, "ledger"), v),
        "unknown_price": lambda v: document.one_of(
            (*place, "unknown_price"), v, ("refuse", "allow"), "value of `unknown_price`"
        ),
    }
    return Budget(**{key: read[key](data[key]) for key in data})


def _recording(document: Document, place: Place, value: Any) -> Recording:
    """A path, or a path and what to do when it lacks a call."""
    if isinstance(value, str):
        return Recording(_path(document, place, value))
    data = document.mapping(place, value, ("path", "on_miss"), "`recording`")
    if "path" not in data:
        raise document.error(place, "`recording` needs `path:`, the file of recorded calls")
    known = ("live", "error")
    miss = document.one_of((*place, "on_miss"), data.get("on_miss", "live"), known, "`on_miss`")
    return Recording(_path(document, (*place, "path"), data["path"]), miss)  # type: ignore[arg-type]


def _path(document: Document, place: Place, value: Any) -> str:
    return document.text(place, value, f"`{place[-1]}`")


def _placed(document: Document, settings: Settings, resolve: Resolve) -> Settings:
    """Files that are to be written, as absolute paths: Inspect changes folders while it runs."""
    ledger, path = settings.budget.ledger, settings.recording.path
    try:
        return replace(
            settings,
            policy=_with_table(settings.policy, resolve),
            budget=replace(settings.budget, ledger=_absolute(ledger, resolve)),
            recording=replace(settings.recording, path=_absolute(path, resolve)),
        )
    except FileNotFoundError as cause:
        raise document.error((), str(cause)) from cause


def _with_table(policy: str, resolve: Resolve) -> str:
    name, _, path = policy.partition(":")
    return f"{name}:{resolve(path)}" if path and name in TABLE_POLICIES else policy


def _absolute(written: str | None, resolve: Resolve) -> str | None:
    if written is None:
        return None
    path = Path(written).expanduser()
    return str(resolve(str(path.parent)).absolute() / path.name)


def _in(low: int, high: int) -> Any:
    return lambda d, p, v: d.integer(p, v, low, high, f"`{p[-1]}`")


def _flag(document: Document, place: Place, value: Any) -> bool:
    return document.flag(place, value, f"`{place[-1]}`")


_READ: dict[str, Any] = {
    "policy": _policy,
    "max_steps": _in(1, 100),
    "rounds": _in(0, 20),
    "depth": _in(0, 5),
    "replan": _flag,
    "access": lambda d, p, v: d.one_of(p, v, ("binary", "positions"), "access"),
    "seed": _in(0, 2**63 - 1),
    "visible": lambda d, p, v: d.one_of(p, v, ("every", "first"), "value of `visible`"),
    "pool_subset": _subset,
    "constraints": read_constraints,
    "plan_retries": _in(0, 100),
    "describe": _flag,
    "generation": read_generation,
    "prefill": _flag,
    "policy_price": read_price,
    "concurrency": _in(1, 1000),
    "deadline": lambda d, p, v: d.number(p, v, 0.1, 10**6, "`deadline`"),
    "breaker": _breaker,
    "budget": _budget,
    "recording": _recording,
}

KEYS = ("policy", "pool", *(key for key in _READ if key != "policy"))

__all__ = ["KEYS", "Config", "ConfigError", "read_config"]
