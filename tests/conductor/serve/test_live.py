"""Text that was sent is never sent again, and never anything but the beginning of the answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductor.serve.live import Diverged, Live, cut, safe_length, visible


def say(live: Live, *fragments: str) -> str:
    """What is sent while these come in."""
    sent = ""
    for fragment in fragments:
        live.text(fragment)
        sent += live.take()
    return sent


def test_text_is_sent_as_it_comes() -> None:
    live = Live()
    assert [say(live, part) for part in ("Hel", "lo", " you")] == ["Hel", "lo", " you"]
    assert live.finish("Hello you") == ""


def test_an_answer_that_was_not_heard_is_sent_at_the_end() -> None:
    assert Live().finish("Hello") == "Hello"


def test_a_second_attempt_is_sent_from_where_it_is_new() -> None:
    live = Live()
    assert say(live, "Hello") == "Hello"
    live.restart()
    assert [say(live, part) for part in ("Hel", "lo", " you")] == ["", "", " you"]
    assert live.finish("Hello you") == ""


def test_a_second_attempt_that_differs_is_not_sent() -> None:
    live = Live()
    say(live, "Hello")
    live.restart()
    assert say(live, "Bye", " now") == ""
    with pytest.raises(Diverged):
        live.finish("Bye now")


def test_space_at_the_end_may_get_lost() -> None:
    live = Live()
    say(live, "<think>so</think>Hello \n")
    assert live.finish("Hello") == ""


def test_an_empty_attempt_leaves_nothing_behind() -> None:
    live = Live()
    assert say(live, " ", "\n") == ""
    live.restart()
    assert say(live, "Hello") == "Hello"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("  \n", ""),
        ("    return 1", "    return 1"),
        ("<", ""),
        ("<thin", ""),
        ("<think>hm", ""),
        ("\n<think>hm</think>\n\nA", "A"),
        ("<b>bold", "<b>bold"),
        ("a <think>", "a <think>"),
    ],
)
def test_reasoning_and_leading_space_wait(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "stop", "left"),
    [
        ("abc", (), "abc"),
        ("abSTOPc", ("STOP",), "ab"),
        ("ab STOP END", ("END", "STOP"), "ab "),
        ("STOP", ("STOP",), ""),
    ],
)
def test_an_answer_ends_before_the_first_stop_sequence(
    text: str, stop: tuple[str, ...], left: str
) -> None:
    assert cut(text, stop) == left


def test_what_may_be_the_beginning_of_a_stop_sequence_waits() -> None:
    assert safe_length("ab ST", ("STOP",)) == 3
    assert safe_length("ab STUFF", ("STOP",)) == 8
    assert safe_length("ab S", ("STOP", "b S!")) == 1


letters = st.text("abS \n<", max_size=30)


@given(
    st.lists(st.text("abS \n<", max_size=4), max_size=12),
    st.lists(st.text("abS", min_size=1, max_size=3), max_size=2),
)
def test_what_is_sent_is_the_answer(fragments: list[str], stop: list[str]) -> None:
    live = Live(stop)
    sent = say(live, *fragments)
    answer = "".join(fragments)
    assert sent + live.finish(answer) == cut(answer, stop)


@given(st.lists(st.lists(st.text("ab", max_size=3), max_size=5), max_size=4), st.text("ab"))
def test_nothing_is_ever_taken_back(attempts: list[list[str]], answer: str) -> None:
    live, sent = Live(), ""
    for attempt in attempts:
        live.restart()
        sent += say(live, *attempt)
    assert sent == live.sent
    try:
        assert sent + live.finish(answer) == answer
    except Diverged:
        assert not answer.startswith(sent)
