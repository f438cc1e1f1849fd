"""Citewell in Slack: the port `PlatformAdapter`."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable

from adapters.replies.parts import Look
from adapters.slack.around import around
from adapters.slack.connection import Connections, socket_mode, until_one_ends
from adapters.slack.front import Front
from adapters.slack.installing import INSTALL, Installing, OAuthClient
from adapters.slack.requests import events, serve
from adapters.slack.session import Session, Terms
from adapters.slack.startup import socket_address
from adapters.slack.web import Pace
from adapters.slack.workspaces import Connecting, Installed, Only, Workspaces
from pipeline.errors import Misconfigured
from pipeline.ports import Desk, Inbox, Receipt
from pipeline.tenancy import NOBODY, bound
from pipeline.translations import Words
from pipeline.values import Answer, Around, ConversationId, Event, IncomingMessage, Notice, PlaceId, Readers, Work
from pipeline.values.digest import Digest
from pipeline.values.insights import Insights


class SlackAdapter:
    """Over signed HTTP when there is a signing secret, and over Socket Mode otherwise."""

    name = "slack"

    def __init__(
        self,
        bot_token: str = "",
        app_token: str | None = None,
        signing_secret: str | None = None,
        *,
        client: OAuthClient | None = None,
        desk: Desk | None = None,
        api_url: str = "https://slack.com/api/",
        host: str = "127.0.0.1",
        port: int = 3000,
        shared_channels: bool = False,
        citations: bool = True,
        confidence: bool = True,
        say: Callable[[str], None],
        pace: Pace | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """The workspace of `bot_token`, or with `client` all that add the bot by themselves. `shared_channels`: answer
        in Slack Connect channels, from public collections. `say` tells the operator. `desk`: for a process that
        delivers and does not listen."""
        self._app_token = app_token
        self._signing_secret = signing_secret
        self._address = (host, port)
        self._say = say
        terms = Terms(
            api_url=api_url,
            signing_secret=signing_secret,
            look=Look(citations=citations, confidence=confidence),
            pace=pace or Pace(),
            shared_channels=shared_channels,
            clock=clock,
            desk=desk,
        )
        self._connecting = Connecting(terms)
        self._client = client
        self._workspaces: Workspaces
        if client:
            self._workspaces = Installed(terms, self._connecting, client.installations)
        else:
            self._workspaces = Only(terms, self._connecting, bot_token)
        self._reached = _never

    async def listen(self, inbox: Inbox, desk: Desk) -> None:
        if not (self._app_token or self._signing_secret):
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
        host, port = self._address
        routes = Installing(self._client, web).routes if self._client else []
        if self._signing_secret:
            how, self._reached = f"HTTP at {host}:{port}", _always
            parts = [serve([events(front, self._signing_secret), *routes], host, port)]
        else:
            app_token = str(self._app_token)
            first = await socket_address(web, app_token)
            connections = Connections()
            how, self._reached = "Socket Mode", connections.any
            parts = [socket_mode(front, app_token, first, connections)]
            parts += [serve(routes, host, port)] if routes else []
        for line in await self._workspaces.report(how):
            self._say(line)
        if routes:
            self._say(f"Slack: it is added to a workspace at {INSTALL}, served at {host}:{port}.")
        await until_one_ends(*parts, self._workspaces.keep(self._reached))

    def serves(self, space: str) -> bool:
        """Every process speaks with every workspace."""
        return True

    async def connected(self) -> bool:
        """Whether a connection of Socket Mode is open and answers pings; over HTTP, whether we listen."""
        return await self._reached()

    async def deliver(self, work: Work, events: AsyncIterator[Event], receipt: Receipt) -> None:
        await (await self._of(work.message)).deliverer.deliver(work, events, receipt)

    async def stop(self, conversation: ConversationId) -> None:
        slack = await self._workspaces.of(conversation.space)
        slack.deliverer.stop(conversation.channel, conversation.thread)

    async def find(self, work: Work) -> str | None:
        return await (await self._of(work.message)).deliverer.find(work)

    async def around(self, message: IncomingMessage) -> Around:
        """What people said around a message in its very thread; nothing where it cannot be read."""
        slack = await self._of(message)
        return await around(slack.web, slack.me, message)

    async def readers(self, message: IncomingMessage) -> Readers:
        return await (await self._of(message)).audiences.of_message(message)

    async def readers_in(self, place: PlaceId) -> Readers:
        """Everyone who reads a channel."""
        return await (await self._workspaces.of(place.space)).audiences.of_channel(place.channel)

    async def notify(self, notice: Notice, answer: Answer | None, receipt: Receipt) -> None:
        """Post what the bot says by itself. Raises Unavailable, or Refused when Slack declines."""
        await (await self._workspaces.of(notice.space)).notices.notify(notice, answer, receipt)

    async def find_notice(self, notice: Notice) -> str | None:
        return await (await self._workspaces.of(notice.space)).notices.find_notice(notice)

    async def digest_readers(self, digest: Digest) -> Readers:
        """Everyone who reads the channel, or the person."""
        audiences = (await self._workspaces.of(digest.space)).audiences
        return await (audiences.of_person if digest.personal else audiences.of_channel)(digest.target)

    async def post_digest(self, digest: Digest, seen: Insights, speech: Words, receipt: Receipt) -> None:
        """Post it as one message. Raises Unavailable, or Refused when Slack declines."""
        await (await self._workspaces.of(digest.space)).notices.post_digest(digest, seen, speech, receipt)

    async def find_digest(self, digest: Digest) -> str | None:
        return await (await self._workspaces.of(digest.space)).notices.find_digest(digest)

    async def close(self) -> None:
        """Close the connections to the Web API, once nothing is delivered any more."""
        await self._workspaces.close()
        await self._connecting.close()

    async def _of(self, message: IncomingMessage) -> Session:
        return await self._workspaces.of(message.conversation.space)


async def _never() -> bool:
    return False


async def _always() -> bool:
    """Over HTTP nothing tells whether Slack can reach us."""
    return True
