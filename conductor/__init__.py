"""Coordinate LLMs by plans in natural language (arXiv 2512.04388): plans, workers, execution.

Importing this package loads neither Inspect nor torch nor litellm.
"""
