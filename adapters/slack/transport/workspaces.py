"""The workspaces that the bot is in: one `SlackSession` for each, with that workspace's token and nobody else's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple, Protocol

import aiohttp
import structlog
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.events.incoming import Me
from adapters.slack.transport.session import SlackSession, Terms
from adapters.slack.transport.startup import Workspace, introduce, is_dead, report
from adapters.slack.web import Web, clients
from pipeline.errors import Refused
from pipeline.ports import Desk, Inbox, Installations
from pipeline.values import PlaceId
from pipeline.values.platform import Installation

NEWS = 60.0
"""Seconds between looks at which workspaces there are, for those that another process was told of."""

log = structlog.get_logger(__name__)


class NotInstalled(Refused):
    """The workspace has not added the bot, or has removed it."""


class Workspaces(Protocol):
    async def of(self, team: str) -> SlackSession:
        """Raises NotInstalled, Misconfigured or Unavailable."""
        ...

    async def listen(self, inbox: Inbox, desk: Desk) -> None:
        """From now on sessions take in what Slack sends. Raises as `of`."""
        ...

    async def report(self, how: str) -> list[str]:
        """What the operator is told at start-up, one line each."""
        ...

    async def keep(self, reachable: Callable[[], Awaitable[bool]]) -> None:
        """Read what was missed, after a start and after each outage, until cancelled."""
        ...

    async def left(self, team: str, at: datetime) -> None:
        """The workspace removed the bot, or took back its token. Raises Unavailable."""
        ...

    async def close(self) -> None: ...


class Connecting:
    """Clients of the Web API that share their connections."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._http: aiohttp.ClientSession | None = None

    def client(self, token: str | None = None) -> AsyncWebClient:
        if self._http is None:
            self._http = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=self._terms.pace.timeout))
        return clients(self._terms.settings.api_url, self._http)(token)

    def web(self, token: str) -> Web:
        return Web(self.client(token), self._terms.pace)

    async def close(self) -> None:
        if self._http:
            await self._http.close()
            self._http = None


class Only:
    """The workspace of one token, whichever it is: found out once."""

    def __init__(self, terms: Terms, connecting: Connecting) -> None:
        self._terms = terms
        self._connecting = connecting
        self._opening = asyncio.Lock()
        self._open: SlackSession | None = None

    async def of(self, team: str) -> SlackSession:
        async with self._opening:
            if self._open is None:
                web = self._connecting.web(self._terms.settings.bot_token)
                self._open = SlackSession(web, await introduce(web), self._terms)
                self._open.members.read_ahead()
        return self._open

    async def listen(self, inbox: Inbox, desk: Desk) -> None:
        (await self.of("")).listen(inbox, desk)

    async def report(self, how: str) -> list[str]:
        return report((await self.of("")).workspace, how)

    async def keep(self, reachable: Callable[[], Awaitable[bool]]) -> None:
        await (await self.of("")).catch_up.keep(reachable)

    async def left(self, team: str, at: datetime) -> None:
        """What is kept stays: whoever runs the bot made the app, and may install it again."""

    async def close(self) -> None:
        if self._open:
            await self._open.close()


class _Open(NamedTuple):
    installation: Installation
    session: SlackSession


class Installed:
    """Those that added the bot by themselves. The store is asked each time: another process may know better."""

    def __init__(self, terms: Terms, connecting: Connecting, installations: Installations) -> None:
        self._terms = terms
        self._connecting = connecting
        self._installations = installations
        self._open: dict[str, _Open] = {}
        self._listening: tuple[Inbox, Desk] | None = None

    async def of(self, team: str) -> SlackSession:
        place = PlaceId(platform="slack", space=team)
        installation = await self._installations.of(place) if team else None
        known = self._open.get(team)
        if known and known.installation == installation:
            return known.session
        if known:
            del self._open[team]
            await known.session.close()
        if installation is None:
            raise NotInstalled(f"the bot is not installed in {place}")
        if team not in self._open:
            self._open[team] = _Open(installation, self._session(installation))
        return self._open[team].session

    async def listen(self, inbox: Inbox, desk: Desk) -> None:
        await self._installations.renew()
        self._listening = inbox, desk
        for one in self._open.values():
            one.session.listen(inbox, desk)

    async def report(self, how: str) -> list[str]:
        there = [f"{one.name} ({one.space.space})" for one in await self._installations.all()]
        where = f"in {', '.join(there)}" if there else "in no workspace yet"
        return [f"Slack: I am {where}, connected by {how}."]

    async def keep(self, reachable: Callable[[], Awaitable[bool]]) -> None:
        filling: dict[str, asyncio.Task[None]] = {}
        try:
            while True:
                there = {one.space.space for one in await self._installations.all()}
                for team in filling.keys() - there:
                    filling.pop(team).cancel()
                for team in (there | self._open.keys()) - filling.keys():
                    with suppress(NotInstalled):
                        filling[team] = asyncio.create_task((await self.of(team)).catch_up.keep(reachable))
                if not filling:
                    await asyncio.sleep(NEWS)
                    continue
                done, _ = await asyncio.wait(filling.values(), timeout=NEWS, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
        finally:
            for task in filling.values():
                task.cancel()
            await asyncio.gather(*filling.values(), return_exceptions=True)

    async def left(self, team: str, at: datetime) -> None:
        """Erase all that is kept of the workspace, unless it added the bot again since."""
        place = PlaceId(platform="slack", space=team)
        installation = await self._installations.of(place) if team else None
        if installation is None or self._listening is None:
            return
        if at < installation.at and not await is_dead(self._connecting.web(installation.token)):
            log.info("slack_workspace_still_there", space=str(place))
            return
        await self._listening[0].leave(place)
        log.info("slack_workspace_left", space=str(place))
        if known := self._open.pop(team, None):
            await known.session.close()

    async def close(self) -> None:
        for one in self._open.values():
            await one.session.close()

    def _session(self, installation: Installation) -> SlackSession:
        me = Me(team=installation.space.space, user=installation.user, bot=installation.bot)
        known = Workspace(me=me, name="", team_name=installation.name, scopes=installation.scopes)
        session = SlackSession(self._connecting.web(installation.token), known, self._terms)
        if self._listening:
            session.listen(*self._listening)
        return session
