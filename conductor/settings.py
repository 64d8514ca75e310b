"""What a conductor is configured by: one frozen record, from a YAML file and single keys."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from conductor.plan import Access
from conductor.pool import Generation, Pool, read_generation, shipped_pools
from conductor.strict import ConfigError, Document, near

Resolve = Callable[[str], Path]


@dataclass(frozen=True, slots=True)
class Settings:
    """How plans are made and run.

    policy: ``rule``, ``single``, ``single:WORKER``, or an Inspect model string that writes plans.
    access: what a parsed plan may say. visible: who sees the whole question. plan_retries: how
    often an unusable plan is asked for anew (counted). describe: show the workers' descriptions
    beside their ordinals. generation: how a policy model samples. prefill: begin a policy model's
    reply for it, where its provider allows that. concurrency: steps of one plan that may run at
    once. deadline: seconds for one whole plan.
    """

    policy: str = "rule"
    max_steps: int = 5
    access: Access = "binary"
    seed: int = 0
    visible: Literal["every", "first"] = "every"
    plan_retries: int = 0
    describe: bool = False
    generation: Generation = Generation(temperature=1.0, max_tokens=1024)
    prefill: bool = False
    concurrency: int = 16
    deadline: float = 3600.0


@dataclass(frozen=True, slots=True)
class Config:
    """Settings and the pool they are for."""

    settings: Settings
    pool: Pool

    @property
    def fingerprint(self) -> str:
        """16 hex digits that differ whenever an answer could: the configuration's cache key."""
        workers = [asdict(replace(worker, where="")) for worker in self.pool.workers]
        data = {"settings": asdict(self.settings), "workers": workers}
        text = json.dumps(data, sort_keys=True, default=repr)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


KEYS = (
    "policy", "pool", "max_steps", "access", "seed", "visible", "plan_retries", "describe",
    "generation", "prefill", "concurrency", "deadline",
)  # fmt: skip


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
        settings = _settings(document, settings)
    named = [document for document in documents if "pool" in document.data]
    pool = _pool(named[-1], resolve) if named else Pool.shipped("default")
    _check_worker(documents, pool)
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


def _policy(document: Document, place: tuple[str | int, ...], value: Any) -> str:
    """`rule`, `single`, `single:WORKER`, or a model."""
    text = document.text(place, value, "`policy`")
    if text in POLICIES or text.startswith("single:") or "/" in text:
        return text
    raise document.error(
        place, f"unknown policy {text!r}{near(text, POLICIES)} (or a model, PROVIDER/NAME)"
    )


def _check_worker(documents: list[Document], pool: Pool) -> None:
    """A worker that the policy names must be in the pool: said where it is named."""
    named = [document for document in documents if "policy" in document.data]
    policy = named[-1].data["policy"] if named else ""
    if policy.startswith("single:"):
        try:
            pool.ordinal(policy.removeprefix("single:"))
        except ConfigError as cause:
            raise named[-1].error(("policy",), str(cause)) from cause


POLICIES = ("rule", "single")
_READ: dict[str, Any] = {
    "policy": _policy,
    "max_steps": lambda d, p, v: d.integer(p, v, 1, 100, "`max_steps`"),
    "access": lambda d, p, v: d.one_of(p, v, ("binary", "positions"), "access"),
    "seed": lambda d, p, v: d.integer(p, v, 0, 2**63 - 1, "`seed`"),
    "visible": lambda d, p, v: d.one_of(p, v, ("every", "first"), "value of `visible`"),
    "plan_retries": lambda d, p, v: d.integer(p, v, 0, 100, "`plan_retries`"),
    "describe": lambda d, p, v: d.flag(p, v, "`describe`"),
    "generation": read_generation,
    "prefill": lambda d, p, v: d.flag(p, v, "`prefill`"),
    "concurrency": lambda d, p, v: d.integer(p, v, 1, 1000, "`concurrency`"),
    "deadline": lambda d, p, v: d.number(p, v, 0.1, 10**6, "`deadline`"),
}

__all__ = ["POLICIES", "Config", "ConfigError", "Settings", "read_config"]
