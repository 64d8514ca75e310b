"""Named sets of tasks and systems: what `harness suite` runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Suite:
    """tasks: names in tasks/. systems: as for `--systems`. summary: one line for people."""

    tasks: tuple[str, ...]
    systems: str
    summary: str


BASELINES = "conductor,each,reflect:5,vote:5,best-of:5,moa,random"

SUITES = {
    "quick": Suite(
        ("gpqa", "math500", "gsm8k"), "conductor,single,vote:3", "three tasks, three systems"
    ),
    "paper": Suite(
        ("math500", "mmlu", "rlpr", "livecodebench", "aime", "bigcodebench", "gpqa"),
        BASELINES,
        "the paper's seven benchmarks and its baselines",
    ),
    "math": Suite(
        ("math500", "aime", "amc", "minerva_math", "olympiadbench", "gsm8k"),
        BASELINES,
        "mathematics",
    ),
    "code": Suite(
        ("livecodebench", "bigcodebench", "humaneval", "mbpp"), BASELINES, "programs (a sandbox)"
    ),
    "knowledge": Suite(("gpqa", "mmlu", "mmlu_pro", "rlpr"), BASELINES, "knowledge"),
}
