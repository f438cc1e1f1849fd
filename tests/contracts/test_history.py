"""What the port `HistoryStore` promises, held on every engine."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.ports import HistoryStore
from pipeline.values import ConversationId, Turn
from tests.doubles.engines import Engine


@pytest.fixture
async def history(engine: Engine) -> AsyncIterator[HistoryStore]:
    async with engine.storage() as storage:
        yield storage.history


def conversation(channel: str = "C1", thread: str = "1.0", space: str = "T1") -> ConversationId:
    return ConversationId(platform="slack", space=space, channel=channel, thread=thread)


def turn(question: str) -> Turn:
    return Turn(
        question=question, answer=f"{question}!", chunk_ids=("d#1",), asked_at=datetime.now(UTC), author="slack:T1:U1"
    )


async def test_the_last_turns_come_back_oldest_first(history: HistoryStore) -> None:
    turns = [turn(f"question {number}") for number in range(4)]
    for one in turns:
        await history.record(conversation(), one)
    assert (await history.recall(conversation(), 3)).turns == tuple(turns[1:])
    assert (await history.recall(conversation(), 9)).turns == tuple(turns)
    assert (await history.recall(conversation(), 0)).turns == ()


async def test_an_unknown_conversation_is_empty(history: HistoryStore) -> None:
    assert (await history.recall(conversation("C9"), 5)).turns == ()


parts = st.sampled_from(["", "a", "b", "a:b", ":", "dm", "%3A"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(st.lists(st.builds(conversation, parts, parts, parts), min_size=1, max_size=6, unique=True))
async def test_no_turn_is_ever_recalled_in_another_conversation(
    history: HistoryStore, conversations: list[ConversationId]
) -> None:
    for one in conversations:
        await history.record(one, turn(repr(one)))
    for one in conversations:
        assert {found.question for found in (await history.recall(one, 99)).turns} == {repr(one)}
