"""Policies by name: `NAME` or `NAME:ARGUMENT:…`, as `-M policy=` takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conductor.policies.base import Policy
from conductor.policies.best_of import BestOf
from conductor.policies.moa import MixtureOfAgents
from conductor.policies.prompted import Prompted
from conductor.policies.reflect import Reflect
from conductor.policies.routing import RandomWorker, RoundRobin
from conductor.policies.rule import Rule
from conductor.policies.single import Single
from conductor.policies.smoothie import Smoothie
from conductor.policies.table import Cascade, Oracle, Router, read_table
from conductor.policies.vote import Vote
from conductor.pool import Pool
from conductor.strict import ConfigError, near

if TYPE_CHECKING:
    from conductor.settings import Settings

Make = Callable[[Sequence[str], Pool], Policy]


@dataclass(frozen=True, slots=True)
class Entry:
    """usage: how it is written. summary: one line for people."""

    usage: str
    summary: str
    make: Make


def make_policy(settings: Settings, pool: Pool) -> Policy:
    """The policy that `settings.policy` names. Raises ConfigError saying how to write it."""
    text = settings.policy
    if "/" in text.partition(":")[0]:
        return Prompted(text)
    name, *arguments = text.split(":")
    if name not in POLICIES:
        known = near(name, POLICIES)
        raise ConfigError(f"unknown policy {text!r}{known} (or a model, PROVIDER/NAME)")
    entry = POLICIES[name]
    if len(arguments) > entry.usage.count(":") and "TABLE" not in entry.usage:
        raise ConfigError(f"unknown policy {text!r}; it is written {entry.usage}")
    try:
        return entry.make(arguments, pool)
    except _Usage as cause:
        raise ConfigError(f"policy {text!r}: {cause}; it is written {entry.usage}") from cause


class _Usage(ValueError):
    """An argument that does not fit."""


def _count(arguments: Sequence[str], position: int, default: int) -> int:
    text = arguments[position] if len(arguments) > position else ""
    if not text:
        return default
    if not text.isdecimal() or not 1 <= int(text) <= 1000:
        raise _Usage(f"{text!r} is no number from 1 to 1000")
    return int(text)


def _worker(arguments: Sequence[str], position: int, pool: Pool) -> int | None:
    """The ordinal of the named worker; None where none is named."""
    if len(arguments) <= position:
        return None
    if not arguments[position]:
        raise _Usage("a worker's name is missing after the colon")
    return pool.ordinal(arguments[position])


def _file(arguments: Sequence[str]) -> str:
    if not arguments or not arguments[0]:
        raise _Usage("it needs a table of scores (make one with `conductor table LOGS`)")
    return ":".join(arguments)


def _vote(arguments: Sequence[str], pool: Pool) -> Policy:
    if arguments[1:] == ["all"]:
        return Vote(_count(arguments, 0, len(pool)), everyone=True)
    return Vote(_count(arguments, 0, 5), _worker(arguments, 1, pool))


POLICIES: dict[str, Entry] = {
    "rule": Entry("rule", "one worker solves, another checks: a fixed rule", lambda a, p: Rule()),
    "single": Entry(
        "single[:WORKER]",
        "one worker alone (default: the first)",
        lambda a, p: Single(_worker(a, 0, p)),
    ),
    "reflect": Entry(
        "reflect[:N[:WORKER]]",
        "one worker answers, then reconsiders its answer; N calls (default 5)",
        lambda a, p: Reflect(_count(a, 0, 5), _worker(a, 1, p)),
    ),
    "vote": Entry(
        "vote[:N[:WORKER]]",
        "the majority of N answers (default 5) of one worker; WORKER `all` goes round the pool",
        _vote,
    ),
    "best-of": Entry(
        "best-of[:N[:WORKER[:JUDGE]]]",
        "a judge picks the best of N answers (default 5) of one worker",
        lambda a, p: BestOf(_count(a, 0, 5), _worker(a, 1, p), _worker(a, 2, p)),
    ),
    "moa": Entry(
        "moa[:LAYERS[:AGGREGATOR]]",
        "mixture of agents: layers of all workers (default 1), each seeing the one before, and an "
        "aggregator",
        lambda a, p: MixtureOfAgents(_count(a, 0, 1), _worker(a, 1, p)),
    ),
    "random": Entry("random", "one worker, drawn for each question", lambda a, p: RandomWorker()),
    "round-robin": Entry(
        "round-robin", "one worker; the epochs go round the pool", lambda a, p: RoundRobin()
    ),
    "smoothie": Entry(
        "smoothie",
        "all workers answer; the answer closest to all others counts (label-free)",
        lambda a, p: Smoothie(),
    ),
    "router": Entry(
        "router:TABLE",
        "one worker, predicted from similar questions in TABLE (RouterDC-like)",
        lambda a, p: Router(read_table(_file(a), p)),
    ),
    "cascade": Entry(
        "cascade:TABLE",
        "one to three workers, the more the harder TABLE lets a question seem (MasRouter-like)",
        lambda a, p: Cascade(read_table(_file(a), p)),
    ),
    "oracle": Entry(
        "oracle:TABLE",
        "the worker that TABLE says was right on this question: an upper bound, offline only",
        lambda a, p: Oracle(read_table(_file(a), p)),
    ),
}
