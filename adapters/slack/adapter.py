"""The Slack adapter: the port `PlatformAdapter`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from starlette.routing import BaseRoute

from adapters.chat.adapter import ChatAdapter, ChatApp
from adapters.chat.reply.builder import SHOW_EVERYTHING
from adapters.chat.reply.parts import RenderOptions
from adapters.slack.events.search import search_messages
from adapters.slack.platform import SLACK
from adapters.slack.rendering.render import SlackPost
from adapters.slack.settings import SlackSettings
from adapters.slack.transport.oauth import INSTALL_PATH, OAuthInstaller
from adapters.slack.transport.router import WorkspaceRouter, events_route
from adapters.slack.transport.session import SlackSessionConfig
from adapters.slack.transport.socket_mode import SocketConnections, run_socket_mode, run_until_first_ends
from adapters.slack.transport.startup import fetch_socket_url
from adapters.slack.transport.workspaces import MultiWorkspace, SingleWorkspace, WebClientFactory, WorkspaceSessions
from adapters.slack.web_client import SlackClientTimings
from pipeline.errors import Misconfigured
from pipeline.ports import (
    BotServices,
    HttpServers,
    Inbox,
    InstallationStore,
    SupportsEphemeral,
    SupportsSearch,
    SupportsStop,
)
from pipeline.rules.tenancy import NO_WORKSPACE, workspace_scope
from pipeline.values import Answer, ChannelMessage, ConversationId, IncomingMessage

MAX_EVENT_BYTES = 4 << 20
"""Bytes of the longest event accepted over HTTP."""


class SlackAdapter(ChatAdapter[SlackPost], SupportsEphemeral, SupportsStop, SupportsSearch):
    """Citewell in Slack: over signed HTTP where there is a signing secret, otherwise over Socket Mode."""

    name = SLACK.name

    def __init__(
        self,
        settings: SlackSettings,
        *,
        installations: InstallationStore | None = None,
        services: BotServices | None = None,
        http_servers: HttpServers | None = None,
        render_options: RenderOptions = SHOW_EVERYTHING,
        echo: Callable[[str], None],
        timings: SlackClientTimings | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Create the adapter for the workspace of the bot token, or with `installations` for all that install the app.
        `echo` prints a line for the operator. `services`: those of a process that delivers without listening."""
        self._settings = settings
        self._installations = installations
        self._http_servers = http_servers
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        self._address = f"{host}:{settings.port}"
        self._echo = echo
        terms = SlackSessionConfig(settings, render_options, timings or SlackClientTimings(), clock, services)
        self._client_factory = WebClientFactory(terms)
        self._workspaces: WorkspaceSessions
        if installations:
            self._workspaces = MultiWorkspace(terms, self._client_factory, installations)
        else:
            self._workspaces = SingleWorkspace(terms, self._client_factory)
        self._is_reachable = _never

    async def listen(self, inbox: Inbox, services: BotServices) -> None:
        if not (self._settings.app_token or self._settings.signing_secret):
            raise Misconfigured(
                "SLACK_APP_TOKEN",
                "neither it nor SLACK_SIGNING_SECRET is set",
                what_to_do="Set SLACK_APP_TOKEN (xapp-…, for Socket Mode) or SLACK_SIGNING_SECRET (for HTTP).",
            )
        try:
            with workspace_scope(NO_WORKSPACE):
                await self._listen(inbox, services)
        finally:
            self._is_reachable = _never

    async def _listen(self, inbox: Inbox, services: BotServices) -> None:
        await self._workspaces.listen(inbox, services)
        web = self._client_factory.client()
        front = WorkspaceRouter(self._workspaces, web)
        installations = self._installations
        routes = OAuthInstaller(self._settings, installations, web).routes if installations else []
        if self._settings.signing_secret:
            connection, self._is_reachable = f"HTTP at {self._address}", _always
            tasks = [self._serve([events_route(front, self._settings.signing_secret), *routes])]
        else:
            app_token = self._settings.app_token
            first = await fetch_socket_url(web, app_token)
            connections = SocketConnections()
            connection, self._is_reachable = "Socket Mode", connections.has_open
            tasks = [run_socket_mode(front, app_token, first, connections)]
            tasks += [self._serve(routes)] if routes else []
        for line in await self._workspaces.startup_lines(connection):
            self._echo(line)
        if routes:
            self._echo(f"Slack: it is added to a workspace at {INSTALL_PATH}, served at {self._address}.")
        await run_until_first_ends(*tasks, self._workspaces.run_catch_up(self._is_reachable))

    async def _serve(self, routes: Sequence[BaseRoute]) -> None:
        """Serve the routes until cancelled. Raises Misconfigured where the address is not available."""
        if self._http_servers is None:
            raise Misconfigured("CITEWELL_SLACK_PORT", "this process does not listen", what_to_do="Use Socket Mode.")
        async with self._http_servers.serve(
            self._address, routes, setting="CITEWELL_SLACK_PORT", body_bytes=MAX_EVENT_BYTES
        ):
            await asyncio.Event().wait()

    def can_serve(self, space: str) -> bool:
        """Return True: every process serves every workspace."""
        return True

    async def is_connected(self) -> bool:
        """Return True if a Socket Mode connection is open and answers pings; over HTTP, while listening."""
        return await self._is_reachable()

    @asynccontextmanager
    async def connect(self, space: str) -> AsyncIterator[ChatApp[SlackPost]]:
        yield (await self._workspaces.session(space)).chat

    async def post_ephemeral(self, message: IncomingMessage, answer: Answer) -> None:
        async with self.connect(message.conversation.space) as chat:
            await chat.deliverer.post_ephemeral(message, answer)

    async def stop(self, conversation: ConversationId) -> None:
        async with self.connect(conversation.space) as chat:
            chat.deliverer.stop(conversation)

    async def search(self, message: IncomingMessage, question: str) -> tuple[ChannelMessage, ...]:
        slack = await self._workspaces.session(message.conversation.space)
        return await search_messages(slack.web, slack.channel_messages, message, question)

    async def close(self) -> None:
        """Close the connections to the Web API, once nothing is delivered any more."""
        await self._workspaces.close()
        await self._client_factory.close()


async def _never() -> bool:
    return False


async def _always() -> bool:
    """Return True: over HTTP nothing tells whether Slack can reach us."""
    return True
