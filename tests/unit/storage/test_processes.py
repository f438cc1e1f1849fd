"""Several processes that answer from one PostgreSQL database. Each `Storage` here is one, with locks of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest

from pipeline.errors import Misconfigured, QuestionWithdrawn, Unavailable
from pipeline.values import Audience, LeasedMessage, PlaceId, PlaceSettings
from storage.data_migration import open_endpoint
from storage.database import Leadership
from storage.open import Storage, open_storage
from tests.contracts.waiting import eventually
from tests.doubles.postgres import SHARED, USER, Server, postgres_server
from tests.doubles.relay import Relay
from tests.doubles.samples import answer, chunks, document, message
from tests.doubles.standby import replicated

Start = Callable[[], Awaitable[Storage]]


@pytest.fixture
async def url(postgres: Server) -> str:
    return postgres.empty()


@pytest.fixture
async def start(url: str, tmp_path: Path) -> AsyncIterator[Start]:
    """Starts one more process; all end with the test."""
    async with AsyncExitStack() as stack:
        yield lambda: stack.enter_async_context(open_storage(tmp_path, database=url, exclusive=True))


async def cut_off(postgres: Server, storage: Storage) -> None:
    """The server ends what `storage` writes on, as when the network between them is lost."""
    (pid,) = await storage.database.write(lambda db: db.execute("SELECT pg_backend_pid()").fetchone())
    postgres.execute(f"SELECT pg_terminate_backend({pid}, 10000)")


async def taken_over(storage: Storage) -> LeasedMessage:
    """The next message, once those that are gone have lost theirs."""
    async with asyncio.timeout(30):
        while True:
            await storage.inbox.reclaim_dead()
            if work := await storage.inbox.lease():
                return work


async def test_a_process_that_is_over_gives_its_leases_back_and_keeps_none_of_the_others(
    start: Start, url: str
) -> None:
    one = await start()
    await one.inbox.accept(message("1.0"))
    assert await one.inbox.lease()
    async with open_storage(one.folder, database=url, exclusive=True) as dead:
        for number in ("2.0", "3.0"):
            await dead.inbox.accept(message(number))
            assert await dead.inbox.lease()
        await dead.inbox.mark_posting(message("2.0").key)
        assert [await one.inbox.reclaim_dead() for _ in range(3)] == [0, 0, 0]
    work = await taken_over(one)
    assert work.message.key == message("2.0").key
    assert work.posting_since
    assert await one.inbox.lease()
    assert await one.inbox.lease() is None


async def test_an_end_of_a_process_speaks_against_what_was_alone_with_it(start: Start, url: str) -> None:
    one = await start()
    await one.inbox.accept(message())
    async with open_storage(one.folder, database=url, exclusive=True) as dead:
        assert await dead.inbox.lease()
    assert (await taken_over(one)).attempt == 2


async def test_who_was_cut_off_does_not_go_on_with_what_it_had_leased(postgres: Server, start: Start) -> None:
    one, other = await start(), await start()
    await one.inbox.accept(message())
    assert await one.inbox.lease()
    before = await one.database.check_leadership()
    await cut_off(postgres, one)
    work = await taken_over(other)
    with pytest.raises(QuestionWithdrawn) as raised:
        await one.inbox.save_answer(message().key, answer())
    assert raised.value.changed
    await one.inbox.release(message().key)
    await one.inbox.mark_done(message().key)
    assert await one.database.check_leadership() != before
    assert await one.inbox.lease() is None
    await other.inbox.save_answer(work.message.key, answer())
    await other.inbox.mark_done(work.message.key)
    assert await other.inbox.count_by_state() == {"done": 1}


async def test_who_was_cut_off_still_tells_where_its_reply_is(postgres: Server, start: Start) -> None:
    one, other = await start(), await start()
    await one.inbox.accept(message())
    await one.inbox.lease()
    await one.inbox.mark_posting(message().key)
    await cut_off(postgres, one)
    await one.inbox.mark_posted(message().key, "its")
    assert (await taken_over(other)).reference == "its"
    await other.inbox.mark_posted(message().key, "other's")
    await one.inbox.mark_posted(message().key, "its")
    await other.inbox.release(message().key)
    assert (await taken_over(other)).reference == "other's"


async def test_one_process_is_first_and_another_after_it(start: Start, url: str, tmp_path: Path) -> None:
    async with open_storage(tmp_path, database=url, exclusive=True) as first:
        later = await start()
        assert (await first.database.check_leadership()).is_leader
        assert not (await later.database.check_leadership()).is_leader
        assert (await first.database.check_leadership()).is_leader

    async def taken() -> bool:
        return (await later.database.check_leadership()).is_leader

    await eventually(taken)


async def test_all_go_on_after_the_server_was_restarted_each_as_somebody_new(postgres: Server, start: Start) -> None:
    processes = [await start() for _ in range(2)]
    before = {(await storage.database.check_leadership()).lease_holder for storage in processes}
    await processes[0].inbox.accept(message())
    await processes[0].inbox.lease()
    postgres.stop()
    postgres.start()
    after: list[Leadership] = []
    for storage in processes:
        while True:
            with suppress(Unavailable):
                after.append(await storage.database.check_leadership())
                break
    assert not before & {standing.lease_holder for standing in after}
    assert sorted(standing.is_leader for standing in after) == [False, True]
    assert (await taken_over(processes[1])).message.key == message().key


@pytest.mark.slow
async def test_who_hears_nothing_of_the_server_any_more_waits_for_nothing_and_comes_back_as_somebody_new(
    postgres: Server, start: Start, url: str, tmp_path: Path
) -> None:
    other = await start()
    async with (
        Relay(postgres.folder) as relay,
        open_storage(tmp_path, database=relay.url(SHARED), exclusive=True) as one,
    ):
        await one.inbox.accept(message())
        await one.inbox.lease()
        before = await one.database.check_leadership()
        relay.blacken()
        answering = asyncio.create_task(one.inbox.save_answer(message().key, answer()))
        reading = asyncio.create_task(one.inbox.count_by_state())
        with pytest.raises(Unavailable):
            await one.database.check_leadership()
        for waiting in answering, reading:
            with pytest.raises(Unavailable):
                await waiting
        relay.lighten()
        assert await one.database.check_leadership() != before
        assert (await taken_over(other)).message.key == message().key
        with pytest.raises(QuestionWithdrawn):
            await one.inbox.mark_posting(message().key)


async def test_a_long_write_is_not_taken_for_a_server_that_is_gone(start: Start) -> None:
    one = await start()
    before = await one.database.check_leadership()
    long = asyncio.create_task(one.database.write(lambda db: db.execute("SELECT pg_sleep(1.5)").fetchone()))
    assert await one.database.check_leadership() == before
    await long


@pytest.mark.slow
async def test_of_two_addresses_the_server_is_found_that_took_the_others_place(
    tmp_path: Path, postgres: Server
) -> None:
    with postgres_server() as server, replicated(server) as pair:
        hosts = f"{server.folder},{pair.standby.folder}"
        url = f"postgresql:///{SHARED}?host={hosts}&user={USER}&target_session_attrs=read-write"
        async with open_storage(tmp_path, database=url, exclusive=True) as storage:
            await storage.inbox.accept(message())
            pair.fail_over()
            assert await storage.inbox.lease()


async def test_what_is_set_in_chat_in_one_process_holds_in_all(start: Start) -> None:
    one, other = await start(), await start()
    place = PlaceId(platform="slack", space="T1", channel="C1")
    assert await other.place_settings.of(place.chain) == {}
    await one.place_settings.put(place, PlaceSettings(threads=False))
    assert await other.place_settings.of(place.chain) == {place: PlaceSettings(threads=False)}


async def test_what_one_process_indexes_or_removes_the_others_find_or_do_not(start: Start) -> None:
    one, other = await start(), await start()
    everyone = Audience(collections=frozenset({"default"}))
    assert not (await other.index.search_lexical(["vacation"], everyone, 5)).hits
    await one.library.replace_document(document("d"), chunks("d", ["25 vacation days"]), None, "")
    assert [hit.chunk_id for hit in (await other.index.search_lexical(["vacation"], everyone, 5)).hits] == ["d#0"]
    await one.library.remove_documents(["d"])
    assert not (await other.index.search_lexical(["vacation"], everyone, 5)).hits


async def test_nobody_answers_from_what_is_being_moved_and_nobody_moves_what_is_answered_from(
    start: Start, url: str
) -> None:
    async with open_endpoint(url, embedder=lambda: "", make=False):
        with pytest.raises(Misconfigured, match="being moved"):
            await start()
    await start()
    with pytest.raises(Misconfigured, match="another `citewell run`"):
        async with open_endpoint(url, embedder=lambda: "", make=False):
            pass
