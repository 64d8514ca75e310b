"""Unmodified harnesses evaluate the conductor over HTTP, as any OpenAI-compatible model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Inspect
from tests.e2e.openai_server import Answer, Server
from tests.e2e.serving import serving

pytestmark = pytest.mark.slow
POOL = "- {name: one, model: openai-api/loop/one, max_retries: 0}\n"
ONE_STEP = ("-M", "pool=pool.yaml", "-M", "policy=single:one")
EVAL = ("eval", "tasks/gpqa.py", "-T", "data=sample", "--limit", "3", "--display", "none")


@pytest.fixture
def folder(loopback: Server, tmp_path: Path) -> Path:
    made = tmp_path / "server"
    made.mkdir()
    (made / "pool.yaml").write_text(POOL)
    return made


def test_inspect_evaluates_over_http_as_it_does_directly(
    folder: Path, server: Server, tmp_path: Path
) -> None:
    server.behaviours["one"] = lambda request, asked: Answer("So the answer is (B).")
    direct = Inspect(tmp_path / "direct")(
        *EVAL, "--model", "conductor", "-M", f"pool={folder}/pool.yaml", "-M", "policy=single:one"
    )
    asked = server.prompts()
    server.requests.clear()
    with serving(folder, *ONE_STEP) as running:
        served = Inspect(tmp_path / "served")(
            *EVAL,
            "--model",
            "openai-api/conductor/default",
            CONDUCTOR_BASE_URL=running.url,
            CONDUCTOR_API_KEY="unused",
        )
    logs = [done.log() for done in (direct, served)]
    scores = [
        {
            sample.id: next(iter(sample.scores.values())).value
            for sample in log.samples or ()
            if sample.scores
        }
        for log in logs
    ]
    assert [log.status for log in logs] == ["success", "success"]
    assert len(scores[0]) == 3
    assert scores[0] == scores[1]
    assert server.prompts() == asked
    assert logs[1].stats.model_usage["openai-api/conductor/default"].total_tokens == 45


def test_lm_eval_asks_it_as_it_asks_any_chat_model(
    folder: Path, server: Server, tmp_path: Path
) -> None:
    pytest.importorskip("lm_eval", reason="needs lm-eval: pip install -e '.[lm-eval]'")
    (tmp_path / "rows.jsonl").write_text(
        '{"question": "2 + 2?", "answer": "4"}\n{"question": "3 + 4?", "answer": "8"}\n'
    )
    (tmp_path / "sums.yaml").write_text(
        "task: sums\ndataset_path: json\n"
        f"dataset_kwargs: {{data_files: {{test: {tmp_path}/rows.jsonl}}}}\n"
        "test_split: test\noutput_type: generate_until\n"
        "doc_to_text: '{{question}}'\ndoc_to_target: '{{answer}}'\n"
        "generation_kwargs: {until: ['END'], max_gen_toks: 64, temperature: 0}\n"
        "metric_list: [{metric: exact_match}]\n"
    )
    server.behaviours["one"] = lambda request, asked: Answer("4END and more")
    with serving(folder, *ONE_STEP) as running:
        address = f"model=conductor,base_url={running.url}/chat/completions,num_concurrent=2"
        done = subprocess.run(
            [sys.executable, "-m", "lm_eval", "--model", "local-chat-completions",
             "--model_args", address, "--tasks", "sums", "--include_path", str(tmp_path),
             "--apply_chat_template"],
            env={**os.environ, "HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1",
                 "OPENAI_API_KEY": "unused"},
            capture_output=True, text=True, timeout=240, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert "0.5" in done.stdout, done.stdout + done.stderr[-2000:]
    assert len(server.requests) == 2
