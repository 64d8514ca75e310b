"""Run programs that nobody trusts. Knows nothing of tasks, answers or models."""

from sandboxes.executor import Executor, Limits, Mode, Run, SandboxError
from sandboxes.opening import open_executor, shared_executor

__all__ = [
    "Executor",
    "Limits",
    "Mode",
    "Run",
    "SandboxError",
    "open_executor",
    "shared_executor",
]
