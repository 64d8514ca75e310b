"""Rewards for every trainer, over the same `grade()` that evaluation uses."""
