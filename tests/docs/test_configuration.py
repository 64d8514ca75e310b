"""docs/configuration.md says what the code accepts: each key, and examples that hold."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from conductor import Pool, parse_plan, read_config
from conductor.config import KEYS
from conductor.policies import POLICIES
from conductor.pool import WORKER_KEYS, Generation

PAGE = (Path(__file__).resolve().parents[2] / "docs/configuration.md").read_text()


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def first_column(text: str) -> list[str]:
    cells = re.findall(r"^\| (`[^|]+) \|", text, re.M)
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


def example(text: str) -> str:
    found = re.search(r"```yaml\n(.*?)```", text, re.S)
    assert found
    return found[1]


def test_every_setting_is_described_with_its_default() -> None:
    assert first_column(section("Settings")) == list(KEYS)
    defaults = dict(re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", section("Settings"), re.M))
    settings = read_config().settings
    structured = {
        "pool",
        "generation",
        "pool_subset",
        "constraints",
        "policy_price",
        "breaker",
        "budget",
        "recording",
    }
    for name in set(KEYS) - structured:
        value = getattr(settings, name)
        shown = f"{value:g}" if isinstance(value, float) else str(value)
        assert defaults[name].strip("`") == (shown.lower() if isinstance(value, bool) else shown)


def test_every_key_of_a_worker_is_described() -> None:
    assert set(first_column(section("Pools"))) == set(WORKER_KEYS)
    row = next(line for line in PAGE.splitlines() if line.startswith("| `generation` | `temp"))
    assert set(re.findall(r"`(\w+)`", row)) - {"generation"} == {
        field.name for field in dataclasses.fields(Generation)
    }


def test_every_policy_is_described() -> None:
    names = {name.split(":")[0] for name in first_column(section("Policies"))}
    assert names - {"policy"} == {
        *POLICIES,
        "PROVIDER/NAME",
    }


def test_the_examples_hold(tmp_path: Path) -> None:
    settings, pool = tmp_path / "conductor.yaml", tmp_path / "pool.yaml"
    settings.write_text(example(section("Settings")))
    pool.write_text(example(section("Pools")))
    assert read_config(settings).settings.policy == "single:careful"
    assert [worker.name for worker in Pool.read(pool).workers] == ["strong", "local"]
    assert len(parse_plan(section("What a plan looks like")).steps) == 3
