"""One module per kind of answer key; `harness.grade` is the only caller."""
