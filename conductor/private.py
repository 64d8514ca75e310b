"""Every touch of Inspect's private parts, in one place; tests/conductor/test_private.py pins each.

If one of them goes, only what it serves goes: the bare name `conductor`, or the problem's id in
cache keys. Nothing here may raise on import.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from inspect_ai.model import CachePolicy, ChatMessage, GenerateConfig

BARE = "conductor"


def sample_identity(messages: Sequence[ChatMessage]) -> tuple[str, int]:
    """(problem id, epoch) of the sample that is running; outside one, a hash of the messages."""
    try:
        from inspect_ai.log._samples import sample_active

        active = sample_active()
    except ImportError:
        active = None
    if active is not None and active.sample.id is not None:
        return f"{active.task}/{active.sample.id}", active.epoch
    text = "\0".join(f"{message.role}\0{message.text}" for message in messages)
    return "text-" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16], 1


def sample_metadata() -> dict[str, Any]:
    """The metadata of the sample that is running; outside one, nothing."""
    try:
        from inspect_ai.log._samples import sample_active

        active = sample_active()
    except ImportError:
        return {}
    return dict(active.sample.metadata or {}) if active is not None else {}


def run_config() -> GenerateConfig:
    """The generate config of the run (what --cache, --temperature … say)."""
    try:
        from inspect_ai.model._generate_config import active_generate_config
    except ImportError:
        return GenerateConfig()
    return active_generate_config()


def cache_expiry(cache: bool | CachePolicy | None) -> CachePolicy | None:
    """The policy that a `cache` setting stands for, or None when there is to be no cache."""
    if isinstance(cache, CachePolicy):
        return cache
    return CachePolicy() if cache else None


def was_told(error: Exception) -> bool:
    """Whether the user has been told of this error, so that it only has to end the run."""
    try:
        from inspect_ai._util.error import SilentException
    except ImportError:
        return False
    return isinstance(error, SilentException)


def registered_names(kind: str) -> set[str]:
    """Unqualified names of everything registered of a kind; empty if Inspect can't tell."""
    try:
        from inspect_ai._util.registry import (
            registry_find,
            registry_info,
            registry_unqualified_name,
        )
    except ImportError:
        return set()
    registry_find(lambda info: False)  # what finds nothing makes Inspect load the entry points
    found = registry_find(lambda info: info.type == kind and isinstance(info.name, str))
    return {str(registry_unqualified_name(registry_info(item))) for item in found}


class _BareName(str):
    """A registry name that equals None: what Inspect looks for when a model has no slash."""

    def split(self, *args: Any, **kwargs: Any) -> list[str]:
        return [self]

    def __eq__(self, other: object) -> bool:
        return other is None or str.__eq__(self, other)

    __hash__ = str.__hash__


def register_bare_model(make: Callable[..., Any]) -> None:
    """Make `--model conductor` mean `--model conductor/default`.

    Inspect takes PROVIDER/NAME only; a model with no slash has the provider None, and no public
    way to register it. Without the registry's private parts the bare name is refused, with the
    remedy, to whoever asks for it.
    """

    def bare(model_name: str, **arguments: Any) -> Any:
        if model_name != BARE:  # keep Inspect's own error for every other bare name
            raise ValueError(
                f"Model name {model_name!r} should be in the format of <api_name>/<model_name>."
            )
        return make(model_name="default", **arguments)

    try:
        from inspect_ai._util.registry import RegistryInfo, registry_add

        name = _BareName("conductor-bare")
        registry_add(bare, RegistryInfo.model_construct(type="modelapi", name=name, metadata={}))
    except (ImportError, AttributeError, TypeError):
        _say_bare_name_is_gone()


def register_bare_solver(agent: Any) -> None:
    """Make `--solver conductor` mean `--solver conductor/conductor`.

    Inspect takes a solver's name for a path where one of that name exists, and in this checkout
    there is a folder `conductor`: the name is kept a name.
    """
    try:
        from inspect_ai._util.registry import _registry, registry_key

        loader: Any = importlib.import_module("inspect_ai._eval.loader")
        parse = loader.parse_spec_str
        _registry[registry_key("agent", BARE)] = agent
    except (ImportError, AttributeError, TypeError):
        return  # `--solver conductor/conductor` still works, and Inspect's error names it
    loader.parse_spec_str = lambda spec: (None, spec) if spec == BARE else parse(spec)


def accept_config_argument() -> None:
    """Let `inspect eval … -M config=FILE` mean `-M settings=FILE`.

    `config` is a parameter of Inspect's own get_model(), so a model argument of that name is a
    TypeError before any provider is asked. `inspect eval` loads entry points first, and can be
    helped; `inspect eval-set` does not, so the documented name is `settings`.
    """
    try:
        module: Any = importlib.import_module("inspect_ai._eval.eval")
        resolve = module.resolve_models
    except (ImportError, AttributeError):
        return

    def renamed(model: Any = None, base: Any = None, args: Any = None, config: Any = None) -> Any:
        if args and "config" in args and BARE in str(model):
            args = {**args, "settings": args["config"]}
            del args["config"]
        return resolve(model, base, args, config)

    module.resolve_models = renamed


def _say_bare_name_is_gone() -> None:
    asked = [*sys.argv, *os.environ.get("INSPECT_EVAL_MODEL", "").split(",")]
    if BARE in asked or f"--model={BARE}" in asked:
        print(
            "error: this version of Inspect has no place for a bare model name; "
            "write --model conductor/default",
            file=sys.stderr,
        )
