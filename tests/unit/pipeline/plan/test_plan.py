"""What the planner decides, in its order, with an index and a library that hold what the test says."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
import pytest

from pipeline.errors import Unavailable
from pipeline.plan.rule_planner import RulePlanner
from pipeline.ports import LexicalResult, UnitVectors, Vectors
from pipeline.values import (
    AnswerFormat,
    Audience,
    CannedReply,
    Chunk,
    ClarifyingReply,
    Conversation,
    ConversationId,
    Document,
    Intent,
    Plan,
    SearchHit,
    SearchPlan,
    Turn,
)
from pipeline.words import wording

EVERYONE = Audience(collections=frozenset({"default"}))
OUTSIDE = Audience(collections=frozenset(), external=True)
THREAD = ConversationId(platform="console", space="", channel="test")


class Shelf:
    """An index and a library over whole documents, given as title -> text."""

    def __init__(self, documents: dict[str, str], *, broken: bool = False) -> None:
        self._documents = documents
        self._broken = broken

    async def search_lexical(self, terms: Sequence[str], audience: Audience, limit: int) -> LexicalResult:
        if self._broken:
            raise Unavailable("index", "broken")
        found = [title for title, text in self._documents.items() if set(terms) & set(text.lower().split())]
        return LexicalResult([SearchHit(chunk_id=title, score=1.0) for title in found][:limit], {})

    async def search_vector(self, vector: Vectors, audience: Audience, limit: int) -> list[SearchHit]:
        return []

    async def get_chunks(self, chunk_ids: Sequence[str]) -> list[tuple[Chunk, Document]]:
        return []

    async def get_with_vectors(self, chunk_ids: Sequence[str]) -> tuple[list[tuple[Chunk, Document]], UnitVectors]:
        return [], UnitVectors(np.zeros((0, 1), np.float32), {})

    async def neighbours(self, chunk: Chunk) -> tuple[Chunk | None, Chunk | None]:
        return None, None

    async def list_documents(self, audience: Audience | None = None) -> list[Document]:
        return [Document(id=title, filename=f"{title}.md", title=title) for title in self._documents]


HANDBOOK = Shelf({"Travel policy": "trains and hotels", "Network guide": "how the vpn works"})


async def plan(text: str, *asked: str, shelf: Shelf = HANDBOOK, audience: Audience = EVERYONE) -> Plan:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    turns = tuple(Turn(question=question, answer="30 days.", asked_at=now) for question in asked)
    return await RulePlanner(shelf, shelf).plan(text, Conversation(id=THREAD, turns=turns), audience)


async def searched(text: str, *asked: str) -> SearchPlan:
    found = await plan(text, *asked)
    assert isinstance(found, SearchPlan)
    return found


async def test_somebody_from_outside_who_may_see_nothing_is_told_who_may_ask() -> None:
    found = await plan("How many vacation days do I get?", shelf=Shelf({}), audience=OUTSIDE)
    assert isinstance(found, CannedReply)
    assert "Members of this team may ask me" in found.text


async def test_what_changed_is_asked_of_a_day_and_of_what_the_conversation_is_about() -> None:
    found = await searched("What changed about it since 2025-11-01?", "How much parental leave is there?")
    assert found.since == "2025-11-01"
    assert "parental leave" in found.about
    assert (await searched("What changed since 2025-11-01?")).about == ""
    assert (await searched("How do trains work since 2025-11-01?")).since == ""


async def test_all_of_what_changed_is_asked_for_in_the_words_of_the_note() -> None:
    found = await searched("show all", "What changed since 2025-11-01?")
    assert (found.since, found.wants_all) == ("2025-11-01", True)


@pytest.mark.parametrize("text", ["", "   ", "???", "👍", "<@U123>"])
async def test_an_empty_message_is_asked_about(text: str) -> None:
    assert isinstance(await plan(text), ClarifyingReply)


async def test_a_message_that_is_too_long_names_the_limit() -> None:
    found = await plan("why " * 600)
    assert isinstance(found, ClarifyingReply)
    assert "2000" in found.reason


async def test_mentions_and_quoted_lines_do_not_count_unless_they_are_many_times_the_longest_question() -> None:
    assert isinstance(await plan("> said before\n" * 1000 + "How many vacation days?"), SearchPlan)
    found = await plan("> said before\n" * 5000 + "How many vacation days?")
    assert isinstance(found, ClarifyingReply)
    assert "2000" in found.reason


async def test_a_summary_outside_a_thread_is_said_to_be_had_in_one() -> None:
    found = await plan("tl;dr")
    assert isinstance(found, ClarifyingReply)
    assert found.reason == wording.THREAD_REQUIRED


async def test_a_very_short_message_is_asked_about() -> None:
    assert isinstance(await plan("hm, so?"), ClarifyingReply)
    assert isinstance(await plan("what?"), ClarifyingReply)


async def test_a_word_of_the_documents_is_a_question_however_short() -> None:
    assert (await searched("VPN?")).queries == ("VPN?",)


async def test_a_short_message_in_a_thread_is_a_question() -> None:
    assert await searched("why?", "How many vacation days do I get?")


async def test_a_short_question_in_a_script_without_spaces_is_long_enough() -> None:
    assert await searched("休暇は何日ですか")


async def test_a_broken_index_does_not_turn_a_short_question_away() -> None:
    assert isinstance(await plan("SSO?", shelf=Shelf({"a": "b"}, broken=True)), SearchPlan)


async def test_a_greeting_is_answered_shortly_with_one_question_that_can_be_asked() -> None:
    found = await plan("@citewell hey")
    assert isinstance(found, CannedReply)
    assert found.text == (
        "Hello! I answer questions from 2 documents and show where every sentence comes from. "
        "Ask me, for example: “What is Travel policy about?”"
    )


async def test_a_question_about_the_bot_is_answered_with_how_to_ask() -> None:
    found = await plan("what can you do?")
    assert isinstance(found, CannedReply)
    assert "Ask in plain words" in found.text


async def test_thanks_are_taken_without_a_search() -> None:
    assert isinstance(await plan("thanks!"), CannedReply)


async def test_many_documents_are_named_in_part() -> None:
    shelf = Shelf({f"Document {i}": "text" for i in range(30)})
    found = await plan("which documents do you have?", shelf=shelf)
    assert isinstance(found, CannedReply)
    assert "22 more" in found.text


@pytest.mark.parametrize(
    ("text", "intent", "form"),
    [
        ("How many vacation days do I get?", Intent.FACTUAL, None),
        ("What is the difference between leave and sabbatical?", Intent.COMPARISON, AnswerFormat.TABLE),
        ("How do I reset my password?", Intent.PROCEDURE, AnswerFormat.STEPS),
        ("List the supported browsers", Intent.LIST, AnswerFormat.BULLETS),
        ("Which of our policies mention contractors across all offices?", Intent.AGGREGATION, AnswerFormat.BULLETS),
        ("Summarize the travel policy in bullet points", Intent.SUMMARY, AnswerFormat.BULLETS),
        ("Show the travel limits as a table", Intent.FACTUAL, AnswerFormat.TABLE),
    ],
)
async def test_the_wording_tells_intent_and_format(text: str, intent: Intent, form: AnswerFormat | None) -> None:
    found = await searched(text)
    assert (found.intent, found.format) == (intent, form)


async def test_a_comparison_is_searched_side_by_side_and_as_a_whole() -> None:
    asked = "What is the difference between the parental leave of full-time staff and contractors?"
    found = await searched(asked)
    assert found.sides == ("full-time staff", "contractors")
    assert found.queries == ("the parental leave of full-time staff", "the parental leave of contractors", asked)


async def test_a_question_of_two_parts_is_searched_part_by_part() -> None:
    found = await searched("What is the notice period, and how do I resign?")
    assert found.queries == ("What is the notice period?", "how do I resign?")
    assert found.sides == ("What is the notice period", "how do I resign")


async def test_a_follow_up_is_searched_as_it_is_and_answered_with_its_topic() -> None:
    found = await searched("and then?", "How do I book a hotel?")
    assert (found.question, found.topic) == ("and then (How do I book a hotel)?", "How do I book a hotel?")
    assert found.queries == ("and then?",)


async def test_show_all_asks_the_last_question_again_for_the_whole_list() -> None:
    found = await plan("“Show all”.", "How do I fail over?")
    assert isinstance(found, SearchPlan)
    assert (found.question, found.wants_all) == ("How do I fail over?", True)
