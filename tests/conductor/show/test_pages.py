"""The pages of a run: who sees what, where time went, and nothing of a model's runs."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from conductor.show.calls import CallRecord
from conductor.show.graph import plan_graph
from conductor.show.page import index_page, sample_page
from conductor.show.record import RoundRecord, SampleRecord, StepRecord
from conductor.show.timeline import critical_path, timeline

HOSTILE = "</pre><script>alert(1)</script><img src=x onerror=alert(2)>\" onmouseover='alert(3)"


def step(number: int, *access: int, start: float = 0.0, seconds: float = 1.0) -> StepRecord:
    return StepRecord(
        round=0, number=number, worker=f"w{number}", model="x/m", subtask="do it", access=access,
        previous=False, prompt=(("user", "the prompt"),), response=f"answer {number}",
        tokens=(10, 5), cost=0.25, start=start, seconds=seconds, retries=0, stop_reason="stop",
        fault=None,
    )  # fmt: skip


def round_of(*steps: StepRecord) -> RoundRecord:
    return RoundRecord(0, False, None, steps[-1].number, steps, "")


def sample(*steps: StepRecord, **fields: object) -> SampleRecord:
    record = SampleRecord(
        id="q1", epoch=1, question="why?", answer="because", verdict="correct", reason="matches",
        policy="a rule", trouble=None, answered_by=(0, 0), rounds=(round_of(*steps),), tokens=15,
        calls=1, cost=0.25, seconds=1.0,
    )  # fmt: skip
    return replace(record, **fields)  # type: ignore[arg-type]


DIAMOND = (
    step(0, seconds=2),
    step(1, 0, start=2, seconds=1),
    step(2, 0, start=2, seconds=4),
    step(3, 1, 2, start=6, seconds=1),
    step(4, seconds=3),
)


def test_the_critical_path_is_what_the_last_step_had_to_wait_for() -> None:
    assert critical_path(DIAMOND) == {0, 2, 3}
    assert critical_path(DIAMOND[:1]) == {0}
    assert critical_path(()) == set()
    drawn = timeline(round_of(*DIAMOND))
    assert drawn.count("bar critical") == 3
    assert drawn.count('class="bar') == 5


def test_bars_are_shares_of_the_round_with_the_policys_own_time() -> None:
    one = replace(round_of(step(0, seconds=3), step(1, 0, start=3, seconds=4)), planning=1.0)
    bars = re.findall(r'critical" x="([\d.]+)%" y="\d+" width="([\d.]+)%"', timeline(one))
    assert bars == [("0.00", "12.50"), ("12.50", "37.50"), ("50.00", "50.00")]
    assert "policy · 1.0 s" in timeline(one)


def test_a_graph_has_a_node_a_step_and_an_arrow_a_look() -> None:
    drawn = plan_graph([round_of(*DIAMOND)])
    assert drawn.count('class="node') == 5
    assert drawn.count('class="edge"') == 4
    assert drawn.count('class="node answer"') == 1
    columns = [int(x) for x in re.findall(r'<rect x="(\d+)"', drawn)]
    assert columns[0] == columns[4] < columns[1] == columns[2] < columns[3]
    assert 'href="#r0s3"' in drawn


def test_an_arrow_over_several_columns_is_not_hidden_behind_the_nodes_between() -> None:
    drawn = plan_graph([round_of(step(0), step(1, 0), step(2, 0, 1))])
    top = min(int(y) for y in re.findall(r'<rect x="\d+" y="(\d+)"', drawn))
    arches = re.findall(r'class="edge"[^>]* d="M\d+,(\d+) C\d+,(\d+)', drawn)
    above = [start for start, control in arches if int(control) < int(start)]
    assert len(arches) == 3
    assert above == [str(top)]


def test_rounds_stand_side_by_side_and_see_the_answer_before_by_a_dashed_arrow() -> None:
    first, second = step(0), replace(step(0), round=1, previous=True)
    kept = RoundRecord(2, True, None, None, (), "")
    drawn = plan_graph([round_of(first), replace(round_of(second), number=1), kept])
    columns = [int(x) for x in re.findall(r'<rect x="(\d+)"', drawn)]
    assert columns[0] < columns[1]
    assert drawn.count('class="edge before"') == 1
    assert drawn.count('class="edge"') == 0
    assert "round 2: the answer was kept" in drawn
    assert 'href="#r1s0"' in drawn


def test_a_step_that_sees_a_step_the_plan_lacks_still_stands() -> None:
    assert plan_graph([round_of(step(0, 7))]).count('class="edge"') == 0
    assert plan_graph([RoundRecord(0, False, "no plan", None, (), "")]).count("<rect") == 0


def test_a_fault_is_marked_and_told() -> None:
    broken = replace(step(0), fault="provider down", response="", prompt=())
    page = sample_page(
        sample(broken, trouble="step 0: provider down", verdict="unscored"), None, None
    )
    assert 'class="node fault"' in page
    assert page.count("provider down") >= 2


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs), "no event handlers"


@pytest.mark.parametrize(
    "page",
    [
        sample_page(
            sample(
                replace(
                    step(0), worker=HOSTILE, model=HOSTILE, subtask=HOSTILE, response=HOSTILE,
                    prompt=(("user", HOSTILE),), fault=HOSTILE, stop_reason=HOSTILE,
                    inside=(CallRecord(HOSTILE, (("user", HOSTILE),), HOSTILE),),
                ),
                id=HOSTILE, question=HOSTILE, answer=HOSTILE, reason=HOSTILE, trouble=HOSTILE,
                policy=HOSTILE,
            ),
            "a.html", "b.html",
        ),
        index_page(HOSTILE, HOSTILE, [(
            "samples/x.html",
            sample(replace(step(0), worker=HOSTILE), id=HOSTILE, answer=HOSTILE),
        )]),
    ],
    ids=["sample", "index"],
)  # fmt: skip
def test_nothing_that_a_model_wrote_becomes_markup(page: str) -> None:
    tags = _Tags()
    tags.feed(page)
    assert "img" not in tags.seen
    assert tags.seen.count("script") == page.count("<script>") <= 1
    assert "default-src 'none'" in page


def test_a_sample_that_no_conductor_answered_says_so() -> None:
    page = sample_page(sample(step(0), rounds=()), None, None)
    assert "No conductor answered this sample" in page
    assert "<svg" not in page


def test_a_kept_answer_an_unasked_step_and_an_empty_response_are_said() -> None:
    kept = RoundRecord(1, True, None, None, (), "I would keep it.")
    unasked = replace(step(0), prompt=(), response="", stop_reason="skipped", fault="step 9 failed")
    page = sample_page(sample(step(0), rounds=(round_of(unasked), kept)), None, None)
    for text in ("The answer was kept", "I would keep it.", "never asked", "(empty)", "Round 1"):
        assert text in page
