"""Commands, shortcuts and clicks. Slack never sends one again: after its ack it is tried once; a failure is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.replies import panels, words
from adapters.replies.clicks import Clicks
from adapters.replies.forms import REASON, reason_form, with_reason
from adapters.replies.parts import Button, Look, Reply
from adapters.slack import private
from adapters.slack.audience import Audiences
from adapters.slack.blocks import section
from adapters.slack.handoff import offer
from adapters.slack.incoming import Body, Me, person
from adapters.slack.modal import filled, view
from adapters.slack.render import Post, line, posts
from adapters.slack.sharing import Sharing
from adapters.slack.web import Declined, Web
from pipeline import wording
from pipeline.errors import Busy, CitewellError
from pipeline.ports import Desk, Inbox
from pipeline.translations import ENGLISH, Message
from pipeline.values import Answer, ConversationId, Rating, Vote

log = structlog.get_logger(__name__)


class Interactions:
    """What people do with an answer, and how they ask in private."""

    def __init__(
        self, web: Web, me: Me, look: Look, audiences: Audiences, sharing: Sharing, inbox: Inbox, desk: Desk
    ) -> None:
        self._web = web
        self._me = me
        self._look = look
        self._audiences = audiences
        self._sharing = sharing
        self._inbox = inbox
        self._desk = desk
        self._clicks = Clicks()

    def register(self, app: AsyncApp) -> None:
        app.command("/ask")(self.ask)
        app.shortcut("answer_message")(self.answer_message)
        app.action("rate")(self.rate)
        app.action(Button.PASSAGES.value)(self.passages)
        app.action(Button.WHY.value)(self.why)
        app.action(Button.SHARE.value)(self.share)
        app.action(Button.STOP.value)(self.stop)
        app.view(REASON)(self.reason)

    async def ask(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """`/ask`: kept like any question before Slack is told; without the ack Slack shows an error by itself."""
        try:
            message = private.command(body, self._me)
            speech = await self._desk.words(message.author, text=message.text)
            await self._inbox.accept(message)
        except Busy:
            await ack(text=speech(wording.BUSY), response_type="ephemeral")
        else:
            await ack(text=speech(words.LOOKING), response_type="ephemeral")

    async def answer_message(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """The shortcut `Answer this message`, in the same way."""
        try:
            await self._inbox.accept(private.shortcut(body, self._me))
        except Busy:
            await ack()
            await self._tell(body, await self._say(body, wording.BUSY))
        else:
            await ack()

    async def rate(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """The vote counts at once; a thumbs-down then asks for the reason."""
        await ack()
        vote, answer_id = voted(_value(body))
        if self._again(body):
            return
        try:
            await self._desk.rate(Rating(answer_id=answer_id, person=self._person(body), vote=vote))
            if vote is Vote.UNHELPFUL:
                form = reason_form(answer_id, await self._desk.words(self._person(body)))
                await self._web.call("views.open", trigger_id=body["trigger_id"], view=view(form))
                await self._offer(body, answer_id)
        except CitewellError as error:
            await self._sorry(body, error)

    async def _offer(self, body: Body, answer_id: str) -> None:
        """A person can be asked, where one is set."""
        channel, message = str(body["channel"]["id"]), body.get("message") or {}
        place = await self._desk.places.of(self._me.places(channel))
        if place.ask:
            ts = str(message.get("ts") or "")
            speech = await self._desk.words(self._person(body))
            button = offer(place, speech, answer_id, str(message.get("thread_ts") or ts), ts)
            text = speech(wording.SORRY)
            await private.show(self._web, str(body["response_url"]), [Post((), (section(text), button), text)])

    async def reason(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        answer_id = str(body["view"]["private_metadata"])
        rating = Rating(answer_id=answer_id, person=self._person(body), vote=Vote.UNHELPFUL)
        await self._desk.rate(with_reason(rating, filled(body["view"])))
        await ack()

    async def passages(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        await self._answer(body, panels.passages)

    async def why(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        await self._answer(body, panels.why)

    async def share(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Post a private answer in its channel, or say why not."""
        await ack()
        user = body["user"]
        who = str(user.get("name") or user.get("username") or "a member")
        try:
            shared = await self._sharing.share(_value(body), str(body["channel"]["id"]), who)
        except CitewellError as error:
            await self._sorry(body, error)
            return
        if isinstance(shared, str):
            await self._tell(body, await self._say(body, shared))
        else:
            await self._confirm(body, shared)

    async def stop(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Answer nothing in this thread that does not mention us, until something does."""
        await ack()
        message, channel = body["message"], str(body["channel"]["id"])
        thread = str(message.get("thread_ts") or message["ts"])
        try:
            await self._inbox.silence(
                ConversationId(platform="slack", space=self._me.team, channel=channel, thread=thread)
            )
            await self._show(body, [line(await self._say(body, wording.SILENCED))])
        except CitewellError as error:
            await self._sorry(body, error)

    async def _answer(self, body: Body, panel: Callable[[Answer], Reply]) -> None:
        """Show a panel of the answer that was clicked, to its reader alone and if they may see it."""
        if self._again(body):
            return
        channel = str((body.get("channel") or {}).get("id") or "")
        stranger = str(body["user"].get("team_id") or self._me.team) != self._me.team
        try:
            readers = await self._audiences.of_person(str(body["user"]["id"]), channel)
            readers = readers.model_copy(update={"external": readers.external or stranger})
            answer = await self._desk.answer(_value(body), readers)
            await self._show(body, posts(panel(answer)) if answer else [line(await self._say(body, wording.NO_ANSWER))])
        except CitewellError as error:
            await self._sorry(body, error)

    async def _show(self, body: Body, posts: Sequence[Post]) -> None:
        """Show `posts` to whoever clicked, where they clicked."""
        container = body.get("container") or {}
        if container.get("is_ephemeral"):
            await private.show(self._web, str(body["response_url"]), posts)
            return
        thread = str((body.get("message") or {}).get("thread_ts") or container.get("thread_ts") or "")
        for post in posts:
            await self._web.call(
                "chat.postEphemeral",
                channel=body["channel"]["id"],
                user=body["user"]["id"],
                text=post.text,
                blocks=post.blocks,
                parse="none",
                **({"thread_ts": thread} if thread else {}),
            )

    async def _confirm(self, body: Body, answer: Answer) -> None:
        """Say below the private answer that it is shared, where the button to share it was."""
        try:
            await private.confirm_shared(self._web, str(body["response_url"]), self._look, answer)
        except CitewellError as error:
            log.warning("slack_share_not_told", reason=str(error))

    async def _sorry(self, body: Body, error: CitewellError) -> None:
        """Say that a click came to nothing, by the way that needs no permission at all."""
        log.warning("slack_interaction_failed", reason=str(error))
        text = wording.TRY_AGAIN
        needed = error.needed if isinstance(error, Declined) else ""
        if needed:
            text = words.NO_PERMISSION
        elif isinstance(error, Declined) and error.error in ("not_in_channel", "channel_not_found"):
            text = words.NOT_MEMBER
        await self._tell(body, await self._say(body, text, permission=needed))

    async def _say(self, body: Body, message: Message, **fields: str) -> str:
        """In the words of whoever clicked, as far as these can be found out."""
        try:
            speech = await self._desk.words(self._person(body))
        except CitewellError:
            speech = ENGLISH
        return speech(message, **fields)

    async def _tell(self, body: Body, text: str) -> None:
        try:
            await private.show(self._web, str(body["response_url"]), [line(text)])
        except CitewellError as error:
            log.warning("slack_not_told", reason=str(error))

    def _again(self, body: Body) -> bool:
        """Whether the same person clicked the same a moment ago: it is being shown already."""
        where = body.get("container") or {}
        return self._clicks.again(
            body["user"]["id"], body["actions"][0]["action_id"], _value(body), str(where.get("message_ts"))
        )

    def _person(self, body: Body) -> str:
        return person(self._me.team, str(body["user"]["id"]))


def voted(value: str) -> tuple[Vote, str]:
    """The vote and the answer's id that `render.feedback` wrote."""
    vote, _, answer_id = value.partition(":")
    return Vote(vote), answer_id


def _value(body: Body) -> str:
    return str(body["actions"][0]["value"])
