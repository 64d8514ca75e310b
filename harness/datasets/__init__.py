"""Where problems come from: pinned sources, the caller's files, and small samples of our own."""
