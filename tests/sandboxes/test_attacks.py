"""Programs that try to cheat, break out or break down; an honest one must pass right after each."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from harness import Program, Test
from harness.graders.program import grade_program
from tests.ground_truth import shared
from tests.sandboxes.conftest import Box

LIMIT = 0.5  # CPU seconds
KEYS = {
    "stdin": Program((Test("21\n", "42\n"), Test("50\n", "100\n")), cpu_seconds=LIMIT),
    "call": Program((Test("21", "42"), Test("50", "100")), "f", cpu_seconds=LIMIT),
}
HONEST = "```python\nprint(2 * int(input()))\n```"


def attacks() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(shared("data/attacks.json").read_text())["programs"]
    return found


def test_every_attack_gets_its_verdict_and_harms_nobody_after_it(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_API_KEY", "LEAK-env-key")
    wrong = []
    for attack in attacks():
        key = KEYS[attack["kind"]]
        text = f"```python\n{attack['code']}\n```"
        verdict = asyncio.run(grade_program(text, key, box.executor))
        after = asyncio.run(grade_program(HONEST, KEYS["stdin"], box.executor))
        as_wanted = {
            "ok": verdict.outcome == "correct",
            "bad": verdict.outcome == "incorrect",
            "timeout": verdict.metadata.get("failure") == "time limit",
        }[attack["want"]]
        if not as_wanted or after.outcome != "correct":
            wrong.append((attack["name"], attack["want"], verdict.reason, after.reason))
    assert wrong == []
