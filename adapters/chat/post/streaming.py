"""A reply while it is written: by a stream where the platform has streams, else by edits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Generic, NamedTuple, Protocol, Self, TypeVar, runtime_checkable

from adapters.chat.messages import MessageSequence
from adapters.chat.reply.draft import Draft
from adapters.chat.reply.parts import Reply
from pipeline.errors import CitewellError
from pipeline.ports import AnswerStream
from pipeline.translations import Translator
from pipeline.values import Answer, AnswerStage, ProgressEvent, SentenceEvent

P = TypeVar("P")
"""What a platform shows as one message."""
P_contra = TypeVar("P_contra", contravariant=True)
SettleIndicator = Callable[[], Awaitable[None]]
"""Waits until no sign of work is on its way: one that comes after the reply would stay."""


class MessageStream(Protocol[P_contra]):
    """One message that is being streamed. Nothing here raises."""

    name: str

    async def show(self, text: str) -> None:
        """All that there is of it now."""
        ...

    async def close(self, post: P_contra) -> bool:
        """End it as `post`; False when its message does not show exactly that and needs an edit."""
        ...


@runtime_checkable
class StreamingSender(Protocol[P_contra]):
    """A sender whose messages grow by themselves."""

    streaming_delay: float
    """Seconds that what is there waits for the rest, before it is streamed rather than posted whole."""

    def can_stream(self) -> bool:
        """Whether a stream may be opened now; one is."""
        ...

    def render_streamed(self, reply: Reply) -> str:
        """A growing reply as text that only ever gets longer; empty where it fits no stream."""
        ...

    async def open_stream(self, text: str) -> MessageStream[P_contra] | None:
        """Begin one that shows `text`; None where the platform takes none."""
        ...


class EditTiming(NamedTuple):
    """In seconds."""

    first_delay: float
    """Until something of an answer is shown: one that is ready sooner is posted at once."""
    interval: float
    """Between two edits."""


@runtime_checkable
class EditingSender(Protocol[P]):
    """A sender whose messages grow by edits."""

    edit_timing: EditTiming

    def render_progress(self, reply: Reply, stage: AnswerStage, words: Translator) -> P:
        """What is there of an answer, and what is being done about the rest."""
        ...

    async def show_progress(self, post: P, name: str = "") -> None:
        """Show a passing state in the message of that name. One that cannot be shown just now is left out."""
        ...


class EventBuffer:
    """What comes of an answer, taken as it has come: whoever shows it is never behind and never blocks the writer.

    It is read in a task of its own for as long as the context lasts."""

    def __init__(self, stream: AnswerStream) -> None:
        self._source = stream
        self._events: list[ProgressEvent | SentenceEvent] = []
        self._news = asyncio.Event()
        self.stopped = False
        self.answer: Answer | None = None

    async def __aenter__(self) -> Self:
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reading.cancel()
        await asyncio.wait({self._reading})

    async def next_events(self, seconds: float | None = None) -> list[ProgressEvent | SentenceEvent]:
        """Everything new; waits until there is something or `stop` was called, for `seconds` at most.

        Once all is taken, raises what the reading raised."""
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            return []
        events, self._events = self._events, []
        if not self._reading.done():
            self._news.clear()
        elif not events and not self.stopped:
            self._reading.result()
        return events

    def stop(self) -> None:
        """Somebody asked to stop: what comes now is not wanted any more."""
        self.stopped = True
        self._news.set()

    async def _read(self) -> None:
        try:
            async for event in self._source:
                self._events.append(event)
                self._news.set()
            self.answer = await self._source.answer()
        finally:
            self._news.set()


class StreamingPost(Generic[P]):
    """One reply by a stream. What a crash left of it is not streamed again, only completed."""

    def __init__(self, sender: StreamingSender[P], reply: MessageSequence[P], settled: SettleIndicator) -> None:
        self._sender = sender
        self._reply = reply
        self._settled = settled
        self._may_stream = not reply.resumed
        self._stream: MessageStream[P] | None = None

    async def follow(self, feed: EventBuffer, draft: Draft) -> Answer | None:
        """Read to the answer, or to the stop (None), and stream what is there meanwhile."""
        due: float | None = None
        now = asyncio.get_running_loop().time
        while True:
            events = await feed.next_events(max(0.0, due - now()) if due is not None and self._may_stream else None)
            if feed.stopped:
                return None
            for event in events:
                draft.add(event)
            if feed.answer:
                return feed.answer
            text = self._sender.render_streamed(draft.partial_reply) if draft.is_begun else ""
            if not text:
                continue
            due = now() + self._sender.streaming_delay if due is None else due
            if self._stream:
                await self._stream.show(text)
            elif self._may_stream and now() >= due:
                self._may_stream = False
                self._stream = await self._open(text)

    async def close(self, post: P) -> bool:
        """End what was streamed as `post`; False where there is no message that shows exactly that."""
        return self._stream is not None and await self._stream.close(post)

    async def _open(self, text: str) -> MessageStream[P] | None:
        if not self._sender.can_stream():
            return None
        await self._settled()
        await self._reply.begin()
        stream = await self._sender.open_stream(text)
        if stream:
            await self._reply.add_names(stream.name)
        return stream


class EditingPost(Generic[P]):
    """One reply by edits: the newest state at a time."""

    def __init__(self, sender: EditingSender[P], show: Callable[[P], Awaitable[None]], words: Translator) -> None:
        self._sender = sender
        self._show = show
        self._words = words

    async def follow(self, feed: EventBuffer, draft: Draft) -> Answer | None:
        """Read to the answer, or to the stop (None), and show what is there meanwhile. What cannot be shown ends the
        showing, and is raised once there is an answer, which is then kept."""
        now, pace = asyncio.get_running_loop().time, self._sender.edit_timing
        due, shown, wanted = now() + pace.first_delay, None, None
        failed: CitewellError | None = None
        while True:
            events = await feed.next_events(None if wanted == shown or failed else max(0.0, due - now()))
            if feed.stopped:
                return None
            for event in events:
                draft.add(event)
            if feed.answer:
                if failed:
                    raise failed
                return feed.answer
            if events:
                wanted = self._sender.render_progress(draft.partial_reply, draft.stage, self._words)
            if wanted is None or wanted == shown or failed or now() < due:
                continue
            try:
                await self._show(wanted)
            except CitewellError as error:
                failed = error
            shown, due = wanted, now() + pace.interval
