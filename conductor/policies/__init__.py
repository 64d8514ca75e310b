"""Policies make plans. A baseline is a policy too: it runs through the same executor."""

from __future__ import annotations

from conductor.policies.base import Context, Policy
from conductor.policies.prompted import Prompted
from conductor.policies.rule import Rule
from conductor.policies.single import Single
from conductor.pool import Pool
from conductor.settings import POLICIES, Settings
from conductor.strict import ConfigError, near

__all__ = ["Context", "Policy", "Prompted", "Rule", "Single", "make_policy"]


def make_policy(settings: Settings, pool: Pool) -> Policy:
    """The policy that `settings.policy` names. Raises ConfigError for one that there is not."""
    match settings.policy.partition(":"):
        case "rule", "", "":
            return Rule()
        case "single", "", "":
            return Single(0)
        case "single", ":", worker:
            return Single(pool.ordinal(worker))
        case _ if "/" in settings.policy:
            return Prompted(settings.policy)
    raise ConfigError(
        f"unknown policy {settings.policy!r}{near(settings.policy, POLICIES)} "
        "(or a model, PROVIDER/NAME)"
    )
