"""A third platform, as small as one can be: a kiosk at which visitors ask."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from datetime import UTC, datetime
from typing import ClassVar

from pipeline.errors import Misconfigured
from pipeline.ports import AdapterContext, BotServices, Inbox, PostRecorder, ReplyStream
from pipeline.values import (
    Answer,
    ConversationId,
    Finding,
    IdFormat,
    IncomingMessage,
    MessageKey,
    MessageTrigger,
    PlaceId,
    PlaceSettings,
    Platform,
    Readers,
)
from pipeline.values.diagnostics import ok_finding

KIOSK = Platform(
    name="kiosk",
    title="the kiosk",
    setting="KIOSK_PORT",
    required_settings="KIOSK_PORT",
    space=IdFormat(label="site", pattern="kiosk:[a-z]+", example="kiosk:acme"),
    channel=IdFormat(label="screen", pattern="kiosk:[a-z]+:[a-z]+", example="kiosk:acme:help"),
    person=IdFormat(label="visitor", pattern="kiosk:[a-z]+:[0-9]+", example="kiosk:acme:7"),
    direct_channel="~",
)


class KioskConfig:
    """The port `PlatformConfig` of a platform that needs no settings. `asked`: what visitors ask, by the screen; `~` is
    the visitor's own."""

    platform: ClassVar[Platform] = KIOSK
    asked: ClassVar[tuple[tuple[str, str], ...]] = ()
    home_spaces: frozenset[str] | None = None
    is_enabled, is_sharded, clock_url = True, False, ""
    answers: ClassVar[dict[str, Answer]] = {}

    @property
    def channel_indexing_blocker(self) -> str:
        return "Nobody says anything to others here."

    async def find_channels(self, name: str) -> list[PlaceId]:
        return []

    def setting_warnings(self, places: Mapping[PlaceId, PlaceSettings]) -> list[str]:
        return [f"{place} is empty" for place in places]

    def setup(self) -> None:
        return None

    def create_adapter(self, context: AdapterContext) -> Kiosk:
        return Kiosk(self.asked, self.answers)

    async def diagnose_stored(self, installations: object) -> Finding | None:
        return None

    async def diagnose(self, places: Collection[PlaceId], load_installations: object) -> AsyncIterator[Finding]:
        yield ok_finding("the kiosk", f"it is served with {', '.join(map(str, places))}")


class Kiosk:
    """Takes in what is asked, and is no use any more when all is answered."""

    name = KIOSK.name

    def __init__(self, asked: tuple[tuple[str, str], ...], answers: dict[str, Answer]) -> None:
        self._asked = asked
        self._answers = answers
        self._all = asyncio.Event()

    async def listen(self, inbox: Inbox, services: BotServices) -> None:
        for channel, text in self._asked:
            await inbox.accept(_message(channel, text))
        await self._all.wait()
        raise Misconfigured("KIOSK_PORT", "is closed", what_to_do="Open it.")

    def can_serve(self, space: str) -> bool:
        return True

    async def is_connected(self) -> bool:
        return True

    async def post(self, outgoing: ReplyStream, recorder: PostRecorder) -> None:
        await recorder.record_intent()
        self._answers[outgoing.work.message.conversation.channel] = await outgoing.events.answer()
        await recorder.record_posted(outgoing.work.key)
        if len(self._answers) == len(self._asked):
            self._all.set()

    async def get_readers(self, target: IncomingMessage) -> Readers:
        return Readers(groups=frozenset(map(str, target.said_in)))

    async def close(self) -> None: ...


def _message(channel: str, text: str) -> IncomingMessage:
    where = ConversationId(platform=KIOSK.name, space="acme", channel=channel)
    alone = KIOSK.is_direct(where)
    return IncomingMessage(
        place=MessageKey(platform=KIOSK.name, space="acme", channel=channel, message="1"),
        conversation=where,
        asker="kiosk:acme:7",
        text=text,
        sent_at=datetime.now(UTC),
        manner=MessageTrigger.DIRECT if alone else MessageTrigger.MENTION,
        said_in=PlaceId.parse("kiosk:acme" if alone else f"kiosk:acme:{channel}").chain,
    )
