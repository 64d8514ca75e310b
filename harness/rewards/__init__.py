"""Rewards for every trainer, over the same `grade()` that evaluation uses."""

from harness.rewards.batch import score_many
from harness.rewards.trl import trl_reward, trl_reward_sync
from harness.rewards.verifiers import verifiers_reward
from harness.rewards.verl import compute_score, verl_reward

__all__ = [
    "compute_score",
    "score_many",
    "trl_reward",
    "trl_reward_sync",
    "verifiers_reward",
    "verl_reward",
]
