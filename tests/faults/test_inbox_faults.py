"""A killed process or database server loses nothing that was acknowledged, and nothing is said twice."""

from __future__ import annotations

import json
import sqlite3
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.doubles.engines import Engine
from tests.doubles.postgres import Server
from tests.doubles.processes import child

SCRIPT = """
import asyncio, json, sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from storage.open import open_storage
from tests.doubles.samples import answer, message

async def main():
    async with open_storage(Path(sys.argv[1]), database=sys.argv[4], exclusive=True) as storage:
        start = int(sys.argv[3])
        for number in range(start, start + 100_000):
            one = message(f"{number}.0", author=f"U{number % 7}")
            await storage.inbox.accept(one)
            print(json.dumps(["accepted", one.key]), flush=True)
            if number % 2:
                work = await storage.inbox.lease()
                key = work.message.key
                await storage.inbox.save_answer(key, work.answer or answer(key))
                print(json.dumps(["answered", key]), flush=True)
                await storage.inbox.mark_posting(key)
                await storage.inbox.mark_posted(key, "r" + key)
                print(json.dumps(["posted", key]), flush=True)
                await storage.inbox.mark_done(key)
                print(json.dumps(["done", key]), flush=True)

asyncio.run(main())
"""
KEPT = "SELECT key, state, answer, reference FROM message"


Killing = Callable[[Process], None]


async def run_and_kill(engine: Engine, start: int, lines: int, kill: Killing) -> list[tuple[str, str]]:
    """What the process acknowledged until its end, `kill` being called `lines` lines after its start."""
    root = str(Path(__file__).parents[2])
    command = (sys.executable, "-c", SCRIPT, str(engine.folder), root, str(start), engine.url)
    async with child(*command, stdout=PIPE) as process:
        assert process.stdout
        output = [await process.stdout.readline() for _ in range(lines)]
        kill(process)
        output += (await process.stdout.read()).splitlines(keepends=True)
        await process.wait()
    return [tuple(json.loads(line)) for line in output if line.endswith(b"\n")]


@pytest.mark.slow
async def test_nothing_acknowledged_is_lost_by_kill_9(engine: Engine) -> None:
    await nothing_is_lost(engine, Process.kill)
    if not engine.url:
        with closing(sqlite3.connect(engine.folder / "citewell.db")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.slow
async def test_nothing_acknowledged_is_lost_when_the_database_server_crashes(postgres: Server, tmp_path: Path) -> None:
    def crash(process: Process) -> None:
        postgres.stop()
        postgres.start()
        process.kill()

    await nothing_is_lost(Engine(tmp_path, postgres.empty()), crash)


async def nothing_is_lost(engine: Engine, kill: Killing) -> None:
    acknowledged: dict[str, str] = {}
    for round_, lines in enumerate((7, 60, 133)):
        for step, key in await run_and_kill(engine, round_ * 1000, lines, kill):
            assert acknowledged.get(key) != "done", "a finished message was worked on again"
            acknowledged[key] = step
    async with engine.database() as database:
        rows = await database.read(lambda db: db.execute(KEPT).fetchall())
    kept = {key: (state, answer, reference) for key, state, answer, reference in rows}
    assert set(acknowledged) <= set(kept)
    for key, step in acknowledged.items():
        state, answer, reference = kept[key]
        assert step != "done" or state == "done"
        assert step != "answered" or answer
        assert step != "posted" or reference == f"r{key}"
    async with engine.storage(exclusive=True) as storage:
        waiting = {key for key, (state, *_) in kept.items() if state == "open"}
        found = set()
        while found != waiting:
            await storage.inbox.reclaim_dead()
            while work := await storage.inbox.lease():
                found.add(work.message.key)
                await storage.inbox.mark_done(work.message.key)
