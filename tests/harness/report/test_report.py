"""`harness report` on a simulated study whose truth is known: nine systems on three tasks."""

from __future__ import annotations

import csv
import json
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from harness.cli import main
from harness.logs import Answer, Run
from harness.report.write import read_curves, write_report
from tests.browser import chromium

TASKS = ("gpqa", "math500", "livecodebench")
# system: (skill, dollars an answer); `twin` is `single` under another name
TRUTH = {
    "single": (0.55, 0.004), "twin": (0.55, 0.004), "vote-5": (0.62, 0.020),
    "reflect-5": (0.50, 0.021), "moa": (0.60, 0.035), "random": (0.30, 0.003),
    "router": (0.58, 0.005), "conductor": (0.70, 0.012), "oracle": (0.85, 0.005),
}  # fmt: skip
HOSTILE = '<img src=x onerror="document.title=1">'


def simulated(system: str, task: str, questions: int = 900) -> Run:
    skill, cost = TRUTH.get(system, (0.5, 0.01))
    ease, own = random.Random(f"ease{task}"), random.Random(f"own {system} {task}")
    answers = []
    for number in range(questions):
        chance = min(1.0, max(0.0, skill + ease.uniform(-0.3, 0.3)))
        workers = ("strong", "careful") if number % 3 else ("strong",)
        answers.append(
            Answer(
                question=f"q{number}", epoch=1, value=float(own.random() < chance),
                cluster=None, domain=("physics", "chemistry", "biology")[number % 3],
                difficulty=None, cost=cost * own.uniform(0.8, 1.2), seconds=3.0, tokens=500,
                workers=workers if system == "conductor" else ("strong",),
            )
        )  # fmt: skip
    return Run(system, task, tuple(answers))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    metrics = folder / "metrics.jsonl"
    rows = [{"step": n, "reward": 0.4 + 0.01 * n, "note": "x"} for n in range(30)]
    metrics.write_text("\n".join(json.dumps(row) for row in rows))
    (folder / "out/plans/conductor").mkdir(parents=True)
    (folder / "out/plans/conductor/index.html").write_text("plans")
    runs = [simulated(system, task) for task in TASKS for system in TRUTH]
    write_report(runs, folder / "out", "A study", "single", metrics)
    return folder / "out"


def verdicts(report: Path) -> dict[tuple[str, str], str]:
    rows = csv.DictReader((report / "report.csv").open())
    return {(r["task"], r["system"]): r["verdict"] for r in rows if not r["part"]}


def test_it_ranks_what_differs_and_declines_what_does_not(report: Path) -> None:
    found = verdicts(report)
    for task in TASKS:
        assert found[task, "conductor"] == found[task, "oracle"] == "better"
        assert found[task, "random"] == "worse"
        assert found[task, "twin"] == "not distinguishable"


def test_all_numbers_lie_beside_the_page(report: Path) -> None:
    data = json.loads((report / "report.json").read_text())
    assert len({s["system"] for s in data["standings"]}) == len(TRUTH)
    assert data["baseline"] == "single"
    assert "| gpqa | conductor − single |" in (report / "report.md").read_text()
    text = (report / "index.html").read_text()
    assert all(f'href="{name}"' in text for name in ("report.csv", "report.json", "report.md"))


def test_the_page_is_whole_by_itself(report: Path) -> None:
    text = (report / "index.html").read_text()
    assert not re.search(r"https?://", text), "no network"
    assert "<script" not in text
    assert 'href="plans/conductor/index.html"' in text
    assert 'href="plans/moa' not in text, "only plans that are there"
    for heading in ("Leaderboard", "Score against cost: gpqa", "Differences", "By domain: math500",
                    "Workers", "Plan lengths", "Training: reward"):  # fmt: skip
        assert f"<h2>{heading}</h2>" in text


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    runs = [simulated(name, HOSTILE, 20) for name in (HOSTILE, "b")]
    text = write_report(runs, tmp_path, HOSTILE).read_text()
    assert "<img" not in text


def test_one_system_without_costs_or_domains_makes_a_page_too(tmp_path: Path) -> None:
    answers = tuple(
        Answer(f"q{n}", 1, 1.0 if n else None, None, None, None, None, 0.0, 0) for n in range(3)
    )
    text = write_report([Run("only", "t", answers)], tmp_path).read_text()
    assert "only" in text
    assert "Score against cost" not in text, "neither cost nor tokens are known"


def test_metrics_that_are_none_are_refused(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text('{"step": 1, "loss": NaN, "reward": 2}\n{"loss": 1}\n')
    done = CliRunner().invoke(main, ["report", "nowhere", "--metrics", str(tmp_path / "m.jsonl")])
    assert "nowhere: no such log" in done.stderr
    (tmp_path / "n.jsonl").write_text('{"step": 1, "loss": NaN, "reward": 2}\n')
    assert read_curves(tmp_path / "n.jsonl") == {"reward": [(1.0, 2.0)]}
    with pytest.raises(Exception, match=r"m\.jsonl:2: no JSON object with a `step`"):
        read_curves(tmp_path / "m.jsonl")


@pytest.fixture
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


def test_it_is_readable_in_a_browser_wide_and_narrow(report: Path, browser: Any) -> None:
    """`SCREENSHOTS=DIR` keeps the pictures."""
    folder = Path(os.environ.get("SCREENSHOTS") or report)
    for width in (1100, 390):
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            page.goto((report / "index.html").as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.locator("svg").count() == 3 + 1 + 3 + 2 + 1
            assert page.locator("svg .frontier").count() == 3
            page.screenshot(path=str(folder / f"report-{width}-{scheme}.png"), full_page=True)
            page.close()
