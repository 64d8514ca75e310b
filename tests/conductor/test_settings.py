"""The configuration: from a file, from single keys, and what its cache key tells apart."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from conductor import Config, ConfigError, Settings, read_config
from conductor.config import BY_THE_WAY

POOL = "workers:\n  - {name: a, model: x/a}\n  - {name: b, model: x/b}\n"


def test_the_default_is_a_rule_over_the_shipped_pool() -> None:
    config = read_config()
    assert config.settings == Settings()
    assert config.settings.policy == "rule"
    assert config.settings.plan_retries == 0
    assert {worker.model for worker in config.pool.workers} == {"local/smollm2"}


def test_single_keys_go_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "pool.yaml").write_text(POOL)
    file = tmp_path / "conductor.yaml"
    file.write_text("policy: single:b\npool: pool.yaml\nmax_steps: 3\naccess: positions\n")
    config = read_config(file, {"max_steps": 2, "seed": 9}, tmp_path.joinpath)
    assert config.settings == Settings("single:b", max_steps=2, access="positions", seed=9)
    assert [worker.name for worker in config.pool.workers] == ["a", "b"]


def test_a_pool_is_a_file_where_the_caller_stands_a_shipped_name_or_a_list(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(POOL)
    assert len(read_config(None, {"pool": "mine.yaml"}, tmp_path.joinpath).pool) == 2
    assert read_config(None, {"pool": "default"}).pool == read_config().pool
    assert len(read_config(None, {"pool": [{"model": "x/y"}]}).pool) == 1


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("polcy: rule", ":1: unknown key 'polcy' of the configuration; did you mean 'policy'?"),
        ("policy: rul", ":1: unknown policy 'rul'; did you mean 'rule'? (or a model, PROV"),
        ("policy: rule:a", ":1: unknown policy 'rule:a'"),
        ("max_steps: 3\npolicy: single:livly", ":2: "),
        ("policy: single:livly", "unknown worker 'livly'; did you mean 'lively'?"),
        ("policy: 'single:'", ":1: "),
        ("max_steps: 0", ":1: `max_steps` must lie between 1 and 100, not 0"),
        ("max_steps: many", ":1: `max_steps` must be a whole number, not the text 'many'"),
        ("access: position", ":1: unknown access 'position'; did you mean 'positions'?"),
        ("visible: all", ":1: unknown value of `visible` 'all'"),
        ("describe: 1", ":1: `describe` must be true or false"),
        ("prefill: sometimes", ":1: `prefill` must be true or false"),
        ("generation: {temp: 1}", ":1: unknown key 'temp' of `generation`"),
        ("deadline: 0", ":1: `deadline` must lie between"),
        ("pool: defualt", ":1: no pool 'defualt'; did you mean 'default'?"),
        ("pool: 3", "a pool needs `workers:`"),
        ("pool:\n  workers:\n    - {model: x/y, tag: z}", ":3: unknown key 'tag' of worker"),
        ("- rule", ":1: the configuration must be a mapping, not a list"),
    ],
)
def test_a_mistake_is_named_by_file_line_and_near_match(
    tmp_path: Path, text: str, error: str
) -> None:
    file = tmp_path / "conductor.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_config(file)
    assert str(caught.value).startswith(f"{file}:")
    assert error in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_mistake_in_a_single_key_is_named_by_its_source() -> None:
    with pytest.raises(ConfigError, match="-M: unknown key 'sed'"):
        read_config(None, {"sed": 1})
    with pytest.raises(ConfigError, match="options: unknown key 'sed'"):
        read_config(None, {"sed": 1}, source="options")


def test_a_mistake_in_the_pool_file_is_named_by_the_pool_file(tmp_path: Path) -> None:
    (tmp_path / "pool.yaml").write_text("workers:\n  - {name: a, mdoel: x/a}\n")
    with pytest.raises(ConfigError, match=r"pool\.yaml:2: unknown key 'mdoel' .* 'model'"):
        read_config(None, {"pool": "pool.yaml"}, tmp_path.joinpath)


def test_a_policy_that_is_overridden_is_not_held_against_the_file(tmp_path: Path) -> None:
    file = tmp_path / "conductor.yaml"
    file.write_text("policy: single:elsewhere\n")
    assert read_config(file, {"policy": "rule"}).settings.policy == "rule"


CHANGES: dict[str, Any] = {
    "policy": "single", "max_steps": 4, "access": "positions", "seed": 1, "visible": "first",
    "plan_retries": 1, "describe": True, "generation": {"temperature": 0.5}, "prefill": True,
    "deadline": 60.0, "rounds": 1, "depth": 1, "replan": True, "pool_subset": 2,
    "constraints": {"deny_tags": ["slow"]},
    "pool": [{"name": "a", "model": "x/a"}, {"name": "b", "model": "x/b"}],
}  # fmt: skip


def test_every_setting_changes_the_fingerprint() -> None:
    fields = {field.name for field in dataclasses.fields(Settings)}
    assert set(CHANGES) == fields - set(BY_THE_WAY) | {"pool"}
    prints = {read_config(None, {key: value}).fingerprint for key, value in CHANGES.items()}
    assert len(prints | {read_config().fingerprint}) == len(CHANGES) + 1


def test_what_changes_no_answer_leaves_the_fingerprint(tmp_path: Path) -> None:
    changes = {"concurrency": 1, "policy_price": {"input": 1, "output": 2},
               "breaker": {"failures": 0}, "recording": "calls.jsonl",
               "budget": {"calls": 5, "ledger": "spent.jsonl"}}  # fmt: skip
    assert set(changes) == set(BY_THE_WAY)
    assert read_config(None, changes, tmp_path.joinpath).fingerprint == read_config().fingerprint


@pytest.mark.parametrize(
    "change",
    [
        {"model": "x/other"}, {"generation": {"temperature": 0.5}}, {"base_url": "http://h/v1"},
        {"args": {"a": 1}}, {"args": {"a": 2}}, {"generation": {"system": "Be brief."}},
        {"prefill": True}, {"name": "other"},
    ],
)  # fmt: skip
def test_every_part_of_a_worker_changes_the_fingerprint(change: dict[str, Any]) -> None:
    worker = {"name": "a", "model": "x/a", "args": {"a": 0}}
    assert print_of([worker]) != print_of([{**worker, **change}])


def print_of(workers: list[dict[str, Any]]) -> str:
    return read_config(None, {"pool": workers}).fingerprint


def test_the_fingerprint_is_the_same_wherever_the_file_lies(tmp_path: Path) -> None:
    configs: list[Config] = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "pool.yaml"
        path.write_text("\n" * len(folder) + POOL)
        configs.append(read_config(None, {"pool": str(path)}))
    assert configs[0].fingerprint == configs[1].fingerprint
    swapped = [{"name": "b", "model": "x/b"}, {"name": "a", "model": "x/a"}]
    assert print_of(swapped) != configs[0].fingerprint, "ordinals are part of the configuration"
