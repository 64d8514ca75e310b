"""llama.cpp in this process: one server a model, a few slots, requests in threads."""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import Any

from conductor.local.weights import REMEDY, MissingModel, find_weights

SLOTS = (
    4  # measured on two cores: 149, 190 and 228 tokens/s at 1, 4 and 8 slots; 4 keep latency low
)
CONTEXT = 4096  # tokens a slot
# Half the cores: llama.cpp's threads wait for each other, and two processes with a thread for each
# core collapse (measured on two cores: 190 tokens/s alone, but 36 each for two of them; with one
# thread 107 alone and 107 each).
THREADS = min(4, max(1, (os.cpu_count() or 2) // 2))
_starting = threading.Lock()


class ContextOverflow(ValueError):
    """The prompt does not fit the model's context."""


def complete(model: str, request: dict[str, Any]) -> dict[str, Any]:
    """One chat completion in OpenAI's shape; blocks its thread. Safe from any thread.

    Raises ContextOverflow, or RuntimeError with the engine's message.
    """
    with _starting:
        engine = _engine(model)
    answer: dict[str, Any] = engine.handle_chat_completions(request)
    error = answer.get("error")
    if not error:
        return answer
    if error.get("type") == "exceed_context_size_error":
        raise ContextOverflow(str(error.get("message")))
    raise RuntimeError(f"llama.cpp: {error.get('message')}")


@cache
def _engine(model: str) -> Any:
    weights = find_weights(model)
    try:
        import xllamacpp
    except ImportError as cause:
        raise MissingModel(f"the engine of local models is not installed: {REMEDY}") from cause
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.n_parallel = SLOTS
    parameters.n_ctx = CONTEXT * SLOTS
    for cpu in (parameters.cpuparams, parameters.cpuparams_batch):
        cpu.n_threads = THREADS
        cpu.poll = 0
    parameters.verbosity = -1
    parameters.ui = False
    return xllamacpp.Server(parameters)
