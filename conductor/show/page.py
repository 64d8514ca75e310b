"""The pages: an index of samples, and a page a sample. All that a model wrote is escaped, and a
policy in each page forbids any script but ours."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path

from conductor.show.calls import CallRecord
from conductor.show.graph import plan_graph
from conductor.show.record import RoundRecord, SampleRecord, StepRecord
from conductor.show.timeline import timeline

ASSETS = Path(__file__).parent / "assets"
VERDICTS = ("correct", "incorrect", "partial", "unscored", "error")
COLUMNS = (
    ("sample", ""), ("verdict", ""), ("answer", ""), ("workers", ""), ("calls", "n"),
    ("tokens", "n"), ("cost", "n"), ("seconds", "n"),
)  # fmt: skip


@cache
def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _html(title: str, body: str, script: str = "") -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = f"script-src 'sha256-{digest}'" if script else "script-src 'none'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" '
        f"content=\"default-src 'none'; style-src 'unsafe-inline'; {allowed}\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_asset('style.css')}</style></head>"
        f"<body>{body}{f'<script>{script}</script>' if script else ''}</body></html>\n"
    )


def index_page(title: str, facts: str, samples: Sequence[tuple[str, SampleRecord]]) -> str:
    """samples: (file of its page, record)."""
    present = [v for v in VERDICTS if any(record.verdict == v for _, record in samples)]
    boxes = "".join(
        f'<label><input type="checkbox" value="{v}" checked> <span class="{v}">{v}</span></label>'
        for v in present
    )
    heads = "".join(
        f'<th class="{kind}"><button type="button">{name}</button></th>' for name, kind in COLUMNS
    )
    rows = "".join(_index_row(file, record) for file, record in samples)
    body = (
        f"<h1>{escape(title)}</h1><p class=dim>{escape(facts)}</p>"
        f'<div class="filters">{boxes}<input type="search" placeholder="id, answer, worker" '
        'aria-label="search"><span class="dim" id="count"></span></div>'
        f'<div class="wide"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
        '<p><button type="button" id="more">show more</button></p>'
    )
    return _html(title, body, _asset("index.js"))


def _index_row(file: str, record: SampleRecord) -> str:
    name = record.id if record.epoch == 1 else f"{record.id} (epoch {record.epoch})"
    workers = " → ".join(step.worker for step in record.steps)
    text = f"{name} {record.answer[:200]} {workers}".lower()
    cost = -1.0 if record.cost is None else record.cost
    return (
        f'<tr data-verdict="{record.verdict}" data-text="{escape(text)}">'
        f'<td><a href="{escape(file)}">{escape(name)}</a></td>'
        f'<td class="verdict {record.verdict}">{record.verdict}</td>'
        f'<td class="a">{escape(record.answer[:80])}</td>'
        f'<td class="w">{escape(workers[:200])}</td>'
        f'<td class="n" data-value="{record.calls}">{counted(record.calls, "call")}</td>'
        f'<td class="n" data-value="{record.tokens}">{record.tokens} tokens</td>'
        f'<td class="n" data-value="{cost:.9f}">{_money(record.cost)}</td>'
        f'<td class="n" data-value="{record.seconds:.3f}">{record.seconds:.1f} s</td></tr>'
    )


def sample_page(record: SampleRecord, before: str | None, after: str | None) -> str:
    """before, after: files of the neighbours' pages."""
    links = ['<a href="../index.html">all samples</a>']
    links += [f'<a rel="prev" href="{escape(before)}">previous</a>'] if before else []
    links += [f'<a rel="next" href="{escape(after)}">next</a>'] if after else []
    name = record.id if record.epoch == 1 else f"{record.id}, epoch {record.epoch}"
    rounds = "".join(_round(one, len(record.rounds)) for one in record.rounds)
    body = (
        f"<nav>{''.join(links)}</nav><h1>{escape(name)}</h1>"
        f'<p><span class="verdict {record.verdict}">{record.verdict}</span> {escape(record.reason)}'
        f"</p>{_trouble(record.trouble)}<p class=dim>{escape(_facts(record))}</p>"
        f"<h2>Question</h2><pre>{escape(record.question)}</pre>"
        f"<h2>Answer</h2><pre>{escape(record.answer)}</pre>"
        + (_graph(record) + rounds if rounds else NO_PLAN)
    )
    return _html(name, body)


NO_PLAN = "<p>No conductor answered this sample: there is no plan to show.</p>"


def _graph(record: SampleRecord) -> str:
    return (
        '<h2>Who sees what</h2><figure tabindex="0" aria-label="plans">'
        f"{plan_graph(record.rounds)}<figcaption>An arrow leads from a step to who sees its work "
        "(dashed: in the next round); the answering step is outlined.</figcaption></figure>"
    )


def _facts(record: SampleRecord) -> str:
    parts = [f"policy: {record.policy}"] if record.policy else []
    parts += [counted(record.calls, "call"), f"{record.tokens} tokens", _money(record.cost),
              f"{record.seconds:.1f} s"]  # fmt: skip
    return " · ".join(parts)


def _round(one: RoundRecord, rounds: int) -> str:
    title = f"Round {one.number}" if rounds > 1 else "Plan"
    parts = [f"<h2>{title}</h2>", _trouble(one.trouble)]
    if one.kept:
        parts.append("<p>The answer was kept as it was.</p>")
    if one.written:
        parts.append(
            f"<details><summary>what the policy wrote</summary><pre>{escape(one.written)}</pre>"
            "</details>"
        )
    if one.steps:
        parts.append(
            f"<figure>{timeline(one)}<figcaption>Where the time went; the critical path is in "
            "colour.</figcaption></figure>"
        )
    parts += [_step(step) for step in one.steps]
    return "".join(parts)


def _step(step: StepRecord) -> str:
    facts = [step.model, f"{step.tokens[0]} tokens in, {step.tokens[1]} out", _money(step.cost),
             f"{step.seconds:.1f} s", step.stop_reason]  # fmt: skip
    facts += (
        [f"{step.retries} {'retry' if step.retries == 1 else 'retries'}"] if step.retries else []
    )
    sees = ", ".join(["the round before"] * step.previous + [str(seen) for seen in step.access])
    shown = (
        f"<details><summary>prompt</summary>{_messages(step.prompt)}</details>"
        if step.prompt
        else "<p class=dim>never asked</p>"
        if step.stop_reason == "skipped"
        else ""
    )
    return (
        f'<article id="{step.anchor}"><h3>step {step.number}: {escape(step.worker)}</h3>'
        f"<p class=dim>{escape(' · '.join(facts))}{f' · sees {sees}' if sees else ''}</p>"
        f"{_trouble(step.fault)}<p>{escape(step.subtask)}</p>{shown}"
        f"<pre>{escape(step.response) or '<span class=dim>(empty)</span>'}</pre>"
        f"{_inside(step.inside)}</article>"
    )


def _messages(messages: Sequence[tuple[str, str]]) -> str:
    return "".join(
        f"<p class=dim>{escape(role)}</p><pre>{escape(text)}</pre>" for role, text in messages
    )


def _inside(calls: Sequence[CallRecord]) -> str:
    """The calls of a step that is a conductor, folded."""
    if not calls:
        return ""
    each = "".join(
        f"<h4>{escape(call.name)}</h4><details><summary>prompt</summary>{_messages(call.prompt)}"
        f"</details><pre>{escape(call.reply)}</pre>"
        for call in calls
    )
    title = f"{counted(len(calls), 'call')} inside"
    return f"<details class=inside><summary>{title}</summary>{each}</details>"


def _trouble(text: str | None) -> str:
    return f'<p class="incorrect">{escape(text)}</p>' if text else ""


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _money(cost: float | None) -> str:
    return "cost unknown" if cost is None else f"${cost:.4f}"
