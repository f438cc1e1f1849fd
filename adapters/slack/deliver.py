"""From the events of an answer to the reply in its thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial

import structlog

from adapters.replies import answer as parts
from adapters.replies.draft import Draft
from adapters.replies.parts import Look
from adapters.slack import private
from adapters.slack.activity import Origin, Presence, Sign
from adapters.slack.feed import Feed
from adapters.slack.incoming import Me
from adapters.slack.render import line, posts, streamed
from adapters.slack.reply import QUIET, Reply, find, metadata
from adapters.slack.stream import Budget, Stream
from adapters.slack.web import POST, Declined, Web
from adapters.slack.wishes import told
from pipeline import wording
from pipeline.errors import CitewellError
from pipeline.ports import Receipt
from pipeline.translations import Message, Words
from pipeline.values import Answer, ConversationId, Event, IncomingMessage, Manner, Work

log = structlog.get_logger(__name__)

OVER = {
    "message_not_found": "the question is gone",
    "stopped_by_user": "somebody stopped it",
    "thread_not_found": "the question is gone",
}
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
NO_REPLY = Message("I could not answer you in {channel}: {why}")
REFUSED = Message("Slack did not take my reply. Please ask me again here.")


Offer = Callable[[IncomingMessage], Awaitable[str]]
"""What the button carries that adds the files of a message; nothing where there is none to show."""


class Deliverer:
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
        self._replies: dict[tuple[str, str], Reply] = {}

    async def deliver(self, work: Work, events: AsyncIterator[Event], receipt: Receipt) -> None:
        """Show the reply to `work`; in private what was asked in private."""
        if work.message.manner is Manner.COMMAND:
            await private.deliver(self._web, self._look, work, events, receipt)
            return
        origin = place(work.message)
        the_reply = Reply(self._web, self._me, origin, work.message.key, receipt, work.reference)
        self._replies[origin.channel, origin.thread] = the_reply
        try:
            strangers = not self.shared_channels and await self._strangers_read(work.message)
            if strangers and origin.hidden:
                log.info("slack_shared_channel_not_told", channel=origin.channel)
            elif strangers:
                refused = OUTSIDER if origin.channel.startswith("D") else wording.SHARED_CHANNEL
                await the_reply.show([line(Words(work.language)(refused))])
            else:
                await self._answer(work, origin, the_reply, events)
        except Declined as declined:
            hopeless = work.last or declined.error in CANNOT_POST
            if declined.error in OVER:
                log.info("slack_reply_ends", reason=OVER[declined.error])
            elif origin.hidden and hopeless:
                log.info("slack_unasked_reply_refused", reason=str(declined))
            elif hopeless and not origin.channel.startswith("D"):
                await self._explain(origin, declined, Words(work.language))
            else:
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
        try:
            return ",".join(await find(self._web, self._me, place(work.message), work.message.key)) or None
        except Declined as declined:
            log.warning("slack_replies_unread", one="may be posted twice", reason=str(declined))
            return None

    def stop(self, channel: str, thread: str) -> bool:
        """End the answer being written in this thread; False when there is none here."""
        if feed := self._feeds.get((channel, thread)):
            feed.stop()
        return feed is not None

    async def whisper(self, message: IncomingMessage, text: str) -> None:
        """Tell the asker alone, in the thread; nothing depends on it."""
        origin = place(message)
        where = {"channel": origin.channel, "user": origin.user, "thread_ts": origin.thread}
        try:
            await self._web.call("chat.postEphemeral", **where, text=text, parse="none")
        except CitewellError as error:
            log.warning("slack_busy_not_told", reason=str(error))

    async def _answer(self, work: Work, origin: Origin, the_reply: Reply, events: AsyncIterator[Event]) -> None:
        speech = Words(work.language)
        adds = await self._offer(work.message)
        notes = wording.notes_on(work.message, speech, offered=bool(adds))
        draft = Draft(notes, speech)
        async with self._presence.at(origin, speech, hidden=origin.hidden) as sign, Feed(events) as feed:
            self._feeds[origin.channel, origin.thread] = feed
            try:
                answer, stream = await self._follow(feed, draft, the_reply, sign, origin)
            finally:
                self._feeds.pop((origin.channel, origin.thread), None)
            among = not origin.channel.startswith("D")
            whole = partial(parts.reply, look=self._look, notes=notes, adds=adds, stoppable=among)
            shown = whole(answer, attachable=bool(origin.thread)) if answer else draft.stopped
            made = posts(shown)
            if answer and work.message.manner is Manner.AWAITED:
                made[0] = told(made[0], answer, origin.user)
            await sign.settled()
            closed = stream is not None and await stream.close(made[0], metadata(work.message.key, 0))
            await the_reply.show(made, already=int(closed))
        if answer and shown.files and not await the_reply.attach(shown.files):
            await the_reply.show(posts(whole(answer)))

    async def _follow(
        self, feed: Feed, draft: Draft, the_reply: Reply, sign: Sign, origin: Origin
    ) -> tuple[Answer | None, Stream | None]:
        """Read to the answer, or to the stop (None); once it takes longer, stream what is there."""
        stream: Stream | None = None
        may_stream = not the_reply.resumed
        due: float | None = None
        now = asyncio.get_running_loop().time
        while True:
            events = await feed.take(max(0.0, due - now()) if due is not None and may_stream else None)
            if feed.stopped:
                return None, stream
            for event in events:
                if isinstance(event, Answer):
                    return event, stream
                draft.add(event)
            if not draft.begun:
                continue
            text = streamed(draft.reply)
            if not text:
                continue
            due = now() + self._web.pace.patience if due is None else due
            if stream:
                await stream.show(text)
            elif may_stream and now() >= due:
                may_stream = False
                stream = await self._open(the_reply, sign, origin, text)

    async def _open(self, the_reply: Reply, sign: Sign, origin: Origin, text: str) -> Stream | None:
        if not (self._web.free(origin.channel) and self._budget.take()):
            return None
        await sign.settled()
        await the_reply.begin()
        try:
            stream = await Stream.open(self._web, origin, self._me.team, text)
        except Declined:
            return None
        await the_reply.named(stream.ts)
        return stream

    async def _explain(self, origin: Origin, declined: Declined, speech: Words) -> None:
        """Tell the asker in a direct message why there is no reply in the channel."""
        log.warning("slack_reply_refused", ts=origin.ts, reason=str(declined))
        why = speech(CANNOT_POST.get(declined.error, REFUSED))
        text = speech(NO_REPLY, channel=f"<#{origin.channel}>", why=why)
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
