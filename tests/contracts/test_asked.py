"""What was asked names the channel around it, on each engine."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from pipeline.values import ConversationId, PlaceId, replace
from storage.messages.history import SQLQuestionLog
from storage.open import Storage
from tests.doubles.engines import Engine
from tests.doubles.samples import answer, message

THREAD = ConversationId(platform="discord", space="1", channel="33")
CHANNEL = (PlaceId.parse("discord:1"), PlaceId.parse("discord:1:2"))


@pytest.fixture
async def storage(engine: Engine) -> AsyncIterator[Storage]:
    async with engine.storage() as opened:
        yield opened


async def test_a_thread_on_discord_is_told_with_its_channel(storage: Storage) -> None:
    sent = replace(message("1.0"), conversation=THREAD, said_in=CHANNEL)
    for number, one in enumerate((sent, message("2.0"))):
        await storage.inbox.accept(one)
        await storage.inbox.lease()
        given = replace(answer(f"a{number}"), standalone=one.text)
        await storage.inbox.save_answer(one.key, given)
        await storage.inbox.mark_done(one.key)
    rows = await SQLQuestionLog(storage.database).fold_since(0.0, ["discord"], list)
    assert sorted(row.channel for row in rows) == ["", "discord:1:2"]
