"""Run programs that nobody trusts. Knows nothing of tasks, answers or models."""

from sandboxes.executor import Executor, Limits, Run, SandboxError

__all__ = ["Executor", "Limits", "Run", "SandboxError"]
