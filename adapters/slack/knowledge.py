"""Adding a file or a link to the documents. Slack never sends a click again: after its ack it is tried once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.conversation import knowledge as adding_to
from adapters.conversation.clicks import Clicks
from adapters.conversation.knowledge import Outcome
from adapters.replies import knowledge
from adapters.replies.knowledge import Thing
from adapters.slack import adding
from adapters.slack.adding import Choice
from adapters.slack.deliver import CANNOT_POST
from adapters.slack.ephemeral import Context, Presser, honest
from adapters.slack.files import Files
from adapters.slack.modal import filled
from adapters.slack.notices import permalink
from adapters.slack.render import Post
from adapters.slack.reply import QUIET
from adapters.slack.web import POST, Declined
from pipeline.ports import Sent


class _Spot(NamedTuple):
    """Where a message of ours is, or goes."""

    channel: str
    ts: str
    """Of the thread, before it is posted."""


class Knowledge:
    def __init__(self, context: Context, files: Files) -> None:
        self._context = context
        self._web = context.web
        self._desk = context.desk
        self._files = files
        self._clicks = Clicks()

    def register(self, app: AsyncApp) -> None:
        app.shortcut("add_to_knowledge")(self.choose)
        app.action("add")(self.offered)
        app.view(knowledge.ADDING)(self.submitted)
        app.action("take_back")(self.take_back)

    async def choose(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """The shortcut `Add to knowledge`."""
        await ack()
        by = Presser(self._context, body)
        await self._ask(by, adding.chosen(by.channel, body["message"]))

    async def offered(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """The button below the reply to a message with files."""
        await ack()
        by = Presser(self._context, body)
        if not self._clicks.again(by.user, by.action, by.about, by.ts):
            await self._ask(by, Choice.parse(by.about))

    async def submitted(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        by = Presser(self._context, body)
        choice = Choice.parse(by.about)
        things, collection = knowledge.given(filled(body["view"]), choice.things)
        async with honest(by):
            await self._add(by, choice, things, collection)

    async def take_back(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Forget the document, and say so in the place of the button."""
        await ack()
        by = Presser(self._context, body)
        if self._clicks.again(by.user, by.action, by.about, by.ts):
            return
        async with honest(by):
            if said := await adding_to.take_back(self._desk, by, by.about):
                await self._change(_Spot(by.channel, by.ts), adding.post(Outcome(said)))

    async def _ask(self, by: Presser, choice: Choice) -> None:
        async with honest(by):
            if collection := await adding_to.choose(self._desk, by, choice.things, str(choice)):
                await self._add(by, choice, choice.things, collection)

    async def _add(self, by: Presser, choice: Choice, things: Sequence[Thing], collection: str) -> None:
        """Say that it is read, read it, and put into the place of that what came of it."""
        words = await by.words()
        for thing in things:
            reading = Outcome(words(knowledge.READING, name=knowledge.label(thing)))
            spot = await self._post(by, choice, adding.post(reading))
            outcome = await adding_to.add(self._desk, by, thing, partial(self._sent, choice, thing), collection)
            await self._change(spot, adding.post(outcome, words))

    async def _sent(self, choice: Choice, thing: Thing) -> Sent:
        if not thing.file:
            return Sent(thing.name, thing.name)
        file = await self._files.find(thing.file)
        link = file.link or await permalink(self._web, choice.channel, choice.ts)
        return Sent(file.name, link, partial(self._files.download, file))

    async def _post(self, by: Presser, choice: Choice, post: Post) -> _Spot:
        """Below the message; alone to whoever adds it where the bot is silent, is no member, or strangers read."""
        alone = _Spot(by.user, "")
        spot = alone if await self._private(by) else _Spot(choice.channel, choice.thread)
        try:
            return await self._send(spot, post)
        except Declined as declined:
            if declined.error not in CANNOT_POST:
                raise
            return await self._send(alone, post)

    async def _private(self, by: Presser) -> bool:
        if by.direct:
            return False
        return bool((await self._desk.places.of(by.places)).silent) or await self._context.audiences.shared(by.channel)

    async def _send(self, spot: _Spot, post: Post) -> _Spot:
        await self._web.turn(spot.channel, begun=True)
        where = {"channel": spot.channel, **({"thread_ts": spot.ts} if spot.ts else {})}
        posted = await self._web.call(POST, **where, text=post.text, blocks=post.blocks, **QUIET)
        return _Spot(str(posted["channel"]), str(posted["ts"]))

    async def _change(self, spot: _Spot, post: Post) -> None:
        where = {"channel": spot.channel, "ts": spot.ts}
        await self._web.call("chat.update", **where, text=post.text, blocks=post.blocks, **QUIET)
