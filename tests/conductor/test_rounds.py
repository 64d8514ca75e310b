"""Recursion (further rounds), plans revised while they run, and the conductor as its own worker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from conductor import (
    CallKey,
    Keep,
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
    parse_plan,
)
from conductor.call import POLICY_STEP
from conductor.conduct import revised
from conductor.report import summary
from conductor.team import SELF
from tests.conductor.fakes import FakeCall, fault, pool_of

POOL = pool_of("a", "b", "c")
KEEP = "model_id = []\nsubtasks = []\naccess_list = []"
FIRST = Plan((Step(0, "Solve it."),)).render()
CHECK_IT = 'model_id = [2]\nsubtasks = ["Mend it."]\naccess_list = [["all"]]'


class Planner:
    """Plans by a list of texts, one a policy call; workers answer by who and where they are."""

    def __init__(self, *plans: str | Reply) -> None:
        self.plans = list(plans)

    def __call__(self, worker: Worker, messages: Sequence[Message], key: CallKey) -> str | Reply:
        if key.step == POLICY_STEP:
            return self.plans.pop(0)
        return f"{worker.name} in round {key.round}"


def outcome_of(
    settings: Settings,
    answer: Callable[[Worker, Sequence[Message], CallKey], str | Reply],
    pool: Pool = POOL,
) -> tuple[Outcome, FakeCall]:
    call = FakeCall(answer)
    policy = make_policy(settings, pool)
    key = CallKey("p1", epoch=2)
    return asyncio.run(conduct("q?", policy, pool, settings, call=call, key=key)), call


def test_a_second_round_sees_what_came_of_the_first_and_may_change_it() -> None:
    outcome, call = outcome_of(Settings("x/m", rounds=1), Planner(FIRST, CHECK_IT))
    assert outcome.answer == "c in round 1"
    plan_again = [message.text for message in call.asked[2][1]]
    assert FIRST in plan_again[-2]
    assert "a in round 0" in plan_again[-1]
    mend = call.asked[3][1][-1].text
    assert "<previous_round>" in mend
    assert "a in round 0" in mend
    assert [key.round for key in call.keys] == [0, 0, 1, 1]


def test_three_empty_lists_keep_the_answer_and_end_the_rounds() -> None:
    outcome, call = outcome_of(Settings("x/m", rounds=5), Planner(FIRST, KEEP))
    assert (outcome.answer, len(outcome.rounds)) == ("a in round 0", 2)
    assert isinstance(outcome.rounds[1].planning.plan, Keep)
    assert summary(outcome)["rounds"][1]["kept"]
    assert summary(outcome)["answered_by"] == [0, 0]
    assert len(call.asked) == 3


def test_three_empty_lists_are_no_first_plan() -> None:
    outcome, _ = outcome_of(Settings("x/m", rounds=1), Planner(KEEP))
    assert outcome.plan_error
    assert "empty" in outcome.plan_error


def test_the_round_limit_ends_them_too() -> None:
    outcome, call = outcome_of(Settings("x/m", rounds=2), Planner(FIRST, CHECK_IT, CHECK_IT))
    assert outcome.answer == "c in round 2"
    assert len(call.asked) == 6


def test_an_unusable_later_plan_leaves_the_answer_and_is_recorded() -> None:
    outcome, _ = outcome_of(Settings("x/m", rounds=1), Planner(FIRST, "no lists"))
    assert (outcome.answer, outcome.plan_error, outcome.fault) == ("a in round 0", None, None)
    assert summary(outcome)["rounds"][1]["plan_error"]


def test_trouble_in_a_later_round_leaves_the_sample_unscored() -> None:
    outcome, _ = outcome_of(Settings("x/m", rounds=1), Planner(FIRST, fault("provider down")))
    assert outcome.fault
    assert "provider down" in outcome.fault


def test_a_step_that_sees_nothing_does_not_see_the_round_before() -> None:
    again = 'model_id = [1]\nsubtasks = ["Anew."]\naccess_list = [[]]'
    _, call = outcome_of(Settings("x/m", rounds=1), Planner(FIRST, again))
    assert "previous_round" not in call.asked[3][1][-1].text


def test_by_positions_a_step_says_previous() -> None:
    text = 'model_id = [1, 2]\nsubtasks = ["x", "y"]\naccess_list = [["previous"], [0]]'
    plan = parse_plan(text, 3, access="positions", keep_allowed=True, previous=True)
    assert plan == Plan((Step(1, "x", (), True), Step(2, "y", (0,))))
    assert isinstance(plan, Plan)
    again = plan.render("positions")
    assert parse_plan(again, 3, access="positions", keep_allowed=True, previous=True) == plan


def test_the_rule_has_another_worker_check_in_each_round() -> None:
    outcome, call = outcome_of(Settings(rounds=2), lambda w, m, k: f"{w.name}{k.round}.{k.step}")
    checkers = [worker.name for worker, _, key in call.asked if (key.round, key.step) != (0, 0)]
    assert len(set(checkers)) == 3
    assert outcome.answer == f"{checkers[-1]}2.0"


def test_a_single_worker_keeps_its_answer() -> None:
    outcome, call = outcome_of(Settings("single", rounds=3), lambda w, m, k: "one")
    assert (outcome.answer, len(call.asked)) == ("one", 1)


TWO = Plan((Step(0, "Solve it."), Step(1, "Check it.", (0,)))).render()


def test_remaining_steps_are_written_anew_once_results_are_in() -> None:
    planner = Planner(TWO, CHECK_IT)
    outcome, call = outcome_of(Settings("x/m", replan=True), planner)
    assert outcome.answer == "c in round 0"
    assert outcome.trace
    assert outcome.trace.plan == Plan((Step(0, "Solve it."), Step(2, "Mend it.", (0,), True)))
    revision = call.asked[2][1][-1].text
    assert "a in round 0" in revision
    assert "a in round 0" in call.asked[3][1][-1].text
    assert len(call.keys) == len(set(call.keys))


def test_a_plan_is_left_as_it_is_by_three_empty_lists_or_an_unusable_revision() -> None:
    for said in (KEEP, "well"):
        outcome, _ = outcome_of(Settings("x/m", replan=True), Planner(TWO, said))
        assert outcome.answer == "b in round 0"


def test_a_revision_keeps_within_the_steps_that_are_left() -> None:
    long = Plan(tuple(Step(0, "More.") for _ in range(2))).render()
    outcome, _ = outcome_of(Settings("x/m", replan=True, max_steps=2), Planner(TWO, long))
    assert outcome.answer == "b in round 0", "two more steps would be three"
    assert outcome.rounds[0].revisions[0].errors


def test_no_revision_is_asked_for_after_the_last_step_or_a_fault() -> None:
    outcome, call = outcome_of(Settings("x/m", replan=True), Planner(FIRST))
    assert len(call.asked) == 2

    def failing(worker: Worker, messages: Sequence[Message], key: CallKey) -> str | Reply:
        return TWO if key.step == POLICY_STEP else fault()

    outcome, call = outcome_of(Settings("x/m", replan=True), failing)
    assert outcome.fault
    assert len(call.asked) == 2


def test_revised_steps_count_on_from_those_done() -> None:
    plan = Plan((Step(0, "a"), Step(1, "b"), Step(2, "c")))
    rest = Plan((Step(3, "d", (), True), Step(4, "e", (0,))))
    assert revised(plan, 2, rest) == Plan(
        (Step(0, "a"), Step(1, "b"), Step(3, "d", (0, 1), True), Step(4, "e", (2,)))
    )


SELF_CALL = Plan((Step(3, "Split it up."),)).render()


def test_the_conductor_is_a_worker_of_its_own_down_to_the_depth() -> None:
    planner = Planner(SELF_CALL, SELF_CALL.replace("3", "0"))
    outcome, call = outcome_of(Settings("x/m", depth=1), planner)
    assert outcome.answer == "a in round 0"
    shown = [asked[1][-1].text.split("AVAILABLE LANGUAGE MODELS:")[-1] for asked in call.asked]
    assert "Model id 3" in shown[0]
    assert "Model id 3" not in shown[1], "at the bottom it is not listed"
    assert "Split it up." in call.asked[1][1][-1].text
    step = summary(outcome)["rounds"][0]["steps"][0]
    assert (step["model"], step["calls"], step["tokens"]) == (SELF, 2, [20, 10])
    assert len(set(call.keys)) == len(call.keys), "an inner draw is a draw of its own"


def test_without_depth_the_conductor_is_no_worker() -> None:
    outcome, _ = outcome_of(Settings("x/m"), Planner(SELF_CALL))
    assert outcome.plan_error


@pytest.mark.parametrize("inner", ["no lists", KEEP])
def test_an_inner_conductor_without_a_plan_is_an_empty_answer_not_our_trouble(inner: str) -> None:
    outcome, _ = outcome_of(Settings("x/m", depth=1), Planner(SELF_CALL, inner))
    assert (outcome.answer, outcome.fault) == ("", None)


def test_an_inner_fault_is_the_steps_fault() -> None:
    outcome, _ = outcome_of(Settings("x/m", depth=1), Planner(SELF_CALL, fault("no power")))
    assert outcome.fault
    assert "no power" in outcome.fault


def test_rounds_and_steps_share_no_draw() -> None:
    settings = Settings("x/m", rounds=1, replan=True)
    _, call = outcome_of(settings, Planner(TWO, KEEP, TWO, KEEP))
    assert len(set(call.keys)) == len(call.keys)
    assert {replace(key, round=0) for key in call.keys if key.round == 1} <= set(call.keys)
