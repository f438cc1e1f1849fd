"""What happens in the App Home: prompts, preferences, export and erasure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.chat.press.person import prefer
from adapters.chat.reply import labels as words
from adapters.chat.reply.panels import CHOICES
from adapters.chat.reply.parts import Button
from adapters.slack.events.incoming import Body
from adapters.slack.post.activity import Presence
from adapters.slack.press.home_view import PREFER, home
from adapters.slack.press.presser import Context, SlackPresser
from adapters.slack.press.setup import SetupForm
from pipeline.errors import CitewellError

log = structlog.get_logger(__name__)


class AtHome(SlackPresser):
    """Somebody in the App Home, where they are told something at the top of the page."""

    def __init__(
        self, context: Context, body: Body, ack: AsyncAck, publish: Callable[[AtHome, str], Awaitable[None]]
    ) -> None:
        super().__init__(context, body, ack)
        self._publish = publish

    async def tell(self, text: str) -> None:
        await self.acked()
        await self._publish(self, text)


class Homepage:
    """One person's page. Everything shown there is what that person alone may see."""

    def __init__(self, context: Context, setup: SetupForm) -> None:
        self._context = context
        self._desk = context.desk
        self._setup = setup
        self._presence = Presence(context.web)

    def register(self, app: AsyncApp) -> None:
        app.event("app_home_opened")(self.opened)
        app.action(Button.EXPORT.value)(self.press)
        app.action(Button.FORGET.value)(self.press)
        for field in CHOICES:
            app.action(f"{PREFER}{field}")(self.prefer)

    async def opened(self, event: dict[str, Any], ack: AsyncAck) -> None:
        by = self._by(ack, {"user": {"id": event["user"]}})
        if event.get("tab") == "messages":
            speech = await by.words()
            prompts = [{"title": speech(title), "message": speech(message)} for title, message in words.PROMPTS]
            await self._presence.attempt(
                "assistant.threads.setSuggestedPrompts", channel_id=event["channel"], prompts=prompts
            )
        else:
            await self._publish(by, "")

    async def press(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        by = self._by(ack, body)
        await self._context.chat.press(by)
        await by.acked()

    async def prefer(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        by = self._by(ack, body)
        field, chosen = by.pressed.action.removeprefix(PREFER), str(body["actions"][0]["selected_option"]["value"])
        async with by.honest():
            await prefer(self._desk, by.pressed.person, {field: chosen})

    def _by(self, ack: AsyncAck, body: Body) -> AtHome:
        return AtHome(self._context, body, ack, self._publish)

    async def _publish(self, by: AtHome, notice: str) -> None:
        try:
            documents = await self._desk.documents(await by.readers())
            preferences = await self._desk.preferences(by.pressed.person)
            view = home(documents, preferences, notice, await self._setup.blocks(by), await by.words())
            await self._context.web.call("views.publish", user_id=by.spot.user_id, view=view)
        except CitewellError as error:
            log.warning("slack_home_not_shown", reason=str(error))
