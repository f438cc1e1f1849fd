"""Questions in chat and on the page."""

from __future__ import annotations

from datetime import UTC, datetime

from pipeline.rules.tenancy import workspace_scope
from pipeline.values import ConversationId, IncomingMessage, MessageTrigger, PlaceId
from tests.contracts.sight.attacker import Attacker
from tests.contracts.sight.people import CHANNELS, PEOPLE


class Asking(Attacker):
    async def ask(self) -> None:
        """In a channel, in a command there, or alone; a new conversation, or one that goes on."""
        person = self._dice.choice(PEOPLE)
        space = person.rpartition(":")[0]
        channels = [one for one in CHANNELS if person in self._model.members[one]]
        number = self._memory.next()
        manner = self._dice.choice(
            (MessageTrigger.MENTION, MessageTrigger.COMMAND, MessageTrigger.DIRECT, MessageTrigger.DIRECT)
        )
        if not channels or manner is MessageTrigger.DIRECT:
            manner = MessageTrigger.DIRECT
            space, channel = ("web:page", f"{number:032x}") if space == "web" else (space, f"D{person[-3:]}")
            places: tuple[PlaceId, ...] = () if space != "web:page" else PlaceId.parse(space).chain
        else:
            place = PlaceId.parse(self._dice.choice(channels))
            channel, places = place.channel, place.chain
        platform, _, team = space.partition(":")
        thread = f"ask-{number}" if manner is MessageTrigger.COMMAND else "" if platform == "web" else str(number)
        where = ConversationId(platform=platform, space=team, channel=channel, thread=thread)
        mine = [one for one, of in self._memory.talks[-60:] if of == f"{person} {manner} {space}:{channel[:5]}"]
        if mine and self._dice.random() < 0.5:
            where, manner = (
                self._dice.choice(mine),
                MessageTrigger.THREAD if manner is MessageTrigger.MENTION else manner,
            )
        else:
            self._memory.talks.append((where, f"{person} {manner} {space}:{channel[:5]}"))
        message = IncomingMessage(
            place=f"{where.workspace}:{where.channel}:{number}",
            conversation=where,
            asker=person,
            text=self._question(),
            sent_at=datetime.now(UTC),
            manner=manner,
            said_in=places,
        )
        with workspace_scope(where.workspace):
            await self._storage.inbox.accept(message)
        await self._answered()
