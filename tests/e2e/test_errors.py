"""What a user can get wrong ends in one line on stderr, without a traceback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Done, Inspect
from tests.e2e.openai_server import Answer, Server

pytestmark = pytest.mark.slow
EVAL = ("eval", "tasks/gpqa.py", "--display", "none", "--limit", "1")
SAMPLE = ("-T", "data=sample")
OFFLINE = dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:1")


def the_one_line(done: Done) -> str:
    """The only line on stderr (Inspect's own notices about its environment aside)."""
    assert done.code != 0, done.out
    assert "Traceback" not in done.err + done.out, done.err
    (line,) = [line for line in done.err.splitlines() if line.strip()]
    return line


def test_no_access_to_the_data_names_the_token_and_the_alternative(
    inspect: Inspect, tmp_path: Path
) -> None:
    done = inspect(*EVAL, "--model", "conductor", CONDUCTOR_CACHE=str(tmp_path), **OFFLINE)
    line = the_one_line(done)
    assert "gpqa_diamond" in line
    assert "HF_TOKEN" in line
    assert "-T data=" in line


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("missing.csv", "no file 'missing.csv'"),
        ("README.md", "unknown kind of file"),
        ("harness/datasets/samples/gpqa.csv/x.csv", "no file"),
    ],
)
def test_unusable_data_are_named(inspect: Inspect, data: str, said: str) -> None:
    done = inspect(*EVAL, "--model", "conductor", "-T", f"data={data}")
    assert said in the_one_line(done)


def test_missing_columns_are_listed(inspect: Inspect, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("Question,Correct Answer\nWhy?,So\n")
    done = inspect(*EVAL, "--model", "conductor", "-T", f"data={tmp_path}/rows.csv")
    line = the_one_line(done)
    assert "'Incorrect Answer 1'" in line
    assert "it has 'Question', 'Correct Answer'" in line


@pytest.mark.parametrize(
    ("yaml", "said"),
    [
        (
            "workers:\n  - {name: solver, model: local/smollm2}\n  - {model: locl/smollm2}\n",
            "pool.yaml:3: worker 'locl/smollm2': unknown provider 'locl'",
        ),
        (
            "workers:\n  - model: local/smollm2\n    temprature: 1\n",
            "pool.yaml:3: unknown key 'temprature'",
        ),
        ("workers: [\n", "pool.yaml:"),
        (
            "workers:\n  - model: openai/gpt-5\n",
            "pool.yaml:2: worker 'openai/gpt-5' needs a key: set OPENAI_API_KEY",
        ),
    ],
    ids=["provider", "key", "syntax", "api-key"],
)
def test_a_pool_that_cannot_work_is_named_by_line(
    inspect: Inspect, tmp_path: Path, yaml: str, said: str
) -> None:
    (tmp_path / "pool.yaml").write_text(yaml)
    done = inspect(
        *EVAL, "--model", "conductor", *SAMPLE, "-M", f"pool={tmp_path}/pool.yaml",
        OPENAI_API_KEY="",
    )  # fmt: skip
    assert said in the_one_line(done)


def test_an_unknown_worker_in_the_settings_has_file_line_and_near_match(
    inspect: Inspect, tmp_path: Path
) -> None:
    settings = tmp_path / "conductor.yaml"
    settings.write_text("max_steps: 3\npolicy: single:carefull\n")
    done = inspect(*EVAL, "--model", "conductor", *SAMPLE, "-M", f"settings={settings}")
    line = the_one_line(done)
    assert "conductor.yaml:2" in line
    assert "'carefull'" in line
    assert "did you mean 'careful'?" in line


def test_a_mistyped_model_argument_has_a_near_match(inspect: Inspect) -> None:
    done = inspect(*EVAL, "--model", "conductor", *SAMPLE, "-M", "polcy=rule")
    assert "did you mean 'policy'?" in the_one_line(done)


def test_an_unusable_plan_is_recorded_and_wrong_not_unscored(
    inspect: Inspect, server: Server, pool_file: Path
) -> None:
    server.behaviours["planner"] = lambda request, asked: Answer("I have no plan.")
    done = inspect(
        *EVAL, "--model", "conductor", *SAMPLE, "-M", "policy=openai-api/loop/planner",
        "-M", f"pool={pool_file.parent / 'pool.yaml'}", "-M", "plan_retries=1",
    )  # fmt: skip
    assert done.code == 0, done.err
    (sample,) = done.log().samples or []
    score = (sample.scores or {})["graded"]
    assert score.value == 0.0
    assert "no plan: no list 'model_id'" in (score.explanation or "")
    assert len((sample.output.metadata or {})["conductor"]["plan_errors"]) == 2
    assert {request["model"] for request in server.requests} == {"planner"}


def test_a_dead_worker_makes_the_sample_unscored_with_its_cause(
    inspect: Inspect, server: Server, pool_file: Path
) -> None:
    server.behaviours |= {
        name: lambda request, asked: Answer(status=400) for name in ("slow", "busy")
    }
    pool = pool_file.parent / "pool.yaml"
    done = inspect(*EVAL, "--model", "conductor", *SAMPLE, "-M", f"pool={pool}")
    assert done.code == 0, done.err
    log = done.log()
    assert log.results is not None
    assert log.results.scores[0].unscored_samples == 1
    (sample,) = log.samples or []
    assert "fault: step 0" in ((sample.scores or {})["graded"].explanation or "")


def sitecustomize(folder: Path, code: str) -> dict[str, Any]:
    """An environment in which `code` runs before anything else does."""
    (folder / "sitecustomize.py").write_text(code)
    return {"PYTHONPATH": str(folder)}


def test_an_entry_point_that_fails_to_import_says_why(inspect: Inspect, tmp_path: Path) -> None:
    broken = sitecustomize(
        tmp_path,
        "import sys\n"
        "class Broken:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'conductor.provider':\n"
        "            raise ImportError('half of it is missing')\n"
        "sys.meta_path.insert(0, Broken())\n",
    )
    for model in ("conductor", "conductor/default"):
        done = inspect(*EVAL, "--model", model, *SAMPLE, **broken)
        assert "could not be loaded: half of it is missing" in the_one_line(done)


def test_without_inspects_private_registry_the_full_name_still_works(
    inspect: Inspect, tmp_path: Path, server: Server, pool_file: Path
) -> None:
    gone = sitecustomize(
        tmp_path,
        "from inspect_ai._util.registry import RegistryInfo\n"
        "def gone(cls, *args, **kwargs):\n"
        "    raise AttributeError('no private constructor')\n"
        "RegistryInfo.model_construct = classmethod(gone)\n",
    )
    pool = ("-M", f"pool={pool_file.parent / 'pool.yaml'}")
    bare = inspect(*EVAL, "--model", "conductor", *SAMPLE, *pool, **gone)
    assert bare.code != 0
    assert "write --model conductor/default" in bare.err
    full = inspect(*EVAL, "--model", "conductor/default", *SAMPLE, *pool, **gone)
    assert full.code == 0, full.err
