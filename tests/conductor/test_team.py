"""Who may be called: constraints, drawn subsets, fallbacks; never anybody else."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductor import (
    CallKey,
    ConfigError,
    Message,
    Plan,
    Pool,
    Reply,
    Settings,
    Step,
    Worker,
    conduct,
    make_policy,
    read_config,
)
from conductor.call import POLICY_STEP
from conductor.constraints import Constraints
from conductor.ledger import Budget, Ledger
from conductor.policies import POLICIES
from conductor.pool import Generation, Price
from conductor.recording import Recorder, Recording
from conductor.team import Team, listed_workers
from tests.conductor.fakes import FakeCall, fault, pool_of

TAGS = ("open", "beta", "eu")
PROVIDERS = ("openai", "anthropic", "vllm", "openrouter/openai")


@st.composite
def pools(draw: st.DrawFn) -> Pool:
    count = draw(st.integers(1, 6))
    names = [f"w{number}" for number in range(count)]
    workers = [
        Worker(
            name,
            f"{draw(st.sampled_from(PROVIDERS))}/{name}",
            price=draw(st.none() | st.builds(Price, st.just(1.0), st.floats(0, 20))),
            tags=tuple(draw(st.sets(st.sampled_from(TAGS)))),
            latency=draw(st.none() | st.floats(0, 100)),
            fallback=tuple(draw(st.lists(st.sampled_from(names), unique=True, max_size=3))),
        )
        for name in names
    ]
    workers = [
        replace(worker, fallback=tuple(f for f in worker.fallback if f != worker.name))
        for worker in workers
    ]
    return Pool("drawn", tuple(workers))


constraints = st.builds(
    Constraints,
    open_only=st.booleans(),
    max_price=st.none() | st.floats(0, 20),
    max_latency=st.none() | st.floats(0, 100),
    deny_providers=st.lists(st.sampled_from(["openai", "VLLM"]), max_size=1).map(tuple),
    deny_tags=st.lists(st.sampled_from(TAGS), max_size=1).map(tuple),
    require_tags=st.lists(st.sampled_from(TAGS), max_size=1).map(tuple),
)


@given(
    pools(),
    constraints,
    st.sampled_from([n for n, entry in POLICIES.items() if "TABLE" not in entry.usage] + ["x/m"]),
    st.integers(0, 3),
    st.integers(0, 2),
    st.integers(0, 1),
    st.sampled_from([(), ((2, 1.0),), ((1, 1.0), (3, 2.0))]),
)
def test_no_forbidden_worker_is_ever_called_whatever_policy_rounds_or_fallback(
    pool: Pool,
    limits: Constraints,
    policy: str,
    failing: int,
    rounds: int,
    depth: int,
    subset: tuple[tuple[int, float], ...],
) -> None:
    settings = Settings(policy, constraints=limits, rounds=rounds, depth=depth, pool_subset=subset)
    listed = listed_workers(pool, settings, "p")
    if not listed:
        return
    everybody = Plan(tuple(Step(n, "Do it.") for n in range(min(5, len(pool))))).render()

    def answer(worker: Worker, messages: Sequence[Message], key: CallKey) -> str | Reply:
        if key.step == POLICY_STEP:
            return everybody  # a policy that names forbidden workers too
        return fault() if crc32(f"{worker.name}{key.step}".encode()) % 4 < failing else "Best: 0"

    call = FakeCall(answer)
    made = make_policy(settings, pool)
    asyncio.run(conduct("q", made, pool, settings, call=call, key=CallKey("p")))
    called = {worker.name for worker, _, key in call.asked if key.step != POLICY_STEP}
    if depth == 0:
        assert called <= {pool.workers[ordinal].name for ordinal in listed}
    for worker, _, key in call.asked:
        if key.step != POLICY_STEP:
            assert limits.objection(worker) is None


def test_a_subset_is_a_function_of_seed_and_problem_and_keeps_ordinals() -> None:
    pool = pool_of(*"abcdefg")
    settings = Settings(pool_subset=((3, 1.0),))
    drawn = [listed_workers(pool, settings, f"p{n}") for n in range(700)]
    assert drawn == [listed_workers(pool, settings, f"p{n}") for n in range(700)]
    assert {len(one) for one in drawn} == {3}
    assert all(one == tuple(sorted(one)) for one in drawn)
    assert len(set(drawn)) == 35, "every subset of three of seven comes up"
    counts = Counter(ordinal for one in drawn for ordinal in one)
    assert all(240 < count < 360 for count in counts.values()), "300 expected, 13 is one sigma"
    assert drawn != [listed_workers(pool, replace(settings, seed=1), f"p{n}") for n in range(700)]
    assert [listed_workers(pool, settings, f"p{n}") for n in range(3)] == PINNED


PINNED = [(0, 1, 2), (2, 5, 6), (0, 5, 6)]


def test_sizes_are_drawn_by_their_weights() -> None:
    settings = Settings(pool_subset=((2, 1.0), (4, 3.0)))
    sizes = Counter(len(listed_workers(pool_of(*"abcde"), settings, f"p{n}")) for n in range(800))
    assert set(sizes) == {2, 4}
    assert 540 < sizes[4] < 660, "600 expected, 12 is one sigma"


def test_a_policy_is_shown_the_listed_workers_only() -> None:
    settings = Settings("x/m", constraints=Constraints(deny_tags=("slow",)))
    pool = Pool("t", (Worker("a", "x/a"), Worker("b", "x/b", tags=("Slow",)), Worker("c", "x/c")))
    call = FakeCall(Plan((Step(2, "Do it."),)).render())
    policy = make_policy(settings, pool)
    asyncio.run(conduct("q", policy, pool, settings, call=call, key=CallKey("p")))
    shown = call.asked[0][1][-1].text.split("AVAILABLE LANGUAGE MODELS:")[-1]
    assert shown.split("\n")[1:] == ["Model id 0", "Model id 2"]


def ask(pool: Pool, answer: FakeCall, asked: int = 0, listed: Sequence[int] | None = None) -> Reply:
    team = Team(answer, pool, range(len(pool)) if listed is None else listed)
    messages = [Message("system", "old"), Message("user", "q"), Message("assistant", "Let")]
    return asyncio.run(team(pool.workers[asked], messages, CallKey("p")))


A = Worker("a", "x/a", fallback=("b", "c"))
B = Worker("b", "x/b", generation=Generation(system="new"), prefill=True)
C = Worker("c", "x/c")
CHAIN = Pool("chain", (A, B, C))


def test_a_fallback_takes_over_in_order_and_says_so() -> None:
    call = FakeCall(lambda w, m, k: fault("down") if w.name == "a" else "from b")
    reply = ask(CHAIN, call)
    assert (reply.text, reply.worker, reply.fault) == ("from b", "b", None)
    assert (reply.calls, reply.retries) == (2, 1)
    assert [m.text for m in call.asked[1][1]] == ["new", "q", "Let"], "its own system message"


def test_what_the_failed_calls_cost_is_part_of_the_reply() -> None:
    def answer(worker: Worker, messages: Sequence[Message], key: CallKey) -> Reply:
        failed = "cut off" if worker.name == "a" else None
        return Reply("ok", worker.model, 10, 5, cost=0.25, seconds=1.0, fault=failed)

    reply = ask(CHAIN, FakeCall(answer))
    assert (reply.input_tokens, reply.output_tokens, reply.cost, reply.seconds) == (20, 10, 0.5, 2)


def test_a_withheld_answer_goes_to_the_fallback_and_stays_as_it_is_without_one() -> None:
    withheld = Reply("", "x/a", stop_reason="content_filter")
    call = FakeCall(lambda w, m, k: withheld if w.name == "a" else "from b")
    assert ask(CHAIN, call).text == "from b"
    assert ask(CHAIN, call, listed=[0]) == withheld


def test_a_fallback_that_is_not_listed_is_passed_over() -> None:
    call = FakeCall(lambda w, m, k: fault("down") if w.name == "a" else f"from {w.name}")
    assert ask(CHAIN, call, listed=[0, 2]).text == "from c"


def test_when_everybody_fails_the_last_fault_remains() -> None:
    reply = ask(CHAIN, FakeCall(lambda w, m, k: fault(f"{w.name} down")))
    assert (reply.fault, reply.worker, reply.calls) == ("c down", "c", 3)


def test_who_is_not_listed_is_a_fault_and_no_call() -> None:
    call = FakeCall()
    assert "not among the allowed" in str(ask(CHAIN, call, asked=1, listed=[0]).fault)
    assert call.asked == []


@pytest.mark.parametrize(
    ("worker", "limits", "objection"),
    [
        (Worker("a", "x/a"), Constraints(open_only=True), "not tagged `open`"),
        (Worker("a", "x/a", tags=("OPEN",)), Constraints(open_only=True), None),
        (Worker("a", "x/a"), Constraints(max_price=1), "states no price"),
        (Worker("a", "x/a", price=Price(9, 1)), Constraints(max_price=1), None),
        (Worker("a", "x/a", price=Price(0, 2)), Constraints(max_price=1), "costs more than $1"),
        (Worker("a", "x/a", latency=3), Constraints(max_latency=2), "takes longer than 2 s"),
        (Worker("a", "OpenAI/a"), Constraints(deny_providers=("openai",)), "denied provider"),
        (
            Worker("a", "openrouter/openai/gpt"),
            Constraints(deny_providers=("openai",)),
            "denied provider",
        ),
        (Worker("openai", "x/openai"), Constraints(deny_providers=("openai",)), None),
        (Worker("a", "x/a", tags=("b",)), Constraints(require_tags=("c",)), "lacks the tag"),
    ],
)
def test_each_constraint_says_what_it_objects_to(
    worker: Worker, limits: Constraints, objection: str | None
) -> None:
    found = limits.objection(worker)
    assert found is None if objection is None else objection in str(found)


WORKERS = [
    {"name": "a", "model": "openai/a", "price": {"input": 1, "output": 2}},
    {"name": "b", "model": "x/b", "fallback": ["a"]},
]


@pytest.mark.parametrize(
    ("keys", "error"),
    [
        ({"constraints": {"open_only": True}}, "no worker of the pool is allowed: a is not tagged"),
        ({"constraints": {"opn": True}}, "unknown key 'opn' of `constraints`"),
        (
            {"constraints": {"deny_providers": ["openai"]}, "policy": "single:a"},
            "worker 'a' is not allowed: it is of the denied provider 'openai'",
        ),
        (
            {"constraints": {"deny_providers": ["openai"]}, "policy": "openai/gpt"},
            "is of a denied provider",
        ),
        ({"policy": "vote:3:a", "pool_subset": 1}, "names a worker that `pool_subset` may leave"),
        ({"budget": {"dollars": 1}}, "worker 'b' has no price"),
        (
            {"budget": {"dollars": 1}, "pool": WORKERS[:1], "policy": "openai/gpt"},
            "worker 'policy' has no price, so no budget in dollars can hold: give it `policy_price",
        ),
        ({"policy_price": {"input": 1}}, "`policy_price` needs `input` and `output`"),
        ({"pool_subset": {"many": 1}}, "`pool_subset` is a size"),
        ({"pool_subset": 0}, "`pool_subset` must lie between 1"),
        ({"policy": "vote:x"}, "'x' is no number from 1 to 1000; it is written vote[:N[:WORKER]]"),
        ({"policy": "moa:1:d"}, "unknown worker 'd'"),
        ({"policy": "oracle"}, "needs a table of scores"),
        ({"policy": "oracle:none.jsonl"}, "none.jsonl"),
        ({"recording": {"on_miss": "live"}}, "`recording` needs `path:`"),
        ({"breaker": {"failures": -1}}, "`failures` must lie between"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_paid_for(
    keys: dict[str, object], error: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        read_config(None, {"pool": WORKERS, **keys})
    assert error in str(caught.value)


@pytest.mark.parametrize(
    "keys",
    [
        {"budget": {"dollars": 1}, "policy": "single:a"},
        {"budget": {"dollars": 1, "unknown_price": "allow"}},
        {"budget": {"calls": 1}},
        {
            "budget": {"dollars": 1},
            "pool": WORKERS[:1],
            "policy": "openai/gpt",
            "policy_price": {"input": 1, "output": 2},
        },
        {"constraints": {"deny_providers": ["openai"]}, "policy": "single:b"},
    ],
)
def test_what_can_work_is_not_refused(keys: dict[str, object]) -> None:
    read_config(None, {"pool": WORKERS, **keys})


def test_a_fallback_must_be_another_worker_of_the_pool() -> None:
    for name in ("a", "z"):
        with pytest.raises(ConfigError, match="the fallback"):
            Pool("p", (Worker("a", "x/a", fallback=(name,)), Worker("b", "x/b")))


def void(worker: Worker, messages: Sequence[Message], key: CallKey) -> str | Reply:
    """Empty at the first draw of each key."""
    return "" if key.attempt >= 0 else "at last"


def test_an_empty_answer_gets_one_more_draw_under_a_key_of_its_own() -> None:
    call = FakeCall(void)
    reply = ask(CHAIN, call)
    assert (reply.text, reply.calls, reply.retries, reply.input_tokens) == ("at last", 2, 1, 20)
    assert [key.attempt for key in call.keys] == [0, -1]


@pytest.mark.parametrize("reason", ["max_tokens", "content_filter"])
def test_an_empty_answer_that_has_a_reason_is_not_drawn_again(reason: str) -> None:
    call = FakeCall(lambda w, m, k: Reply("", w.model, stop_reason=reason))
    ask(CHAIN, call, asked=2)
    assert len(call.asked) == 1


def test_a_budget_in_calls_is_exact_for_second_draws_too() -> None:
    call = FakeCall(void)
    ledger = Ledger(Budget(calls=1))
    team = Team(ledger.around(call), CHAIN, [2])
    reply = asyncio.run(team(C, [Message("user", "q")], CallKey("p")))
    assert len(call.asked) == 1
    assert "budget of 1 calls" in str(reply.fault), "unscored and run again, no empty answer"


def test_second_draws_are_recorded_and_replayed(tmp_path: Path) -> None:
    recorder = Recorder(Recording(str(tmp_path / "calls.jsonl")))
    first = ask(CHAIN, recorder.around(FakeCall(void)), asked=2)  # type: ignore[arg-type]
    again = FakeCall("another")
    assert ask(CHAIN, recorder.around(again), asked=2) == first  # type: ignore[arg-type]
    assert again.asked == []
