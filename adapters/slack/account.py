"""What happens in the App Home: prompts, preferences, export and erasure."""

from __future__ import annotations

from typing import Any

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.conversation.clicks import Clicks
from adapters.replies import words
from adapters.replies.panels import CHOICES
from adapters.slack.activity import Presence
from adapters.slack.ephemeral import Context
from adapters.slack.home_view import PREFER, choosing, home
from adapters.slack.incoming import Body, person
from adapters.slack.setup import Setup
from pipeline import wording
from pipeline.errors import CitewellError
from pipeline.translations import Words

log = structlog.get_logger(__name__)


class Homepage:
    """One person's page. Everything shown there is what that person alone may see."""

    def __init__(self, context: Context, setup: Setup) -> None:
        self._web = context.web
        self._me = context.me
        self._audiences = context.audiences
        self._setup = setup
        self._desk = context.desk
        self._presence = Presence(context.web)
        self._clicks = Clicks()

    def register(self, app: AsyncApp) -> None:
        app.event("app_home_opened")(self.opened)
        app.action("export")(self.export)
        app.action("forget")(self.forget)
        for field in CHOICES:
            app.action(f"{PREFER}{field}")(self.prefer)

    async def opened(self, event: dict[str, Any]) -> None:
        if event.get("tab") == "messages":
            speech = await self._words(str(event["user"]))
            prompts = [{"title": speech(title), "message": speech(message)} for title, message in words.PROMPTS]
            await self._presence.attempt(
                "assistant.threads.setSuggestedPrompts", channel_id=event["channel"], prompts=prompts
            )
        else:
            await self._publish(str(event["user"]))

    async def export(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Send a person everything kept about them, as a file in their direct messages."""
        await ack()
        user = _user(body)
        if self._clicks.again(user, "export"):
            return
        try:
            data = await self._desk.export(person(self._me.team, user))
            channel = (await self._web.call("conversations.open", users=user))["channel"]["id"]
            await self._web.upload(channel, "citewell-data.json", data)
            notice = (await self._words(user))(words.HOME_EXPORTED)
        except CitewellError as error:
            notice = await self._failed(user, error)
        await self._publish(user, notice)

    async def forget(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        user = _user(body)
        try:
            erased = await self._desk.forget(person(self._me.team, user))
            speech = await self._words(user)
            notice = speech(words.HOME_FORGOTTEN, entries=speech.count(wording.ENTRIES, erased))
        except CitewellError as error:
            notice = await self._failed(user, error)
        await self._publish(user, notice)

    async def prefer(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        action = body["actions"][0]
        who = person(self._me.team, _user(body))
        try:
            before = await self._desk.preferences(who)
            await self._desk.prefer(who, choosing(before, action["action_id"], action["selected_option"]["value"]))
        except CitewellError as error:
            await self._publish(_user(body), await self._failed(_user(body), error))

    async def _publish(self, user: str, notice: str = "") -> None:
        try:
            documents = await self._desk.documents(await self._audiences.of_person(user))
            preferences = await self._desk.preferences(person(self._me.team, user))
            view = home(documents, preferences, notice, await self._setup.blocks(user), await self._words(user))
            await self._web.call("views.publish", user_id=user, view=view)
        except CitewellError as error:
            log.warning("slack_home_not_shown", reason=str(error))

    async def _words(self, user: str) -> Words:
        return await self._desk.words(person(self._me.team, user))

    async def _failed(self, user: str, error: CitewellError) -> str:
        log.warning("slack_home_request_failed", reason=str(error))
        return (await self._words(user))(wording.TRY_AGAIN)


def _user(body: Body) -> str:
    return str(body["user"]["id"])
