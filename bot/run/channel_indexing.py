"""Indexed channels: each is read when it is due, and each thread that changes becomes a document."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

import structlog

from adapters.chat import history
from adapters.files.reader import FileReader
from bot.documents.indexing import Indexer
from bot.log import log_failures
from bot.services.places import StoredPlaceService, closed_channel_state, is_excluded
from pipeline.auto_answers import looks_like_question
from pipeline.errors import Refused, Unavailable
from pipeline.plan.smalltalk import detect_small_talk
from pipeline.ports import PlatformAdapter, SupportsHistory
from pipeline.values import (
    Attachment,
    Block,
    BlockKind,
    ChannelMessage,
    ChannelSyncState,
    Document,
    HistoryPage,
    ParsedDocument,
    PlaceId,
    PlaceSettings,
    replace,
)
from storage.documents.channel_messages import DueThread, SQLChannelMessages
from storage.messages.outbox import SQLOutbox

# --- A thread as a document -----------------------------------------------------------------------


def build_thread_document(
    due: DueThread, name: str, messages: Sequence[ChannelMessage], files: Sequence[Sequence[Block]] = ()
) -> ParsedDocument | None:
    """Return a thread as a document, with the content of its messages' files.

    Returns None if it tells nothing: it is small talk, or a question that nobody answered.
    """
    posts = [message for message in messages if not detect_small_talk(message.text)]
    file_blocks = [block for blocks in files for block in blocks]
    if not posts or (all(looks_like_question(message.text) for message in posts) and not file_blocks):
        return None
    solved = any(message.accepted for message in posts)
    document = Document(
        id=due.document_id,
        collection=str(due.channel),
        source=str(due.channel),
        filename=f"#{name}" if name else str(due.channel),
        title=posts[0].title or ("" if posts[0].text else posts[0].files[0].name),
        document_type="thread",
        version=str(due.since),
        metadata={"updated": f"{max(message.at for message in posts):%Y-%m-%d}"}
        | ({"solved": "yes"} if solved else {}),
    )
    parsed = history.parse_thread(posts, document)
    return replace(parsed, blocks=(*parsed.blocks, *file_blocks))


# --- What the files say that people sent in a thread, each below the message that it came with ----

MAX_FILE_BYTES = 20_000_000
"""Bytes of the largest file that is read."""
CACHED_FILES = 32
"""Files whose text is cached: a thread is made anew with each message."""

log = structlog.get_logger(__name__)


class ThreadFiles:
    def __init__(self, platforms: Mapping[str, SupportsHistory], reader: FileReader) -> None:
        self._platforms = platforms
        self._reader = reader
        self._cached: OrderedDict[str, Sequence[Block]] = OrderedDict()

    async def read_blocks(self, message: ChannelMessage) -> list[Block]:
        """Return the blocks of a message's files; one that cannot be read is left out. Raises Unavailable while they
        cannot be downloaded."""
        return [
            block
            for file in message.files
            if file.size <= MAX_FILE_BYTES
            for block in await self._read_file(message, file)
        ]

    async def _read_file(self, message: ChannelMessage, file: Attachment) -> Sequence[Block]:
        if file.id not in self._cached:
            try:
                body = await self._platforms[message.channel.platform].download_file(message, file)
                blocks = (await self._reader.read(file.name, body)).blocks
            except Refused as error:
                log.info("thread_file_not_read", channel=str(message.channel), reason=str(error))
                blocks = ()
            self._cached[file.id] = tuple(_under_file_name(message, file, blocks))
            if len(self._cached) > CACHED_FILES:
                self._cached.popitem(last=False)
        return self._cached[file.id]


def _under_file_name(message: ChannelMessage, file: Attachment, blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks under the name of the file, which links to the message."""
    if not blocks:
        return []
    heading = Block(kind=BlockKind.HEADING, text=file.name, anchor=message.url)
    below = (replace(block, heading=(file.name, *block.heading), anchor=message.url) for block in blocks)
    return [heading, *below]


# --- What was said in one channel before: read part by part, from where it was left ---------------


class ChannelHistoryReader:
    """Reads channels of `platforms`."""

    def __init__(self, store: SQLChannelMessages, platforms: Mapping[str, SupportsHistory], *, pause: float) -> None:
        """`pause`: seconds until another try, if the platform does not set a time."""
        self._store = store
        self._platforms = platforms
        self._pause = pause

    async def read(self, place: PlaceId, settings: PlaceSettings, state: ChannelSyncState | None) -> None:
        """Read the complete history; of a channel that may not be read, nothing is kept."""
        state = state if state and not state.complete else ChannelSyncState(begun=datetime.now(UTC))
        while state.complete is None:
            state = await self._read_page(place, state, retention_start(settings))
        if state.begun <= datetime.now(UTC):  # else by a clock that was wrong: nothing would seem to be seen since
            await self._store.delete_unseen(place, state.begun)
        log.info("channel_read", channel=str(place), messages=state.read)

    async def catch_up(self, place: PlaceId, settings: PlaceSettings) -> None:
        """Read the latest messages until none of them is new: those sent while the bot was not listening, within the
        retention time."""
        position, news = "", True
        while news:
            try:
                page = await self._platforms[place.platform].load_history(place, position)
            except Refused as error:
                await self._mark_closed(place, "", error)
                return
            saved = await self._store.save(_select_retained(page, retention_start(settings)))
            position, news = page.next_cursor, bool(saved and page.next_cursor)

    async def _read_page(self, place: PlaceId, state: ChannelSyncState, since: datetime) -> ChannelSyncState:
        """Read the next page. Return how far the channel is read after it."""
        try:
            page = await self._platforms[place.platform].load_history(place, state.position)
        except Unavailable as error:
            log.warning("channel_unavailable", channel=str(place), reason=str(error))
            await asyncio.sleep(max(error.retry_after or 0.0, self._pause))
            return state
        except Refused as error:
            return await self._mark_closed(place, state.name, error)
        messages = _select_retained(page, since)
        back_to = min((message.at for message in page.messages), default=state.back_to)
        is_complete = not page.next_cursor or (back_to is not None and back_to < since)
        state = replace(
            state,
            name=page.channel_name or state.name,
            position="" if is_complete else page.next_cursor,
            read=state.read + len(messages),
            back_to=back_to,
            since=max(page.created_at, since),
            complete=datetime.now(UTC) if is_complete else None,
        )
        await self._store.save(messages, place, state)
        return state

    async def _mark_closed(self, place: PlaceId, name: str, error: Refused) -> ChannelSyncState:
        """Delete all messages of a channel that may not be read (any more)."""
        log.warning("channel_closed", channel=str(place), reason=str(error))
        await self._store.forget_channel(place)
        state = closed_channel_state(name)
        await self._store.save((), place, state)
        return state


def _select_retained(page: HistoryPage, since: datetime) -> list[ChannelMessage]:
    return [message for message in page.messages if message.at >= since and not is_excluded(message)]


def retention_start(settings: PlaceSettings) -> datetime:
    """Return the time from which messages are kept."""
    return datetime.now(UTC) - timedelta(days=settings.index_days or 0)


# --- Channels -------------------------------------------------------------------------------------

THREAD_POLL_SECONDS = 1.0
"""Seconds between two checks for due threads: a deleted message is not found any more after a few of them."""
THREADS_PER_ROUND = 50
"""Threads that are indexed between two checks of the channels."""
REREAD_AFTER = timedelta(days=7)
"""Age at which a complete reading is repeated: it finds edits and deletions made while the bot was not listening."""
CLOSED_RETRY_AFTER = timedelta(minutes=10)
"""Time between two tries to read a closed channel."""
READ_RETRY_AFTER = timedelta(minutes=1)
"""Time until a failed reading is begun again."""
FORGET_EVERY = timedelta(hours=1)
NEVER_READ = datetime.min.replace(tzinfo=UTC)


@dataclass
class _Channel:
    """This process's work on one channel."""

    is_notified: bool = False
    caught_up: bool = False
    cleaned_at: datetime = NEVER_READ
    """Time of the last deletion of expired messages."""
    begun: datetime = NEVER_READ
    """Time of the last start of reading."""
    reading: asyncio.Task[None] | None = None

    @property
    def busy(self) -> bool:
        return self.reading is not None and not self.reading.done()


class ChannelIndexer:
    """Indexes channels. Runs in one process at a time."""

    def __init__(
        self,
        store: SQLChannelMessages,
        outbox: SQLOutbox,
        places: StoredPlaceService,
        indexer: Indexer,
        adapters: Mapping[str, PlatformAdapter],
        *,
        every: float = THREAD_POLL_SECONDS,
    ) -> None:
        self._store = store
        self._outbox = outbox
        self._places = places
        self._indexer = indexer
        self._platforms = {name: adapter for name, adapter in adapters.items() if isinstance(adapter, SupportsHistory)}
        self._every = every
        self._files = ThreadFiles(self._platforms, indexer.reader)
        self._history = ChannelHistoryReader(store, self._platforms, pause=every)
        self._channels: dict[PlaceId, _Channel] = {}
        self._orphans_checked_at = NEVER_READ

    async def run(self) -> None:
        """Run until cancelled."""
        try:
            while True:
                with log_failures(log, "channels_not_read"):
                    await self.update_channels()
                with log_failures(log, "threads_not_taken_in"):
                    while await self.index_threads() == THREADS_PER_ROUND:
                        pass
                await asyncio.sleep(self._every)
        finally:
            for channel in self._channels.values():
                if channel.reading:
                    channel.reading.cancel()

    async def update_channels(self) -> None:
        """Begin due readings, and forget channels that are no source any more."""
        states, indexed = await self._store.reading_states(), await self._places.indexed_channels()
        for place in {*states, *self._channels, *await self._orphans()} - indexed.keys():
            await self._forget(place)
        for place, settings in indexed.items():
            await self._update_channel(place, settings, states.get(place), self._channels.setdefault(place, _Channel()))

    async def _update_channel(
        self, place: PlaceId, settings: PlaceSettings, state: ChannelSyncState | None, channel: _Channel
    ) -> None:
        now = datetime.now(UTC)
        if abs(now - channel.cleaned_at) > FORGET_EVERY:
            channel.cleaned_at = now
            await self._store.delete_older_than(place, retention_start(settings))
        if state and not state.closed and not channel.is_notified:
            channel.is_notified = True
            await self._outbox.queue_source_notice(place)
        if channel.busy or abs(now - channel.begun) < READ_RETRY_AFTER or place.platform not in self._platforms:
            return
        if _is_due(state):
            self._begin(place, channel, partial(self._history.read, place, settings, state))
        elif state and not state.closed and not channel.caught_up:
            self._begin(place, channel, partial(self._history.catch_up, place, settings))

    def _begin(self, place: PlaceId, channel: _Channel, history: Callable[[], Awaitable[None]]) -> None:
        """Start a reading; a failed one is tried again after a while."""

        async def read() -> None:
            with log_failures(log, "channel_not_read", channel=str(place)):
                await history()
                channel.caught_up = True

        channel.begun = datetime.now(UTC)
        channel.reading = asyncio.create_task(read(), name=f"read {place}")

    async def _forget(self, place: PlaceId) -> None:
        channel = self._channels.pop(place, _Channel())
        if channel.reading:
            channel.reading.cancel()
            await asyncio.wait({channel.reading})
        await self._store.forget_channel(place)
        log.info("channel_forgotten", channel=str(place))

    async def _orphans(self) -> set[PlaceId]:
        """Return, once an hour, all channels of which anything is stored: an event may come while a channel is being
        forgotten."""
        now = datetime.now(UTC)
        if abs(now - self._orphans_checked_at) < FORGET_EVERY:
            return set()
        self._orphans_checked_at = now
        return await self._store.channels()

    async def index_threads(self) -> int:
        """Make documents of some threads that changed. Return how many. One that fails stops no other."""
        due = await self._store.due_threads(THREADS_PER_ROUND)
        names = {place: state.name for place, state in (await self._store.reading_states()).items()} if due else {}
        count = 0
        for thread in due:
            with log_failures(log, "thread_not_taken_in", document=thread.document_id):
                await self._index_thread(thread, names.get(thread.channel, ""))
                count += 1
                continue
            await self._store.postpone(thread)
        return count

    async def _index_thread(self, due: DueThread, name: str) -> None:
        messages = await self._store.thread_messages(due)
        parsed = build_thread_document(
            due, name, messages, [await self._files.read_blocks(message) for message in messages]
        )
        if parsed:
            await self._indexer.add_document(parsed)
        else:
            await self._indexer.library.remove_documents([due.document_id])
        await self._store.mark_indexed(due)


def _is_due(state: ChannelSyncState | None) -> bool:
    if state is None or state.complete is None:
        return True
    return abs(datetime.now(UTC) - state.complete) > (CLOSED_RETRY_AFTER if state.closed else REREAD_AFTER)
