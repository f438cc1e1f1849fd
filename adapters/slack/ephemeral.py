"""Answering a click, a command or a form so that its user alone sees it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog

from adapters.replies import words
from adapters.replies.answer import plain
from adapters.replies.forms import Form
from adapters.replies.parts import Button, Reply
from adapters.slack import private
from adapters.slack.actors import Actors
from adapters.slack.audience import Audiences
from adapters.slack.blocks import Block
from adapters.slack.incoming import Body, Me, person
from adapters.slack.modal import view
from adapters.slack.render import posts
from adapters.slack.web import Declined, Web
from pipeline import wording
from pipeline.errors import CitewellError
from pipeline.ports import Desk
from pipeline.translations import ENGLISH, Words
from pipeline.values import Actor, ConversationId, PlaceId, Readers

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Context:
    """What it takes to answer somebody in the workspace."""

    web: Web
    me: Me
    audiences: Audiences
    actors: Actors
    desk: Desk


class Presser:
    """The port `Presser`: Slack never sends anything of theirs again."""

    def __init__(self, context: Context, body: Body) -> None:
        self._context = context
        self._body = body
        self._user: Body = body.get("user") or {"id": body.get("user_id"), "team_id": body.get("team_id")}
        self._container: Body = body.get("container") or {}
        action: Body = (body.get("actions") or ({},))[0]
        self.response_url = str(body.get("response_url") or "")
        self.action = str(action.get("action_id") or "")
        self.about = str(action.get("value") or "")
        channel: Body = body.get("channel") or {"id": body.get("channel_id")}
        message: Body = body.get("message") or {}
        self.channel = str(channel.get("id") or "")
        self.ts = str(message.get("ts") or self._container.get("message_ts") or "")
        self.thread = str(message.get("thread_ts") or self._container.get("thread_ts") or "")
        self.below = "" if self._container.get("is_ephemeral") else self.ts
        if body.get("type") == "view_submission":
            *where, self.about = str(body["view"]["private_metadata"]).split(" ", 2)
            self.channel, self.ts = where or ("", "")
        elif self.action in (Button.ASK, Button.TELL) and " " in self.about:
            self.about, self.thread, self.below = self.about.split(" ")

    @property
    def user(self) -> str:
        return str(self._user["id"])

    @property
    def name(self) -> str:
        """Empty where Slack does not say."""
        return str(self._user.get("name") or self._user.get("username") or "")

    @property
    def person(self) -> str:
        return person(self._context.me.team, self.user)

    @property
    def places(self) -> tuple[PlaceId, ...]:
        return self._context.me.places(self.channel)

    @property
    def conversation(self) -> ConversationId:
        thread = self.thread or self.below
        return ConversationId(platform="slack", space=self._context.me.team, channel=self.channel, thread=thread)

    @property
    def external(self) -> bool:
        team = self._context.me.team
        return str(self._user.get("team_id") or team) != team

    async def told_in(self) -> ConversationId:
        if self.below:
            return self.conversation
        opened = await self._context.web.call("conversations.open", users=self.user)
        return ConversationId(platform="slack", space=self._context.me.team, channel=str(opened["channel"]["id"]))

    async def words(self, text: str = "") -> Words:
        return await self._context.desk.words(self.person, text=text)

    async def actor(self) -> Actor:
        return await self._context.actors.of(self._user)

    async def readers(self) -> Readers:
        readers = await self._context.audiences.of_person(self.user, self.channel)
        return readers.model_copy(update={"external": readers.external or self.external})

    async def everyone(self) -> Readers:
        audiences = self._context.audiences
        return await (audiences.of_person(self.user) if self.direct else audiences.of_channel(self.channel))

    @property
    def direct(self) -> bool:
        return self.channel.startswith("D")

    async def say(self, text: str) -> None:
        """By the way that needs no permission at all, where there is one; nothing depends on it."""
        try:
            if self.response_url:
                await private.show(self._context.web, self.response_url, posts(plain(text)))
            elif self.channel:
                await self._post(plain(text))
        except CitewellError as error:
            log.warning("slack_not_told", reason=str(error))

    async def show(self, reply: Reply) -> None:
        if self._container.get("is_ephemeral"):
            await private.show(self._context.web, self.response_url, posts(reply))
        else:
            await self._post(reply, **({"thread_ts": self.thread} if self.thread else {}))

    async def _post(self, reply: Reply, **thread: str) -> None:
        where = {"channel": self.channel, "user": self.user, **thread}
        for post in posts(reply):
            await self._context.web.call(
                "chat.postEphemeral", **where, text=post.text, blocks=post.blocks, parse="none"
            )

    async def open(self, form: Form, above: Sequence[Block] = ()) -> None:
        """What is sent comes from the same place."""
        shown = {**view(form, above), "private_metadata": f"{self.channel} {self.ts} {form.about}"}
        await self._context.web.call("views.open", trigger_id=self._body["trigger_id"], view=shown)


@asynccontextmanager
async def honest(by: Presser) -> AsyncIterator[None]:
    """When what is done inside goes wrong, its user is told so."""
    try:
        yield
    except CitewellError as error:
        log.warning("slack_interaction_failed", action=by.action, reason=str(error))
        try:
            speech = await by.words()
        except CitewellError:
            speech = ENGLISH
        await by.say(_sorry(error, speech))


def _sorry(error: CitewellError, speech: Words) -> str:
    if isinstance(error, Declined) and error.needed:
        return speech(words.NO_PERMISSION, permission=error.needed)
    if isinstance(error, Declined) and error.error in ("not_in_channel", "channel_not_found"):
        return speech(words.NOT_MEMBER)
    return speech(wording.TRY_AGAIN)
