"""Whether a configuration can work at all, said before anything is paid for and at its line."""

from __future__ import annotations

from collections.abc import Sequence

from conductor.policies import Policy, Prompted, Single, make_policy
from conductor.pool import Pool, Worker
from conductor.settings import Settings
from conductor.strict import ConfigError, Document

FREE = ("local", "mockllm", "none")  # providers that nobody is billed for


def check_reach(documents: Sequence[Document], settings: Settings, pool: Pool) -> None:
    """Raises ConfigError: an unknown policy, a worker it names that may not be called, a pool that
    the constraints leave empty, a budget in dollars over workers without a price."""
    try:
        policy = make_policy(settings, pool)
    except ConfigError as cause:
        raise _at(documents, "policy", str(cause)) from cause
    _check_constraints(documents, settings, pool, policy)
    _check_prices(documents, settings, pool, policy)


def callable_workers(settings: Settings, pool: Pool, policy: Policy) -> tuple[Worker, ...]:
    """Whom a run may call: a single worker (and its fallbacks) needs nobody else's key."""
    allowed = [worker for worker in pool.workers if settings.constraints.allow(worker)]
    if isinstance(policy, Single) and not settings.depth:
        first = allowed[0] if policy.worker is None else pool.workers[policy.worker]
        return (first, *(worker for worker in allowed if worker.name in first.fallback))
    return tuple(allowed)


def unpriced(settings: Settings, pool: Pool, policy: Policy) -> Worker | None:
    """Somebody who may be called and whose price nobody knows: no budget in dollars can hold."""
    own = policy_worker(policy, settings)
    for worker in (*callable_workers(settings, pool, policy), *([own] if own else [])):
        if worker.price is None and worker.model.partition("/")[0] not in FREE:
            return worker
    return None


def policy_worker(policy: Policy, settings: Settings) -> Worker | None:
    """The policy's own model as a worker, if it has one."""
    if isinstance(policy, Prompted):
        return Worker("policy", policy.model, price=settings.policy_price, where="-M policy")
    return None


def _check_constraints(
    documents: Sequence[Document], settings: Settings, pool: Pool, policy: Policy
) -> None:
    objections = {w.name: settings.constraints.objection(w) for w in pool.workers}
    if all(objections.values()):
        listing = "; ".join(f"{name} {reason}" for name, reason in list(objections.items())[:8])
        raise _at(documents, "constraints", f"no worker of the pool is allowed: {listing}")
    for ordinal in getattr(policy, "workers", ()):
        name = pool.workers[ordinal].name
        if objections[name]:
            raise _at(documents, "policy", f"worker {name!r} is not allowed: it {objections[name]}")
        if settings.pool_subset:
            raise _at(
                documents, "policy",
                f"{settings.policy!r} names a worker that `pool_subset` may leave out; drop one",
            )  # fmt: skip
    own = policy_worker(policy, settings)
    denied = settings.constraints.deny_providers
    if own and {p.lower() for p in denied} & set(own.model.lower().split("/")[:-1]):
        raise _at(documents, "policy", f"{own.model!r} is of a denied provider")


def _check_prices(
    documents: Sequence[Document], settings: Settings, pool: Pool, policy: Policy
) -> None:
    budget = settings.budget
    if budget.dollars is None or budget.unknown_price == "allow":
        return
    if worker := unpriced(settings, pool, policy):
        raise _at(
            documents, "budget",
            f"worker {worker.name!r} has no price, so no budget in dollars can hold: give it "
            f"`{'policy_price' if worker.name == 'policy' else 'price'}: {{input: …, output: …}}`, "
            "or say unknown_price: allow",
        )  # fmt: skip


def _at(documents: Sequence[Document], key: str, message: str) -> ConfigError:
    """The error at the place where `key` was written last."""
    named = [document for document in documents if key in document.data]
    return named[-1].error((key,), message) if named else ConfigError(message)
