"""Adding a file or a link to the documents. Slack never sends a click again: after its ack it is tried once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.replies import knowledge
from adapters.replies.clicks import Clicks
from adapters.replies.knowledge import Thing
from adapters.slack import adding, private
from adapters.slack.actors import Actors
from adapters.slack.adding import Choice
from adapters.slack.audience import Audiences
from adapters.slack.deliver import CANNOT_POST
from adapters.slack.files import Files
from adapters.slack.incoming import Body, Me, person
from adapters.slack.modal import filled, view
from adapters.slack.notices import permalink
from adapters.slack.render import Post, line
from adapters.slack.reply import QUIET
from adapters.slack.web import POST, Declined, Web
from pipeline import wording
from pipeline.errors import CitewellError, NotAllowed
from pipeline.ports import Desk, NotAdded, Sent
from pipeline.translations import Message, Words
from pipeline.values import Actor, PlaceId, Readers

log = structlog.get_logger(__name__)


class _Spot(NamedTuple):
    """Where a message of ours is, or goes."""

    channel: str
    ts: str
    """Of the thread, before it is posted."""


class Knowledge:
    def __init__(self, web: Web, me: Me, audiences: Audiences, actors: Actors, files: Files, desk: Desk) -> None:
        self._web = web
        self._me = me
        self._audiences = audiences
        self._actors = actors
        self._files = files
        self._desk = desk
        self._clicks = Clicks()

    def register(self, app: AsyncApp) -> None:
        app.shortcut("add_to_knowledge")(self.choose)
        app.action("add")(self.offered)
        app.view(knowledge.ADDING)(self.submitted)
        app.action("take_back")(self.take_back)

    async def choose(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """The shortcut `Add to knowledge`."""
        await ack()
        await self._ask(body, adding.chosen(str(body["channel"]["id"]), body["message"]))

    async def offered(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """The button below the reply to a message with files."""
        await ack()
        if not self._again(body):
            await self._ask(body, Choice.parse(str(body["actions"][0]["value"])))

    async def submitted(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        choice = Choice.parse(str(body["view"]["private_metadata"]))
        things, collection = knowledge.given(filled(body["view"]), choice.things)
        try:
            await self._add(body, choice, things, collection)
        except CitewellError as error:
            log.warning("slack_nothing_added", reason=str(error))

    async def take_back(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Forget the document, and say so in the place of the button."""
        await ack()
        if self._again(body):
            return
        try:
            title = await self._desk.knowledge.take_back(
                await self._actors.of(body["user"]), str(body["actions"][0]["value"])
            )
            words = await self._words(body)
            said = knowledge.NOT_THERE if title is None else knowledge.TAKEN_BACK
            spot = _Spot(str(body["channel"]["id"]), str(body["message"]["ts"]))
            await self._change(spot, adding.post(words(said, title=title)))
        except NotAllowed:
            await self._tell(body, knowledge.NOT_YOURS)
        except CitewellError as error:
            log.warning("slack_not_taken_back", reason=str(error))
            await self._tell(body, wording.TRY_AGAIN)

    async def _ask(self, body: Body, choice: Choice) -> None:
        """Open the form, or add at once where there is nothing to choose."""
        try:
            collections = await self._desk.knowledge.collections(*await self._where(body, choice))
            if not choice.things or not collections:
                await self._tell(body, knowledge.NO_COLLECTION if choice.things else knowledge.NOTHING_TO_ADD)
            elif len(choice.things) == len(collections) == 1:
                await self._add(body, choice, choice.things, collections[0])
            else:
                form = knowledge.form(str(choice), choice.things, collections[:100], await self._words(body))
                await self._web.call("views.open", trigger_id=body["trigger_id"], view=view(form))
        except NotAllowed:
            await self._tell(body, knowledge.CONTRIBUTORS_ONLY)
        except CitewellError as error:
            log.warning("slack_knowledge_form_not_shown", reason=str(error))
            await self._tell(body, wording.TRY_AGAIN)

    async def _add(self, body: Body, choice: Choice, things: Sequence[Thing], collection: str) -> None:
        """Say that it is read, read it, and put into the place of that what came of it."""
        words = await self._words(body)
        for thing in things:
            spot = await self._post(body, choice, adding.post(words(knowledge.READING, name=knowledge.label(thing))))
            await self._change(spot, await self._added(body, choice, thing, collection, words))

    async def _added(self, body: Body, choice: Choice, thing: Thing, collection: str, words: Words) -> Post:
        try:
            actor, readers, chain = await self._where(body, choice)
            into = collection or (await self._desk.knowledge.collections(actor, readers, chain))[0]
            added = await self._desk.knowledge.add(actor, readers, chain, await self._sent(choice, thing), into)
        except NotAllowed:
            return adding.post(words(knowledge.CONTRIBUTORS_ONLY))
        except NotAdded as error:
            log.info("slack_nothing_added", reason=str(error))
            return adding.post(knowledge.left_out(thing, error, words))
        except CitewellError as error:
            log.warning("slack_nothing_added", reason=str(error))
            return adding.post(knowledge.not_got(thing, words))
        how = knowledge.how_back(added, words)
        return adding.post(knowledge.told(thing, added, words), how, take_back=added.document, words=words)

    async def _sent(self, choice: Choice, thing: Thing) -> Sent:
        if not thing.file:
            return Sent(thing.name, thing.name)
        file = await self._files.find(thing.file)
        link = file.link or await permalink(self._web, choice.channel, choice.ts)
        return Sent(file.name, link, partial(self._files.download, file))

    async def _where(self, body: Body, choice: Choice) -> tuple[Actor, Readers, tuple[PlaceId, ...]]:
        """Who adds, who reads along there, and what places it is in."""
        actor = await self._actors.of(body["user"])
        alone = choice.channel.startswith("D")
        reading = (
            self._audiences.of_person(str(body["user"]["id"])) if alone else self._audiences.of_channel(choice.channel)
        )
        return actor, await reading, self._me.places(choice.channel)

    async def _post(self, body: Body, choice: Choice, post: Post) -> _Spot:
        """Below the message; alone to whoever adds it where the bot is silent, is no member, or strangers read."""
        alone = _Spot(str(body["user"]["id"]), "")
        spot = alone if await self._private(choice) else _Spot(choice.channel, choice.thread)
        try:
            return await self._send(spot, post)
        except Declined as declined:
            if declined.error not in CANNOT_POST:
                raise
            return await self._send(alone, post)

    async def _private(self, choice: Choice) -> bool:
        if choice.channel.startswith("D"):
            return False
        silent = (await self._desk.places.of(self._me.places(choice.channel))).silent
        return bool(silent) or await self._audiences.shared(choice.channel)

    async def _send(self, spot: _Spot, post: Post) -> _Spot:
        await self._web.turn(spot.channel, begun=True)
        where = {"channel": spot.channel, **({"thread_ts": spot.ts} if spot.ts else {})}
        posted = await self._web.call(POST, **where, text=post.text, blocks=post.blocks, **QUIET)
        return _Spot(str(posted["channel"]), str(posted["ts"]))

    async def _change(self, spot: _Spot, post: Post) -> None:
        where = {"channel": spot.channel, "ts": spot.ts}
        await self._web.call("chat.update", **where, text=post.text, blocks=post.blocks, **QUIET)

    async def _words(self, body: Body) -> Words:
        return await self._desk.words(person(self._me.team, str(body["user"]["id"])))

    async def _tell(self, body: Body, message: Message) -> None:
        """To whoever clicked alone."""
        try:
            await private.show(self._web, str(body["response_url"]), [line((await self._words(body))(message))])
        except CitewellError as error:
            log.warning("slack_not_told", reason=str(error))

    def _again(self, body: Body) -> bool:
        action = body["actions"][0]
        return self._clicks.again(body["user"]["id"], action["action_id"], action["value"])
