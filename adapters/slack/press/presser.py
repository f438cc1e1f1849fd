"""Whoever pressed a button, sent a form or used a command: Slack never sends anything of theirs again. And what of a
message they can add to the documents."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.chat.adapter import Chat
from adapters.chat.audience import Facts
from adapters.chat.press.knowledge import FROM_MENU
from adapters.chat.press.offered import Addition, announced
from adapters.chat.press.presser import AmongOthers, Then, Written
from adapters.chat.reply import cut, labels
from adapters.chat.reply.answer import plain
from adapters.chat.reply.parts import Look, Reply
from adapters.chat.words.forms import Form
from adapters.chat.words.knowledge import Thing
from adapters.slack.audience import SlackReaches
from adapters.slack.events import spoken
from adapters.slack.events.files import Files
from adapters.slack.events.incoming import Body, Me, message_key
from adapters.slack.parts.blocks import Block, said, section, short
from adapters.slack.parts.footer import Choice, chosen
from adapters.slack.parts.modal import view
from adapters.slack.parts.render import Post, fallback, posts
from adapters.slack.platform import SLACK
from adapters.slack.post import private
from adapters.slack.post.notices import permalink, sorry
from adapters.slack.post.reply import QUIET
from adapters.slack.press.pressed import SlackPress, carried, read
from adapters.slack.web import Web
from pipeline.errors import CitewellError, NotTaken
from pipeline.ports import Desk, Sent
from pipeline.ports.desk import Posts
from pipeline.translations import Message, Words
from pipeline.values import Actor, Answer, ConversationId, MessageKey, PlaceId, Readers
from pipeline.words import wording


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


REFUSAL = 150
"""Characters of what is said at a field."""


@dataclass(frozen=True)
class Context:
    """What it takes to answer somebody in the workspace."""

    web: Web
    me: Me
    chat: Chat[Post]
    reaches: SlackReaches
    desk: Desk
    files: Files
    look: Look
    shared_channels: bool
    """Answers are shared also where other organisations read along."""


class SlackPresser(AmongOthers):
    """Of one workspace."""

    shows_votes = True

    def __init__(self, context: Context, body: Body, ack: AsyncAck) -> None:
        self.spot: SlackPress = read(body, context.me)
        super().__init__(self.spot.pressed, context.desk)
        self._context = context
        self._web = context.web
        self._ack = ack
        self._acked = False
        self._line = False
        """A line of ours stands where the first thing is shown that they asked for by a command."""
        self.body = body

    @asynccontextmanager
    async def honest(self) -> AsyncIterator[None]:
        """What is done about it inside is acknowledged in the end, too."""
        async with super().honest():
            yield
        await self.acked()

    async def actor(self) -> Actor:
        return await self._context.reaches.actors.of(self.spot.user)

    async def reads_alone(self) -> Readers:
        return await self._read_by(self._context.reaches.person(self.spot.user_id, self.spot.channel))

    async def everyone(self) -> Readers:
        reaches, spot = self._context.reaches, self.spot
        return await self._read_by(reaches.person(spot.user_id) if spot.direct else reaches.everyone(spot.channel))

    async def channel(self) -> Readers | Message:
        reaches = self._context.reaches
        if not self._context.shared_channels and await reaches.shared(self.spot.channel):
            return wording.SHARED_CHANNEL
        return await self._read_by(reaches.everyone(self.spot.channel))

    async def _read_by(self, facts: Awaitable[Facts]) -> Readers:
        return await self._context.chat.audience.of(await facts)

    async def alone(self) -> ConversationId:
        return ConversationId(platform="slack", space=self._context.me.team, channel=await self.direct_channel())

    async def direct_channel(self) -> str:
        opened = await self._web.call("conversations.open", users=self.spot.user_id)
        return str(opened["channel"]["id"])

    async def link(self) -> str:
        return await permalink(self._web, self.spot.channel, self.pressed.message)

    async def offered(self) -> SlackOffered:
        context = self._context
        return offered(context.web, context.reaches, context.files, context.desk.posts, self.spot, self.body)

    async def ack(self, then: Then) -> None:
        """A command is acknowledged with a line; a form that may be refused, once it is done."""
        if "command" in self.body and not self._acked:
            self._acked = self._line = True
            await self._ack(
                text=(await self._desk.words(self.pressed.person))(labels.LOOKING), response_type="ephemeral"
            )
        elif then is not Then.CHECKED:
            await self.acked()

    async def acked(self) -> None:
        if not self._acked:
            self._acked = True
            await self._ack()

    async def tell(self, text: str) -> None:
        await self.acked()
        if self.spot.response_url:
            await self._respond(plain(text))
        elif self.spot.channel:
            await self._post(plain(text))

    async def show(self, reply: Reply) -> None:
        await self.acked()
        if self._line or self.spot.alone:
            await self._respond(reply)
        else:
            await self._post(reply, **({"thread_ts": self.spot.thread} if self.spot.thread else {}))

    async def _respond(self, reply: Reply) -> None:
        first, *more = posts(carried(reply, self.spot))
        instead, self._line = self._line, False
        await private.show(self._web, self.spot.response_url, [first], instead=instead)
        await private.show(self._web, self.spot.response_url, more)

    async def _post(self, reply: Reply, **thread: str) -> None:
        where = {"channel": self.spot.channel, "user": self.spot.user_id, **thread}
        for post in posts(carried(reply, self.spot)):
            await self._web.call("chat.postEphemeral", **where, text=post.text, blocks=post.blocks, parse="none")

    async def open(self, form: Form, above: Sequence[Block] = ()) -> None:
        """What is sent comes from the same place."""
        await self.acked()
        shown = {**view(form, above), "private_metadata": f"{self.spot.channel} {self.pressed.message} {form.about}"}
        await self._web.call("views.open", trigger_id=self.body["trigger_id"], view=shown)

    async def at_field(self, text: str, field: str) -> bool:
        if self._acked or self.body.get("type") != "view_submission":
            return False
        self._acked = True
        at = field or next(iter(self.pressed.filled))
        await self._ack(response_action="errors", errors={at: cut.short(text, REFUSAL)})
        return True

    async def replace(self, text: str) -> None:
        await self._change(fallback(text), [said(text)], self.pressed.message)

    async def written(self) -> Written | None:
        """The button carries its thread and itself."""
        thread, _, ts = self.pressed.about.partition(" ")
        where: dict[str, Any] = {"channel": self.spot.channel, "ts": thread, "oldest": ts, "latest": ts, "limit": 2}
        found = (await self._web.call("conversations.replies", **where, inclusive=True)).get("messages") or ()
        theirs = [one for one in found if one.get("ts") == ts and one.get("user") == self.spot.user_id]
        if not theirs:
            return None
        me, channel = self._context.me, self.spot.channel
        notice = message_key(me.team, channel, thread)
        text = spoken.plain(str(theirs[0].get("text") or ""), me.user)
        return Written(text, notice, await permalink(self._web, channel, ts))

    async def confirm(self, answer: Answer) -> None:
        await private.confirm_shared(self._web, self.spot.response_url, self._context.look, answer)

    async def tick(self, heading: str, at: MessageKey | None = None) -> None:
        await self.acked()
        ts = at.message if at else self.pressed.message
        where: dict[str, Any] = {"channel": self.spot.channel, "ts": ts, "limit": 1}
        (message, *_) = (await self._web.call("conversations.replies", **where))["messages"]
        shown = [block for block in message.get("blocks") or () if block["type"] != "actions"]
        await self._change(str(message.get("text") or ""), [section(f"*✓ {short(heading, 300)}*"), *shown[1:]], ts)

    async def _change(self, text: str, blocks: Sequence[Block], ts: str) -> None:
        await self._web.call("chat.update", channel=self.spot.channel, ts=ts, text=text, blocks=blocks, **QUIET)

    async def give(self, data: str) -> None:
        await self._web.upload(await self.direct_channel(), "citewell-data.json", data)
        await self.tell((await self.words())(labels.HOME_EXPORTED))

    def sorry(self, error: CitewellError, words: Words) -> str:
        return str(error) if isinstance(error, NotTaken) else sorry(error, words)
