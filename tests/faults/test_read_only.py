"""Where nothing may be written, or only until a server cuts it off, a command says so in its own words, and leaves
everything whole."""

from __future__ import annotations

import asyncio
import json
import os
import random
import shlex
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Sequence
from pathlib import Path

import pytest

from pipeline.values import Audience
from storage.data_migration import open_endpoint
from storage.open import open_storage
from tests.doubles.postgres import SHARED, USER, Server, name_of
from tests.doubles.samples import chunks, document
from tests.trials import Count, trials

ROOT = Path(__file__).parents[2]
PERSON = "slack:T1:U1"
EVERYTHING = Audience(collections=frozenset({"default"}))
COMMANDS = (
    "ask 'How many days?' --data {there}/data",
    "backup --data {there}/data",
    "backup {there}/copy.db --data {away}/data",
    "documents --data {there}/data",
    "documents remove leave --yes --data {there}/data",
    f"history forget {PERSON} --yes --data {{there}}/data",
    "index {away}/more.md --data {there}/data",
    "index {away}/more.md --data {there}/new",
    "insights --data {there}/data",
    "migrate sqlite:{away}/data sqlite:{there}/moved",
    "migrate sqlite:{there}/data sqlite:{away}/moved",
    "restore {away}/data/backups/made.db --data {there}/data",
    "restore {away}/data/backups/made.db --data {there}/new",
    "run --data {there}/data",
)
ON_POSTGRESQL = (
    "ask 'How many days?'",
    "documents",
    "documents remove leave --yes",
    f"history forget {PERSON} --yes",
    "index {away}/more.md",
    "insights",
    "migrate {url} sqlite:{away}/moved",
    "run",
)
CUT = """
    CREATE SEQUENCE cut; GRANT ALL ON cut TO public;
    CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('cut') = {row} THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NULL; END $$;
    CREATE TRIGGER cut AFTER INSERT ON words FOR EACH ROW EXECUTE FUNCTION cut()
"""
"""Ends the connection that writes the passage of that number, once."""
DOCUMENTS = 20
EACH = """
import json, sys
from tests.faults.full_disk import ALL, run
print(json.dumps([run(command, ALL) for command in json.loads(sys.argv[1])]))
"""
MOUNTED = "mount --bind {there} {there} && mount -o remount,bind,ro {there} && "


async def run(words: str, **settings: str) -> tuple[int | None, str, str]:
    """The exit status of a shell's words, and what they say on standard output and on standard error."""
    environment = {**os.environ, "CITEWELL_EMBEDDER": "none", "PYTHONPATH": str(ROOT)}
    tokens = {"SLACK_BOT_TOKEN": "xoxb-1-1-a", "SLACK_APP_TOKEN": "xapp-1-A-1-a"}
    process = await asyncio.create_subprocess_exec(
        "sh", "-c", words, env=environment | tokens | settings, stdin=DEVNULL, stdout=PIPE, stderr=PIPE
    )
    told, said = await process.communicate()
    return process.returncode, told.decode(), said.decode()


async def kept_apart(words: str) -> tuple[int | None, str, str]:
    """As `run`, with mounts that nobody else sees."""
    return await run(f"unshare --map-root-user --mount sh -c {shlex.quote(words)}")


async def each(commands: Sequence[Sequence[str]], before: str = "", **settings: str) -> list[tuple[int, str]]:
    """The status of each command, and what it says on standard error."""
    words = f"{before} exec {shlex.join([sys.executable, '-c', EACH, json.dumps(commands)])}"
    status, told, failed = await (kept_apart(words) if before else run(words, **settings))
    assert status == 0, failed
    return [(ended, said) for ended, said in json.loads(told)]


def files(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.slow
async def test_on_a_read_only_disk_every_command_says_so_and_changes_nothing(
    tmp_path: Path, record_property: Count
) -> None:
    there, away = tmp_path / "there", tmp_path / "away"
    for folder in (there, away):
        async with open_storage(folder / "data") as storage:
            await storage.back_up(folder / "data" / "backups" / "made.db")
    (away / "more.md").write_text("# Travel\n\nTrains are booked by the office.\n")
    mounted = MOUNTED.format(there=there)
    if (await kept_apart(f"{mounted} ! touch {there}/anything"))[0] != 0:
        pytest.skip("needs mounts of its own (unshare --map-root-user --mount)")
    before = files(there)
    commands = [shlex.split(command.format(there=there, away=away)) for command in COMMANDS]
    for command, (ended, said) in zip(COMMANDS, await each(commands, mounted), strict=True):
        assert ended == 2, (command, said)
        assert "read-only" in said.lower(), (command, said)
        assert "Errno" not in said, (command, said)
        assert "Traceback" not in said, (command, said)
        assert len(said.splitlines()) == 2, (command, said)
    assert files(there) == before
    record_property("commands", len(COMMANDS))


@pytest.mark.slow
async def test_a_server_that_takes_no_writes_is_told_when_everything_should_move_there(
    postgres: Server, tmp_path: Path
) -> None:
    """And the move is made once it does."""
    source, target = f"sqlite:{tmp_path / 'data'}", postgres.empty()
    async with open_storage(tmp_path / "data"):
        pass
    move = shlex.join([sys.executable, "-m", "bot", "migrate", source, target])
    postgres.execute(f'ALTER DATABASE "{name_of(target)}" SET default_transaction_read_only = on')
    status, _, said = await run(move)
    assert status == 2, said
    assert "PostgreSQL cannot write" in said
    assert "default_transaction_read_only" in said
    assert "Traceback" not in said
    postgres.execute(f'ALTER DATABASE "{name_of(target)}" SET default_transaction_read_only = off')
    assert (await run(move))[0] == 0
    async with open_endpoint(target, embedder=str, make=False):
        pass


@pytest.mark.slow
@pytest.mark.parametrize(
    ("taken", "commands"),
    [("SELECT", ON_POSTGRESQL), ("DELETE", ON_POSTGRESQL), ("CREATE", ("index {away}/more.md",))],
)
async def test_a_user_of_postgresql_without_a_right_is_told_by_every_command(
    postgres: Server, tmp_path: Path, record_property: Count, taken: str, commands: Sequence[str]
) -> None:
    """And once it is given back, what was there is there."""
    (tmp_path / "more.md").write_text("# Travel\n\nTrains are booked by the office.\n")
    where = "SCHEMA public FROM pg_database_owner" if taken == "CREATE" else f"ALL TABLES IN SCHEMA public FROM {USER}"
    with postgres.database("template1" if taken == "CREATE" else SHARED) as url:
        name = name_of(url)
        if taken != "CREATE":
            async with open_storage(tmp_path / "data", database=url) as storage:
                await storage.library.replace_document(
                    document("leave"), chunks("leave", ["Everybody gets 25 days."]), None, ""
                )
        postgres.execute(f"REVOKE {taken} ON {where}", name)
        named = [shlex.split(command.format(url=url, away=tmp_path)) for command in commands]
        settings = {"CITEWELL_DATABASE": url, "CITEWELL_DATA": str(tmp_path / "data")}
        for command, (ended, said) in zip(commands, await each(named, **settings), strict=True):
            assert ended == 2, (command, said)
            assert "does not let its user do that" in said, (command, said)
            assert "own the database" in said, (command, said)
            assert len(said.splitlines()) == 2, (command, said)
        if taken == "CREATE":
            return
        postgres.execute(f"GRANT ALL ON {where.replace('FROM', 'TO')}", name)
        async with open_storage(tmp_path / "data", database=url) as storage:
            assert [document.id for document in await storage.library.list_documents()] == ["leave"]
    record_property("commands", len(commands))


@pytest.mark.slow
async def test_a_command_whose_connection_is_cut_says_so_and_is_completed_by_the_next(
    postgres: Server, tmp_path: Path, record_property: Count
) -> None:
    """A document is there whole or not at all."""
    n, folder, data = trials(1), tmp_path / "docs", tmp_path / "data"
    folder.mkdir()
    async with open_storage(data) as storage:
        for number in range(DOCUMENTS):
            (folder / f"{number}.md").write_text(f"# Topic {number}\n\nThe whole of document {number}.\n")
            await storage.library.replace_document(
                document(f"{number}"), chunks(f"{number}", ["The whole of it."]), None, ""
            )
    for number in range(n):
        with postgres.database() as indexed, postgres.database() as moved:
            for url in (indexed, moved):
                row = 1 + random.Random(number).randrange(DOCUMENTS)
                postgres.execute(CUT.format(row=row), name_of(url))
            commands = [["index", str(folder)], ["migrate", f"sqlite:{data}", moved]]
            ended = await each([one for one in commands for _ in range(2)], CITEWELL_DATABASE=indexed)
            assert [status for status, _ in ended] == [2, 0, 2, 0], ended
            for _, said in ended[::2]:
                assert "PostgreSQL cannot be used" in said
                assert len(said.splitlines()) == 2, said
            for url in (indexed, moved):
                async with open_storage(data, database=url) as storage:
                    found = await storage.index.search_lexical(["whole"], EVERYTHING, 10 * DOCUMENTS)
                    assert len(await storage.library.list_documents()) == len(found.hits) == DOCUMENTS
    record_property("cuts", 2 * n)
