"""Read the answer out of what a model wrote."""
