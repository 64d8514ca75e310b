from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductor import Plan, PlanError, Step, parse_plan


def test_a_plan_needs_a_step() -> None:
    with pytest.raises(PlanError, match="at least one step"):
        Plan(())


@pytest.mark.parametrize("seen", [0, 1, 5, -1])
def test_a_step_reads_only_earlier_steps(seen: int) -> None:
    with pytest.raises(PlanError, match=f"step 0 reads step {seen}"):
        Plan((Step(0, "solve", (seen,)), Step(1, "check")))


def test_a_plan_renders_to_the_three_lists() -> None:
    plan = Plan((Step(2, 'Say "hi".'), Step(0, "Check.", (0,))))
    assert plan.render() == (
        'model_id = [2, 0]\nsubtasks = ["Say \\"hi\\".", "Check."]\naccess_list = [[], ["all"]]'
    )
    assert plan.render("positions").endswith("access_list = [[], [0]]")


# What once could be taken for something else: tags of thinking, quotes, brackets, lists, escapes.
HARD = [
    "<think>", "</think>", "</THINKING>", '"""', "'''", "“a”, “b”", "\\nabla \\frac{1}{2}", "\\",
    "\\\\n", "\n", "\nabla", "a\nb", "\r\n", "\t", "[", "]", "]]", "```", "# no comment", '", "',
    "model_id = [7]", "access_list: [[]]", "\ufeff", "\x00", "\x7f", "\u2028", "\U0001f600",
    "\\u0041", "\\x41", "e\u0301", "‮", "-", "* a", "all", "None",
]  # fmt: skip
subtasks = st.one_of(
    st.text(max_size=40),
    st.lists(st.one_of(st.sampled_from(HARD), st.text(max_size=3)), max_size=6).map("".join),
).filter(str.strip)
workers = st.integers(0, 6)


@st.composite
def binary_plans(draw: st.DrawFn) -> Plan:
    steps = draw(st.lists(st.tuples(workers, subtasks, st.booleans()), min_size=1, max_size=5))
    return Plan(
        tuple(
            Step(worker, subtask, tuple(range(number)) if sees else ())
            for number, (worker, subtask, sees) in enumerate(steps)
        )
    )


@st.composite
def position_plans(draw: st.DrawFn) -> Plan:
    count = draw(st.integers(1, 5))
    access: list[set[int]] = [
        draw(st.sets(st.integers(0, number - 1))) if number else set() for number in range(count)
    ]
    for number in range(count - 1):  # every step but the last is read by a later one
        if not any(number in later for later in access[number + 1 :]):
            access[draw(st.integers(number + 1, count - 1))].add(number)
    return Plan(tuple(Step(draw(workers), draw(subtasks), tuple(sorted(seen))) for seen in access))


@given(binary_plans())
def test_a_rendered_plan_reads_back_equal(plan: Plan) -> None:
    assert parse_plan(plan.render()) == plan


@given(position_plans())
def test_a_rendered_plan_of_positions_reads_back_equal(plan: Plan) -> None:
    assert parse_plan(plan.render("positions"), access="positions") == plan


@given(binary_plans(), st.text(max_size=50).filter(lambda text: "<" not in text))
def test_free_reasoning_around_the_lists_changes_nothing(plan: Plan, prose: str) -> None:
    prose = prose.replace("[", "(")  # lists in the prose have tests of their own
    assert parse_plan(f"{prose}\n```python\n{plan.render()}\n```\n{prose}") == plan
