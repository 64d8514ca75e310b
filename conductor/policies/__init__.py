"""Policies make plans. A baseline is a policy too: it runs through the same executor."""

from __future__ import annotations

from conductor.policies.base import Context, Policy
from conductor.policies.prompted import Prompted
from conductor.policies.rule import Rule
from conductor.policies.single import Single
from conductor.pool import Pool
from conductor.settings import Settings

__all__ = ["Context", "Policy", "Prompted", "Rule", "Single", "make_policy"]


def make_policy(settings: Settings, pool: Pool) -> Policy:
    """The policy that `settings.policy` names. Raises ConfigError for an unknown worker."""
    name, _, detail = settings.policy.partition(":")
    if "/" in settings.policy:
        return Prompted(settings.policy)
    if name == "single":
        return Single(pool.ordinal(detail) if detail else 0)
    return Rule()
