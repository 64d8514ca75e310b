"""`harness compare`: what it says of systems whose truth is known, and when it declines."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from harness.cli import main
from harness.compare import Study, study
from harness.compare_text import write
from harness.logs import Answer, Run, read_runs, system_name

QUESTIONS = 400


def simulated(system: str, skill: float, seed: int, task: str = "t", **fields: object) -> Run:
    """Answers right with probability `skill` plus the question's own ease, which all share."""
    ease, own = random.Random("ease" + task), random.Random(f"{system}{seed}{task}")
    answers = []
    for number in range(QUESTIONS):
        chance = min(1.0, max(0.0, skill + ease.uniform(-0.25, 0.25)))
        answers.append(
            Answer(
                question=f"q{number}", epoch=1, value=float(own.random() < chance), cluster=None,
                domain="ab"[number % 2], difficulty=None, cost=0.01, seconds=2.0, tokens=100,
            )
        )  # fmt: skip
    return Run(system, task, tuple(answers))


TRUTH = {"base": 0.5, "equal": 0.5, "worse": 0.3, "better": 0.7}


def of(done: Study, system: str, task: str = "t") -> str:
    found = next(c for c in done.contests if (c.system, c.task, c.part) == (system, task, None))
    return found.verdict(done.level)


def test_it_ranks_as_the_truth_says_or_declines_to() -> None:
    done = study([simulated(name, skill, 1) for name, skill in TRUTH.items()], "base")
    assert [of(done, name) for name in ("equal", "worse", "better")] == [
        "not distinguishable", "worse", "better",
    ]  # fmt: skip
    better = next(c for c in done.contests if c.system == "better")
    assert better.low is not None
    assert better.high is not None
    assert better.low < 0.2 < better.high
    assert better.mde is not None
    assert 0.05 < better.mde < 0.12


def test_equal_systems_are_rarely_told_apart_over_many_comparisons() -> None:
    false = 0
    for seed in range(40):
        runs = [simulated(f"s{n}", 0.5, seed) for n in range(9)]
        done = study(runs, "s0")
        false += any(c.verdict(0.95) != "not distinguishable" for c in done.contests)
    assert false <= 7, "5 % of 40 families are 2; 7 or more have a chance of 0.4 %"


def test_parts_are_compared_within_themselves_and_all_count_for_holm() -> None:
    runs = [simulated("base", 0.5, 0), simulated("better", 0.7, 0)]
    done = study(runs, by="domain")
    assert [(c.part, c.questions) for c in done.contests] == [
        (None, QUESTIONS), ("a", QUESTIONS // 2), ("b", QUESTIONS // 2),
    ]  # fmt: skip
    assert all(
        c.adjusted is not None and c.p is not None and c.adjusted >= c.p for c in done.contests
    )


def test_other_questions_and_too_much_unscored_are_no_comparison() -> None:
    base, other = simulated("base", 0.5, 0), simulated("other", 0.9, 0)
    fewer = Run("fewer", "t", other.answers[:-1])
    lost = tuple(
        Answer(**{**vars_of(a), "value": None}) if n < 40 else a
        for n, a in enumerate(other.answers)
    )
    done = study([base, fewer, Run("lost", "t", lost)], "base")
    troubles = [c.verdict(done.level) for c in done.contests]
    assert "different questions (1 differ" in troubles[0]
    assert "40 of 400 answers of the first system are unscored" in troubles[1]
    assert (
        study([base, Run("lost", "t", lost)], "base", most_unscored=0.2).contests[0].p is not None
    )


def vars_of(answer: Answer) -> dict[str, object]:
    return {name: getattr(answer, name) for name in Answer.__slots__}


def test_questions_of_one_cluster_count_as_independent() -> None:
    run = simulated("x", 0.5, 0)
    same = Run("x", "t", tuple(Answer(**{**vars_of(a), "cluster": "c"}) for a in run.answers))  # type: ignore[arg-type]
    assert study([same]).standings[0].estimate == study([run]).standings[0].estimate


def test_the_formats_say_the_same() -> None:
    done = study([simulated("base", 0.5, 0), simulated("better", 0.7, 0)])
    data = json.loads(write(done, "json"))
    assert data["contests"][0]["verdict"] == "better"
    (first, second) = csv.DictReader(io.StringIO(write(done, "csv")))
    assert (first["system"], first["difference"], second["verdict"]) == ("base", "", "better")
    assert float(second["difference"]) == data["contests"][0]["difference"]
    markdown = write(done, "markdown")
    assert "| t | better − base |" in markdown
    table = write(done, "table")
    assert "against base, the same questions, 95% intervals" in table
    assert table.splitlines()[0].split() == [
        "task", "system", "score", "interval", "answers", "unscored", "$", "seconds", "tokens",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("model", "policy", "name"),
    [
        ("conductor/default", None, "conductor"),
        ("conductor/default", "single:solver", "conductor (single:solver)"),
        ("conductor/vote-5", "vote:5", "vote-5"),
        ("conductor/conductor", "rule", "conductor"),
        ("openai/gpt-5", None, "openai/gpt-5"),
        ("openai/gpt-5", "rule", "openai/gpt-5 (rule)"),
    ],
)
def test_systems_are_named_by_their_models(model: str, policy: str | None, name: str) -> None:
    assert system_name(model, policy) == name


def few(system: str, *values: float) -> Run:
    answers = [
        Answer(f"q{n}", 1, v, None, "a\nb", None, None, 0.0, 0) for n, v in enumerate(values)
    ]
    return Run(system, "t", tuple(answers))


def test_few_questions_claim_no_certainty() -> None:
    done = study([few("right", *[1.0] * 20), few("wrong", *[0.0] * 20)])
    (right, wrong), (contest,) = done.standings, done.contests
    assert right.estimate is not None
    assert wrong.estimate is not None
    assert right.estimate.low == pytest.approx(0.8389, abs=1e-4), "Wilson's interval of 20 of 20"
    assert wrong.estimate.high == pytest.approx(1 - 0.8389, abs=1e-4)
    assert (contest.low, contest.mde) == (None, None), "no spread, nothing to measure it by"
    assert contest.verdict(0.95) == "worse"
    two = study([few("a", 1.0, 1.0), few("b", 0.0, 0.0)]).contests[0]
    assert two.verdict(0.95) == "not distinguishable"


def test_intervals_stay_within_what_can_be() -> None:
    done = study([few("a", 1.0, 0.0), few("b", 0.0, 1.0)])
    assert done.standings[0].estimate is not None
    assert (done.standings[0].estimate.low, done.standings[0].estimate.high) == (0.0, 1.0)
    assert (done.contests[0].low, done.contests[0].high) == (-1.0, 1.0)
    assert done.contests[0].mde is None, "two questions show nothing"


def test_a_table_golden() -> None:
    runs = [few("a", 1, 0, 1, 0, 1, 0), few("b", 1, 1, 1, 1, 1, 0)]
    assert write(study(runs, by="domain"), "markdown") == GOLDEN


GOLDEN = """\
| task | system | score | interval | answers | unscored | $ | seconds | tokens |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| t | a | 50.0 | [0.0, 100.0] | 6 |  | unknown | 0.0 | 0 |
| t | b | 83.3 | [40.5, 100.0] | 6 |  | unknown | 0.0 | 0 |
| t: a b | a | 50.0 | [0.0, 100.0] | 6 |  | unknown | 0.0 | 0 |
| t: a b | b | 83.3 | [40.5, 100.0] | 6 |  | unknown | 0.0 | 0 |

| task | system − baseline | difference | interval | p | p (Holm) | MDE | verdict |
| --- | --- | --- | --- | --- | --- | --- | --- |
| t | b − a | +33.3 | [-20.9, 87.5] | 0.175 | 0.349 | 59.1 | not distinguishable |
| t: a b | b − a | +33.3 | [-20.9, 87.5] | 0.175 | 0.349 | 59.1 | not distinguishable |"""


@scorer(metrics=[accuracy()])
def says_target() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        if state.sample_id == "q3":
            return Score.unscored(reason="the sandbox was down")
        return Score(value=float(target.text in state.output.completion))

    return score


@solver
def fails_on_one() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.sample_id == "q4":
            raise RuntimeError("broken")
        return state

    return solve


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems on one task, in real logs."""
    folder = tmp_path_factory.mktemp("logs")
    for name, answer in (("good", "yes"), ("bad", "no")):
        output = ModelOutput.from_content("m", answer)
        output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
        dataset = [
            Sample(
                input="?", target="yes", id=f"q{n}", metadata={"subject": "ab"[n % 2], "level": n}
            )
            for n in range(40)
        ]
        task = Task(dataset=dataset, solver=[fails_on_one(), generate()], scorer=says_target(),
                    name="yesno")  # fmt: skip
        model = get_model(f"mockllm/{name}", custom_outputs=[output] * 200, memoize=False)
        eval(task, model=model, log_dir=str(folder), display="none", epochs=2, fail_on_error=False)
    return folder


def test_real_logs_are_read(logs: Path) -> None:
    runs = read_runs([str(logs)])
    assert [(run.system, run.task, len(run.answers)) for run in runs] == [
        ("mockllm/good", "yesno", 80), ("mockllm/bad", "yesno", 80),
    ]  # fmt: skip
    good = {(a.question, a.epoch): a for a in runs[0].answers}
    assert good["q0", 1].value == 1.0
    assert good["q3", 1].value is None, "unscored"
    assert good["q4", 2].value is None, "an error is no zero"
    assert (good["q1", 1].domain, good["q1", 1].difficulty) == ("b", "1")
    assert good["q0", 2].tokens == 15


def test_the_command_compares_and_names(logs: Path) -> None:
    done = CliRunner().invoke(main, ["compare", str(logs), "--baseline", "mockllm/bad"])
    assert done.exit_code == 0, done.output
    assert "mockllm/good − mockllm/bad" in done.output
    assert "better" in done.output
    files = sorted(logs.glob("*.eval"))
    named = CliRunner().invoke(main, ["compare", f"A={files[0]}", f"B={files[1]}"])
    assert "B − A" in named.output


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["compare", "nowhere"], "nowhere: no such log or folder"),
        (["compare", "LOGS", "--baseline", "x"], "--baseline 'x': no such system"),
        (["compare", "X=LOGS"], "two logs of X on yesno"),
        (["power"], "give --questions"),
        (["power", "--effect", "50", "--disagreement", "10"], "cannot come from a disagreement"),
    ],
)
def test_mistakes_are_one_line(logs: Path, arguments: list[str], error: str) -> None:
    written = [argument.replace("LOGS", str(logs)) for argument in arguments]
    done = CliRunner().invoke(main, written)
    assert done.exit_code == 1
    assert error in done.stderr
    assert done.stderr.strip().count("\n") == 0


def test_power_plans_a_run() -> None:
    done = CliRunner().invoke(main, ["power", "--questions", "198", "--effect", "3"])
    assert "198 questions show a difference of 8.7 points" in done.output
    assert "1737 questions are needed to show 3 points" in done.output
