"""What the packages promise, and that importing them stays light."""

from __future__ import annotations

import subprocess
import sys
from types import FunctionType

import harness
import harness.rewards
import sandboxes

PROMISED = {
    harness: {
        "Choice", "FreeForm", "Math", "MathRules", "Problem", "ProblemError", "Program", "Test",
        "Verdict", "grade",
    },
    harness.rewards: {
        "compute_score", "score_many", "trl_reward", "trl_reward_sync", "verifiers_reward",
        "verl_reward",
    },
}  # fmt: skip
HEAVY = ("inspect_ai", "torch", "litellm", "sympy", "mpmath", "datasets", "scipy", "numpy")


def test_the_public_names_are_these() -> None:
    for module, names in PROMISED.items():
        assert set(module.__all__) >= names, module.__name__
    assert {"Executor", "Limits", "Run", "SandboxError", "open_executor"} <= set(sandboxes.__all__)


def test_every_public_name_exists_and_says_what_it_is() -> None:
    for module in (*PROMISED, sandboxes):
        for name in module.__all__:
            thing = getattr(module, name)
            if isinstance(thing, type | FunctionType):  # an alias of a type says it by its name
                assert thing.__doc__, f"{module.__name__}.{name} has no docstring"


def test_importing_harness_or_conductor_loads_nothing_heavy() -> None:
    code = (
        "import sys, harness, conductor, sandboxes\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
