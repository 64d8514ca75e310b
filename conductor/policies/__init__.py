"""Policies make plans. A baseline is a policy too: it runs through the same executor."""

from __future__ import annotations

from conductor.policies.base import Context, Policy, PolicyFault
from conductor.policies.catalogue import POLICIES, make_policy
from conductor.policies.prompted import Prompted
from conductor.policies.rule import Rule
from conductor.policies.single import Single

__all__ = [
    "POLICIES",
    "Context",
    "Policy",
    "PolicyFault",
    "Prompted",
    "Rule",
    "Single",
    "make_policy",
]
