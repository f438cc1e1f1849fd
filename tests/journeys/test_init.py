"""`citewell init` in a real terminal, and without one."""

from __future__ import annotations

import asyncio
import os
import re
import stat
import sys
import tomllib
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import NamedTuple

import pytest
from dotenv import dotenv_values

from adapters.discord.permissions import build_permissions
from adapters.slack.transport.startup import OPTIONAL_SCOPES, REQUIRED_SCOPES
from bot.config.settings import Settings
from storage.open import open_storage
from tests.doubles.discord.server import FakeDiscord
from tests.doubles.slack.server import APP_TOKEN, BOT_TOKEN, SlackServer
from tests.doubles.terminal_session import TerminalSession, at_a_terminal

DISCORD_TOKEN = "MTIz.double.discord-token"
WHERE = "Where will people ask? slack, discord or both (Enter: later): "
pytestmark = pytest.mark.slow
BOT, APP, DISCORD = (
    f"{what} (not shown; Enter: later): " for what in ("Bot User OAuth Token", "App-Level Token", "Bot token")
)
FOLDER = "Folder to index (Enter: later): "
INTERRUPTED = 130


class Said(NamedTuple):
    out: str
    err: str
    status: int | None


class Newcomer:
    """Somebody in an empty folder with documents beside it."""

    def __init__(self, folder: Path, slack: SlackServer, discord: FakeDiscord) -> None:
        self.folder = folder
        self.documents = folder / "handbook"
        self.slack = slack
        self._environment = {"SLACK_API_URL": slack.api_url, "DISCORD_API_URL": discord.api_url}

    def at_a_terminal(self, *words: str, **environment: str) -> AbstractAsyncContextManager[TerminalSession]:
        return at_a_terminal("init", *words, folder=self.folder, environment={**self._environment, **environment})

    async def without_one(self, *words: str, **environment: str) -> Said:
        surroundings = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2])}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "init", *words),
            cwd=self.folder,
            env={**surroundings, **self._environment, **environment},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
        )
        out, err = await process.communicate()
        return Said(out.decode(), err.decode(), process.returncode)

    @property
    def dotenv(self) -> dict[str, str | None]:
        return dict(dotenv_values(self.folder / ".env"))

    async def indexed(self) -> int:
        async with open_storage(self.folder / "citewell-data", make=False) as storage:
            return await storage.library.count()


@pytest.fixture
async def newcomer(tmp_path: Path) -> AsyncIterator[Newcomer]:
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook" / "office.md").write_text("# Office\n\nThe office opens at nine.\n")
    discord = FakeDiscord(token=DISCORD_TOKEN)
    async with SlackServer(frozenset({*REQUIRED_SCOPES, *OPTIONAL_SCOPES})) as slack, discord:
        yield Newcomer(tmp_path, slack, discord)


async def test_a_newcomer_is_led_to_an_answer(newcomer: Newcomer) -> None:
    async with newcomer.at_a_terminal() as session:
        await session.answer(WHERE, "both")
        await session.until("https://api.slack.com/apps?new_app=1&manifest_yaml=display_information")
        await session.answer(BOT, BOT_TOKEN)
        await session.until("belongs to @docs-answers in Acme")
        await session.answer(APP, APP_TOKEN)
        await session.until("Socket Mode opens")
        await session.answer(DISCORD, DISCORD_TOKEN)
        await session.answer(FOLDER, "handbook")
        await session.until("Ready")
        assert await session.ended() == 0
    assert newcomer.dotenv == {
        "SLACK_BOT_TOKEN": BOT_TOKEN,
        "SLACK_APP_TOKEN": APP_TOKEN,
        "DISCORD_TOKEN": DISCORD_TOKEN,
    }
    assert stat.S_IMODE((newcomer.folder / ".env").stat().st_mode) == 0o600
    (source,) = tomllib.loads((newcomer.folder / "citewell.toml").read_text())["sources"]
    assert source == {"kind": "folder", "name": "handbook", "path": str(newcomer.documents)}
    assert await newcomer.indexed() == 1


async def test_what_was_given_is_never_shown(newcomer: Newcomer) -> None:
    async with newcomer.at_a_terminal("slack") as session:
        await session.answer(BOT, "xoxb-wrong")
        await session.answer(BOT, BOT_TOKEN)
        await session.answer("Asking Slack", APP_TOKEN)  # before it is asked for
        await session.answer(APP, APP_TOKEN)
        await session.answer(FOLDER, "")
        assert await session.ended() == 0
        assert not any(token in session.written for token in (BOT_TOKEN, APP_TOKEN, "xoxb-wrong"))


async def test_a_token_that_is_refused_is_asked_for_again_with_the_reason(newcomer: Newcomer) -> None:
    async with newcomer.at_a_terminal("slack", "discord") as session:
        await session.answer(BOT, "xoxb-wrong")
        await session.until("Slack says invalid_auth")
        await session.answer(BOT, APP_TOKEN)
        await session.until("begins with xoxb-")
        await session.answer(BOT, f"  {BOT_TOKEN} ")
        await session.answer(APP, "xapp-wrong")
        await session.until("connections:write")
        await session.answer(APP, APP_TOKEN)
        await session.answer(DISCORD, "wrong")
        await session.until("Discord refuses it")
        await session.answer(DISCORD, DISCORD_TOKEN)
        await session.answer(FOLDER, "nowhere")
        await session.until("nowhere is not there")
        await session.answer(FOLDER, "")
        assert await session.ended() == 0
    assert set(newcomer.dotenv.values()) == {BOT_TOKEN, APP_TOKEN, DISCORD_TOKEN}


async def test_the_link_for_discord_asks_for_the_permissions_that_are_needed(newcomer: Newcomer) -> None:
    async with newcomer.at_a_terminal("discord") as session:
        await session.answer(DISCORD, DISCORD_TOKEN)
        await session.answer(FOLDER, "")
        assert await session.ended() == 0
        (link,) = re.findall(r"https://discord\.com/oauth2/authorize\?\S+", session.written)
    assert f"permissions={build_permissions().value}" in link
    assert "scope=bot+applications.commands" in link
    assert re.search(r"client_id=\d+", link)


async def test_what_is_no_platform_is_asked_again_and_nowhere_is_an_answer(newcomer: Newcomer) -> None:
    async with newcomer.at_a_terminal() as session:
        await session.answer(WHERE, "irc")
        await session.answer(WHERE, "Slack, discord")
        await session.interrupt(BOT)
    assert newcomer.dotenv == {"SLACK_BOT_TOKEN": "", "SLACK_APP_TOKEN": "", "DISCORD_TOKEN": ""}
    (newcomer.folder / ".env").unlink()
    async with newcomer.at_a_terminal() as session:
        await session.answer(WHERE, "")
        await session.answer(FOLDER, "handbook")
        await session.until("Ready")
        assert await session.ended() == 0


async def test_events_over_http_need_no_app_level_token(newcomer: Newcomer) -> None:
    said = await newcomer.without_one("--yes", SLACK_BOT_TOKEN=BOT_TOKEN, SLACK_SIGNING_SECRET="secret")
    assert said.status == 0, said
    assert newcomer.dotenv == {"SLACK_BOT_TOKEN": BOT_TOKEN}


async def test_scopes_that_are_missing_are_told_at_once(newcomer: Newcomer) -> None:
    newcomer.slack.scopes -= {"users:read"}
    async with newcomer.at_a_terminal("slack") as session:
        await session.answer(BOT, BOT_TOKEN)
        await session.until("users:read is missing")
        await session.answer(APP, APP_TOKEN)
        await session.answer(FOLDER, "")
        await session.until("see Slack scopes above")
        assert await session.ended() == 1


@pytest.mark.parametrize("how", ["ctrl-c", "hang up", "killed"])
async def test_what_was_given_before_it_stopped_is_not_asked_for_again(newcomer: Newcomer, how: str) -> None:
    async with newcomer.at_a_terminal() as session:
        await session.answer(WHERE, "both")
        await session.answer(BOT, BOT_TOKEN)
        if how == "ctrl-c":
            await session.interrupt(APP)
            await session.until("citewell init goes on from there")
            assert await session.ended() == INTERRUPTED
        elif how == "hang up":
            await session.until(APP)
            await session.hang_up()
        else:
            await session.until(APP)
            await session.kill()
    async with newcomer.at_a_terminal() as session:
        await session.answer(APP, APP_TOKEN)
        await session.answer(DISCORD, DISCORD_TOKEN)
        await session.answer(FOLDER, "")
        assert await session.ended() == 0
        assert WHERE not in session.written
        assert BOT not in session.written
    async with newcomer.at_a_terminal() as session:
        await session.answer(FOLDER, "handbook")
        assert await session.ended() == 0
        assert "Token (not shown" not in session.written
    async with newcomer.at_a_terminal() as session:
        assert await session.ended() == 0
        assert "Enter: later" not in session.written
    assert await newcomer.indexed() == 1


async def test_a_token_whose_check_is_broken_off_is_kept(newcomer: Newcomer) -> None:
    asked, forever = asyncio.Event(), asyncio.Event()

    async def hang(method: str, *_: object) -> None:
        asked.set()
        await forever.wait()

    newcomer.slack.hook = hang
    async with newcomer.at_a_terminal("slack") as session:
        await session.answer(BOT, BOT_TOKEN)
        await asked.wait()
        await session.interrupt("")
        assert await session.ended() == INTERRUPTED
    forever.set()
    assert newcomer.dotenv["SLACK_BOT_TOKEN"] == BOT_TOKEN


async def test_an_indexing_that_was_cut_off_goes_on(newcomer: Newcomer) -> None:
    (newcomer.folder / "citewell.toml").write_text(
        f'[[sources]]\nkind = "folder"\nname = "handbook"\npath = "{newcomer.documents}"\n'
    )
    async with newcomer.at_a_terminal("discord") as session:
        await session.answer(DISCORD, DISCORD_TOKEN)
        await session.until("1 added")
        assert await session.ended() == 0
        assert FOLDER not in session.written


async def test_a_token_that_is_refused_later_is_asked_for_again(newcomer: Newcomer) -> None:
    (newcomer.folder / ".env").write_text(f"SLACK_BOT_TOKEN=xoxb-revoked\nSLACK_APP_TOKEN={APP_TOKEN}\n")
    async with newcomer.at_a_terminal() as session:
        await session.until("invalid_auth")
        await session.answer(BOT, BOT_TOKEN)
        await session.answer(FOLDER, "")
        assert await session.ended() == 0
    assert newcomer.dotenv["SLACK_BOT_TOKEN"] == BOT_TOKEN


async def test_a_token_of_the_environment_is_checked_and_not_asked_for(newcomer: Newcomer) -> None:
    async with newcomer.at_a_terminal(DISCORD_TOKEN="wrong") as session:
        await session.until("correct it there")
        await session.answer(FOLDER, "")
        await session.until("DISCORD_TOKEN is refused")
        assert await session.ended() == 1
    async with newcomer.at_a_terminal(DISCORD_TOKEN=DISCORD_TOKEN) as session:
        await session.answer(FOLDER, "")
        assert await session.ended() == 0


async def test_what_is_left_for_later_is_named(newcomer: Newcomer) -> None:
    async with newcomer.at_a_terminal("slack") as session:
        await session.answer(BOT, BOT_TOKEN)
        await session.answer(APP, "")
        await session.answer(FOLDER, "")
        await session.until("Not ready yet")
        await session.until("SLACK_APP_TOKEN is missing")
        assert await session.ended() == 1


async def test_a_platform_that_cannot_be_reached_costs_no_token(newcomer: Newcomer) -> None:
    async with newcomer.at_a_terminal("slack", SLACK_API_URL="http://127.0.0.1:9/api/") as session:
        await session.answer(BOT, BOT_TOKEN)
        await session.until("got no response")
        await session.answer(APP, APP_TOKEN)
        await session.answer(FOLDER, "")
        await session.until("SLACK_BOT_TOKEN is kept, but not checked")
        assert await session.ended() == 1
    assert newcomer.dotenv["SLACK_BOT_TOKEN"] == BOT_TOKEN


async def test_other_lines_stay_as_they_are(newcomer: Newcomer) -> None:
    lines = "# Ours.\nexport CITEWELL_TOP_K=3 # few\n\nDISCORD_TOKEN= # from Ann\nOTHER='a b'"
    (newcomer.folder / ".env").write_text(lines)
    (newcomer.folder / ".env").chmod(0o644)
    (newcomer.folder / "citewell.toml").write_text("# SetupTarget.\nmax_length = 500 # short\n")
    async with newcomer.at_a_terminal() as session:
        await session.answer(DISCORD, DISCORD_TOKEN)
        await session.answer(FOLDER, "handbook")
        assert await session.ended() == 0
    written = (newcomer.folder / ".env").read_text()
    assert written == lines.replace("DISCORD_TOKEN= #", f"DISCORD_TOKEN={DISCORD_TOKEN} #")
    assert stat.S_IMODE((newcomer.folder / ".env").stat().st_mode) == 0o600
    assert (newcomer.folder / "citewell.toml").read_text().startswith("# SetupTarget.\nmax_length = 500 # short\n")


async def test_with_yes_the_environment_is_checked_and_written(newcomer: Newcomer) -> None:
    tokens = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_APP_TOKEN": APP_TOKEN, "DISCORD_TOKEN": DISCORD_TOKEN}
    said = await newcomer.without_one("--yes", "--folder", "handbook", **tokens)
    assert said.status == 0, said
    assert newcomer.dotenv == tokens
    assert await newcomer.indexed() == 1
    assert not any(token in said.out + said.err for token in tokens.values())
    again = await newcomer.without_one("--yes")
    assert again.status == 0, again


async def test_with_yes_a_refused_token_is_not_written_and_named(newcomer: Newcomer) -> None:
    said = await newcomer.without_one("--yes", DISCORD_TOKEN="wrong")
    assert said.status == 1
    assert "DISCORD_TOKEN is refused" in said.out
    assert not newcomer.dotenv.get("DISCORD_TOKEN")


@pytest.mark.parametrize(
    ("words", "environment", "what"),
    [
        ([], {}, "this is no terminal"),
        ([], {"SLACK_BOT_TOKEN": BOT_TOKEN}, "SLACK_APP_TOKEN is missing"),
        (["discord"], {}, "DISCORD_TOKEN is missing"),
        (["--yes"], {}, "SLACK_BOT_TOKEN and SLACK_APP_TOKEN for Slack or DISCORD_TOKEN for Discord"),
        (["--yes", "slack", "discord"], {}, "SLACK_BOT_TOKEN and SLACK_APP_TOKEN and DISCORD_TOKEN are missing"),
        (["--yes"], {"SLACK_APP_TOKEN": APP_TOKEN}, "SLACK_BOT_TOKEN is missing"),
        ([], {"DISCORD_TOKEN": DISCORD_TOKEN}, "add --yes"),
        (["--yes", "irc"], {}, "slack or discord"),
    ],
)
async def test_what_is_missing_is_named_where_nobody_can_be_asked(
    newcomer: Newcomer, words: list[str], environment: dict[str, str], what: str
) -> None:
    said = await newcomer.without_one(*words, **environment)
    assert said.status == 2
    assert what in said.err
    assert not (newcomer.folder / ".env").exists()


@pytest.mark.parametrize("file", [".env", "citewell.toml"])
async def test_a_file_that_cannot_be_written_is_told_before_anything_is_asked(newcomer: Newcomer, file: str) -> None:
    (newcomer.folder / file).mkdir()
    async with newcomer.at_a_terminal() as session:
        await session.until(f"{file}: cannot be written")
        assert await session.ended() == 2
        assert WHERE not in session.written


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder that nobody may write to")
async def test_a_folder_that_cannot_be_written_is_told_before_anything_is_asked(newcomer: Newcomer) -> None:
    newcomer.folder = Path("/proc/self")
    async with newcomer.at_a_terminal() as session:
        await session.until("cannot be written")
        assert await session.ended() == 2
        assert WHERE not in session.written


async def test_a_data_folder_that_cannot_be_used_is_told_and_the_tokens_are_kept(newcomer: Newcomer) -> None:
    (newcomer.folder / "citewell-data").write_text("no folder")
    said = await newcomer.without_one("--yes", "--folder", "handbook", DISCORD_TOKEN=DISCORD_TOKEN)
    assert said.status == 1
    assert "citewell-data is a file" in said.err
    assert newcomer.dotenv == {"DISCORD_TOKEN": DISCORD_TOKEN}


def test_an_empty_name_in_dotenv_is_a_token_that_is_not_set(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("DISCORD_TOKEN=\n")
    found = Settings(_env_file=tmp_path / ".env")  # type: ignore[call-arg]
    assert found.discord.token == ""
