"""From the events of an answer to the reply in its thread."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

import structlog

from adapters.chat import refusals
from adapters.chat.messages import Messages
from adapters.chat.reply import answer as parts
from adapters.chat.reply.draft import Draft
from adapters.chat.reply.parts import Look
from adapters.chat.words.handoff import Unsent
from adapters.slack.events.incoming import Me
from adapters.slack.parts.blocks import button, said
from adapters.slack.parts.render import Post, line, posts
from adapters.slack.parts.wishes import told
from adapters.slack.post import private
from adapters.slack.post.activity import Origin, Presence
from adapters.slack.post.feed import Feed
from adapters.slack.post.growth import Growth
from adapters.slack.post.reply import QUIET, SlackSender, delete, find
from adapters.slack.post.stream import Budget
from adapters.slack.web import POST, Declined, Web
from pipeline.errors import CitewellError
from pipeline.ports import AnswerStream, Growing, Receipt
from pipeline.translations import Message, Words
from pipeline.values import Answer, ConversationId, IncomingMessage, Manner, Work, replace
from pipeline.words import wording

log = structlog.get_logger(__name__)

OVER = frozenset({"message_not_found", "stopped_by_user", "thread_not_found"})
"""The question is gone, or somebody stopped the answer."""
CLOCKS = 60.0
"""Seconds that ours and Slack's may differ."""
CANNOT_POST = {
    "not_in_channel": Message("I am not a member of it. Invite me with `/invite`."),
    "channel_not_found": Message("I am not a member of it. Invite me with `/invite`."),
    "is_archived": Message("it is archived."),
    "restricted_action": Message("a workspace setting forbids me to post there. Ask an admin."),
    "restricted_action_thread_locked": Message("its thread is locked."),
    "thread_locked": Message("its thread is locked."),
    "no_permission": Message("I have no permission to post there. Ask an admin."),
}

OUTSIDER = Message("You belong to another organisation, and I am not allowed to answer you. Please ask somebody here.")
REFUSED = Message("Slack did not take my reply. Please ask me again here.")


Offer = Callable[[IncomingMessage], Awaitable[str]]
"""What the button carries that adds the files of a message; nothing where there is none to show."""


class SlackDeliverer:
    """Delivers any number of replies at once."""

    def __init__(
        self,
        web: Web,
        me: Me,
        look: Look,
        offer: Offer,
        shared: Callable[[str], Awaitable[bool]],
        *,
        shared_channels: bool,
    ) -> None:
        """`shared`: whether other organisations read a channel. `shared_channels`: we answer there."""
        self._web = web
        self._me = me
        self._look = look
        self._offer = offer
        self._shared = shared
        self.shared_channels = shared_channels
        self._presence = Presence(web)
        self._budget = Budget(web.pace.streams)
        self._feeds: dict[tuple[str, str], Feed] = {}
        self._replies: dict[tuple[str, str], Messages[Post]] = {}

    async def deliver(self, growing: Growing, receipt: Receipt) -> None:
        """Show the reply; in private what was asked in private."""
        work, stream = growing.work, growing.events
        if work.message.manner is Manner.COMMAND:
            await private.deliver(self._web, self._look, work, stream, receipt)
            return
        origin = place(work.message)
        sender = SlackSender(self._web, self._me, origin, work.key)
        the_reply = Messages(sender, receipt, work.reference.split(",") if work.reference else ())
        self._replies[origin.channel, origin.thread] = the_reply
        try:
            strangers = not self.shared_channels and await self._strangers_read(work.message)
            if strangers and origin.hidden:
                log.info("slack_shared_channel_not_told", channel=origin.channel)
            elif strangers:
                refused = OUTSIDER if origin.channel.startswith("D") else wording.SHARED_CHANNEL
                await the_reply.show([line(Words(work.language)(refused))])
            else:
                await self._answer(work, origin, sender, the_reply, stream)
        except Declined as declined:
            ends = await refusals.settled(
                work,
                str(declined),
                over=declined.error in OVER,
                hopeless=work.last or declined.error in CANNOT_POST,
                alone=origin.channel.startswith("D"),
                explain=partial(self._explain, origin, declined, Words(work.language)),
            )
            if not ends:
                raise
        finally:
            self._replies.pop((origin.channel, origin.thread), None)

    async def _strangers_read(self, message: IncomingMessage) -> bool:
        """Whether people of other organisations do, as far as is known."""
        channel = message.conversation.channel
        looks = message.manner is Manner.AWAITED and not channel.startswith("D")
        return message.external or (looks and await self._shared(channel))

    def takes_part(self, conversation: ConversationId) -> bool:
        """Whether a reply of ours is appearing in it, which the inbox will know of in a moment."""
        reply = self._replies.get((conversation.channel, conversation.thread))
        return reply is not None and reply.begun

    async def find(self, work: Work) -> str | None:
        """The reply a crash left unrecorded, as a reference."""
        if work.message.manner is Manner.COMMAND:
            return None
        return ",".join(await find(self._web, self._me, place(work.message), work.key)) or None

    def stop(self, channel: str, thread: str) -> bool:
        """End the answer being written in this thread; False when there is none here."""
        if feed := self._feeds.get((channel, thread)):
            feed.stop()
        return feed is not None

    async def take_away(self, channel: str, reply: str) -> None:
        """Delete the messages of a reply; nothing depends on it."""
        for ts in reply.split(","):
            try:
                await delete(self._web, channel, ts)
            except CitewellError as error:
                log.warning("slack_answer_not_deleted", reason=str(error))

    async def answer_alone(self, message: IncomingMessage, answer: Answer) -> None:
        """Show whoever said `message` what was not asked of us, in the thread. Nothing can be pressed below it, since
        nothing of it is kept."""
        if self.shared_channels or not await self._strangers_read(message):
            origin = place(message)
            note = Words(answer.language)(wording.FOR_YOU_ALONE)
            reply = replace(parts.reply(answer, self._look, notes=[note]), actions=())
            for post in posts(reply):
                await self.whisper(origin.channel, origin.thread, origin.user, post.text, blocks=post.blocks)

    async def offer(self, channel: str, thread: str, user: str, unsent: Unsent, ts: str) -> None:
        """Offer a person to send their message `ts` in the thread, where there is something to press."""
        buttons = [button(label, action, f"{thread} {ts}") for label, action in unsent.buttons]
        row = [{"type": "actions", "elements": buttons}] if buttons else []
        await self.whisper(channel, thread, user, unsent.text, blocks=[said(unsent.text), *row])

    async def whisper(self, channel: str, thread: str, user: str, text: str, **more: object) -> None:
        """Tell a person alone, in the thread; nothing depends on it."""
        where = {"channel": channel, "user": user, "thread_ts": thread}
        try:
            await self._web.call("chat.postEphemeral", **where, text=text, parse="none", **more)
        except CitewellError as error:
            log.warning("slack_not_whispered", reason=str(error))

    async def _answer(
        self,
        work: Work,
        origin: Origin,
        sender: SlackSender,
        the_reply: Messages[Post],
        stream: AnswerStream,
    ) -> None:
        speech = Words(work.language)
        adds = await self._offer(work.message)
        notes = wording.notes_on(work.message, speech, offered=bool(adds))
        draft = Draft(notes, speech)
        async with self._presence.at(origin, speech, hidden=origin.hidden) as sign, Feed(stream) as feed:
            growth = Growth(sender, the_reply, sign, self._budget, patience=self._web.pace.patience)
            self._feeds[origin.channel, origin.thread] = feed
            try:
                answer = await growth.follow(feed, draft)
            finally:
                self._feeds.pop((origin.channel, origin.thread), None)
            among = not origin.channel.startswith("D")
            whole = partial(parts.reply, look=self._look, notes=notes, adds=adds, stoppable=among)
            shown = whole(answer, attachable=bool(origin.thread)) if answer else draft.stopped
            made = posts(shown)
            if answer and work.message.manner is Manner.AWAITED:
                made[0] = told(made[0], answer, origin.user)
            await growth.end(made)
        if answer and shown.files and not await sender.attach(shown.files, again=the_reply.resumed):
            await the_reply.show(posts(whole(answer)))

    async def _explain(self, origin: Origin, declined: Declined, speech: Words) -> None:
        """Tell the asker in a direct message why there is no reply in the channel."""
        why = speech(CANNOT_POST.get(declined.error, REFUSED))
        text = speech(refusals.NO_REPLY, channel=f"<#{origin.channel}>", why=why)
        await self._web.turn(origin.user, begun=True)
        await self._web.call(POST, channel=origin.user, text=text, **QUIET)


def place(message: IncomingMessage) -> Origin:
    """Where the reply to `message` belongs; what is awaited was said by nobody, but at a time."""
    awaited = message.manner is Manner.AWAITED
    return Origin(
        channel=message.conversation.channel,
        thread=message.conversation.thread,
        ts=f"{message.sent_at.timestamp() - CLOCKS:.6f}" if awaited else message.place.message,
        user=message.asker.user,
        hidden=message.manner.unannounced,
    )
