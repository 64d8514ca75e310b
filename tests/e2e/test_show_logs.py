"""`conductor show` on any log: conductors inside conductors, models alone, errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log_samples, write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import Generate, Solver, TaskState, solver

from conductor.show.record import SampleRecord, read_sample
from conductor.show.write import write_pages
from conductor.strict import ConfigError
from tests.e2e.openai_server import Answer, Server

POOL = "workers:\n  - {name: w, model: openai-api/loop/w}\n"


@solver
def breaks_on(broken: str) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.sample_id == broken:
            raise RuntimeError("no <b>luck</b>")
        return await generate(state)

    return solve


def run(model: Any, logs: Path, *ids: str, broken: str = "", **arguments: Any) -> EvalLog:
    samples = [Sample("2 + 2?", target="4", id=i) for i in ids]
    task = Task(samples, solver=breaks_on(broken), scorer=match())
    (log,) = inspect_eval(
        task, model=model, model_args=arguments, log_dir=str(logs), fail_on_error=False,
        display="none",
    )  # fmt: skip
    return log


def records(log: EvalLog) -> dict[str, SampleRecord]:
    samples = read_eval_log_samples(log.location, resolve_attachments="full",
                                    all_samples_required=False)  # fmt: skip
    return {str(sample.id): read_sample(sample) for sample in samples}


def page_of(log: EvalLog, out: Path, name: str) -> str:
    write_pages(Path(log.location), out)
    (file,) = (out / "samples").glob(f"{name}-*.html")
    return file.read_text()


def test_a_worker_that_is_another_conductor_shows_its_calls(server: Server, tmp_path: Path) -> None:
    (tmp_path / "inner.yaml").write_text(POOL)
    (tmp_path / "outer.yaml").write_text(
        "workers:\n  - {name: team, model: conductor/inner, "
        f"args: {{pool: {tmp_path / 'inner.yaml'}, policy: single}}}}\n"
    )
    server.behaviours["w"] = lambda request, asked: Answer("<b>4</b>")
    log = run("conductor", tmp_path / "logs", "q", pool=str(tmp_path / "outer.yaml"),
              policy="single")  # fmt: skip
    (step,) = records(log)["q"].steps
    assert step.worker == "team"
    assert step.response == "<b>4</b>"
    assert "2 + 2?" in step.prompt[-1][1]
    assert [(call.name, call.reply) for call in step.inside] == [("step 0: w", "<b>4</b>")]
    page = page_of(log, tmp_path / "show", "q")
    assert "1 call inside" in page
    assert "<b>4" not in page


def test_a_conductor_that_calls_itself_shows_its_calls(server: Server, tmp_path: Path) -> None:
    (tmp_path / "pool.yaml").write_text(POOL)
    (tmp_path / "c.yaml").write_text(f"policy: openai-api/loop/planner\ndepth: 1\n"
                                     f"pool: {tmp_path / 'pool.yaml'}\n")  # fmt: skip

    def planner(request: dict[str, Any], asked: int) -> Answer:
        worker = 1 if asked == 0 else 0
        return Answer(f'model_id = [{worker}]\nsubtasks = ["Solve."]\naccess_list = [[]]')

    server.behaviours["planner"] = planner
    server.behaviours["w"] = lambda request, asked: Answer("4")
    log = run("conductor", tmp_path / "logs", "q", settings=str(tmp_path / "c.yaml"))
    (step,) = records(log)["q"].steps
    assert step.worker == "conductor"
    names = ["inside 0.0, policy", "inside 0.0, step 0: w"]
    assert [call.name for call in step.inside] == names
    assert records(log)["q"].rounds[0].written.startswith("model_id = [1]")
    assert "2 calls inside" in page_of(log, tmp_path / "show", "q")


@pytest.fixture
def plain(tmp_path: Path) -> EvalLog:
    output = ModelOutput.from_content("mockllm/model", "4")
    output.usage = ModelUsage(input_tokens=7, output_tokens=2, total_tokens=9)
    model = get_model("mockllm/model", custom_outputs=[output] * 2, memoize=False)
    return run(model, tmp_path / "logs", "good", "bad", broken="bad")


def test_a_model_alone_has_its_tokens_and_no_plan(plain: EvalLog, tmp_path: Path) -> None:
    good = records(plain)["good"]
    assert (good.verdict, good.calls, good.tokens, good.cost) == ("correct", 1, 9, None)
    assert good.rounds == ()
    assert "there is no plan to show" in page_of(plain, tmp_path / "show", "good")


def test_a_sample_that_broke_is_an_error_and_no_zero(plain: EvalLog, tmp_path: Path) -> None:
    bad = records(plain)["bad"]
    assert (bad.verdict, bad.calls, bad.cost) == ("error", 0, 0)
    page = page_of(plain, tmp_path / "show", "bad")
    assert "no &lt;b&gt;luck" in page
    index = (tmp_path / "show" / "index.html").read_text()
    assert "2 samples · 1 correct · 1 unscored" in index
    assert 'data-verdict="error"' in index


def test_a_run_that_was_cancelled_shows_what_it_has(plain: EvalLog, tmp_path: Path) -> None:
    plain.status, plain.samples = "cancelled", (plain.samples or [])[:1]
    file = tmp_path / "cancelled.eval"
    write_eval_log(plain, str(file))
    index = write_pages(file, tmp_path / "show").read_text()
    assert "cancelled · 1 sample" in index
    plain.samples = []
    write_eval_log(plain, str(file))
    assert "cancelled · 0 samples" in write_pages(file, tmp_path / "none").read_text()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 torn", b"\xff" * 50])
def test_a_file_that_is_no_log_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "x.eval"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=r"x\.eval: no log of Inspect"):
        write_pages(file, tmp_path / "show")
