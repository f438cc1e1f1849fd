"""Commands, shortcuts and clicks. Slack never sends one again: after its ack it is tried once; a failure is said."""

from __future__ import annotations

import re
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.chat.press.knowledge import FROM_MENU
from adapters.chat.reply import labels as words
from adapters.slack.events.names import Names
from adapters.slack.post import private
from adapters.slack.press.presser import Context, SlackPresser
from pipeline.errors import Busy
from pipeline.ports import Inbox
from pipeline.words import wording

ANYTHING = re.compile("")


class SlackInteractions:
    """What people do with an answer, and how they ask in private."""

    def __init__(self, context: Context, inbox: Inbox, names: Names | None = None) -> None:
        """`names`: of what questions mention."""
        self._names = names
        self._context = context
        self._desk = context.desk
        self._inbox = inbox

    def register(self, app: AsyncApp) -> None:
        """After whatever takes presses and forms of its own."""
        app.command("/ask")(self.ask)
        app.shortcut("answer_message")(self.answer_message)
        app.command("/insights")(self.press)
        app.shortcut(FROM_MENU)(self.press)
        app.action(ANYTHING)(self.press)
        app.view(ANYTHING)(self.press)

    async def press(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        await self._context.chat.press(SlackPresser(self._context, body, ack))

    async def ask(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """`/ask`: kept like any question before Slack is told; without the ack Slack shows an error by itself."""
        try:
            message = private.command({**body, "text": await self._named(body.get("text"))}, self._context.me)
            speech = await self._desk.words(message.author, text=message.text)
            await self._inbox.accept(message)
        except Busy:
            await ack(text=speech(wording.BUSY), response_type="ephemeral")
        else:
            await ack(text=speech(words.LOOKING), response_type="ephemeral")

    async def answer_message(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """The shortcut `Answer this message`, in the same way."""
        by = SlackPresser(self._context, body, ack)
        try:
            message = {**body["message"], "text": await self._named(body["message"].get("text"))}
            await self._inbox.accept(private.shortcut({**body, "message": message}, self._context.me))
        except Busy:
            await by.say((await by.words())(wording.BUSY))
        else:
            await ack()

    async def _named(self, text: object) -> str:
        said = str(text or "")
        return await self._names.spelled(said, self._context.me.user) if self._names else said
