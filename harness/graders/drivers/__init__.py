"""Programs that run *inside* the box around a solution; read as text, never imported.

Each file ends in a `main(code, …)` that `harness.graders.drive` calls with the solution as a
string literal. They use the standard library alone and trust nothing: what they print is judged
outside like any other output.
"""
