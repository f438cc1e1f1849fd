"""Commands, shortcuts and clicks. Slack never sends one again: after its ack it is tried once; a failure is said."""

from __future__ import annotations

from typing import Any

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.conversation.clicks import Clicks
from adapters.conversation.press import insights_panel, next_steps, press
from adapters.replies import words
from adapters.replies.forms import REASON, reason_form, with_reason
from adapters.replies.handoff import RESOLVE_BUTTON, RESOLVED
from adapters.replies.parts import Button, Look
from adapters.slack import handoff, private
from adapters.slack.blocks import button, section
from adapters.slack.ephemeral import Context, Presser, honest
from adapters.slack.footer import voted
from adapters.slack.modal import filled
from adapters.slack.render import Post, line, posts
from adapters.slack.sharing import Sharing
from pipeline import wording
from pipeline.errors import Busy, CitewellError
from pipeline.ports import Inbox
from pipeline.values import Rating, Vote

log = structlog.get_logger(__name__)

PRESSED = (Button.PASSAGES, Button.WHY, Button.STOP, Button.ASK, Button.TELL, Button.UNTELL, RESOLVE_BUTTON)
_SHOWN = (Button.PASSAGES, Button.WHY)
"""What answers each press with something to see."""


class Interactions:
    """What people do with an answer, and how they ask in private."""

    def __init__(self, context: Context, look: Look, sharing: Sharing, inbox: Inbox) -> None:
        self._context = context
        self._desk = context.desk
        self._look = look
        self._sharing = sharing
        self._inbox = inbox
        self._clicks = Clicks()

    def register(self, app: AsyncApp) -> None:
        app.command("/ask")(self.ask)
        app.shortcut("answer_message")(self.answer_message)
        app.command("/insights")(self.insights)
        app.action("rate")(self.rate)
        app.action(Button.SHARE.value)(self.share)
        for action in PRESSED:
            app.action(str(action))(self.press)
        app.view(REASON)(self.reason)
        app.view(RESOLVED)(self.resolved)

    async def ask(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """`/ask`: kept like any question before Slack is told; without the ack Slack shows an error by itself."""
        try:
            message = private.command(body, self._context.me)
            speech = await self._desk.words(message.author, text=message.text)
            await self._inbox.accept(message)
        except Busy:
            await ack(text=speech(wording.BUSY), response_type="ephemeral")
        else:
            await ack(text=speech(words.LOOKING), response_type="ephemeral")

    async def answer_message(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """The shortcut `Answer this message`, in the same way."""
        try:
            await self._inbox.accept(private.shortcut(body, self._context.me))
        except Busy:
            await ack()
            by = Presser(self._context, body)
            await by.say((await by.words())(wording.BUSY))
        else:
            await ack()

    async def rate(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """The vote counts at once; a thumbs-down then asks for the reason."""
        await ack()
        by = Presser(self._context, body)
        if self._again(by):
            return
        vote, answer_id = voted(by.about)
        async with honest(by):
            await self._desk.rate(Rating(answer_id=answer_id, person=by.person, vote=vote))
            if vote is Vote.UNHELPFUL:
                await by.open(reason_form(answer_id, await by.words()))
                await self._offer(by, answer_id)

    async def _offer(self, by: Presser, answer_id: str) -> None:
        """What can be done about it: the buttons stand beside the answer, and carry where that is, if others see it."""
        steps, speech = await next_steps(self._desk, by), await by.words()
        asking = any(step is Button.ASK for step, _ in steps)
        text = speech(wording.SORRY if asking else wording.NOT_HELPED)
        value = f"{answer_id} {by.conversation.thread} {by.below}" if by.below else answer_id
        row = {"type": "actions", "elements": [button(label, step, value) for step, label in steps]}
        await private.show(self._context.web, by.response_url, [Post((), (section(text), row), text)])

    async def reason(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        by = Presser(self._context, body)
        rating = Rating(answer_id=by.about, person=by.person, vote=Vote.UNHELPFUL)
        await self._desk.rate(with_reason(rating, filled(body["view"])))
        await ack()

    async def press(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        by = Presser(self._context, body)
        if by.action in _SHOWN and self._again(by):
            return
        async with honest(by):
            await press(self._desk, self._inbox, by, by.action)

    async def resolved(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """The reply of a person who was asked."""
        await handoff.resolved(self._context, ack, body)

    async def share(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Post a private answer in its channel, or say why not."""
        await ack()
        by = Presser(self._context, body)
        async with honest(by):
            shared = await self._sharing.share(by.about, by.channel, by.name or "a member")
            if isinstance(shared, str):
                await by.say((await by.words())(shared))
                return
            try:
                await private.confirm_shared(self._context.web, by.response_url, self._look, shared)
            except CitewellError as error:
                log.warning("slack_share_not_told", reason=str(error))

    async def insights(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """`/insights`: visible to whoever asked alone, in the place of the line that says that it is looked up."""
        by = Presser(self._context, body)
        speech = await by.words()
        await ack(text=speech(words.LOOKING), response_type="ephemeral")
        try:
            shown = posts(await insights_panel(self._desk, by))
        except CitewellError as error:
            log.warning("slack_insights_failed", reason=str(error))
            shown = [line(speech(wording.TRY_AGAIN))]
        await private.show(self._context.web, by.response_url, shown[:1], instead=True)
        await private.show(self._context.web, by.response_url, shown[1 : private.MOST])

    def _again(self, by: Presser) -> bool:
        """Whether the same person clicked the same a moment ago: it is being shown already."""
        return self._clicks.again(by.user, by.action, by.about, by.ts)
