"""What `--systems` names: policies under one configuration, each a system with its own logs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from conductor.config import Config
from conductor.policies import POLICIES, make_policy
from conductor.strict import ConfigError

OWN = "conductor"  # the configuration's own policy
EACH = "each"  # every single worker
SIZED = ("reflect", "vote", "best-of")  # policies whose number of calls can be chosen


@dataclass(frozen=True, slots=True)
class System:
    """name: of its folder of logs and of its model in them. policy: as in a configuration; None
    is the configuration's own. rounds: None is the configuration's own."""

    name: str
    policy: str | None = None
    rounds: int | None = None

    @property
    def kind(self) -> str:
        return (self.policy or OWN).partition(":")[0]


def read_systems(text: str, config: Config, rounds: Sequence[int] = ()) -> list[System]:
    """The systems of a comma-separated list, in order. Raises ConfigError for an unknown one.

    rounds: a conductor that can reconsider its answer becomes one system for each.
    """
    systems: list[System] = []
    for name in filter(None, (part.strip() for part in text.split(","))):
        systems += _expand(name, config, rounds)
    if not systems:
        raise ConfigError("--systems names none; for example --systems conductor,single,vote")
    names = [system.name for system in systems]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"--systems names {name} twice")
    return systems


def _expand(name: str, config: Config, rounds: Sequence[int]) -> list[System]:
    if name == EACH:
        allowed = [w for w in config.pool.workers if config.settings.constraints.allow(w)]
        return [_system(f"single:{worker.name}") for worker in allowed]
    if name != OWN:
        make_policy(replace(config.settings, policy=name), config.pool)
    system = System(OWN) if name == OWN else _system(name)
    reconsiders = name in (OWN, "rule") or "/" in name
    if not rounds or not reconsiders:
        return [system]
    return [replace(system, name=f"{system.name}-r{n}", rounds=n) for n in rounds]


def _system(policy: str) -> System:
    return System(re.sub(r"[^A-Za-z0-9._-]+", "-", policy).strip("-"), policy)


def read_rounds(text: str | None) -> list[int]:
    """`2`, `0,1,3` or `0..3`. Raises ConfigError."""
    if text is None:
        return []
    if found := re.fullmatch(r"(\d{1,2})\.\.(\d{1,2})", text.strip()):
        return list(range(int(found[1]), int(found[2]) + 1))
    if re.fullmatch(r"\d{1,2}(\s*,\s*\d{1,2})*", text.strip()):
        return sorted({int(part) for part in text.split(",")})
    raise ConfigError(f"--rounds {text!r}: a number, a list (0,1,3) or a range (0..3)")


def sized(system: System, reference: float, one_call: float) -> System:
    """The system with as many calls as cost what the reference costs (at least one answer).

    reference, one_call: mean cost of a question, in the same unit.
    """
    calls = max(1, round(reference / one_call)) if one_call > 0 else 1
    name, _, arguments = (system.policy or "").partition(":")
    answers = max(1, calls - 1) if name == "best-of" else calls  # its judge is a call too
    worker = arguments.partition(":")[2]
    return _system(":".join(filter(None, (name, str(answers), worker))))


def known_systems() -> str:
    """For `--help`."""
    lines = [f"{OWN:<30} the configuration's own policy", f"{EACH:<30} every worker alone"]
    lines += [f"{entry.usage:<30} {entry.summary}" for entry in POLICIES.values()]
    return "\n".join([*lines, f"{'PROVIDER/NAME':<30} any model, prompted to write plans"])
