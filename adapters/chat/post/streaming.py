"""Display of a reply while it is written: by a stream where the platform has streams, else by edits."""

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
from pipeline.values import Answer, ProgressEvent, SentenceEvent

P = TypeVar("P")
"""The type that a platform shows as one message."""
P_contra = TypeVar("P_contra", contravariant=True)
SettleIndicator = Callable[[], Awaitable[bool]]
"""Wait until no typing indicator is on its way: one that arrives after the reply would stay. Return True where none is
left that has to be removed after the reply."""


class MessageStream(Protocol[P_contra]):
    """One message that is being streamed. No method raises."""

    name: str

    async def show(self, text: str) -> None:
        """Show all of the text so far."""
        ...

    async def close(self, post: P_contra) -> bool:
        """End the stream as `post`. Return False where the message needs an edit to show exactly that."""
        ...


@runtime_checkable
class StreamingSender(Protocol[P_contra]):
    """A sender whose messages stream."""

    streaming_delay: float
    """Seconds that the first text waits for the rest before it is streamed instead of posted at once."""

    def can_stream(self) -> bool:
        """Return True, and count a stream as opened, if one may be opened now."""
        ...

    def show_stage(self, event: ProgressEvent) -> None:
        """Show a stage in the typing indicator, as soon as the platform allows."""
        ...

    def render_streamed(self, reply: Reply) -> str:
        """Render a partial reply as text that only grows; empty where it does not fit a stream."""
        ...

    async def open_stream(self, text: str) -> MessageStream[P_contra] | None:
        """Open a stream that shows `text`; None where the platform refuses."""
        ...


class EditTiming(NamedTuple):
    """Delays of progressive edits, in seconds."""

    first_delay: float
    """Seconds until a part of an answer is shown. An answer that is ready sooner is posted at once."""
    interval: float
    """Seconds between two edits."""


@runtime_checkable
class EditingSender(Protocol[P]):
    """A sender whose messages are edited as they grow."""

    edit_timing: EditTiming

    def render_progress(self, reply: Reply, status: str) -> P:
        """Render the answer so far, with the status below it."""
        ...

    async def show_progress(self, post: P, name: str = "") -> None:
        """Show a passing state in the message of that name. One that cannot be shown now is skipped."""
        ...


class EventBuffer:
    """Buffer of an answer's events, so that a slow consumer neither lags behind nor blocks the writer. A task reads the
    stream while the context is open."""

    def __init__(self, stream: AnswerStream) -> None:
        self._source = stream
        self._events: list[ProgressEvent | SentenceEvent] = []
        self._has_news = asyncio.Event()
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
        """Return all new events. Waits for one or for `stop`, at most `seconds`. Once all are taken, raises the error
        of the stream."""
        try:
            async with asyncio.timeout(seconds):
                await self._has_news.wait()
        except TimeoutError:
            return []
        events, self._events = self._events, []
        if not self._reading.done():
            self._has_news.clear()
        elif not events and not self.stopped:
            self._reading.result()
        return events

    def stop(self) -> None:
        """Stop: further events are not wanted."""
        self.stopped = True
        self._has_news.set()

    async def _read(self) -> None:
        try:
            async for event in self._source:
                self._events.append(event)
                self._has_news.set()
            self.answer = await self._source.answer()
        finally:
            self._has_news.set()


class StreamingPost(Generic[P]):
    """One reply that is posted by a stream. A reply that a crash left partial is not streamed again, only completed."""

    def __init__(self, sender: StreamingSender[P], reply: MessageSequence[P], settle: SettleIndicator) -> None:
        self._sender = sender
        self._reply = reply
        self._settle = settle
        self._may_stream = not reply.resumed
        self._stream: MessageStream[P] | None = None

    async def follow(self, buffer: EventBuffer, draft: Draft) -> Answer | None:
        """Stream the partial reply until the answer, or until it is stopped (None)."""
        due: float | None = None
        now = asyncio.get_running_loop().time
        while True:
            events = await buffer.next_events(max(0.0, due - now()) if due is not None and self._may_stream else None)
            if buffer.stopped:
                return None
            for event in events:
                draft.add(event)
            if buffer.answer:
                return buffer.answer
            if stages := [event for event in events if isinstance(event, ProgressEvent)]:
                self._sender.show_stage(stages[-1])
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
        """End the stream as `post`. Return False where no message shows exactly that."""
        return self._stream is not None and await self._stream.close(post)

    async def _open(self, text: str) -> MessageStream[P] | None:
        if not self._sender.can_stream():
            return None
        await self._settle()
        await self._reply.begin()
        stream = await self._sender.open_stream(text)
        if stream:
            await self._reply.add_names(stream.name)
        return stream


class EditingPost(Generic[P]):
    """One reply that is posted by edits, each with its newest state."""

    def __init__(self, sender: EditingSender[P], show: Callable[[P], Awaitable[None]]) -> None:
        self._sender = sender
        self._show = show

    async def follow(self, buffer: EventBuffer, draft: Draft) -> Answer | None:
        """Show the partial reply until the answer, or until it is stopped (None). An error ends the showing; it is
        raised once there is an answer, which is stored by then."""
        now, timing = asyncio.get_running_loop().time, self._sender.edit_timing
        due, last_page, page = now() + timing.first_delay, None, None
        failed: CitewellError | None = None
        while True:
            events = await buffer.next_events(None if page == last_page or failed else max(0.0, due - now()))
            if buffer.stopped:
                return None
            for event in events:
                draft.add(event)
            if buffer.answer:
                if failed:
                    raise failed
                return buffer.answer
            if events:
                page = self._sender.render_progress(draft.partial_reply, draft.status)
            if page is None or page == last_page or failed or now() < due:
                continue
            try:
                await self._show(page)
            except CitewellError as error:
                failed = error
            last_page, due = page, now() + timing.interval
