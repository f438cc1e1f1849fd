"""The workspaces that the bot is in: a `SlackSession` for each, with that workspace's own token."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple, Protocol

import aiohttp
import structlog
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.events.incoming import SlackBot
from adapters.slack.transport.session import SlackSession, SlackSessionConfig
from adapters.slack.transport.startup import SlackWorkspace, fetch_workspace, is_token_revoked, startup_lines
from adapters.slack.web_client import SlackWebClient, web_client_builder
from pipeline.errors import Refused
from pipeline.ports import BotServices, Inbox, InstallationStore
from pipeline.values import PlaceId
from pipeline.values.platform import Installation

WORKSPACES_REFRESH_SECONDS = 60.0
"""Seconds between two lookups of the workspaces: another process may have been told of new ones."""

log = structlog.get_logger(__name__)


class NotInstalled(Refused):
    """Raised where the workspace has not installed the bot, or has removed it."""


class WorkspaceSessions(Protocol):
    async def session(self, team: str) -> SlackSession:
        """Return the session of a workspace. Raises NotInstalled, Misconfigured or Unavailable."""
        ...

    async def listen(self, inbox: Inbox, services: BotServices) -> None:
        """Let sessions handle Slack's requests from now on. Raises the errors of `session`."""
        ...

    async def startup_lines(self, connection: str) -> list[str]:
        """Return the lines that are printed for the operator at start-up."""
        ...

    async def run_catch_up(self, reachable: Callable[[], Awaitable[bool]]) -> None:
        """Read what was missed, after a start and after each outage, until cancelled."""
        ...

    async def remove_workspace(self, team: str, at: datetime) -> None:
        """Handle that the workspace removed the bot, or revoked its token. Raises Unavailable."""
        ...

    async def close(self) -> None: ...


class WebClientFactory:
    """Factory of Web API clients that share their connections."""

    def __init__(self, config: SlackSessionConfig) -> None:
        self._config = config
        self._http: aiohttp.ClientSession | None = None

    def client(self, token: str | None = None) -> AsyncWebClient:
        if self._http is None:
            self._http = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=self._config.timings.timeout))
        return web_client_builder(self._config.settings.api_url, self._http)(token)

    def web(self, token: str) -> SlackWebClient:
        return SlackWebClient(self.client(token), self._config.timings)

    async def close(self) -> None:
        if self._http:
            await self._http.close()
            self._http = None


class SingleWorkspace:
    """The workspace of one token; Slack is asked once which one it is."""

    def __init__(self, config: SlackSessionConfig, client_factory: WebClientFactory) -> None:
        self._config = config
        self._client_factory = client_factory
        self._opening = asyncio.Lock()
        self._open: SlackSession | None = None

    async def session(self, team: str) -> SlackSession:
        async with self._opening:
            if self._open is None:
                web = self._client_factory.web(self._config.settings.bot_token)
                self._open = SlackSession(web, await fetch_workspace(web), self._config)
                self._open.members.start_prefetch()
        return self._open

    async def listen(self, inbox: Inbox, services: BotServices) -> None:
        (await self.session("")).listen(inbox, services)

    async def startup_lines(self, connection: str) -> list[str]:
        return startup_lines((await self.session("")).workspace, connection)

    async def run_catch_up(self, reachable: Callable[[], Awaitable[bool]]) -> None:
        await (await self.session("")).catch_up.run(reachable)

    async def remove_workspace(self, team: str, at: datetime) -> None:
        """Keep all data: the operator made the app, and may install it again."""

    async def close(self) -> None:
        if self._open:
            await self._open.close()


class _OpenWorkspace(NamedTuple):
    installation: Installation
    session: SlackSession


class MultiWorkspace:
    """The workspaces that installed the app. The store is read each time: another process may have changed it."""

    def __init__(
        self, config: SlackSessionConfig, client_factory: WebClientFactory, installations: InstallationStore
    ) -> None:
        self._config = config
        self._client_factory = client_factory
        self._installations = installations
        self._open: dict[str, _OpenWorkspace] = {}
        self._listening: tuple[Inbox, BotServices] | None = None

    async def session(self, team: str) -> SlackSession:
        place = PlaceId(platform="slack", space=team)
        installation = await self._installations.get(place) if team else None
        opened = self._open.get(team)
        if opened and opened.installation == installation:
            return opened.session
        if opened:
            del self._open[team]
            await opened.session.close()
        if installation is None:
            raise NotInstalled(f"the bot is not installed in {place}")
        if team not in self._open:
            self._open[team] = _OpenWorkspace(installation, self._session(installation))
        return self._open[team].session

    async def listen(self, inbox: Inbox, services: BotServices) -> None:
        await self._installations.reencrypt()
        self._listening = inbox, services
        for opened in self._open.values():
            opened.session.listen(inbox, services)

    async def startup_lines(self, connection: str) -> list[str]:
        workspaces = [
            f"{installation.name} ({installation.space.space})" for installation in await self._installations.all()
        ]
        summary = f"in {', '.join(workspaces)}" if workspaces else "in no workspace yet"
        return [f"Slack: I am {summary}, connected by {connection}."]

    async def run_catch_up(self, reachable: Callable[[], Awaitable[bool]]) -> None:
        tasks: dict[str, asyncio.Task[None]] = {}
        try:
            while True:
                teams = {installation.space.space for installation in await self._installations.all()}
                for team in tasks.keys() - teams:
                    tasks.pop(team).cancel()
                for team in (teams | self._open.keys()) - tasks.keys():
                    with suppress(NotInstalled):
                        tasks[team] = asyncio.create_task((await self.session(team)).catch_up.run(reachable))
                if not tasks:
                    await asyncio.sleep(WORKSPACES_REFRESH_SECONDS)
                    continue
                done, _ = await asyncio.wait(
                    tasks.values(), timeout=WORKSPACES_REFRESH_SECONDS, return_when=asyncio.FIRST_COMPLETED
                )
                for task in done:
                    task.result()
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)

    async def remove_workspace(self, team: str, at: datetime) -> None:
        """Erase all data of the workspace, unless it installed the app again since."""
        place = PlaceId(platform="slack", space=team)
        installation = await self._installations.get(place) if team else None
        if installation is None or self._listening is None:
            return
        if at < installation.at and not await is_token_revoked(self._client_factory.web(installation.token)):
            log.info("slack_workspace_kept", space=str(place))
            return
        await self._listening[0].erase_space(place)
        log.info("slack_workspace_left", space=str(place))
        if opened := self._open.pop(team, None):
            await opened.session.close()

    async def close(self) -> None:
        for opened in self._open.values():
            await opened.session.close()

    def _session(self, installation: Installation) -> SlackSession:
        me = SlackBot(team=installation.space.space, user=installation.user, bot=installation.bot)
        workspace = SlackWorkspace(me=me, name="", team_name=installation.name, scopes=installation.scopes)
        session = SlackSession(self._client_factory.web(installation.token), workspace, self._config)
        if self._listening:
            session.listen(*self._listening)
        return session
