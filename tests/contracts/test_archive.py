"""A person's own conversations, read part by part, on both engines."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from pipeline.values import Answer, IncomingMessage, MessageTrigger
from pipeline.values.people import ExchangePage, ExchangeStatus
from storage.open import Storage
from tests.contracts.answers import cited
from tests.doubles.engines import Engine
from tests.doubles.samples import message


@pytest.fixture
async def storage(engine: Engine) -> AsyncIterator[Storage]:
    async with engine.storage(embedder="m") as opened:
        yield opened


ANN, BOB = "slack:T1:UANN", "slack:T1:UBOB"


def asked(number: int, author: str = ANN, thread: str = "t") -> IncomingMessage:
    name = author.rpartition(":")[2]
    return message(f"{number}.0", author=name, thread=thread, text=f"Question {number}?", manner=MessageTrigger.DIRECT)


async def answered(storage: Storage, number: int, author: str = ANN, thread: str = "t") -> Answer:
    given = asked(number, author, thread)
    await storage.inbox.accept(given)
    await storage.inbox.lease()
    answer = cited("Thirty.", question=given.text, answer_id=f"a{number}")
    await storage.inbox.save_answer(given.key, answer)
    await storage.inbox.mark_posting(given.key)
    await storage.inbox.mark_posted(given.key, "9.9")
    await storage.inbox.mark_done(given.key)
    return answer


def numbers(part: ExchangePage) -> list[str]:
    return [one.question for one in part.exchanges]


async def test_a_conversation_is_read_in_parts_the_last_unless_it_is_said_where(storage: Storage) -> None:
    for number in range(1, 8):
        await answered(storage, number)
    where = asked(1).conversation
    for start, first, shown in (
        (None, 4, "5 6 7"),
        (0, 0, "1 2 3"),
        (3, 3, "4 5 6"),
        (6, 4, "5 6 7"),
        (99, 4, "5 6 7"),
    ):
        part = await storage.archive.list_exchanges(where, ANN, 3, start)
        assert (part.start, part.total) == (first, 7)
        assert numbers(part) == [f"Question {number}?" for number in shown.split()]
    assert numbers(await storage.archive.list_exchanges(where, ANN, 20)) == [f"Question {n}?" for n in range(1, 8)]


async def test_what_waits_stands_behind_what_is_answered_and_nothing_of_others_is_there(storage: Storage) -> None:
    await answered(storage, 1)
    await answered(storage, 2, BOB)
    await answered(storage, 3, thread="another")
    await storage.inbox.accept(asked(4))
    where = asked(1).conversation
    part = await storage.archive.list_exchanges(where, ANN, 20)
    assert [(one.question, one.status) for one in part.exchanges] == [
        ("Question 1?", ExchangeStatus.ANSWERED),
        ("Question 4?", ExchangeStatus.WAITING),
    ]
    assert part.total == 2
    await storage.inbox.mark_failed(asked(4).key, "why")
    part = await storage.archive.list_exchanges(where, ANN, 1)
    assert [one.status for one in part.exchanges] == [ExchangeStatus.FAILED]


async def test_whose_a_conversation_and_a_question_is_and_whether_one_waits_is_known_without_reading_it(
    storage: Storage,
) -> None:
    archive, where, other = storage.archive, asked(1).conversation, asked(1, thread="other").conversation

    async def known() -> tuple[bool, ...]:
        return (
            await archive.has_asked(where, ANN),
            await archive.has_pending(where, ANN),
            await archive.owns_question(asked(1).key, ANN),
            await archive.has_asked(where, BOB) or await archive.has_asked(other, ANN),
            await archive.has_pending(where, BOB) or await archive.has_pending(other, ANN),
            await archive.owns_question(asked(1).key, BOB) or await archive.owns_question(asked(2).key, ANN),
        )

    assert await known() == (False,) * 6
    await storage.inbox.accept(asked(1))
    assert await known() == (True, True, True, False, False, False)
    await answered(storage, 1)
    assert await known() == (True, False, True, False, False, False)
    await storage.personal_data.forget(ANN)
    assert await known() == (False,) * 6
