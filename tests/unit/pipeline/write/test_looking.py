"""What a model is told when it searches again, whatever it asks for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pipeline.errors import Unavailable
from pipeline.ports import ToolCall
from pipeline.values import RetrievedChunk, WritingBrief
from pipeline.words.text import estimate_tokens
from pipeline.write.search_tool import (
    MAX_SEARCHES,
    NO_SEARCH_RESULTS,
    QUERY_MISSING,
    SEARCHES_EXHAUSTED,
    SearchToolRunner,
)
from tests.doubles.llm.walk import passage

BRIEF = WritingBrief(question="How much leave do staff get?")
TOKENS = 1000
KNOWN = [passage("c1", "Full-time staff get 25 days of paid leave a year.")]
NEW = [passage("c7", "Requests are answered within 2 days."), passage("c8", "Leads approve leave.", title="Approval")]


class Library:
    """Finds what it is given, and remembers what it was asked for."""

    def __init__(self, *passages: RetrievedChunk) -> None:
        self.passages = passages
        self.asked: list[str] = []

    async def look(self, text: str) -> Sequence[RetrievedChunk]:
        self.asked.append(text)
        return self.passages


def call(arguments: str, name: str = "search", number: int = 1) -> ToolCall:
    return ToolCall(id=f"call_{number}", name=name, arguments=arguments)


QUERY = call('{"query": "who  approves\\n leave"}')


async def test_what_is_found_and_new_is_numbered_on_from_what_is_known() -> None:
    library = Library(*KNOWN, *NEW)
    [result], found = await SearchToolRunner(library.look, BRIEF, "feedc0de", tokens_per_search=TOKENS).run(
        [QUERY], KNOWN
    )
    assert library.asked == ["who approves leave"]
    assert (result.role, result.call_id) == ("tool", "call_1")
    assert (
        "<passage-feedc0de 2> Leave policy\nRequests are answered within 2 days.\n</passage-feedc0de>" in result.content
    )
    assert "<passage-feedc0de 3> Approval\nLeads approve leave." in result.content
    assert found == NEW


async def test_every_call_of_a_reply_gets_its_own_result_and_none_finds_what_another_found() -> None:
    looking = SearchToolRunner(Library(*NEW).look, BRIEF, "feedc0de", tokens_per_search=TOKENS)
    results, found = await looking.run([call('{"query": "a"}'), call('{"query": "b"}', number=2)], KNOWN)
    assert [result.call_id for result in results] == ["call_1", "call_2"]
    assert results[1].content == NO_SEARCH_RESULTS
    assert found == NEW


@pytest.mark.parametrize(
    "asked",
    [
        call('{"query": "leave"}', name="delete_everything"),
        call('{"query": "lea'),
        call("[1]"),
        call('{"query": 7}'),
        call('{"query": " "}'),
        call("{}"),
        call("[" * 90_000),
    ],
    ids=["unknown tool", "cut", "a list", "a number", "white space", "none", "too deep"],
)
async def test_a_call_without_a_query_searches_nothing_and_uses_up_no_search(asked: ToolCall) -> None:
    library = Library(*NEW)
    looking = SearchToolRunner(library.look, BRIEF, "feedc0de", tokens_per_search=TOKENS)
    [result], found = await looking.run([asked], KNOWN)
    assert (result.content, found, library.asked, looking.searches_left) == (QUERY_MISSING, [], [], MAX_SEARCHES)


async def test_a_model_that_has_searched_as_often_as_it_may_is_told_to_answer() -> None:
    library = Library(*NEW)
    calls = [call(f'{{"query": "number {number}"}}', number=number) for number in range(MAX_SEARCHES + 1)]
    results, _ = await SearchToolRunner(library.look, BRIEF, "feedc0de", tokens_per_search=TOKENS).run(calls, KNOWN)
    assert len(library.asked) == MAX_SEARCHES
    assert results[-1].content == SEARCHES_EXHAUSTED


async def test_a_search_that_fails_finds_nothing() -> None:
    async def down(text: str) -> Sequence[RetrievedChunk]:
        raise Unavailable("storage", "the disk is full")

    [result], found = await SearchToolRunner(down, BRIEF, "feedc0de", tokens_per_search=TOKENS).run([QUERY], KNOWN)
    assert (result.content, found) == (NO_SEARCH_RESULTS, [])


async def test_what_one_search_finds_keeps_to_its_tokens() -> None:
    many = [passage(f"m{n}", f"Room {n} has a projector and a whiteboard for all of its teams.") for n in range(200)]
    [result], found = await SearchToolRunner(Library(*many).look, BRIEF, "feedc0de", tokens_per_search=TOKENS).run(
        [QUERY], KNOWN
    )
    assert found
    assert estimate_tokens(result.content) <= TOKENS
