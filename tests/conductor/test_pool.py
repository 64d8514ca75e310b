"""Pool files: what they may say, and what is said about their mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from conductor import ConfigError, Pool, Worker
from conductor.pool import Generation, Price, shipped_pools

FULL = """\
workers:
  - name: strong
    model: openai-api/local/strong
    base_url: http://127.0.0.1:8080/v1
    generation: {temperature: 0.2, top_p: 0.8, top_k: 20, presence_penalty: 1.0, max_tokens: 4096,
      seed: 7, reasoning_effort: low, reasoning_tokens: 128, system: Be brief.}
    price: {input: 1.25, output: 10}
    args: {responses_api: false}
    tags: [open, fast]
    description: a strong model
    prefill: true
    timeout: 30
    max_retries: 2
  - model: local/smollm2
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "pool.yaml"
    path.write_text(text)
    return path


def test_a_pool_file_says_everything_about_its_workers(tmp_path: Path) -> None:
    path = written(tmp_path, FULL)
    pool = Pool.read(path)
    assert pool.workers[0] == Worker(
        name="strong",
        model="openai-api/local/strong",
        generation=Generation(
            temperature=0.2, top_p=0.8, top_k=20, presence_penalty=1.0, max_tokens=4096, seed=7,
            reasoning_effort="low", reasoning_tokens=128, system="Be brief.",
        ),
        base_url="http://127.0.0.1:8080/v1",
        args={"responses_api": False},
        price=Price(1.25, 10),
        tags=("open", "fast"),
        description="a strong model",
        prefill=True,
        timeout=30,
        max_retries=2,
    )  # fmt: skip
    assert pool.workers[0].where == f"{path}:3"
    assert pool.workers[1].name == "local/smollm2", "a worker without a name is called its model"
    assert len(pool) == 2


def test_a_bare_list_is_a_pool(tmp_path: Path) -> None:
    assert len(Pool.read(written(tmp_path, "- model: a/b\n- {name: c, model: a/b}\n"))) == 2


def test_a_price_is_for_a_million_tokens() -> None:
    assert Price(1.25, 10).of(2_000_000, 500_000) == pytest.approx(7.5)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", ": a pool needs `workers:`, a list with at least one worker"),
        ("workers: []", ":1: a pool needs `workers:`, a list with at least one worker"),
        ("worker:\n  - model: a/b", ":1: unknown key 'worker' of a pool; did you mean 'workers'?"),
        ("workers:\n  - a/b", ":2: worker must be a mapping, not the text 'a/b'"),
        ("workers:\n  - name: b", ":2: worker 'b' needs `model:`, e.g. model: local/smollm2"),
        (
            "workers:\n  - name: b\n    model: gpt-5",
            ":3: `model` is PROVIDER/NAME, e.g. openai/gpt-5, not 'gpt-5'",
        ),
        (
            "workers:\n  - name: b\n    model: a/b\n    tag: [x]",
            ":4: unknown key 'tag' of worker 'b'; did you mean 'tags'?",
        ),
        (
            "workers:\n  - name: b\n    model: a/b\n    generation:\n      temprature: 1",
            ":5: unknown key 'temprature' of `generation`; did you mean 'temperature'?",
        ),
        (
            "workers:\n  - name: b\n    model: a/b\n    temperature: 1",
            ":4: unknown key 'temperature' of worker 'b'; "
            "did you mean generation: {temperature: …}?",
        ),
        (
            "- model: a/b\n  generation: {temperature: hot}",
            ":2: `temperature` must be a number, not the text 'hot'",
        ),
        (
            "- model: a/b\n  generation: {temperature: -1}",
            ":2: `temperature` must lie between 0 and 5, not -1",
        ),
        ("- model: a/b\n  generation: {temperature: .nan}", ":2: `temperature` must lie between"),
        (
            "- model: a/b\n  generation: {max_tokens: 1.5}",
            ":2: `max_tokens` must be a whole number",
        ),
        ("- model: a/b\n  generation: {seed: true}", ":2: `seed` must be a whole number"),
        (
            "- model: a/b\n  generation: {reasoning_effort: hihg}",
            ":2: unknown reasoning effort 'hihg'; did you mean 'high'?",
        ),
        ("- model: a/b\n  prefill: maybe", ":2: `prefill` must be true or false"),
        ("- model: a/b\n  price: {input: 1}", ":2: `price` needs `input` and `output`"),
        ("- model: a/b\n  price: 3", ":2: `price` must be a mapping, not a number"),
        ("- model: a/b\n  tags: open", ":2: `tags` must be a list"),
        ("- model: a/b\n  args: [1]", ":2: `args` must be a mapping"),
        ("- model: a/b\n  timeout: 0", ":2: `timeout` must lie between 0.1 and"),
        ("- model: a/b\n- model: a/b", ":2: the worker 'a/b' stands twice; give each a `name:`"),
        ("- model: a/b\n  model: a/c", ":2: not valid YAML: the key 'model' stands twice"),
        ("- model: a/b\n  1: x", ":2: not valid YAML: the key 1 is no text"),
        ("workers:\n  - [", ":2: not valid YAML"),
        ("workers:\n\t- model: a/b", ":2: not valid YAML"),
        ("- model: !!python/object:os.system x", ":1: not valid YAML"),
        ("&a [*a]", "nested too deeply"),
    ],
)
def test_a_mistake_is_named_by_file_line_and_near_match(
    tmp_path: Path, text: str, error: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        Pool.read(path)
    assert str(caught.value).startswith(str(path))
    assert error in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "key",
    ["api_key", "API-KEY", "apikey", "openai_api_key", "hf_token", "Authorization", "password"],
)
@pytest.mark.parametrize("shape", ["  {key}: x", "  args: {{{key}: x}}",
                                   "  args: {{headers: {{{key}: x}}}}"])  # fmt: skip
def test_a_key_in_a_file_is_refused_with_the_remedy(tmp_path: Path, key: str, shape: str) -> None:
    path = written(tmp_path, "- model: a/b\n" + shape.format(key=key))
    with pytest.raises(ConfigError, match="set the provider's environment variable"):
        Pool.read(path)


def test_a_file_that_is_not_there_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.yaml: cannot be read: No such file"):
        Pool.read(tmp_path / "none.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="is not UTF-8 text"):
        Pool.read(tmp_path / "binary.yaml")


def test_a_worker_is_found_by_name_or_ordinal() -> None:
    pool = Pool("p", (Worker("careful", "a/b"), Worker("lively", "a/b"), Worker("0", "a/b")))
    assert pool.ordinal("lively") == 1
    assert pool.ordinal("1") == 1
    assert pool.ordinal("0") == 2, "a name goes before an ordinal"
    with pytest.raises(ConfigError, match="unknown worker 'livly'; did you mean 'lively'"):
        pool.ordinal("livly")
    with pytest.raises(ConfigError, match="unknown worker '3'"):
        pool.ordinal("3")


def test_a_pool_is_never_empty_nor_ambiguous() -> None:
    with pytest.raises(ConfigError, match="at least one worker"):
        Pool("p", ())
    with pytest.raises(ConfigError, match="'a' stands twice"):
        Pool("p", (Worker("a", "x/y"), Worker("a", "x/z")))


def test_the_shipped_pools_can_be_read_and_need_no_network() -> None:
    assert "default" in shipped_pools()
    for name in shipped_pools():
        assert len(Pool.shipped(name)) >= 1
    workers = Pool.shipped("default").workers
    assert {worker.model for worker in workers} == {"local/smollm2"}
    assert len({worker.generation for worker in workers}) == len(workers), "no two alike"
