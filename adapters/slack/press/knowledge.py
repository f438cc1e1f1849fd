"""What of a message can be added to the documents, and where what came of it is said."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from adapters.chat.press.knowledge import FROM_MENU
from adapters.chat.press.offered import Addition, announced
from adapters.chat.words.knowledge import Thing
from adapters.slack.audience import SlackReaches
from adapters.slack.events.files import Files
from adapters.slack.events.incoming import Body
from adapters.slack.parts.footer import Choice, chosen
from adapters.slack.platform import SLACK
from adapters.slack.post.notices import permalink
from adapters.slack.press.pressed import SlackPress
from adapters.slack.web import Web
from pipeline.ports import Sent
from pipeline.ports.desk import Posts
from pipeline.translations import Words
from pipeline.values import PlaceId


def offered(web: Web, reaches: SlackReaches, files: Files, posts: Posts, spot: SlackPress, body: Body) -> SlackOffered:
    """The message stands in the shortcut, and in what the button and the form carry."""
    menu = spot.pressed.action == FROM_MENU
    choice = chosen(spot.channel, body["message"]) if menu else Choice.parse(spot.pressed.about)
    return SlackOffered(web, reaches, files, posts, choice, spot)


class SlackOffered:
    """The port `Offered`."""

    def __init__(
        self, web: Web, reaches: SlackReaches, files: Files, posts: Posts, choice: Choice, spot: SlackPress
    ) -> None:
        self._web = web
        self._reaches = reaches
        self._files = files
        self._posts = posts
        self._choice = choice
        self._spot = spot

    @property
    def things(self) -> Sequence[Thing]:
        return self._choice.things

    @property
    def carried(self) -> str:
        return str(self._choice)

    async def sent(self, thing: Thing) -> Sent:
        if not thing.file:
            return Sent(thing.name, thing.name)
        file = await self._files.find(thing.file)
        link = file.link or await permalink(self._web, self._choice.channel, self._choice.ts)
        return Sent(file.name, link, partial(self._files.download, file))

    async def begin(self, reading: str, words: Words, *, alone: bool) -> Callable[[Addition], Awaitable[None]]:
        """Below the message; alone to whoever adds it also where the bot is no member, or strangers read."""
        places = await self._places(alone=alone)
        return await announced(self._posts, places, self._spot.pressed.person, reading, words)

    async def _places(self, *, alone: bool) -> list[tuple[str, str]]:
        """Where it is said, with the thread there; each where the one before takes nothing of ours."""
        spot, team = self._spot, self._spot.pressed.conversation.space
        directly = (str(SLACK.person_id(team, spot.user_id)), "")
        if not spot.direct and (alone or await self._reaches.shared(spot.channel)):
            return [directly]
        channel = PlaceId(platform=SLACK.name, space=team, channel=self._choice.channel)
        return [(str(channel), self._choice.thread), directly]
