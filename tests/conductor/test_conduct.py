"""Question in, outcome out; and the policies that there are."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

import pytest

from conductor import (
    CallKey,
    ConfigError,
    Message,
    Outcome,
    Plan,
    Pool,
    Reply,
    Settings,
    Step,
    Worker,
    conduct,
    make_policy,
)
from conductor.call import POLICY_STEP
from conductor.policies import Context, Prompted, Rule, Single
from conductor.pool import Generation
from conductor.prompt import policy_messages
from conductor.report import summary
from tests.conductor.fakes import Answer, FakeCall, fault, pool_of

POOL = pool_of("a", "b", "c")
LISTS = Plan((Step(2, "Solve."), Step(1, "Check.", (0,)))).render()


def outcome_of(
    settings: Settings, call: FakeCall, pool: Pool = POOL, key: CallKey | None = None
) -> Outcome:
    policy = make_policy(settings, pool)
    key = key or CallKey("p1")
    return asyncio.run(conduct("the question", policy, pool, settings, call=call, key=key))


def plan_of(settings: Settings, problem: str, pool: Pool = POOL) -> Plan:
    outcome = outcome_of(settings, FakeCall(), pool, CallKey(problem))
    assert isinstance(outcome.planning.plan, Plan)
    return outcome.planning.plan


def test_the_rule_solves_then_checks_with_two_workers() -> None:
    call = FakeCall(lambda worker, messages, key: f"by {worker.name} at {key.step}")
    outcome = outcome_of(Settings(), call)
    solver, checker = (worker.name for worker, _, _ in call.asked)
    assert solver != checker
    assert outcome.answer == f"by {checker} at 1"
    assert f"by {solver} at 0" in call.asked[1][1][0].text
    assert (outcome.fault, outcome.plan_error, outcome.planning.replies) == (None, None, ())


def test_the_rules_choice_is_a_function_of_seed_and_problem() -> None:
    assert plan_of(Settings(seed=1), "p") == plan_of(Settings(seed=1), "p")
    by_problem = [plan_of(Settings(), f"p{n}") for n in range(40)]
    by_seed = [plan_of(Settings(seed=n), "p") for n in range(40)]
    for plans in (by_problem, by_seed):
        pairs = Counter(tuple(step.worker for step in plan.steps) for plan in plans)
        assert len(pairs) == 6, "every ordered pair of three workers comes up in forty draws"


def test_the_rules_choice_is_the_same_on_every_machine() -> None:
    assert [[s.worker for s in plan_of(Settings(), f"p{n}").steps] for n in range(3)] == PINNED


PINNED = [[0, 2], [0, 1], [1, 0]]


def test_the_rule_makes_do_with_one_worker_or_one_step() -> None:
    assert [step.worker for step in plan_of(Settings(), "p", pool_of("only")).steps] == [0, 0]
    assert len(plan_of(Settings(max_steps=1), "p").steps) == 1


def test_single_asks_one_worker_alone() -> None:
    for policy, name in (("single", "a"), ("single:b", "b"), ("single:2", "c")):
        call = FakeCall()
        outcome = outcome_of(Settings(policy), call)
        assert [worker.name for worker, _, _ in call.asked] == [name]
        assert "the question" in call.asked[0][1][0].text
        assert outcome.answer == "fine"


@pytest.mark.parametrize(
    ("policy", "error"),
    [
        ("single:bb", "unknown worker 'bb'; did you mean 'b'"),
        ("singel", "unknown policy 'singel'; did you mean 'single'"),
        ("rule:b", "unknown policy 'rule:b'"),
        ("single:", "a worker's name is missing"),
        ("", "unknown policy ''; one of: best-of, cascade,"),
    ],
)
def test_an_unknown_policy_is_refused_with_what_was_meant(policy: str, error: str) -> None:
    with pytest.raises(ConfigError, match=error):
        make_policy(Settings(policy), POOL)


def test_a_name_makes_the_policy_it_says() -> None:
    pool = Pool("p", (Worker("x/a", "x/a"), Worker("x/b", "x/b")))
    assert make_policy(Settings("rule"), pool) == Rule()
    assert make_policy(Settings("single:x/b"), pool) == Single(1)
    assert make_policy(Settings("openai/gpt-5"), pool) == Prompted("openai/gpt-5")


def test_policies_say_plainly_what_they_are() -> None:
    for name, word in (("rule", "not a trained model"), ("single", "no coordination"),
                       ("x/y", "not trained")):  # fmt: skip
        assert word in make_policy(Settings(name), POOL).description


def planner(*drafts: str | Reply) -> Answer:
    """A policy model that writes these, one draw after the other; workers answer "42"."""
    left = list(drafts)

    def answer(worker: Worker, messages: Sequence[Message], key: CallKey) -> str | Reply:
        return left.pop(0) if key.step == POLICY_STEP else f"42 from {worker.name}"

    return answer


def test_a_prompted_model_writes_the_plan_that_is_run() -> None:
    call = FakeCall(planner(f"Reasoning.\n{LISTS}"))
    settings = Settings("x/planner", generation=Generation(temperature=0.3, max_tokens=50))
    outcome = outcome_of(settings, call)
    worker, messages, key = call.asked[0]
    assert (worker.model, worker.generation) == ("x/planner", settings.generation)
    assert list(messages) == policy_messages("the question", POOL, settings)
    assert key == CallKey("p1", step=POLICY_STEP)
    assert outcome.answer == "42 from b"
    assert [worker.name for worker, _, _ in call.asked] == ["policy", "c", "b"]
    assert [reply.text for reply in outcome.planning.replies] == [f"Reasoning.\n{LISTS}"]
    assert len(outcome.replies) == 3, "the policy's own call counts among the replies"


def test_an_unusable_plan_is_no_answer_and_its_reason_is_kept() -> None:
    call = FakeCall(planner("I would rather not."))
    outcome = outcome_of(Settings("x/planner"), call)
    assert (outcome.answer, outcome.trace, outcome.fault) == ("", None, None)
    assert outcome.plan_error is not None
    assert "no list 'model_id'" in outcome.plan_error
    assert len(call.asked) == 1, "by default a plan is asked for once"


def test_settings_bind_what_a_prompted_model_may_plan() -> None:
    one = outcome_of(Settings("x/planner", max_steps=1), FakeCall(planner(LISTS)))
    assert one.plan_error == "2 steps; at most 1 are allowed"
    far = outcome_of(Settings("x/planner"), FakeCall(planner(LISTS)), pool_of("a", "b"))
    assert far.plan_error == "step 0: there is no model 2; there are 0, 1"
    read = outcome_of(Settings("x/planner", access="positions"), FakeCall(planner(LISTS)))
    assert read.plan_error == "step 1: access must name steps by number, not 'all'"


def test_plan_retries_are_fresh_draws_and_all_of_them_are_counted() -> None:
    call = FakeCall(planner("no", "nor this", LISTS))
    outcome = outcome_of(Settings("x/planner", plan_retries=2), call, key=CallKey("p1", rollout=1))
    assert outcome.answer == "42 from b"
    assert (len(outcome.planning.replies), len(outcome.planning.errors)) == (3, 2)
    policy_keys = [key for key in call.keys if key.step == POLICY_STEP]
    assert len(set(policy_keys)) == 3
    other = FakeCall(planner("no", "nor this", LISTS))
    outcome_of(Settings("x/planner", plan_retries=2), other, key=CallKey("p1", rollout=0))
    assert not set(policy_keys) & set(other.keys), "rollouts never share a draw"


def test_retries_end_where_they_are_said_to() -> None:
    call = FakeCall(planner("no", "nor this"))
    outcome = outcome_of(Settings("x/planner", plan_retries=1), call)
    assert outcome.plan_error is not None
    assert len(call.asked) == 2


def test_a_fault_of_the_policy_model_is_a_fault_and_no_bad_plan() -> None:
    outcome = outcome_of(Settings("x/planner"), FakeCall(planner(fault("429"))))
    assert outcome.fault == "the policy model x/planner: 429"
    assert (outcome.plan_error, outcome.trace, outcome.answer) == (None, None, "")


def test_a_fault_of_a_worker_is_the_outcomes_fault() -> None:
    outcome = outcome_of(Settings("single:b"), FakeCall(lambda w, m, k: fault("down")))
    assert outcome.fault == "step 0 (b): down"
    assert outcome.answer == ""


def test_chance_depends_on_seed_problem_and_purpose_alone() -> None:
    def chance(seed: int, problem: str, epoch: int, *purpose: str) -> int:
        key = CallKey(problem, epoch)
        return Context(POOL, Settings(seed=seed), FakeCall(), key).chance(*purpose)

    assert chance(0, "p", 1, "x") == chance(0, "p", 2, "x")
    others = {chance(1, "p", 1, "x"), chance(0, "q", 1, "x"), chance(0, "p", 1, "y")}
    assert len(others | {chance(0, "p", 1, "x")}) == 4


def test_a_summary_adds_up_all_calls_and_leaves_an_unknown_cost_unknown() -> None:
    reply = Reply("fine", "fake-2026", 10, 5, cost=0.5, retries=1)
    call = FakeCall(planner(Reply(LISTS, "planner", 100, 50, cost=1.0)))
    known = FakeCall(lambda w, m, k: reply if k.step >= 0 else Reply(LISTS, "p", 100, 50, cost=1))
    settings = Settings("x/planner")
    total = summary(outcome_of(settings, known))
    assert (total["calls"], total["input_tokens"], total["output_tokens"]) == (3, 120, 60)
    assert (total["cost"], total["retries"], total["answered_by"]) == (2.0, 2, [0, 1])
    assert [step["worker"] for step in total["rounds"][0]["steps"]] == ["c", "b"]
    assert summary(outcome_of(settings, call))["cost"] is None


def test_a_summary_of_a_bad_plan_says_so() -> None:
    total = summary(outcome_of(Settings("x/planner"), FakeCall(planner("no"))))
    assert total["rounds"][0]["steps"] == []
    assert total["fault"] is None
    assert total["plan_errors"] == [total["plan_error"]]
