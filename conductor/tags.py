"""Tags around text that nobody trusts: what is inside can never close them."""

from __future__ import annotations

import re

NAMES = ("overall_task", "previous_round", "previous_step", "subtask", "response")
# A tag of ours in a question or an answer is shown with a full-width bracket: it still reads the
# same to a model, and is no tag.
FORGED = re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(NAMES)})\b)", re.I)


def wrap(name: str, text: str) -> str:
    """`<name>`, the text with tags of ours disarmed, `</name>`."""
    return f"<{name}>\n{FORGED.sub('＜', text)}\n</{name}>"
