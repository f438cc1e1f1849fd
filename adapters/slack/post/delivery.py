"""Replies on Slack, and messages to one person alone.

A reply grows by `chat.startStream`, `appendStream`, `stopStream`. Slack ends a stream about five minutes after its
start, even in the middle of an append (python-slack-sdk 1859). Whatever goes wrong with a stream, its message is
completed by `chat.update`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import structlog

from adapters.chat.intake import PersonMessage
from adapters.chat.post.delivery import ReplyPlacement
from adapters.chat.post.streaming import SettleIndicator
from adapters.chat.reply.parts import Reply, ReplyFile
from adapters.chat.words.handoff import UnsentReply
from adapters.chat.words.subscriptions import AnswerHeading
from adapters.slack.events.incoming import SlackBot
from adapters.slack.platform import SLACK
from adapters.slack.post.private import SlackPrivateReply
from adapters.slack.post.sender import NO_PREVIEW_ARGUMENTS, SlackSender, delete_message, find_messages, parse_reference
from adapters.slack.post.typing_indicator import SlackIndicatorTarget, TypingIndicator, TypingIndicators
from adapters.slack.rendering.blocks import button_block, literal_block, quote_block, section_block
from adapters.slack.rendering.footer import upload_button_value
from adapters.slack.rendering.render import SlackPost, fallback_text, render_line, render_posts, render_streamed
from adapters.slack.web_client import POST_METHOD, RATE_LIMITED, SlackRefused, SlackWebClient, paginate_method
from pipeline.errors import CitewellError, Unavailable
from pipeline.ports import PostRecorder
from pipeline.translations import Translator
from pipeline.values import IncomingMessage, LeasedMessage, MessageTrigger, PersonId, ProgressEvent


def add_heading(post: SlackPost, above: AnswerHeading, user: str) -> SlackPost:
    """Return the first message of an answer below a mention of the subscriber, who is notified by it, and the reason
    for the post."""
    heading, question = above
    return replace(
        post,
        header=(section_block(f"<@{user}> {heading}"), quote_block(question)),
        text=fallback_text(f"{heading} {question}"),
    )


log = structlog.get_logger(__name__)

CLOCK_SKEW_SECONDS = 60.0
"""Seconds that our clock and Slack's may differ."""


class StreamBudget:
    """Limit of the streams opened within a minute."""

    def __init__(self, per_minute: int) -> None:
        self._opened: deque[float] = deque(maxlen=per_minute)

    def try_acquire(self) -> bool:
        """Count one stream and return True, if there is room for it."""
        now = asyncio.get_running_loop().time()
        if len(self._opened) == self._opened.maxlen and (not self._opened or now - self._opened[0] < 60.0):
            return False
        self._opened.append(now)
        return True


class SlackStream:
    """One message that is being streamed. No method raises: a failed stream is no longer `alive`."""

    def __init__(self, web: SlackWebClient, channel: str, ts: str, text: str, metadata: dict[str, Any]) -> None:
        """Create it. `metadata` mark the message once it has ended."""
        self._web = web
        self._channel = channel
        self.name = ts
        self._text = text
        self._metadata = metadata
        self.alive = True

    @classmethod
    async def open(
        cls, web: SlackWebClient, origin: SlackIndicatorTarget, team: str, text: str, metadata: dict[str, Any]
    ) -> SlackStream:
        """Start a stream that shows `text`, now or not at all. Raises SlackRefused, or Unavailable when it may or may
        not have started."""
        arguments = {"channel": origin.channel, "thread_ts": origin.thread, "markdown_text": text}
        recipient = {"recipient_team_id": team, "recipient_user_id": origin.user}
        started = await web.call_now("chat.startStream", **arguments, **recipient)
        return cls(web, origin.channel, str(started["ts"]), text, metadata)

    async def show(self, text: str) -> None:
        """Append what is new in `text`."""
        added = text[len(self._text) :]
        if added and self.alive and await self._try_call("chat.appendStream", markdown_text=added):
            self._text = text

    async def close(self, post: SlackPost) -> bool:
        """End the stream as `post`. Return False where the message needs an update to show exactly that."""
        if not self.alive:
            return False
        if not post.markdown.startswith(self._text):
            await self._try_call("chat.stopStream", metadata=self._metadata)
            return False
        rest = post.markdown[len(self._text) :]
        arguments: dict[str, Any] = {"markdown_text": rest} if rest else {}
        return await self._try_call("chat.stopStream", **arguments, blocks=list(post.footer), metadata=self._metadata)

    async def _try_call(self, method: str, **arguments: Any) -> bool:
        """Return True if Slack accepted the call. A rate limit does not end the stream."""
        try:
            await self._web.call_now(method, channel=self._channel, ts=self.name, **arguments)
        except SlackRefused as refused:
            self.alive = refused.error == RATE_LIMITED
            return False
        except Unavailable:
            self.alive = False
            return False
        return True


class SlackReply(SlackSender):
    """The reply to one question: a `ReplySender` and a `StreamingSender`."""

    is_text_withheld = False

    def __init__(
        self, web: SlackWebClient, me: SlackBot, work: LeasedMessage, presence: TypingIndicators, budget: StreamBudget
    ) -> None:
        super().__init__(web, me, reply_target(work.message), work.key)
        self.recorded_names = parse_reference(work.reference)
        self.place = f"<#{self._target.channel}>"
        self._has_others = not SLACK.is_direct(work.message.conversation)
        self.streaming_delay = web.timings.streaming_delay
        self._indicators = presence
        self._indicator: TypingIndicator | None = None
        self._budget = budget

    def placement(self) -> ReplyPlacement:
        return ReplyPlacement(can_stop=self._has_others, can_attach=bool(self._target.thread))

    @asynccontextmanager
    async def show_working(self, translator: Translator, *, begun: bool) -> AsyncIterator[SettleIndicator]:
        async with self._indicators.show(self._target, translator, hidden=self._target.is_silent) as self._indicator:
            yield self._indicator.settle

    def show_stage(self, event: ProgressEvent) -> None:
        if self._indicator:
            self._indicator.show_stage(event)

    def render_line(self, text: str) -> SlackPost:
        return render_line(text)

    def render_reply(self, reply: Reply, above: AnswerHeading | None) -> list[SlackPost]:
        first, *more = render_posts(reply)
        return [add_heading(first, above, self._target.user) if above else first, *more]

    def render_plain(self, reply: Reply, above: AnswerHeading | None, *, begun: bool) -> list[SlackPost]:
        """Render the reply. Slack accepts everything but files, if need be without blocks."""
        return self.render_reply(reply, above)

    def can_stream(self) -> bool:
        return self._web.can_post_now(self._target.channel) and self._budget.try_acquire()

    def render_streamed(self, reply: Reply) -> str:
        return render_streamed(reply)

    async def open_stream(self, text: str) -> SlackStream | None:
        try:
            stream = await SlackStream.open(self._web, self._target, self._me.team, text, self.metadata(0))
        except SlackRefused:
            return None
        self._has_turn = False
        return stream

    async def attach(self, files: Sequence[ReplyFile], *, resumed: bool) -> bool:
        attached_names = await self._attached_files() if files and resumed else frozenset[str]()
        try:
            for file in files:
                if file.name not in attached_names:
                    await self._web.upload(self._target.channel, file.name, file.content, self._target.thread)
        except SlackRefused as refused:
            log.warning("slack_file_not_attached", effect="its text is posted", reason=str(refused))
            return False
        return True

    async def _attached_files(self) -> frozenset[str]:
        """Return the names of our files in the thread."""
        arguments: dict[str, Any] = {
            "channel": self._target.channel,
            "ts": self._target.thread,
            "oldest": self._target.ts,
        }
        return frozenset(
            [
                str(file.get("name"))
                async for page in paginate_method(
                    self._web, "conversations.replies", "messages", limit=200, **arguments
                )
                for message in page
                if message.get("user") == self._me.user
                for file in message.get("files") or ()
            ]
        )


class SlackReplyPoster:
    """The port `ReplyPoster`, for one workspace."""

    def __init__(self, web: SlackWebClient, me: SlackBot, shared: Callable[[str], Awaitable[bool]]) -> None:
        """Create it. `shared` tells whether other organisations read a channel."""
        self._web = web
        self._me = me
        self._shared = shared
        self._indicators = TypingIndicators(web)
        self._budget = StreamBudget(web.timings.streams_per_minute)

    def open_reply(self, work: LeasedMessage, recorder: PostRecorder) -> SlackReply:
        return SlackReply(self._web, self._me, work, self._indicators, self._budget)

    def open_private_reply(self, work: LeasedMessage) -> SlackPrivateReply:
        return SlackPrivateReply(self._web, work.message)

    async def find_posted(self, work: LeasedMessage) -> str | None:
        return ",".join(await find_messages(self._web, self._me, reply_target(work.message), work.key)) or None

    async def delete_reply(self, channel: str, reference: str) -> None:
        for ts in reference.split(","):
            await delete_message(self._web, channel, ts)

    async def send_direct(self, message: IncomingMessage, text: str, *, once: str = "") -> None:
        user = message.asker.user
        await self._web.wait_turn(user, begun=True)
        await self._web.call(POST_METHOD, channel=user, text=text, **NO_PREVIEW_ARGUMENTS)

    async def show_ephemeral(self, message: IncomingMessage, reply: Reply) -> None:
        origin = reply_target(message)
        for post in render_posts(reply):
            await send_ephemeral(self._web, origin.channel, origin.thread, origin.user, post.text, blocks=post.blocks)

    async def is_shared(self, channel: str) -> bool:
        return await self._shared(channel)

    def upload_button_value(self, message: IncomingMessage) -> str:
        return upload_button_value(message)


class SlackNotifier:
    """The port `Notifier`: ephemeral messages in the thread, sent in the background so that Slack's events do not
    wait."""

    def __init__(self, web: SlackWebClient) -> None:
        self._web = web
        self._tasks: set[asyncio.Task[None]] = set()

    async def notify(self, message: IncomingMessage, text: str) -> None:
        conversation = message.conversation
        self._run_in_background(
            send_ephemeral(self._web, conversation.channel, conversation.thread, message.asker.user, text)
        )

    async def offer_handoff_reply(self, message: PersonMessage, unsent: UnsentReply) -> None:
        user, key, thread = PersonId.parse(message.author).user, message.key, unsent.notice.message
        buttons = [button_block(label, action, f"{thread} {key.message}") for label, action in unsent.buttons]
        row = [{"type": "actions", "elements": buttons}] if buttons else []
        blocks = [literal_block(unsent.text), *row]
        self._run_in_background(send_ephemeral(self._web, key.channel, thread, user, unsent.text, blocks=blocks))

    def _run_in_background(self, send: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._attempt(send))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _attempt(self, send: Coroutine[Any, Any, None]) -> None:
        try:
            await send
        except CitewellError as error:
            log.warning("slack_private_note_not_posted", reason=str(error))


async def send_ephemeral(web: SlackWebClient, channel: str, thread: str, user: str, text: str, **more: object) -> None:
    """Show one person a message, in a thread."""
    arguments = {"channel": channel, "user": user, "thread_ts": thread}
    await web.call("chat.postEphemeral", **arguments, text=text, parse="none", **more)


def reply_target(message: IncomingMessage) -> SlackIndicatorTarget:
    """Return the target of the reply to `message`. An awaited answer has no message, only a time."""
    awaited = message.manner is MessageTrigger.AWAITED
    return SlackIndicatorTarget(
        channel=message.conversation.channel,
        thread=message.conversation.thread,
        ts=f"{message.sent_at.timestamp() - CLOCK_SKEW_SECONDS:.6f}" if awaited else message.place.message,
        user=message.asker.user,
        is_silent=message.manner.is_background,
    )
