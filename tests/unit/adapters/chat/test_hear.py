"""What follows from what people do is durable first; they are told last, and once."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from adapters.chat.intake import ChatEventHandler, MessagePosted, PersonMessage, QuestionCandidate, StopRequested
from adapters.chat.words.handoff import UnsentReply
from pipeline.errors import Unavailable
from pipeline.translations import ENGLISH_TRANSLATOR
from pipeline.values import (
    DEFAULT_PLACE_SETTINGS,
    ConversationId,
    IncomingMessage,
    MessageKey,
    MessageTrigger,
    PlaceId,
    PlaceSettings,
    replace,
)

NOTICE = MessageKey(platform="slack", space="T1", channel="C2", message="1")
SAID = replace(NOTICE, message="2")
WHERE = ConversationId(platform="slack", space="T1", channel="C2", thread="1")
HELPERS = PlaceId(platform="slack", space="T1", channel="C2")


class House:
    """An inbox, a desk and a platform that has no way to stop a reply."""

    def __init__(self) -> None:
        self.down = 0
        self.place = DEFAULT_PLACE_SETTINGS
        self.kept: list[IncomingMessage] = []
        self.stopped: list[ConversationId] = []
        self.offered: list[UnsentReply] = []
        self.channels = self.handoffs = self.places = self

    async def indexed(self, _: object) -> None: ...

    async def of(self, _: object) -> PlaceSettings:
        return self.place

    async def waits(self, key: MessageKey) -> object:
        return SimpleNamespace(target=HELPERS) if key == NOTICE else None

    async def keeps(self, _: PlaceId) -> bool:
        return False

    async def words(self, *_: str, **__: str) -> object:
        return ENGLISH_TRANSLATOR

    async def drop_if_replied(self, *_: str) -> bool:
        return False

    async def conversation(self, _: str) -> None: ...

    async def accept(self, message: IncomingMessage, **_: float) -> bool:
        self.down -= 1
        if self.down >= 0:
            raise Unavailable("inbox", "down")
        self.kept.append(message)
        return True

    async def stop(self, conversation: ConversationId) -> None:
        self.stopped.append(conversation)

    async def notify(self, *_: object) -> None: ...

    async def offer_handoff_reply(self, _: PersonMessage, unsent: UnsentReply) -> None:
        self.offered.append(unsent)


@pytest.fixture
def house() -> House:
    return House()


def hearing(house: House, *, threads: bool = False) -> ChatEventHandler:
    known: Any = SimpleNamespace(takes_part=lambda _: False)
    return ChatEventHandler(cast("Any", house), cast("Any", house), known, cast("Any", house), threads=threads)


def asked(**more: Any) -> QuestionCandidate:
    message = IncomingMessage(
        place=SAID,
        conversation=WHERE,
        asker="slack:T1:U3",
        text="Thirty days.",
        sent_at=datetime.now(UTC),
        manner=MessageTrigger.MENTION,
    )
    return QuestionCandidate(message=message, **more)


def spoke(*, names_us: bool) -> MessagePosted:
    replied_to = (str(NOTICE),)
    remark = PersonMessage(
        key=SAID, author="slack:T1:U3", text="Thirty days.", reply_targets=replied_to, is_for_bot=names_us
    )
    return MessagePosted(said_in=(), key=SAID, person_message=remark, question=asked())


async def test_who_replies_where_people_were_asked_is_offered_once_to_send_it_however_often_it_is_heard(
    house: House,
) -> None:
    hears, house.down = hearing(house), 1
    with pytest.raises(Unavailable):
        await hears.handle(spoke(names_us=True))
    assert not house.offered
    await hears.handle(spoke(names_us=True))
    assert (len(house.offered), len(house.kept)) == (1, 1)


async def test_unless_it_names_us_it_is_no_question(house: House) -> None:
    await hearing(house).handle(spoke(names_us=False))
    assert (len(house.offered), len(house.kept)) == (1, 0)


@pytest.mark.parametrize(
    ("set_there", "otherwise", "opened"), [(None, True, True), (True, False, True), (False, True, False)]
)
async def test_a_place_says_whether_answers_go_into_threads(
    house: House, set_there: bool | None, otherwise: bool, opened: bool
) -> None:
    house.place = PlaceSettings(threads=set_there)
    thread = replace(WHERE, channel="2", thread="")
    await hearing(house, threads=otherwise).handle(
        MessagePosted(said_in=(), key=SAID, question=asked(in_thread=thread))
    )
    assert house.kept[0].conversation == (thread if opened else WHERE)


async def test_what_cannot_be_stopped_here_is_stopped_by_whichever_process_writes_it(house: House) -> None:
    await hearing(house).handle(StopRequested(conversation=WHERE))
    assert house.stopped == [WHERE]
