"""`conductor show` on a real log, in a real browser."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conductor.show.page import index_page
from conductor.show.record import SampleRecord
from tests.browser import chromium
from tests.e2e.conftest import ROOT, Inspect
from tests.e2e.openai_server import Answer, Server

HOSTILE = "</pre><script>document.title='owned'</script><img src=x onerror=\"document.title='o'\">"
RECORD = SampleRecord(
    id="", epoch=1, question="", answer="", verdict="correct", reason="", policy="", trouble=None,
    answered_by=None, rounds=(), tokens=1, calls=1, cost=0.0, seconds=1.0,
)  # fmt: skip
SETTINGS = """
rounds: 1
pool:
  - {name: slow, model: openai-api/loop/slow, max_retries: 0, price: {input: 1, output: 2}}
  - {name: busy, model: openai-api/loop/busy, max_retries: 0, price: {input: 1, output: 2}}
"""


@pytest.fixture
def pages(inspect: Inspect, server: Server, tmp_path: Path) -> Path:
    (tmp_path / "conductor.yaml").write_text(SETTINGS)

    def busy(request: dict[str, Any], asked: int) -> Answer:
        if "MeV" in str(request["messages"]):  # sample-phy-2's question, whenever it comes
            return Answer(status=400)
        return Answer(f"{HOSTILE}\nAnswer: {'AB'[asked % 2]}")

    server.behaviours["busy"] = busy
    done = inspect(
        "eval", "tasks/gpqa.py", "--model", "conductor",
        "-M", f"settings={tmp_path / 'conductor.yaml'}", "-T", "data=sample", "--limit", "6",
        "--display", "none",
    )  # fmt: skip
    assert done.code == 0, done.err
    conductor = str(Path(sys.executable).with_name("conductor"))
    made = subprocess.run(
        [conductor, "show", str(done.logs), "--out", str(tmp_path / "show")],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    return tmp_path / "show"


@pytest.fixture
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


def test_a_run_can_be_read_filtered_and_followed_in_a_browser(pages: Path, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.goto((pages / "index.html").as_uri())
    assert page.locator("tbody tr:visible").count() == 6
    assert page.inner_text("#count") == "6 of 6 samples"
    unscored = page.locator("tr[data-verdict=unscored]").count()
    assert unscored == 1, "sample-phy-2"
    page.uncheck("input[value=unscored]")
    assert page.locator("tbody tr:visible").count() == 5
    page.check("input[value=unscored]")
    page.fill("input[type=search]", "phy-2")
    assert page.locator("tbody tr:visible").count() == 1
    page.fill("input[type=search]", "")
    page.click("th:has-text('seconds')")
    shown = page.locator("tbody tr td:last-child").all_inner_texts()
    seconds = [float(text.removesuffix(" s")) for text in shown]
    assert seconds == sorted(seconds)

    page.click("tr[data-verdict=unscored] a")
    assert "fault" in page.inner_text("body")
    page.goto((pages / "index.html").as_uri())
    page.click("text=sample-phy-1")
    assert page.locator("svg.graph").count() == 1, "rounds stand side by side"
    assert page.locator("svg.timeline").count() == 2, "two rounds"
    assert page.locator("svg.graph .node").count() == 3
    assert page.locator("svg.graph .edge.before").count() == 1
    assert page.locator("svg.timeline .critical").count() == 3
    page.click("details summary >> nth=0")
    assert "overall_task" in page.inner_text("details >> nth=0")
    page.click("svg.graph .node >> nth=1")
    assert page.url.endswith("#r0s1")
    assert page.title() == "sample-phy-1", "no script of a model ran"
    assert HOSTILE in page.inner_text("body")
    page.click("a[rel=next]")
    assert page.title() == "sample-phy-2"
    assert trouble == []


def test_it_can_be_read_by_keyboard_alone(pages: Path, browser: Any) -> None:
    page = browser.new_page()
    page.goto((pages / "index.html").as_uri())
    page.focus("input[type=search]")
    page.keyboard.type("sample-phy-1")
    assert page.locator("tbody tr:visible").count() == 1
    page.focus("th:has-text('cost') button")
    page.keyboard.press("Enter")
    assert page.get_attribute("th:has-text('cost')", "aria-sort") == "ascending"
    page.focus("tbody tr:visible a")
    page.keyboard.press("Enter")
    page.wait_for_url("**/samples/sample-phy-1-*")
    page.focus("svg.graph a >> nth=0")
    page.keyboard.press("Enter")
    assert page.url.endswith("#r0s0")


def test_ten_thousand_samples_are_drawn_two_hundred_at_a_time(browser: Any, tmp_path: Path) -> None:
    many = [(f"samples/{i}.html", replace(RECORD, id=f"q{i}", cost=i / 7)) for i in range(10_000)]
    (tmp_path / "index.html").write_text(index_page("many", "", many))
    page = browser.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    assert page.inner_text("#count") == "10000 of 10000 samples"
    assert page.locator("tbody tr:visible").count() == 200
    page.click("#more")
    assert page.locator("tbody tr:visible").count() == 400
    page.click("th:has-text('cost')")
    page.click("th:has-text('cost')")
    assert page.inner_text("tbody tr:first-child a") == "q9999", "all are sorted, not those shown"
    page.fill("input[type=search]", "q777")
    assert page.inner_text("#count") == "11 of 10000 samples"
    assert not page.is_visible("#more")


def test_an_unknown_cost_is_sorted_below_none_at_all(browser: Any, tmp_path: Path) -> None:
    costs = (10.0, None, 0.0, 0.25, 2.0)
    rows = [(f"{cost}.html", replace(RECORD, id=str(cost), cost=cost)) for cost in costs]
    (tmp_path / "index.html").write_text(index_page("costs", "", rows))
    page = browser.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    page.click("th:has-text('cost')")
    shown = page.locator("tbody tr a").all_inner_texts()
    assert shown == ["None", "0.0", "0.25", "2.0", "10.0"]


def test_screenshots_are_kept_where_the_tests_are_told_to(pages: Path, browser: Any) -> None:
    """`SCREENSHOTS=DIR pytest tests/e2e/test_show.py` leaves pictures to look at."""
    folder = Path(os.environ.get("SCREENSHOTS") or pages)
    folder.mkdir(parents=True, exist_ok=True)
    sample = next((pages / "samples").glob("sample-phy-1*"))
    for name, width, file in (("index", 1100, pages / "index.html"), ("sample", 1100, sample),
                              ("sample-phone", 390, sample)):  # fmt: skip
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
            page.goto(file.as_uri())
            target = folder / f"{name}-{scheme}.png"
            page.screenshot(path=str(target), full_page=True)
            assert target.stat().st_size > 10_000
            page.close()


def test_a_phone_shows_it_without_scrolling_sideways(pages: Path, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    sample = next((pages / "samples").iterdir())
    for file in (pages / "index.html", sample):
        page.goto(file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_what_is_no_log_is_said_in_one_line(tmp_path: Path) -> None:
    conductor = str(Path(sys.executable).with_name("conductor"))
    done = subprocess.run(
        [conductor, "show", str(tmp_path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "no log in" in done.stderr
