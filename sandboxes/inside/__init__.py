"""Programs that run inside a box, as text: standard library only, nothing of ours is importable."""
