"""LiveCodeBench, code generation: contest problems with hidden tests, by contest date.

inspect eval tasks/livecodebench.py --model conductor -T data=sample
inspect eval tasks/livecodebench.py --model openai/gpt-5 -T release=v6
inspect eval tasks/livecodebench.py --epochs 10 --epochs-reducer pass_at_1,pass_at_5

-T release=NAME         v1 … v6 (one increment; v6 by default), v2_v4, release_v1 … release_v6
-T start_date=, -T end_date=   contest days, YYYY-MM-DD, both inclusive
-T difficulty=, -T platform=   easy,medium,hard; atcoder,leetcode,codeforces
-T semantics=judge|lcb  a real judge, or LiveCodeBench's own checker re-implemented
-T data=PATH            a file of official rows, or a folder with test.jsonl, test2.jsonl …
"""

from __future__ import annotations

from typing import Literal

from inspect_ai import Task, task
from inspect_ai.scorer import accuracy, stderr
from inspect_ai.solver import generate

from harness.datasets.livecodebench_release import load_livecodebench
from harness.graders.program import require_sandbox
from harness.metrics import accuracy_without_errata
from harness.sample import present, to_dataset
from harness.scorer import graded


@task
def livecodebench(
    release: str = "v6",
    start_date: str | None = None,
    end_date: str | None = None,
    difficulty: str | list[str] | None = None,
    platform: str | list[str] | None = None,
    semantics: Literal["judge", "lcb"] = "judge",
    data: str | None = None,
) -> Task:
    """Problems known to be broken (`erratum`) are scored: read accuracy with and without them."""
    problems, loaded = load_livecodebench(
        release, data, semantics, start_date, end_date, difficulty, platform
    )
    require_sandbox()
    return Task(
        dataset=to_dataset(problems, loaded),
        setup=present(),
        solver=generate(),
        scorer=graded(),
        metrics=[accuracy(), stderr(), stderr(cluster="cluster"), accuracy_without_errata()],
        metadata={**loaded.provenance, "semantics": semantics},
    )
