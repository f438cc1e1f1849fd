"""Calls are put together from pieces however a server cuts and names them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.models.openai import ChatStreamParser
from adapters.models.tools import ToolCallBuffer, parse_arguments, replace_surrogates
from pipeline.errors import UnusableResponse
from pipeline.ports import StreamEnd, ToolCall

Delta = dict[str, object]


def delta(index: int | None = None, id: str = "", name: str = "", arguments: str = "") -> Delta:  # noqa: A002
    """As a server writes it: what it does not say is not there."""
    function = {key: value for key, value in {"name": name, "arguments": arguments}.items() if value}
    said = {"index": index, "id": id or None, "function": function or None}
    return {key: value for key, value in said.items() if value is not None}


def read(*deltas: object, reason: str | None = "tool_calls") -> list[tuple[str, str, str]]:
    reading = ChatStreamParser("m", tools=True, max_tokens=50)
    for one in deltas:
        reading.feed({"choices": [{"delta": {"tool_calls": [one]}}]})
    reading.feed({"choices": [{"delta": {}, "finish_reason": reason}]})
    return [(call.id, call.name, call.arguments) for call in reading.finish() if isinstance(call, ToolCall)]


TWO = [("a", "search", '{"w": 1}'), ("b", "search", '{"w": 2}')]


WAYS = {
    "as OpenAI does": [
        delta(0, "a", "search"),
        delta(0, arguments='{"w":'),
        delta(0, arguments=" 1}"),
        delta(1, "b", "search", '{"w": 2}'),
    ],
    "without an index": [delta(None, "a", "search", '{"w": 1}'), delta(None, "b", "search", '{"w": 2}')],
    "one index for all": [delta(0, "a", "search", '{"w": 1}'), delta(0, "b", "search", '{"w": 2}')],
    "pieces without an index": [
        delta(None, "a", "search", '{"w":'),
        delta(None, arguments=" 1}"),
        delta(None, "b", "search", '{"w": 2}'),
    ],
    "id and name repeated": [
        delta(0, "a", "search", '{"w":'),
        delta(0, "a", "search", " 1}"),
        delta(1, "b", "search", '{"w": 2}'),
    ],
    "mixed": [
        delta(0, "a", "search"),
        delta(1, "b", "search"),
        delta(1, arguments='{"w": 2}'),
        delta(0, arguments='{"w": 1}'),
    ],
    "one thing after the other": [
        delta(0, "a"),
        delta(0, name="search"),
        delta(0, arguments='{"w": 1}'),
        delta(3, "b", "search", '{"w": 2}'),
    ],
}


@pytest.mark.parametrize("deltas", WAYS.values(), ids=list(WAYS))
def test_calls_are_told_apart_however_a_server_numbers_them(deltas: list[Delta]) -> None:
    assert read(*deltas) == TWO


def test_calls_without_id_and_index_are_told_apart_by_their_names() -> None:
    read_calls = read(delta(None, name="search", arguments="{}"), delta(None, name="list", arguments="{}"))
    assert [(name, arguments) for _, name, arguments in read_calls] == [("search", "{}"), ("list", "{}")]


@given(st.lists(st.text(min_size=1), min_size=1, max_size=8), st.data())
def test_where_arguments_are_cut_changes_nothing(words: list[str], data: st.DataObject) -> None:
    written = [json.dumps({"words": word}, ensure_ascii=False) for word in words]
    deltas = []
    for index, arguments in enumerate(written):
        deltas.append(delta(index, f"call_{index}", "search"))
        while arguments:
            size = data.draw(st.integers(1, len(arguments)))
            deltas.append(delta(index, arguments=arguments[:size]))
            arguments = arguments[size:]
    assert [arguments for _, _, arguments in read(*deltas)] == [replace_surrogates(arguments) for arguments in written]


KEYS = st.sampled_from(["index", "id", "function", "name", "arguments", "extra_content"])
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)


@given(st.lists(anything, max_size=4))
def test_pieces_of_any_shape_are_calls_or_unusable(deltas: list[object]) -> None:
    try:
        found = read(*deltas)
    except UnusableResponse:
        return
    assert all(id and name and arguments for id, name, arguments in found)  # noqa: A001


@pytest.mark.parametrize(
    "piece",
    [
        3,
        "x",
        {"id": 3},
        {"index": []},
        {"function": 3},
        {"function": {"name": 3}},
        {"function": {"name": "f", "arguments": {"w": 1}}},
        {"function": {"name": "f"}, "extra_content": 3},
    ],
    ids=repr,
)
def test_a_malformed_piece_is_unusable(piece: object) -> None:
    with pytest.raises(UnusableResponse):
        read(piece)


def test_arguments_beyond_the_bound_are_dropped_and_so_are_no_object() -> None:
    calls = ToolCallBuffer("m")
    calls.add(0, id="a", name="search", arguments='{"w": "')
    for _ in range(30):
        calls.add(0, arguments="x" * 1000)
    _, (call,) = calls.finish("stop")
    assert len(call.arguments) == 10_000
    assert parse_arguments(call) == {}


@given(st.text(max_size=5) | st.text(alphabet=["a", "\ud83d", "\ude42", "\ufeff"], max_size=5))
def test_what_is_sent_back_is_utf_8_and_changed_only_where_it_was_none(text: str) -> None:
    sent = replace_surrogates(text)
    sent.encode()
    try:
        text.encode()
    except UnicodeEncodeError:
        assert sent != text
    else:
        assert sent == text


def test_a_refusal_is_told_though_there_were_calls() -> None:
    reading = ChatStreamParser("m", tools=True, max_tokens=50)
    reading.feed({"choices": [{"delta": {"tool_calls": [delta(0, "a", "search")]}}]})
    reading.feed({"choices": [{"delta": {"refusal": "No."}}]})
    reading.feed({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})
    assert list(reading.finish()) == [StreamEnd(reason="content_filter")]
