"""Citewell in Slack: the port `PlatformAdapter`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from starlette.routing import BaseRoute

from adapters.chat.adapter import Chat, ChatAdapter
from adapters.chat.reply.answer import EVERYTHING
from adapters.chat.reply.parts import Look
from adapters.slack.events.search import search
from adapters.slack.parts.render import Post
from adapters.slack.platform import SLACK
from adapters.slack.settings import SlackSettings
from adapters.slack.transport.connection import Connections, socket_mode, until_one_ends
from adapters.slack.transport.front import Front, events
from adapters.slack.transport.installing import INSTALL, Installing
from adapters.slack.transport.session import Terms
from adapters.slack.transport.startup import socket_address
from adapters.slack.transport.workspaces import Connecting, Installed, Only, Workspaces
from adapters.slack.web import SlackPace
from pipeline.errors import Misconfigured
from pipeline.ports import Desk, Doors, Inbox, Installations, Searches, Stoppable, Whispers
from pipeline.rules.tenancy import NOBODY, bound
from pipeline.values import Answer, ConversationId, IncomingMessage, Said

EVENT_BYTES = 4 << 20
"""The longest event of Slack's that is taken over HTTP."""


class SlackAdapter(ChatAdapter[Post], Whispers, Stoppable, Searches):
    """Over signed HTTP when there is a signing secret, and over Socket Mode otherwise."""

    name = SLACK.name

    def __init__(
        self,
        settings: SlackSettings,
        *,
        installations: Installations | None = None,
        desk: Desk | None = None,
        doors: Doors | None = None,
        look: Look = EVERYTHING,
        say: Callable[[str], None],
        pace: SlackPace | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """The workspace of the bot token, or with `installations` all that add the bot by themselves. `say` tells the
        operator. `desk`: for a process that delivers and does not listen."""
        self._settings = settings
        self._installations = installations
        self._doors = doors
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        self._address = f"{host}:{settings.port}"
        self._say = say
        terms = Terms(settings, look, pace or SlackPace(), clock, desk)
        self._connecting = Connecting(terms)
        self._workspaces: Workspaces
        if installations:
            self._workspaces = Installed(terms, self._connecting, installations)
        else:
            self._workspaces = Only(terms, self._connecting)
        self._reached = _never

    async def listen(self, inbox: Inbox, desk: Desk) -> None:
        if not (self._settings.app_token or self._settings.signing_secret):
            raise Misconfigured(
                "SLACK_APP_TOKEN",
                "neither it nor SLACK_SIGNING_SECRET is set",
                what_to_do="Set SLACK_APP_TOKEN (xapp-…, for Socket Mode) or SLACK_SIGNING_SECRET (for HTTP).",
            )
        try:
            with bound(NOBODY):
                await self._listen(inbox, desk)
        finally:
            self._reached = _never

    async def _listen(self, inbox: Inbox, desk: Desk) -> None:
        await self._workspaces.listen(inbox, desk)
        web = self._connecting.client()
        front = Front(self._workspaces, web)
        kept = self._installations
        routes = Installing(self._settings, kept, web).routes if kept else []
        if self._settings.signing_secret:
            how, self._reached = f"HTTP at {self._address}", _always
            parts = [self._serve([events(front, self._settings.signing_secret), *routes])]
        else:
            app_token = self._settings.app_token
            first = await socket_address(web, app_token)
            connections = Connections()
            how, self._reached = "Socket Mode", connections.any
            parts = [socket_mode(front, app_token, first, connections)]
            parts += [self._serve(routes)] if routes else []
        for line in await self._workspaces.report(how):
            self._say(line)
        if routes:
            self._say(f"Slack: it is added to a workspace at {INSTALL}, served at {self._address}.")
        await until_one_ends(*parts, self._workspaces.keep(self._reached))

    async def _serve(self, routes: Sequence[BaseRoute]) -> None:
        """Raises Misconfigured where we cannot listen."""
        if self._doors is None:
            raise Misconfigured("CITEWELL_SLACK_PORT", "this process does not listen", what_to_do="Use Socket Mode.")
        async with self._doors.serving(self._address, routes, setting="CITEWELL_SLACK_PORT", body_bytes=EVENT_BYTES):
            await asyncio.Event().wait()

    def serves(self, space: str) -> bool:
        """Every process speaks with every workspace."""
        return True

    async def connected(self) -> bool:
        """Whether a connection of Socket Mode is open and answers pings; over HTTP, whether we listen."""
        return await self._reached()

    @asynccontextmanager
    async def chat(self, space: str) -> AsyncIterator[Chat[Post]]:
        yield (await self._workspaces.of(space)).chat

    async def whisper(self, message: IncomingMessage, answer: Answer) -> None:
        async with self.chat(message.conversation.space) as chat:
            await chat.deliverer.whisper(message, answer)

    async def stop(self, conversation: ConversationId) -> None:
        async with self.chat(conversation.space) as chat:
            chat.deliverer.stop(conversation)

    async def search(self, message: IncomingMessage, question: str) -> tuple[Said, ...]:
        slack = await self._workspaces.of(message.conversation.space)
        return await search(slack.web, slack.talk, message, question)

    async def close(self) -> None:
        """Close the connections to the Web API, once nothing is delivered any more."""
        await self._workspaces.close()
        await self._connecting.close()


async def _never() -> bool:
    return False


async def _always() -> bool:
    """Over HTTP nothing tells whether Slack can reach us."""
    return True
