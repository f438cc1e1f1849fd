"""A Citewell that two Slack workspaces add by themselves, with documents of each, over the loopback Slack."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
from cryptography.fernet import Fernet

from adapters.http.servers import UvicornServers
from bot.citewell import Citewell
from bot.config.settings import Settings
from bot.config.tables import CollectionSettings, RoleSettings
from bot.platforms import make_adapters
from bot.run.worker import Worker
from bot.wiring import open_citewell
from pipeline.ports import PlatformAdapter
from tests.contracts.slack_driver import MANIFEST, granted, takes_connections
from tests.contracts.waiting import eventually, until
from tests.doubles.ports import free_port
from tests.doubles.slack.people import People
from tests.doubles.slack.server import CLIENT_ID, CLIENT_SECRET, SECRET, SlackServer
from tests.doubles.slack.workspace import Message, Workspace

KEY = Fernet.generate_key().decode()
ACME, BETA = "T0TEAM", "T0BETA"
LEAVE = "# Leave of {name}\n\nEmployees of {name} get {days} vacation days a year.\n"
EVENTS = MANIFEST["settings"]["event_subscriptions"]["bot_events"]


@dataclass
class Team:
    """One workspace and its people."""

    people: People

    @property
    def workspace(self) -> Workspace:
        return self.people.workspace

    async def ask(self, text: str, *, channel: str = "C0TEAM", user: str = "U0ANN") -> Message:
        """Mention the bot, or write to it alone."""
        if channel.startswith("D"):
            return await self.people.say(user, self.workspace.dm(user).id, text)
        return await self.people.mention(user, channel, text)

    async def answer(self, question: Message) -> str:
        await until(lambda: self.workspace.replies(question) and not self.workspace.replies(question)[-1].streaming)
        return self.workspace.replies(question)[-1].shown

    async def answered(self, text: str, **how: str) -> str:
        return await self.answer(await self.ask(text, **how))


@dataclass
class House:
    """The bot and whoever has it."""

    slack: SlackServer
    citewell: Citewell
    adapter: PlatformAdapter
    address: str
    said: list[str]
    acme: Team
    beta: Team

    async def add(self, team: Team, *, org_wide: bool = False) -> str:
        """Somebody adds the bot to a workspace, in a browser; the page that they end at."""
        link, cookie, _ = await self.invited()
        self.slack.org_wide = org_wide
        return (await self.back(self.slack.allow(link, team.workspace), cookie))[1]

    async def invited(self) -> tuple[str, str, str]:
        """The link and the cookie that the install page gives, and the page."""
        async with aiohttp.ClientSession() as browser, browser.get(f"{self.address}/slack/install") as response:
            page = await response.text()
            assert response.status == 200, page
            link = re.search(r'<a href="([^"]+)"', page)
            assert link
            return html.unescape(link[1]), response.headers["Set-Cookie"].partition(";")[0], page

    async def back(self, brought: dict[str, str], cookie: str) -> tuple[int, str]:
        """Slack sends the browser back; the status and the page."""
        async with (
            aiohttp.ClientSession(headers={"Cookie": cookie}) as browser,
            browser.get(f"{self.address}/slack/oauth_redirect", params=brought) as response,
        ):
            return response.status, await response.text()


@asynccontextmanager
async def house(folder: Path, *, http: bool = True, **more: Any) -> AsyncIterator[House]:
    """Nobody has added it yet."""
    async with SlackServer(granted()) as slack, opened(folder, slack, http=http, **more) as home:
        yield home


@asynccontextmanager
async def opened(
    folder: Path, slack: SlackServer, *, http: bool = True, home_workspaces: Sequence[str] = (), **more: object
) -> AsyncIterator[House]:
    port = free_port()
    settings = Settings.model_validate(
        {
            "data": folder / "data",
            "model": "extractive",
            "embedder": "none",
            "encryption_keys": KEY,
            "slack": {
                "client_id": CLIENT_ID,
                "client_secret": CLIENT_SECRET,
                "api_url": slack.api_url,
                "port": port,
                "home_workspaces": home_workspaces,
                **({"signing_secret": SECRET} if http else {"app_token": slack.app_token}),
            },
            "collections": {
                "acme": CollectionSettings(only=(f"slack:{ACME}",)),
                "beta": CollectionSettings(only=(f"slack:{BETA}",)),
            },
            "roles": RoleSettings(admin=(f"slack:{ACME}:U0ANN", f"slack:{BETA}:U0BEA")),
            **more,
        }
    )
    said: list[str] = []
    async with open_citewell(settings, exclusive=True) as citewell:
        await _indexed(citewell, folder)
        (adapter,) = make_adapters(settings, citewell, UvicornServers(), said.append).values()
        worker = Worker(
            citewell.storage.inbox,
            citewell.responder,
            {"slack": adapter},
            citewell.request,
            citewell.services.choose_options,
            visible_answer=citewell.services.visible_answer,
            concurrency=4,
        )
        citewell.storage.inbox.on_accept(worker.notify)
        tasks = [
            asyncio.create_task(worker.run()),
            asyncio.create_task(adapter.listen(citewell.storage.inbox, citewell.services)),
        ]
        url = f"http://127.0.0.1:{port}/slack/events" if http else ""
        beta = Workspace(BETA, "U0BETABOT", "Beta")
        teams = [Team(People(slack, EVENTS, url, workspace)) for workspace in (slack.workspace, beta)]
        for team in teams:
            team.workspace.add("C0TEAM")
        try:
            await eventually(lambda: _listening(port, tasks[1]))
            yield House(slack, citewell, adapter, f"http://127.0.0.1:{port}", said, *teams)
        finally:
            for task in tasks:
                task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(*tasks)
            await adapter.close()


async def _listening(port: int, listen: asyncio.Task[None]) -> bool:
    """Raises what ended the listening."""
    if listen.done():
        listen.result()
    return await takes_connections(port)


async def _indexed(citewell: Citewell, folder: Path) -> None:
    for name, days in (("acme", 25), ("beta", 31), ("internal", 99)):
        file = folder / f"{name}.md"
        file.write_text(LEAVE.format(name=name.title(), days=days))
        await citewell.index([file], collection=name)
