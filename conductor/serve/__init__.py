"""The conductor behind OpenAI's chat API: `conductor serve`.

request → key → plan → completion. The plan runs through `conductor.assemble.Assembly`, as under
Inspect; nothing here plans, calls or grades.
"""
