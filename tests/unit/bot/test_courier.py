"""What the bot posts by itself where the servers of a platform are divided among processes, and what goes wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.run.outbox_worker import MAX_CONCURRENT_POSTS, OutboxWorker, queue_quota_notice, queue_weekly_digest
from bot.services.answers import CitewellServices
from pipeline.errors import Refused
from pipeline.ports import PostRecorder
from pipeline.values import ConversationId, Handoff, PlaceId, Readers
from pipeline.values.posting import Announcement, SharedAnswer, UploadStatus
from pipeline.words import wording
from storage.open import Storage, open_storage
from tests.contracts.waiting import eventually, until


class Server:
    """A process's part of the platform: one server, what was posted there, and what was `there` before."""

    def __init__(self, space: str, there: Collection[str] = ()) -> None:
        self.space = space
        self.there = there
        self.posted: list[str] = []

    def ours(self, post: Announcement) -> bool:
        return post.space == self.space

    async def get_readers(self, target: PlaceId) -> Readers:
        assert target.space == self.space
        return Readers(groups=frozenset())

    async def find_posted(self, outgoing: Announcement) -> str | None:
        return "its id" if outgoing.key in self.there else None

    async def post(self, outgoing: Announcement, recorder: PostRecorder) -> None:
        await recorder.record_intent()
        self.posted.append(outgoing.key)
        await recorder.record_posted("its id")


async def asked(storage: Storage, number: int, space: str, *, of: str) -> None:
    """A question from `space`, for people of another server."""
    await storage.handoffs.create(
        Handoff(
            id=f"h{number}",
            answer_id=f"a{number}",
            asker="discord:5",
            question="What?",
            target=PlaceId(platform="discord", space=of, channel="9"),
            origin=ConversationId(platform="discord", space=space, channel="7"),
        )
    )


async def test_each_process_posts_on_its_own_servers_and_nobody_waits_for_one_that_is_away(tmp_path: Path) -> None:
    one, other = Server("11"), Server("12")
    async with open_storage(tmp_path) as storage:
        couriers: list[Any] = [
            OutboxWorker(storage.outbox, CitewellServices(storage), {"discord": server}, server.ours)  # type: ignore[dict-item]
            for server in (one, other)
        ]
        await asked(storage, 0, "99", of="99")
        await asked(storage, 1, "11", of="12")
        await asked(storage, 2, "12", of="11")
        running = [asyncio.create_task(courier.run()) for courier in couriers]

        async def left(count: int) -> bool:
            return await storage.outbox.count_open() == count

        await eventually(lambda: left(1))
        assert await storage.handoffs.resolve("h1", "discord:6", "Ann", "The blue team.")
        for courier in couriers:
            courier.ring()
        await eventually(lambda: left(1))
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    assert one.posted == ["asked:h2", "resolved:h1"]
    assert other.posted == ["asked:h1"]


class Stuck(Server):
    """What goes to some channels hangs until it is `free`."""

    def __init__(self, *stuck: str) -> None:
        super().__init__("11")
        self.free = asyncio.Event()
        self.begun: list[str] = []
        self.most = 0
        """Posts under way at once."""
        self._stuck = stuck
        self._under_way = 0

    async def post(self, outgoing: Announcement, recorder: PostRecorder) -> None:
        assert isinstance(outgoing, UploadStatus)
        self.begun.append(outgoing.id)
        self._under_way += 1
        self.most = max(self.most, self._under_way)
        if outgoing.to in self._stuck:
            await self.free.wait()
        await super().post(outgoing, recorder)
        self._under_way -= 1


@asynccontextmanager
async def at_work(folder: Path, server: Stuck) -> AsyncIterator[Callable[[str, str], Awaitable[None]]]:
    """A courier that posts there; how something is given to it, for a channel."""
    async with open_storage(folder) as storage:
        desk: Any = CitewellServices(storage)
        adapters: Any = {"discord": server}
        courier = OutboxWorker(storage.outbox, desk, adapters)
        storage.outbox.on_post(courier.notify)
        running = asyncio.create_task(courier.run())

        async def begin(channel: str, name: str) -> None:
            assert await desk.posts.begin(UploadStatus(to=channel, id=name, person="discord:5", text="Reading it."))

        async def nothing_left() -> bool:
            return not await storage.outbox.count_open()

        yield begin
        server.free.set()
        await eventually(nothing_left)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_a_post_that_hangs_holds_up_what_follows_it_in_its_channel_alone(tmp_path: Path) -> None:
    server = Stuck("discord:11:1")
    async with at_work(tmp_path, server) as begin:
        await begin("discord:11:1", "first")
        await until(lambda: server.begun)
        await begin("discord:11:1", "second")
        await begin("discord:11:2", "elsewhere")
        await until(lambda: server.posted)
        assert server.begun == ["first", "elsewhere"]
    assert server.posted == ["adding:elsewhere", "adding:first", "adding:second"]


async def test_no_more_than_a_few_posts_are_under_way_at_once(tmp_path: Path) -> None:
    channels = [f"discord:11:{number}" for number in range(MAX_CONCURRENT_POSTS + 2)]
    server = Stuck(*channels)
    async with at_work(tmp_path, server) as begin:
        for channel in channels:
            await begin(channel, channel)
        await until(lambda: len(server.begun) == MAX_CONCURRENT_POSTS)
    assert server.begun == channels
    assert server.most == MAX_CONCURRENT_POSTS


class Broken(Server):
    """Where nothing comes to a good end."""

    def __init__(self, error: Exception) -> None:
        super().__init__("11")
        self._error = error

    async def get_readers(self, target: PlaceId) -> Readers:
        raise self._error

    async def find_posted(self, outgoing: Announcement) -> str | None:
        raise self._error

    async def post(self, outgoing: Announcement, recorder: PostRecorder) -> None:
        raise self._error


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("error", [KeyError("x"), TimeoutError(), Refused("the vendor says: error 4711")])
@pytest.mark.parametrize(
    "post",
    [
        SharedAnswer(to="discord:11:9", answer_id="a1", person="discord:5", name="ann"),
        UploadStatus(to="discord:11:9", id="1", person="discord:5", text="Reading it."),
    ],
)
async def test_whoever_waits_hears_no_error_in_its_own_words(
    tmp_path: Path, post: SharedAnswer | UploadStatus, error: Exception, begun: bool
) -> None:
    async with open_storage(tmp_path) as storage:
        desk: Any = CitewellServices(storage)
        await desk.posts.begin(post)
        if begun:
            await storage.outbox.take_next()
            await storage.outbox.mark_posting(post.key)
        adapters: Any = {"discord": Broken(error)}
        await OutboxWorker(storage.outbox, desk, adapters, grace_seconds=0.0).post_due()
        assert await desk.posts.ended(post) == wording.TRY_AGAIN


class Open(Server):
    """People from outside read along there."""

    async def get_readers(self, target: PlaceId) -> Readers:
        return Readers(groups=frozenset(), external=True)


async def test_what_admins_are_told_is_not_posted_where_people_from_outside_read(tmp_path: Path) -> None:
    server, to = Open("11"), PlaceId(platform="discord", space="11", channel="9")
    async with open_storage(tmp_path) as storage:
        await queue_weekly_digest(storage.outbox, str(to))
        await queue_quota_notice(storage.outbox, str(to), to)
        assert await storage.outbox.count_open() == 2
        adapters: Any = {"discord": server}
        await OutboxWorker(storage.outbox, CitewellServices(storage), adapters).post_due()
    assert server.posted == []
