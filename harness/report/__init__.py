"""`harness report`: a study as a page that opens from disk."""
