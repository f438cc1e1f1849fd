"""Reasoning in front of an answer is left out wherever the stream is cut; everything else passes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.models.reasoning import ReasoningFilter, ReasoningSwitch, split_reasoning

PIECES = ["<think>", "</think>", "<thinking>", "</thinking>", "<", "/", ">", "think", "a ", " ", "\n"]
LESS = {"reasoning_effort": "low"}
NONE = {"reasoning_effort": "none", "chat_template_kwargs": {"enable_thinking": False}}


def passed(text: str, size: int, *, begins_inside: bool = False) -> tuple[str, int, bool]:
    reasoning = ReasoningFilter(begins_inside=begins_inside)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    answer = "".join(reasoning.feed(piece) for piece in pieces)
    tokens = reasoning.tokens
    return answer + reasoning.close(), tokens, reasoning.has_lone_end


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("<think>Let me see. [1]</think>Blue [1].", "Blue [1]."),
        ("<thinking>Let me see. [1]</thinking>Blue [1].", "Blue [1]."),
        ("\n <think></think>Blue [1].", "Blue [1]."),
        ("Blue <think>really</think> [1].", "Blue <think>really</think> [1]."),
        ("<thinking about it", "<thinking about it"),
        ("<thi", "<thi"),
        ("a < b </th", "a < b </th"),
        ("<think>for ever", ""),
        ("", ""),
    ],
)
def test_reasoning_in_front_is_left_out(written: str, answer: str, size: int) -> None:
    assert passed(written, size)[0] == answer


@given(st.lists(st.sampled_from(PIECES), max_size=10).map("".join), st.integers(1, 5), st.booleans())
def test_where_the_stream_is_cut_changes_nothing(text: str, size: int, begins_inside: bool) -> None:
    assert passed(text, size, begins_inside=begins_inside) == passed(text, 1000, begins_inside=begins_inside)


@given(st.text(alphabet="<>/think ab", max_size=40))
def test_text_without_tags_passes_whole(text: str) -> None:
    whole = text.replace("think>", "")
    assert passed(whole, 3) == (whole, 0, False)


def test_reasoning_is_counted() -> None:
    _, tokens, _ = passed("<think>one two three</think>Blue.", 4)
    assert tokens == 3
    assert passed("<think>one two three", 4)[1] == 3


def test_an_end_without_its_beginning_is_told_and_its_tag_never_shown() -> None:
    assert passed("I see.</think>Blue.", 2) == ("I see.\nBlue.", 0, True)
    assert passed("I see.</think>Blue.", 2, begins_inside=True) == ("Blue.", 3, True)


def test_text_taken_for_reasoning_is_given_back_at_its_end() -> None:
    text, _, has_lone_end = passed("Blue [1].", 2, begins_inside=True)
    assert (text, has_lone_end) == ("Blue [1].", False)


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ('<think>{"a": 1}</think>{"b": 2}', ('{"a": 1}', '{"b": 2}')),
        ('I see {"a": 1}</think>{"b": 2}', ('I see {"a": 1}', '{"b": 2}')),
        ('{"a": "<think>"}', ("", '{"a": "<think>"}')),
        ("<think>for ever", ("for ever", "")),
        ("plain", ("", "plain")),
    ],
)
def test_a_whole_reply_is_split(content: str, parts: tuple[str, str]) -> None:
    assert split_reasoning(content) == parts


def test_a_reply_is_read_as_reasoning_only_while_some_is_expected() -> None:
    switch = ReasoningSwitch()
    switch.learn(10, has_lone_end=True, has_text=True, max_tokens=100)
    assert switch.begins_inside
    switch.learn(90, has_lone_end=True, has_text=True, max_tokens=100)
    assert (switch.parameters, switch.begins_inside) == (NONE, False)
    switch.learn(90, has_lone_end=True, has_text=True, max_tokens=100)
    assert switch.begins_inside, "the server goes on reasoning"


@pytest.mark.parametrize(
    ("tokens", "has_text", "parameters"),
    [(0, True, {}), (0, False, {}), (10, True, LESS), (51, True, NONE), (10, False, NONE)],
)
def test_a_model_that_reasons_is_asked_for_less(tokens: int, has_text: bool, parameters: dict[str, object]) -> None:
    switch = ReasoningSwitch()
    switch.learn(tokens, has_lone_end=False, has_text=has_text, max_tokens=100)
    switch.learn(0, has_lone_end=False, has_text=True, max_tokens=100)
    assert switch.parameters == parameters
