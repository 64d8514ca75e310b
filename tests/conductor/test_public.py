"""What `conductor` offers, and what importing it must not load."""

from __future__ import annotations

import subprocess
import sys

import conductor

PUBLIC = {
    "Call", "CallKey", "Config", "ConfigError", "Keep", "Message", "Outcome", "Plan", "PlanError",
    "Policy", "Pool", "Reply", "Settings", "Step", "Trace", "Worker", "conduct", "make_policy",
    "parse_plan", "read_config", "run_plan",
}  # fmt: skip
HEAVY = ("inspect_ai", "torch", "litellm", "openai", "yaml", "harness", "xllamacpp", "numpy")


def test_the_public_names_are_these() -> None:
    assert set(conductor.__all__) == PUBLIC
    assert len(conductor.__all__) == len(PUBLIC)
    assert all(hasattr(conductor, name) for name in PUBLIC)


def loaded_after(code: str) -> set[str]:
    show = f"{code}; import sys; print(*(m for m in {HEAVY} if m in sys.modules))"
    return set(subprocess.check_output([sys.executable, "-c", show], text=True).split())


def test_importing_the_core_loads_nothing_heavy() -> None:
    assert loaded_after("import conductor") == set()


def test_reading_a_pool_loads_yaml_and_no_provider() -> None:
    assert loaded_after("import conductor; conductor.read_config()") == {"yaml"}


def test_every_public_thing_says_what_it_is() -> None:
    silent = [name for name in PUBLIC if not getattr(conductor, name).__doc__]
    assert silent == []
