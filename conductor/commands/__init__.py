"""The commands of `conductor`, one module a subject."""
