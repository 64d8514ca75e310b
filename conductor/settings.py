"""How plans are made and run: one frozen record. `conductor.config` reads it from YAML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conductor.breaker import Breaking
from conductor.constraints import Constraints
from conductor.ledger import Budget
from conductor.plan import Access
from conductor.pool import Generation, Price
from conductor.recording import Recording


@dataclass(frozen=True, slots=True)
class Settings:
    """How plans are made and run.

    policy: see `conductor.policies.make_policy`. rounds: how often an answer may be reconsidered
    by a further plan. depth: how deep the conductor may call itself as a worker (0: not at all).
    replan: whether, after each step, the policy may write the remaining ones anew. access: what a
    parsed plan may say. visible: who sees the whole question. pool_subset: (size, weight) of the
    subset of the pool that is drawn for each question; empty is the whole pool. plan_retries: how
    often an unusable plan is asked for anew (counted). describe: show the workers' descriptions
    beside their ordinals. generation: how a policy model samples. prefill: begin a policy model's
    reply for it, where its provider allows that. policy_price: what its tokens cost. concurrency:
    steps of one plan that may run at once. deadline: seconds for one whole plan. breaker: when a
    dead worker is left alone.
    """

    policy: str = "rule"
    max_steps: int = 5
    rounds: int = 0
    depth: int = 0
    replan: bool = False
    access: Access = "binary"
    seed: int = 0
    visible: Literal["every", "first"] = "every"
    pool_subset: tuple[tuple[int, float], ...] = ()
    constraints: Constraints = Constraints()
    plan_retries: int = 0
    describe: bool = False
    generation: Generation = Generation(temperature=1.0, max_tokens=1024)
    prefill: bool = False
    policy_price: Price | None = None
    concurrency: int = 16
    deadline: float = 3600.0
    breaker: Breaking = Breaking()
    budget: Budget = Budget()
    recording: Recording = Recording()
