"""What was said in Loopback, and who reaches whom there."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.chat.audience import AudienceFacts
from pipeline import values as v
from tests.loopback.events import LOOPBACK, SPACE, person, places, said
from tests.loopback.world import BOT, HOUSE, Said, World


class Reads:
    """The ports `Reads` and `AudienceResolver`."""

    def __init__(self, of: World) -> None:
        self._of = of

    async def get_thread_context(self, message: v.IncomingMessage, last: int) -> v.ThreadContext:
        above = [one.page.text for one in self._above(message)]
        return v.ThreadContext(messages=(*above[:1], *above[1:][-last:]))

    async def read_thread(self, message: v.IncomingMessage, limit: int) -> Sequence[v.ChannelMessage] | None:
        above = self._above(message)
        return [told for one in above[:limit] if (told := said(one, to_us=True))] if above else None

    def _above(self, message: v.IncomingMessage) -> Sequence[Said]:
        """Of people in its thread."""
        asked = self._of.messages[message.place.message]
        return [one for one in self._of.thread(asked) if one.number < asked.number and one.author != BOT]

    async def read_history(self, channel: v.PlaceId, position: str) -> v.HistoryPage:
        there = [one for one in self._of.messages.values() if one.channel == channel.channel]
        read = tuple(told for one in there if (told := said(one)))
        return v.HistoryPage(
            messages=read, next_cursor="", channel_name=channel.channel.removeprefix("#"), created_at=self._of.since
        )

    async def download_file(self, message: v.ChannelMessage, file: v.Attachment) -> bytes:
        return self._of.messages[message.message].attached[file.id]

    async def resolve(self, target: v.IncomingMessage | v.PlaceId | v.PersonId) -> AudienceFacts:
        if isinstance(target, v.PersonId):
            return self.facts(target.user)
        if isinstance(target, v.PlaceId):
            return self.facts("", target.channel)
        where = target.conversation
        alone = LOOPBACK.is_direct(where) or LOOPBACK.is_private(where)
        return self.facts(target.asker.user if alone else "", where.channel)

    def facts(self, user: str, channel: str = "") -> AudienceFacts:
        """Of one person, or of all in a channel."""

        async def reads(place: v.PlaceId) -> bool:
            members = self._of.members.get(place.channel, frozenset())
            return members is None or user in members

        groups = {*map(str, places(channel)), *([LOOPBACK.person_id(HOUSE, user).group] if user else [])}
        return AudienceFacts(frozenset(groups), all_inside=True, spaces=frozenset({str(SPACE)}), can_read_channel=reads)

    async def author(self, message: v.IncomingMessage) -> v.Actor:
        return self.actor(message.asker.user)

    def actor(self, user: str) -> v.Actor:
        within = {group for group, users in self._of.groups.items() if user in users}
        return v.Actor(person=person(user), groups=frozenset({LOOPBACK.person_id(HOUSE, user).group, *within}))
