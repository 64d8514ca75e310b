"""What Inspect loads at every start (entry point): light, and never a silent failure.

The composition root: the only module that knows both the conductor and the harness.
"""

from __future__ import annotations

from typing import Any

import harness.paths  # noqa: F401  remembers the caller's folder before Inspect leaves it


def _register() -> None:
    import harness.scorer
    import sandboxes.provider
    from conductor import agent, litellm, local, private, provider

    private.register_bare_model(provider.ConductorAPI)
    private.register_bare_solver(agent.conductor_agent)
    private.accept_config_argument()
    _ = harness.scorer, sandboxes.provider, litellm, local


def _register_cause(cause: ImportError) -> None:
    """Inspect only logs a failing entry point, then calls the model unknown: say why instead."""
    from inspect_ai.model import modelapi

    from conductor import private
    from harness.errors import refuse

    def broken(**arguments: Any) -> Any:
        refuse(
            f"the conductor could not be loaded: {cause}; install the project anew (make install)",
            cause,
        )

    modelapi(name="conductor")(broken)
    private.register_bare_model(broken)


try:
    _register()
except ImportError as error:
    _register_cause(error)
