"""The seam to Inspect: what a worker's provider is really asked for, and what comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo
from inspect_ai.util import LimitExceededError

from conductor import CallKey, Message, Reply, Worker
from conductor.inspect_call import InspectCall
from conductor.inspect_model import draw_seed
from conductor.pool import Generation, Price

KEY = CallKey("p1", epoch=2, round=0, step=1, attempt=0)
Speak = Callable[[], ModelOutput]


@modelapi(name="probe")
class Probe(ModelAPI):
    """Remembers what it was made with and asked for; says what the test told it to say."""

    made: list[dict[str, Any]]
    asked: list[tuple[list[ChatMessage], GenerateConfig]]
    speak: list[Speak]
    retryable = False

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        Probe.made.append({"base_url": base_url, **args})

    def should_retry(self, ex: BaseException) -> bool:
        return Probe.retryable

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        Probe.asked.append((input, config))
        return (Probe.speak.pop(0) if len(Probe.speak) > 1 else Probe.speak[0])()


def saying(text: str = "fine", usage: ModelUsage | None = None, **fields: Any) -> Speak:
    def speak() -> ModelOutput:
        output = ModelOutput.from_content("probe-2026", text, **fields)
        output.usage = usage or ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
        return output

    return speak


def raising(error: Exception) -> Speak:
    def speak() -> ModelOutput:
        raise error

    return speak


@pytest.fixture(autouse=True)
def fresh() -> None:
    Probe.made, Probe.asked, Probe.speak, Probe.retryable = [], [], [saying()], False


def ask(worker: Worker, key: CallKey = KEY, run: GenerateConfig | None = None) -> Reply:
    call = InspectCall(run or GenerateConfig())
    messages = [Message("system", "Be brief."), Message("user", "q"), Message("assistant", "Let")]
    return asyncio.run(call(worker, messages, key))


def config_of(worker: Worker, key: CallKey = KEY, run: GenerateConfig | None = None) -> Any:
    ask(worker, key, run)
    return Probe.asked[-1][1]


def worker(name: str, **fields: Any) -> Worker:
    """Each test has a model of its own: Inspect remembers models."""
    return Worker("w", f"probe/{name}", **fields)


def test_messages_go_out_in_their_roles() -> None:
    ask(worker("roles"))
    sent = [(message.role, message.text) for message in Probe.asked[0][0]]
    assert sent == [("system", "Be brief."), ("user", "q"), ("assistant", "Let")]


def test_a_workers_settings_reach_its_provider() -> None:
    generation = Generation(
        temperature=0.2, top_p=0.8, top_k=20, presence_penalty=1.0, frequency_penalty=0.5,
        max_tokens=64, reasoning_effort="low", reasoning_tokens=128, system="Be brief.",
    )  # fmt: skip
    sent = config_of(worker("settings", generation=generation, timeout=30, max_retries=2))
    assert (sent.temperature, sent.top_p, sent.top_k, sent.max_tokens) == (0.2, 0.8, 20, 64)
    assert (sent.presence_penalty, sent.frequency_penalty) == (1.0, 0.5)
    assert (sent.reasoning_effort, sent.reasoning_tokens) == ("low", 128)
    assert (sent.attempt_timeout, sent.max_retries) == (30, 0), "retries are ours"
    assert sent.system_message is None, "the system message is part of the prompt already"


def test_the_runs_settings_fill_in_where_a_worker_says_nothing() -> None:
    run = GenerateConfig(temperature=0.9, max_tokens=7)
    sent = config_of(worker("defaults", generation=Generation(temperature=0)), run=run)
    assert (sent.temperature, sent.max_tokens) == (0, 7)


def test_the_address_and_arguments_make_the_provider() -> None:
    ask(worker("made", base_url="http://127.0.0.1:1/v1", args={"flavour": "x"}))
    assert Probe.made == [{"base_url": "http://127.0.0.1:1/v1", "flavour": "x"}]


def test_workers_of_one_provider_share_a_client_and_keep_their_settings() -> None:
    for temperature in (0.1, 0.2):
        generation = Generation(temperature=temperature, seed=1)
        assert config_of(worker("shared", generation=generation)).temperature == temperature
    assert len(Probe.made) == 1


def test_a_seed_is_fixed_by_the_draw_and_differs_between_draws() -> None:
    seeded = worker("seeds", generation=Generation(seed=1))
    keys = [KEY, CallKey("p2", 2, 0, 1), CallKey("p1", 3, 0, 1), CallKey("p1", 2, 1, 1),
            CallKey("p1", 2, 0, 2), CallKey("p1", 2, 0, 1, 1)]  # fmt: skip
    seeds = [config_of(seeded, key).seed for key in keys]
    assert len(set(seeds)) == len(keys)
    assert seeds == [draw_seed(1, key) for key in keys]
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert config_of(worker("seeds", generation=Generation(seed=2))).seed not in seeds
    assert config_of(worker("seeds")).seed is None


def test_a_reply_counts_tokens_cached_ones_too_and_prices_them() -> None:
    usage = ModelUsage(
        input_tokens=1000, output_tokens=500, total_tokens=1500,
        input_tokens_cache_read=200, input_tokens_cache_write=100,
    )  # fmt: skip
    Probe.speak = [saying("hello", usage, stop_reason="max_tokens")]
    reply = ask(worker("usage", price=Price(1.0, 10.0)))
    assert (reply.text, reply.model, reply.stop_reason) == ("hello", "probe-2026", "max_tokens")
    assert (reply.input_tokens, reply.output_tokens) == (1300, 500)
    assert reply.cost == pytest.approx((1300 * 1.0 + 500 * 10.0) / 1e6)
    assert reply.fault is None
    assert reply.seconds > 0


def test_without_a_price_the_cost_is_unknown() -> None:
    assert ask(worker("free")).cost is None


def test_what_a_provider_raises_is_a_fault_in_one_line() -> None:
    Probe.speak = [raising(ConnectionError("no route\n  to host"))]
    reply = ask(worker("down"))
    assert reply.fault == "ConnectionError: no route to host"
    assert (reply.text, reply.stop_reason) == ("", "error")


def test_an_error_that_a_provider_reports_is_a_fault_too() -> None:
    Probe.speak = [saying("", error="content filter", stop_reason="content_filter")]
    assert ask(worker("refused")).fault == "content filter"


def test_an_empty_reply_is_no_fault() -> None:
    Probe.speak = [saying("")]
    assert ask(worker("silent")).fault is None


def test_a_limit_of_the_sample_is_not_ours_to_swallow() -> None:
    limit = LimitExceededError("token", value=2, limit=1)
    Probe.speak = [raising(limit)]
    with pytest.raises(LimitExceededError):
        ask(worker("limited"))


def test_a_fault_of_a_conductor_that_is_a_worker_is_passed_on() -> None:
    output = saying("")()
    output.metadata = {"conductor": {"fault": "step 0 (a): down"}}
    Probe.speak = [lambda: output]
    assert ask(worker("nested")).fault == "step 0 (a): down"
