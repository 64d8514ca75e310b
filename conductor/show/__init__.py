"""`conductor show`: a run's plans as pages that open from disk, one a sample."""
