"""Several systems on the same questions: `harness run`, logs that `harness compare` reads."""
