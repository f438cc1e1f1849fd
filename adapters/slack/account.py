"""What happens in the App Home: prompts, preferences, export and erasure."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.conversation.clicks import Clicks
from adapters.replies import words
from adapters.replies.panels import CHOICES
from adapters.slack.activity import Presence
from adapters.slack.ephemeral import Context, Presser
from adapters.slack.home_view import PREFER, choosing, home
from adapters.slack.setup import Setup
from pipeline import wording
from pipeline.errors import CitewellError

log = structlog.get_logger(__name__)


class Homepage:
    """One person's page. Everything shown there is what that person alone may see."""

    def __init__(self, context: Context, setup: Setup) -> None:
        self._context = context
        self._web = context.web
        self._desk = context.desk
        self._setup = setup
        self._presence = Presence(context.web)
        self._clicks = Clicks()

    def register(self, app: AsyncApp) -> None:
        app.event("app_home_opened")(self.opened)
        app.action("export")(self.export)
        app.action("forget")(self.forget)
        for field in CHOICES:
            app.action(f"{PREFER}{field}")(self.prefer)

    async def opened(self, event: dict[str, Any]) -> None:
        by = Presser(self._context, {"user": {"id": event["user"]}})
        if event.get("tab") == "messages":
            speech = await by.words()
            prompts = [{"title": speech(title), "message": speech(message)} for title, message in words.PROMPTS]
            await self._presence.attempt(
                "assistant.threads.setSuggestedPrompts", channel_id=event["channel"], prompts=prompts
            )
        else:
            await self._publish(by)

    async def export(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Send a person everything kept about them, as a file in their direct messages."""
        await ack()
        by = Presser(self._context, body)
        if not self._clicks.again(by.user, "export"):
            await self._publish(by, await self._tried(by, self._export(by)))

    async def forget(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        by = Presser(self._context, body)
        await self._publish(by, await self._tried(by, self._forget(by)))

    async def prefer(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        by = Presser(self._context, body)
        if failed := await self._tried(by, self._prefer(by, str(body["actions"][0]["selected_option"]["value"]))):
            await self._publish(by, failed)

    async def _export(self, by: Presser) -> str:
        data = await self._desk.export(by.person)
        channel = (await self._web.call("conversations.open", users=by.user))["channel"]["id"]
        await self._web.upload(channel, "citewell-data.json", data)
        return (await by.words())(words.HOME_EXPORTED)

    async def _forget(self, by: Presser) -> str:
        erased = await self._desk.forget(by.person)
        speech = await by.words()
        return speech(words.HOME_FORGOTTEN, entries=speech.count(wording.ENTRIES, erased))

    async def _prefer(self, by: Presser, value: str) -> str:
        before = await self._desk.preferences(by.person)
        await self._desk.prefer(by.person, choosing(before, by.action, value))
        return ""

    async def _tried(self, by: Presser, doing: Awaitable[str]) -> str:
        """What it says, or that it is to be tried again."""
        try:
            return await doing
        except CitewellError as error:
            log.warning("slack_home_request_failed", reason=str(error))
            return (await by.words())(wording.TRY_AGAIN)

    async def _publish(self, by: Presser, notice: str = "") -> None:
        try:
            documents = await self._desk.documents(await by.readers())
            preferences = await self._desk.preferences(by.person)
            view = home(documents, preferences, notice, await self._setup.blocks(by), await by.words())
            await self._web.call("views.publish", user_id=by.user, view=view)
        except CitewellError as error:
            log.warning("slack_home_not_shown", reason=str(error))
