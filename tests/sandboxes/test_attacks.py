"""Programs that try to cheat, break out or break down; an honest one must pass right after each."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from typing import Any

import pytest

from harness import Program, Test
from harness.graders.program import grade_program
from tests.ground_truth import shared
from tests.sandboxes.attack_programs import ATTACKS, Attack
from tests.sandboxes.conftest import Box

LIMIT = float(os.environ.get("ATTACK_SECONDS", "0.5"))  # CPU seconds; `make attacks` gives more
REPEATS = int(os.environ.get("ATTACK_REPEATS", "1"))
KEYS = {
    "stdin": Program((Test("21\n", "42\n"), Test("50\n", "100\n")), cpu_seconds=LIMIT),
    "call": Program((Test("21", "42"), Test("50", "100")), "f", cpu_seconds=LIMIT),
}
HONEST = "```python\nprint(2 * int(input()))\n```"


def shared_attacks() -> list[Attack]:
    found: list[dict[str, Any]] = json.loads(shared("data/attacks.json").read_text())["programs"]
    return [Attack(each["name"], each["code"], each["kind"], each["want"]) for each in found]


def failures(box: Box, attacks: Sequence[Attack]) -> list[tuple[str, ...]]:
    """Attacks that did not get their verdict, or after which an honest program fails."""
    wrong = []
    for attack in attacks:
        text = f"```python\n{attack.code}\n```"
        verdict = asyncio.run(grade_program(text, KEYS[attack.kind], box.executor))
        after = asyncio.run(grade_program(HONEST, KEYS["stdin"], box.executor))
        as_wanted = {
            "ok": verdict.outcome == "correct",
            "bad": verdict.outcome == "incorrect",
            "timeout": verdict.metadata.get("failure") == "time limit",
        }[attack.want]
        if not as_wanted or after.outcome != "correct":
            wrong.append((attack.name, attack.want, verdict.reason, after.reason))
    return wrong


def test_every_attack_gets_its_verdict_and_harms_nobody_after_it(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_API_KEY", "LEAK-env-key")
    for _ in range(REPEATS):
        assert failures(box, ATTACKS) == []


def test_so_does_every_attack_of_the_shared_list(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_API_KEY", "LEAK-env-key")
    for _ in range(REPEATS):
        assert failures(box, shared_attacks()) == []


def test_there_are_many_kinds_of_them() -> None:
    names = [attack.name for attack in ATTACKS]
    assert len(names) == len(set(names)) >= 80
