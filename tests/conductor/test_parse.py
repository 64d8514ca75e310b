"""Reading plans out of what models write: well, badly, and in bad faith."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductor import Keep, Plan, PlanError, Step, parse_plan

TWO = Plan((Step(0, "Solve it."), Step(3, "Check it.", (0,))))


def two(models: str = "[0, 3]", subtasks: str = '["Solve it.", "Check it."]',
        access: str = '[[], ["all"]]') -> str:  # fmt: skip
    return f"model_id = {models}\nsubtasks = {subtasks}\naccess_list = {access}"


@pytest.mark.parametrize(
    "text",
    [
        two(),
        two().replace(" = ", ": "),
        two().replace(" = ", "=\n  "),
        two().replace(" = ", ":").upper().replace("SOLVE IT", "Solve it")
        .replace("CHECK IT", "Check it"),
        two().replace("model_id", "Model IDs").replace("access_list", "Access List"),
        two().replace("model_id", "model id").replace("subtasks", "Subtask")
        .replace("access_list", "access"),
        two().replace("model_id", "model_ids").replace("access_list", "Access"),
        "\n".join(reversed(two().splitlines())),
        f"```\n{two()}\n```",
        f"```python\n{two()}\n```\nThat is my plan.",
        "\n".join(f"- **{line.split(' = ')[0]}**: {line.split(' = ')[1]}" for line in
                  two().splitlines()),
        "\n".join(f"* **{line.split(' = ')[0]}:** {line.split(' = ')[1]}" for line in
                  two().splitlines()),
        "\n".join(f"{n}. `{line.split(' = ')[0]}` = {line.split(' = ')[1]}" for n, line in
                  enumerate(two().splitlines())),
        '{"model_id": [0, 3], "subtasks": ["Solve it.", "Check it."], '
        '"access_list": [[], ["all"]]}',
        two().replace("_", "\\_"),  # as Markdown escapes it
        two().replace(" = ", "："),
        two().replace("\n", "; "),
        two(models='["0", "3"]'),
        two(models="[0,\n 3,\n]"),
        two(models="[\n  0,  # the solver\n  3  # the checker\n]"),
        two(subtasks="['Solve it.', 'Check it.']"),
        two(subtasks="[“Solve it.”, ‘Check it.’]"),
        two(subtasks='["""Solve it.""", """Check it."""]'),
        two(subtasks='[r"Solve it.", f"Check it."]'),
        two(subtasks='["Solve it.",  # first\n "Check it." # then\n]'),
        two(subtasks="[Solve it., Check it.]"),
        two(subtasks='["Solve "\n "it.", "Check it."]'),
        two(access='[[], "all"]'),
        two(access="[[], all]"),
        two(access="[[], ['All']]"),
        two(access="[[], [“all”]]"),
        two(access='["all", ["all"]]'),  # on the first step there is nothing to see
    ],
)  # fmt: skip
def test_the_lists_are_read_in_every_form_that_models_write(text: str) -> None:
    assert parse_plan(text) == TWO


@pytest.mark.parametrize(
    "before",
    [
        "The model_id of a step, its subtasks and the access_list must fit. Access: see below.",
        "I need model_id = [...], subtasks = [...] and access_list = [...].",
        "First idea: model_id = [0]. No, one more should check.",
        "A draft:\n" + two(models="[0, 9]") + "\nThere is no model 9, so:",
        "With access_list = [all] everybody sees everything.",
        "Each entry of model_id: [a number].",
        "<think>" + two(models="[5, 5]") + "</think>",
        "<THINKING>model_id = [1]</THINKING>",
        two(models="[5, 5]") + "\n</think>",  # the opening tag stood in the prompt
        "I could write model_id = [0, 'unclosed",
    ],
)
def test_lists_in_the_reasoning_do_not_spoil_the_plan(before: str) -> None:
    assert parse_plan(f"{before}\n\n{two()}") == TWO


def test_of_two_plans_the_first_counts() -> None:
    assert parse_plan(two() + "\n" + two(models="[5, 5]")) == TWO


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r'"Compute \\frac{1}{2}."', r"Compute \frac{1}{2}."),
        (r'"Use \frac{1}{2}, \theta, \beta, \rho."', r"Use \frac{1}{2}, \theta, \beta, \rho."),
        (r'"Find \nabla f where x \neq 0."', r"Find \nabla f where x \neq 0."),
        (r'"First.\nThen more."', "First.\nThen more."),
        (r'"A\tB"', "A\tB"),
        (r'"Say \"hi\" and don\'t stop."', "Say \"hi\" and don't stop."),
        ('"Explain "work", then solve."', 'Explain "work", then solve.'),
        ("'Don't repeat the others' work, solve.'", "Don't repeat the others' work, solve."),
        ('"Use the list [1, 2] and ]."', "Use the list [1, 2] and ]."),
        (r'"Caf\u00e9 \ud83d\ude00"', "Café 😀"),
        ('"Write model_id = [1, 2] down."', "Write model_id = [1, 2] down."),
        ('"Over\ntwo lines."', "Over\ntwo lines."),
    ],
)  # fmt: skip
def test_subtasks_keep_their_quotes_mathematics_and_lines(written: str, meant: str) -> None:
    text = f"model_id = [1]\nsubtasks = [{written}]\naccess_list = [[]]"
    assert parse_plan(text) == Plan((Step(1, meant),))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no list 'model_id'"),
        ("I refuse.", "no list 'model_id'"),
        ("model_id = [0]\nsubtasks = ['x']", "no list 'access_list'"),
        ("model_id = [0]\naccess_list = [[]]", "no list 'subtasks'"),
        (two(models="[0, 3"), "model_id"),
        ("model_id = []\nsubtasks = []\naccess_list = []", "three lists are empty"),
        (two(access="[]"), "2 models, 2 subtasks, 0 access entries"),
        (two(models="[0]"), "1 models, 2 subtasks"),
        (two(models="[]"), "0 models"),
        (two(models="[0, 7]"), "step 1: there is no model 7; there are 0, 1, 2, 3, 4, 5, 6"),
        (two(models="[-1, 0]"), "step 0: there is no model -1"),
        (two(models="[0, 1.5]"), "step 1: the model must be a number, not '1.5'"),
        (two(models="[0, GPT-5]"), "step 1: the model must be a number"),
        (two(models="[0, [1]]"), "step 1: the model must be a number"),
        (two(models=f"[0, {'9' * 5000}]"), "step 1: the model must be a number"),
        (two(subtasks='["Solve it.", ""]'), "step 1: the subtask is empty"),
        (two(subtasks='["Solve it.", "  "]'), "step 1: the subtask is empty"),
        (two(subtasks='["Solve it.", ["Check it."]]'), "step 1: the subtask must be a text"),
        (two(access='[[], ["some"]]'), r'step 1: access must be \[\] or \["all"\]'),
        (two(access="[[], [0]]"), r'step 1: access must be \[\] or \["all"\]'),
        (two(access="[[], None]"), "step 1: access must be"),
        (two(access="[[], [[[[[]]]]]]"), "nest deeper"),
    ],
)  # fmt: skip
def test_an_error_names_the_step_and_what_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(PlanError, match=reason):
        parse_plan(text)


def plan_of(count: int) -> str:
    return Plan(tuple(Step(0, "x", tuple(range(n))) for n in range(count))).render()


def test_too_many_steps_are_refused_before_any_call() -> None:
    assert len(parse_plan(plan_of(5)).steps) == 5
    with pytest.raises(PlanError, match="6 steps; at most 5"):
        parse_plan(plan_of(6))
    assert len(parse_plan(plan_of(6), max_steps=6).steps) == 6


def test_workers_may_be_the_ordinals_that_are_allowed() -> None:
    assert parse_plan(two(), workers={0, 3}) == TWO
    with pytest.raises(PlanError, match="no model 3; there are 0, 5"):
        parse_plan(two(), workers=[0, 5])
    with pytest.raises(PlanError, match="no model 3; there are 0, 1, 2"):
        parse_plan(two(), workers=3)


EMPTY = "Nothing to change.\nmodel_id = []\nsubtasks = []\naccess_list = []"


def test_three_empty_lists_keep_the_answer_only_where_allowed() -> None:
    assert parse_plan(EMPTY, keep_allowed=True) == Keep()
    assert parse_plan(two(), keep_allowed=True) == TWO
    with pytest.raises(PlanError, match="empty"):
        parse_plan(EMPTY)
    with pytest.raises(PlanError, match="0 access entries"):
        parse_plan(two(access="[]"), keep_allowed=True)


THREE = "model_id = [0, 1, 2]\nsubtasks = ['a', 'b', 'c']\naccess_list = "


def test_positions_name_earlier_steps() -> None:
    plan = parse_plan(THREE + "[[], [], [1, 0]]", access="positions")
    assert [step.access for step in plan.steps] == [(), (), (0, 1)]


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ("[[], [1], [0, 1]]", "step 1 reads step 1; a step may read only earlier steps"),
        ("[[2], [], [0, 1]]", "step 0 reads step 2"),
        ("[[], [], [0, -1]]", "step 2 reads step -1"),
        ("[[], [], [1]]", "step 0 is read by no later step"),
        ("[[], [0], []]", "step 1 is read by no later step"),
        ("[[], [], ['all']]", "step 2: access must name steps by number, not 'all'"),
        ("[[], [], all]", "step 2: access must be a list of steps"),
        ("[[], [], [0.5]]", "step 2: access must name steps by number"),
    ],
)
def test_wrong_positions_are_refused(entries: str, reason: str) -> None:
    with pytest.raises(PlanError, match=reason):
        parse_plan(THREE + entries, access="positions")


@given(st.text(alphabet="model_id=subtaskacces:[]\"'`,\\ \n0123all<think>/#“”‘’rfu", max_size=80))
def test_any_text_gives_a_plan_or_a_plan_error(text: str) -> None:
    read_or_refuse("model_id=[" + text)
    read_or_refuse(text)


def read_or_refuse(text: str) -> Plan | None:
    plan: Plan | None
    reason = "none"
    try:
        plan = parse_plan(text, workers=4)
    except PlanError as error:
        plan, reason = None, str(error)
    assert reason, "an error says what is wrong"
    assert "\n" not in reason, "an error is one line"
    if plan is None:
        return None
    assert 1 <= len(plan.steps) <= 5
    assert all(0 <= step.worker < 4 and step.subtask.strip() for step in plan.steps)
    return plan


SEEDS = (
    two(), two(access="[[], all]").replace(" = ", ": "), two(subtasks="['a', “b”]"),
    "<think>hm</think>\n```json\n" + two().replace(" = ", ": ") + "\n```",
    plan_of(5), EMPTY, THREE + '[[], ["all"], ["all"]]',
)  # fmt: skip
PIECES = (
    "[", "]", '"', "'", ",", "\\", "\n", "model_id", "subtasks:", "access_list = [", "[]", '"""',
    "<think>", "</think>", "“", "”", "9" * 400, "-1", "\x00", "\U0001f600", "\ud800", "null", "{",
    "#", "\\u12", "(", "1e9", "all",
)  # fmt: skip


def mutant(rng: random.Random) -> str:
    text = rng.choice(SEEDS)
    for _ in range(rng.randint(1, 4)):
        at, until = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        match rng.randrange(4):
            case 0:
                text = text[:at] + rng.choice(PIECES) + text[at:]
            case 1:
                text = text[:at] + text[min(until, at + 8) :]
            case 2:
                text = text[:at] + text[at:until] + text[at:]
            case _:
                text = text[at:] + text[:at]
    return text


def test_a_hundred_thousand_broken_plans_give_a_plan_or_a_plan_error() -> None:
    rng = random.Random(20251204)
    plans = sum(read_or_refuse(mutant(rng)) is not None for _ in range(100_000))
    assert 1_000 < plans < 99_000, "the mutations should leave some plans whole and break others"


@pytest.mark.parametrize(
    "text",
    [
        'model_id = ["' + "a" * 10**6,
        "model_id = [" + '"' * 10**6,
        "model_id = [" * 10**5,
        "model_id = [" + "[" * 10**6,
        'model_id = ["' * 80_000,
        'model_id = ["' + "\\" * 10**6,
        'model_id = ["a' + '" ' * 500_000,
        'model_id = ["a"' + " " * 10**6 + "x",
        'model_id = ["a' + '",' + " " * 10**6,
        'model_id = ["a' + '"#\n' * 300_000,
        "model_id = [" + "," * 10**6,
        "model_id = [" + "9" * 10**6 + "]\nsubtasks = ['a']\naccess_list = [[]]",
        "model_id" * 125_000,
        "access: " * 125_000,
        "<think>" * 140_000,
        "<think></think>" * 70_000,
        "model_id = [" + "0, " * 330_000 + "]\nsubtasks = []\naccess_list = []",
        " " * 10**6 + "model_id =" + " " * 10**6 + "[0]",
    ],
    ids=lambda text: text[:24],
)
def test_a_megabyte_of_malice_is_read_once(text: str) -> None:
    """Anything quadratic would take hours here; a deep recursion would raise RecursionError."""
    assert read_or_refuse(text) is None


def test_a_long_subtask_is_no_problem() -> None:
    plan = Plan((Step(0, "word " * 200_000),))
    assert parse_plan(plan.render()) == plan
