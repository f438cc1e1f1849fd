"""Citewell in Slack: the port `PlatformAdapter`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable

from adapters.replies.parts import Look
from adapters.slack.around import around
from adapters.slack.connection import Connections, http_mode, socket_mode, until_one_ends
from adapters.slack.gapfill import Gapfill
from adapters.slack.intake import Intake
from adapters.slack.session import Session, enter
from adapters.slack.startup import report, socket_address
from adapters.slack.web import Pace
from pipeline.errors import Misconfigured
from pipeline.ports import Desk, Inbox, Receipt
from pipeline.translations import Words
from pipeline.values import Answer, Around, Event, IncomingMessage, Notice, PlaceId, Readers, Work
from pipeline.values.digest import Digest
from pipeline.values.insights import Insights


class SlackAdapter:
    """One workspace, over signed HTTP when there is a signing secret and over Socket Mode otherwise."""

    name = "slack"

    def __init__(
        self,
        bot_token: str,
        app_token: str | None = None,
        signing_secret: str | None = None,
        *,
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
        """`shared_channels`: answer in Slack Connect channels, from public collections. `say` tells the operator."""
        self._bot_token = bot_token
        self._app_token = app_token
        self._signing_secret = signing_secret
        self._api_url = api_url
        self._address = (host, port)
        self._shared_channels = shared_channels
        self._look = Look(citations=citations, confidence=confidence)
        self._say = say
        self._pace = pace or Pace()
        self._clock = clock
        self._opening = asyncio.Lock()
        self._open: Session | None = None
        self._reached = _never

    async def listen(self, inbox: Inbox, desk: Desk) -> None:
        if not (self._app_token or self._signing_secret):
            raise Misconfigured(
                "SLACK_APP_TOKEN",
                "neither it nor SLACK_SIGNING_SECRET is set",
                what_to_do="Set SLACK_APP_TOKEN (xapp-…, for Socket Mode) or SLACK_SIGNING_SECRET (for HTTP).",
            )
        try:
            await self._listen(inbox, desk)
        finally:
            self._reached = _never

    async def _listen(self, inbox: Inbox, desk: Desk) -> None:
        slack = await self._slack()
        intake = Intake(inbox, desk, slack.me, slack.deliverer)
        gapfill = Gapfill(slack.web, slack.me, inbox, intake, self._clock)
        app = slack.app(intake, inbox, desk, self._signing_secret, self._api_url)
        if self._signing_secret:
            host, port = self._address
            self._introduce(slack, f"HTTP at {host}:{port}")
            self._reached = _always
            try:
                await until_one_ends(http_mode(app, self._signing_secret, host, port), gapfill.keep(_always))
            except OSError as error:
                raise Misconfigured(
                    "CITEWELL_SLACK_PORT", f"cannot listen at {host}:{port}", what_to_do="Choose a free port."
                ) from error
        elif self._app_token:
            first = await socket_address(slack.web.client, self._app_token)
            self._introduce(slack, "Socket Mode")
            connections = Connections()
            self._reached = connections.any
            await until_one_ends(socket_mode(app, self._app_token, first, connections), gapfill.keep(connections.any))

    async def connected(self) -> bool:
        """Whether a connection of Socket Mode is open and answers pings; over HTTP, whether we listen."""
        return await self._reached()

    async def deliver(self, work: Work, events: AsyncIterator[Event], receipt: Receipt) -> None:
        await (await self._slack()).deliverer.deliver(work, events, receipt)

    async def find(self, work: Work) -> str | None:
        return await (await self._slack()).deliverer.find(work)

    async def around(self, message: IncomingMessage) -> Around:
        """What people said around a message in its very thread; nothing where it cannot be read."""
        slack = await self._slack()
        return await around(slack.web, slack.me, message)

    async def readers(self, message: IncomingMessage) -> Readers:
        return await (await self._slack()).audiences.of_message(message)

    async def readers_in(self, place: PlaceId) -> Readers:
        """Everyone who reads a channel."""
        return await (await self._slack()).audiences.of_channel(place.channel)

    async def notify(self, notice: Notice, answer: Answer | None, receipt: Receipt) -> None:
        """Post what the bot says by itself. Raises Unavailable, or Refused when Slack declines."""
        await (await self._slack()).notices.notify(notice, answer, receipt)

    async def find_notice(self, notice: Notice) -> str | None:
        return await (await self._slack()).notices.find_notice(notice)

    async def digest_readers(self, digest: Digest) -> Readers:
        """Everyone who reads the channel, or the person."""
        audiences = (await self._slack()).audiences
        return await (audiences.of_person if digest.personal else audiences.of_channel)(digest.target)

    async def post_digest(self, digest: Digest, seen: Insights, speech: Words, receipt: Receipt) -> None:
        """Post it as one message. Raises Unavailable, or Refused when Slack declines."""
        await (await self._slack()).notices.post_digest(digest, seen, speech, receipt)

    async def find_digest(self, digest: Digest) -> str | None:
        return await (await self._slack()).notices.find_digest(digest)

    async def close(self) -> None:
        """Close the connections to the Web API, once nothing is delivered any more."""
        if self._open:
            await self._open.close()

    async def _slack(self) -> Session:
        """The workspace, found out once. Raises Misconfigured or Unavailable."""
        async with self._opening:
            if self._open is None:
                self._open = await enter(
                    self._bot_token,
                    self._api_url,
                    self._pace,
                    self._look,
                    shared_channels=self._shared_channels,
                )
        return self._open

    def _introduce(self, slack: Session, how: str) -> None:
        for line in report(slack.workspace, how):
            self._say(line)


async def _never() -> bool:
    return False


async def _always() -> bool:
    """Over HTTP nothing tells whether Slack can reach us."""
    return True
