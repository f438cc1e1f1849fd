"""Commands, shortcuts and clicks. Slack never sends one again: it is tried once after its ack, and a failure is
reported."""

from __future__ import annotations

import re
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.chat.interactions.uploads import UPLOAD_COMMAND
from adapters.chat.reply import labels as words
from adapters.slack.events.names import SlackNames
from adapters.slack.interactions.context import SlackInteractionContext, SlackInteractionDependencies
from adapters.slack.post import private
from pipeline.errors import Busy
from pipeline.ports import Inbox
from pipeline.words import wording

ANY_ACTION = re.compile("")


class SlackInteractionHandlers:
    """The handlers of buttons, forms and private questions."""

    def __init__(self, context: SlackInteractionDependencies, inbox: Inbox, names: SlackNames | None = None) -> None:
        """Create them. `names` resolves the mentions of questions."""
        self._names = names
        self._context = context
        self._services = context.services
        self._inbox = inbox

    def register(self, app: AsyncApp) -> None:
        """Register the handlers; call it after those with actions and forms of their own."""
        app.command("/ask")(self.on_ask_command)
        app.shortcut("answer_message")(self.on_answer_shortcut)
        app.command("/insights")(self.on_action)
        app.shortcut(UPLOAD_COMMAND)(self.on_action)
        app.action(ANY_ACTION)(self.on_action)
        app.view(ANY_ACTION)(self.on_action)

    async def on_action(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        await self._context.chat.handle_interaction(SlackInteractionContext(self._context, body, ack))

    async def on_ask_command(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Accept `/ask`. The question is stored before Slack is acknowledged; without the ack Slack shows an error."""
        try:
            message = private.parse_command(
                {**body, "text": await self._resolve_mentions(body.get("text"))}, self._context.me
            )
            translator = await self._services.translator_for(message.author, text=message.text)
            await self._inbox.accept(message)
        except Busy:
            await ack(text=translator(wording.BOT_BUSY), response_type="ephemeral")
        else:
            await ack(text=translator(words.LOOKING_UP), response_type="ephemeral")

    async def on_answer_shortcut(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Accept the shortcut `Answer this message` in the same way."""
        interaction = SlackInteractionContext(self._context, body, ack)
        try:
            message = {**body["message"], "text": await self._resolve_mentions(body["message"].get("text"))}
            await self._inbox.accept(private.parse_shortcut({**body, "message": message}, self._context.me))
        except Busy:
            await interaction.try_reply_privately((await interaction.words())(wording.BOT_BUSY))
        else:
            await ack()

    async def _resolve_mentions(self, text: object) -> str:
        message_text = str(text or "")
        return await self._names.resolve_mentions(message_text, self._context.me.user) if self._names else message_text
