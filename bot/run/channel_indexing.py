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
from pipeline.auto_answers import is_open_question
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
    due: DueThread, name: str, said: Sequence[ChannelMessage], files: Sequence[Sequence[Block]] = ()
) -> ParsedDocument | None:
    """Return a thread as a document, with the content of its messages' files.

    Returns None if it tells nothing: it is small talk, or a question that nobody answered.
    """
    told = [one for one in said if not detect_small_talk(one.text)]
    sent = [block for blocks in files for block in blocks]
    if not told or (all(is_open_question(one.text) for one in told) and not sent):
        return None
    solved = any(one.accepted for one in told)
    about = Document(
        id=due.document_id,
        collection=str(due.channel),
        source=str(due.channel),
        filename=f"#{name}" if name else str(due.channel),
        title=told[0].title or ("" if told[0].text else told[0].files[0].name),
        document_type="thread",
        version=str(due.since),
        metadata={"updated": f"{max(one.at for one in told):%Y-%m-%d}"} | ({"solved": "yes"} if solved else {}),
    )
    parsed = history.parse_thread(told, about)
    return replace(parsed, blocks=(*parsed.blocks, *sent))


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
        self._held: OrderedDict[str, Sequence[Block]] = OrderedDict()

    async def read_blocks(self, said: ChannelMessage) -> list[Block]:
        """Return the blocks of a message's files; one that cannot be read is left out. Raises Unavailable while they
        cannot be downloaded."""
        return [block for file in said.files if file.size <= MAX_FILE_BYTES for block in await self._of(said, file)]

    async def _of(self, said: ChannelMessage, file: Attachment) -> Sequence[Block]:
        if file.id not in self._held:
            try:
                body = await self._platforms[said.channel.platform].download_file(said, file)
                found = (await self._reader.read(file.name, body)).blocks
            except Refused as error:
                log.info("file_of_thread_unread", channel=str(said.channel), reason=str(error))
                found = ()
            self._held[file.id] = tuple(_below(said, file, found))
            if len(self._held) > CACHED_FILES:
                self._held.popitem(last=False)
        return self._held[file.id]


def _below(said: ChannelMessage, file: Attachment, found: Sequence[Block]) -> list[Block]:
    """Return the blocks under the name of the file, which links to the message."""
    if not found:
        return []
    heading = Block(kind=BlockKind.HEADING, text=file.name, anchor=said.url)
    below = (replace(one, heading=(file.name, *one.heading), anchor=said.url) for one in found)
    return [heading, *below]


# --- What was said in one channel before: read part by part, from where it was left ---------------


class ChannelHistoryReader:
    """Reads channels of `platforms`."""

    def __init__(self, said: SQLChannelMessages, platforms: Mapping[str, SupportsHistory], *, pause: float) -> None:
        """`pause`: seconds until another try, if the platform does not set a time."""
        self._said = said
        self._platforms = platforms
        self._pause = pause

    async def read(self, place: PlaceId, sets: PlaceSettings, look: ChannelSyncState | None) -> None:
        """Read the complete history; of a channel that may not be read, nothing is kept."""
        look = look if look and not look.complete else ChannelSyncState(begun=datetime.now(UTC))
        while look.complete is None:
            look = await self._part(place, look, retention_start(sets))
        if look.begun <= datetime.now(UTC):  # else by a clock that was wrong: nothing would seem to be seen since
            await self._said.delete_unseen(place, look.begun)
        log.info("channel_read", channel=str(place), messages=look.read)

    async def catch_up(self, place: PlaceId, sets: PlaceSettings) -> None:
        """Read the latest messages until none of them is new: those sent while the bot was not listening, within the
        retention time."""
        position, news = "", True
        while news:
            try:
                part = await self._platforms[place.platform].load_history(place, position)
            except Refused as error:
                await self._shut(place, "", error)
                return
            taken = await self._said.save(_to_keep(part, retention_start(sets)))
            position, news = part.next_cursor, bool(taken and part.next_cursor)

    async def _part(self, place: PlaceId, look: ChannelSyncState, since: datetime) -> ChannelSyncState:
        """Read the next page. Return how far the channel is read after it."""
        try:
            part = await self._platforms[place.platform].load_history(place, look.position)
        except Unavailable as error:
            log.warning("channel_unavailable", channel=str(place), reason=str(error))
            await asyncio.sleep(max(error.retry_after or 0.0, self._pause))
            return look
        except Refused as error:
            return await self._shut(place, look.name, error)
        said = _to_keep(part, since)
        back_to = min((one.at for one in part.messages), default=look.back_to)
        over = not part.next_cursor or (back_to is not None and back_to < since)
        look = replace(
            look,
            name=part.channel_name or look.name,
            position="" if over else part.next_cursor,
            read=look.read + len(said),
            back_to=back_to,
            since=max(part.created_at, since),
            complete=datetime.now(UTC) if over else None,
        )
        await self._said.save(said, place, look)
        return look

    async def _shut(self, place: PlaceId, name: str, error: Refused) -> ChannelSyncState:
        """Delete all messages of a channel that may not be read (any more)."""
        log.warning("channel_closed", channel=str(place), reason=str(error))
        await self._said.forget_channel(place)
        shut = closed_channel_state(name)
        await self._said.save((), place, shut)
        return shut


def _to_keep(part: HistoryPage, since: datetime) -> list[ChannelMessage]:
    return [one for one in part.messages if one.at >= since and not is_excluded(one)]


def retention_start(sets: PlaceSettings) -> datetime:
    """Return the time from which messages are kept."""
    return datetime.now(UTC) - timedelta(days=sets.index_days or 0)


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

    told: bool = False
    caught_up: bool = False
    tidied: datetime = NEVER_READ
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
        said: SQLChannelMessages,
        outbox: SQLOutbox,
        places: StoredPlaceService,
        indexer: Indexer,
        adapters: Mapping[str, PlatformAdapter],
        *,
        every: float = THREAD_POLL_SECONDS,
    ) -> None:
        self._said = said
        self._outbox = outbox
        self._places = places
        self._indexer = indexer
        self._platforms = {name: one for name, one in adapters.items() if isinstance(one, SupportsHistory)}
        self._every = every
        self._files = ThreadFiles(self._platforms, indexer.reader)
        self._history = ChannelHistoryReader(said, self._platforms, pause=every)
        self._channels: dict[PlaceId, _Channel] = {}
        self._swept = NEVER_READ

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
        looks, wanted = await self._said.reading_states(), await self._places.indexed_channels()
        for place in {*looks, *self._channels, *await self._orphans()} - wanted.keys():
            await self._forget(place)
        for place, sets in wanted.items():
            await self._keep_up(place, sets, looks.get(place), self._channels.setdefault(place, _Channel()))

    async def _keep_up(
        self, place: PlaceId, sets: PlaceSettings, look: ChannelSyncState | None, channel: _Channel
    ) -> None:
        now = datetime.now(UTC)
        if abs(now - channel.tidied) > FORGET_EVERY:
            channel.tidied = now
            await self._said.delete_older_than(place, retention_start(sets))
        if look and not look.closed and not channel.told:
            channel.told = True
            await self._outbox.queue_source_notice(place)
        if channel.busy or abs(now - channel.begun) < READ_RETRY_AFTER or place.platform not in self._platforms:
            return
        if _due(look):
            self._begin(place, channel, partial(self._history.read, place, sets, look))
        elif look and not look.closed and not channel.caught_up:
            self._begin(place, channel, partial(self._history.catch_up, place, sets))

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
        await self._said.forget_channel(place)
        log.info("channel_forgotten", channel=str(place))

    async def _orphans(self) -> set[PlaceId]:
        """Return, once an hour, all channels of which anything is stored: an event may come while a channel is being
        forgotten."""
        now = datetime.now(UTC)
        if abs(now - self._swept) < FORGET_EVERY:
            return set()
        self._swept = now
        return await self._said.channels()

    async def index_threads(self) -> int:
        """Make documents of some threads that changed. Return how many. One that fails stops no other."""
        due = await self._said.due_threads(THREADS_PER_ROUND)
        names = {place: look.name for place, look in (await self._said.reading_states()).items()} if due else {}
        made = 0
        for one in due:
            with log_failures(log, "thread_not_taken_in", document=one.document_id):
                await self._make(one, names.get(one.channel, ""))
                made += 1
                continue
            await self._said.postpone(one)
        return made

    async def _make(self, due: DueThread, name: str) -> None:
        said = await self._said.thread_messages(due)
        parsed = build_thread_document(due, name, said, [await self._files.read_blocks(each) for each in said])
        if parsed:
            await self._indexer.add_document(parsed)
        else:
            await self._indexer.library.remove_documents([due.document_id])
        await self._said.mark_indexed(due)


def _due(look: ChannelSyncState | None) -> bool:
    if look is None or look.complete is None:
        return True
    return abs(datetime.now(UTC) - look.complete) > (CLOSED_RETRY_AFTER if look.closed else REREAD_AFTER)
