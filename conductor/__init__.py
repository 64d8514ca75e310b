"""Coordinate LLMs by plans in natural language (arXiv 2512.04388): plans, workers, execution.

Importing this package loads neither Inspect nor torch nor litellm.
"""

from conductor.call import Call, CallKey, Message, Reply
from conductor.conduct import conduct
from conductor.config import Config, read_config
from conductor.execute import run_plan
from conductor.parse import parse_plan
from conductor.plan import Keep, Plan, PlanError, Step
from conductor.policies import Policy, make_policy
from conductor.pool import Pool, Worker
from conductor.settings import Settings
from conductor.strict import ConfigError
from conductor.trace import Outcome, Trace

__all__ = [
    "Call",
    "CallKey",
    "Config",
    "ConfigError",
    "Keep",
    "Message",
    "Outcome",
    "Plan",
    "PlanError",
    "Policy",
    "Pool",
    "Reply",
    "Settings",
    "Step",
    "Trace",
    "Worker",
    "conduct",
    "make_policy",
    "parse_plan",
    "read_config",
    "run_plan",
]
