"""Inspect's private parts that we touch: each is there, and each may go with its own loss only."""

from __future__ import annotations

import sys

import pytest
from inspect_ai.model import CachePolicy, ChatMessageUser, GenerateConfig, get_model

import conductor._inspect  # noqa: F401  what Inspect's entry point loads
from conductor import private


def without(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    """As in a version of Inspect that has moved these modules."""
    for module in modules:
        monkeypatch.setitem(sys.modules, module, None)


def test_the_parts_are_where_this_version_has_them() -> None:
    """If this fails after an update, conductor/private.py is what to mend."""
    from inspect_ai._eval.eval import resolve_models  # type: ignore[attr-defined]
    from inspect_ai._util.registry import RegistryInfo, _registry, registry_add, registry_key
    from inspect_ai.log._samples import sample_active
    from inspect_ai.model._generate_config import active_generate_config

    assert all(map(callable, (resolve_models, registry_add, registry_key, RegistryInfo)))
    assert isinstance(_registry, dict)
    assert sample_active() is None
    assert isinstance(active_generate_config(), GenerateConfig)


def test_outside_a_sample_the_text_is_the_problem() -> None:
    one, two = ([ChatMessageUser(content=text)] for text in ("one", "two"))
    assert private.sample_identity(one) == private.sample_identity(one)
    assert private.sample_identity(one)[0] != private.sample_identity(two)[0]
    assert private.sample_identity(one)[0].startswith("text-")
    assert private.sample_identity([ChatMessageUser(content="\ud800")])[1] == 1


def test_without_the_private_parts_the_answers_are_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "inspect_ai.log._samples", "inspect_ai.model._generate_config",
            "inspect_ai._util.registry", "inspect_ai._eval.eval")  # fmt: skip
    assert private.sample_identity([ChatMessageUser(content="q")])[0].startswith("text-")
    assert private.run_config() == GenerateConfig()
    assert private.registered_names("modelapi") == set()
    private.register_bare_model(lambda **arguments: None)
    private.register_bare_solver(None)
    private.accept_config_argument()


@pytest.mark.parametrize(
    ("argv", "variable", "says"),
    [
        (["inspect", "eval", "t.py", "--model", "conductor"], "", True),
        (["inspect", "eval", "t.py", "--model=conductor"], "", True),
        (["inspect", "eval", "t.py"], "openai/gpt-5,conductor", True),
        (["inspect", "eval", "t.py", "--model", "conductor/default"], "", False),
        (["inspect", "view"], "", False),
    ],
)
def test_without_the_registry_only_who_asks_for_the_bare_name_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    argv: list[str], variable: str, says: bool,
) -> None:  # fmt: skip
    without(monkeypatch, "inspect_ai._util.registry")
    monkeypatch.setattr(sys, "argv", argv)
    monkeypatch.setenv("INSPECT_EVAL_MODEL", variable)
    private.register_bare_model(lambda **arguments: None)
    assert ("write --model conductor/default" in capsys.readouterr().err) is says


def test_registered_providers_are_named_without_their_package() -> None:
    names = private.registered_names("modelapi")
    assert {"conductor", "local", "openai", "mockllm"} <= names
    assert not any("/" in name for name in names)


def test_the_bare_name_is_the_default_conductor_and_nothing_else_is_bare() -> None:
    assert get_model("conductor", policy="single").name == "default"
    with pytest.raises(ValueError, match="format of <api_name>/<model_name>"):
        get_model("gpt-4o")


def test_a_cache_setting_is_a_policy_or_none() -> None:
    assert private.cache_expiry(None) is None
    assert private.cache_expiry(False) is None
    assert private.cache_expiry(True) == CachePolicy()
    day = CachePolicy(expiry="1D")
    assert private.cache_expiry(day) is day
