"""What there is once the workspace is known, and what Bolt hands on to it."""

from __future__ import annotations

import asyncio
import logging
import re
from functools import partial

import aiohttp
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from adapters.conversation.knowledge import addable
from adapters.replies.parts import Look
from adapters.slack import adding
from adapters.slack.account import Homepage
from adapters.slack.actors import Actors
from adapters.slack.audience import Audiences
from adapters.slack.deliver import Deliverer
from adapters.slack.ephemeral import Context
from adapters.slack.files import Files
from adapters.slack.intake import Intake
from adapters.slack.interactions import Interactions
from adapters.slack.knowledge import Knowledge
from adapters.slack.members import Members
from adapters.slack.notices import Notices
from adapters.slack.setup import Setup
from adapters.slack.sharing import Sharing
from adapters.slack.startup import Workspace, introduce
from adapters.slack.web import SDK_LOG, Pace, Web
from pipeline.ports import Desk, Inbox
from pipeline.values import IncomingMessage


class Session:
    """Closed by `close`, once nothing is delivered any more."""

    def __init__(
        self, http: aiohttp.ClientSession, web: Web, workspace: Workspace, look: Look, *, shared_channels: bool
    ) -> None:
        self._http = http
        self._look = look
        self._shared_channels = shared_channels
        self._desk: Desk | None = None
        self.web = web
        self.workspace = workspace
        self.me = workspace.me
        self.members = Members(web, self.me.team)
        self._keeping = asyncio.create_task(self.members.keep())
        self.audiences = Audiences(web, self.me, self.members)
        self.actors = Actors(web, self.me)
        self.notices = Notices(web, self.me, self.audiences, shared_channels=shared_channels)
        self.deliverer = Deliverer(
            web, self.me, look, self._offer, self.audiences.shared, shared_channels=shared_channels
        )

    def app(self, intake: Intake, inbox: Inbox, desk: Desk, secret: str | None, api_url: str) -> AsyncApp:
        """What takes in all that Slack sends; signed with `secret` where it comes over HTTP."""
        self._desk = desk
        SDK_LOG.setLevel(logging.ERROR)  # else Bolt warns that our client goes before the token of the environment
        app = AsyncApp(
            client=self.web.client,
            signing_secret=secret or "not used in Socket Mode",
            before_authorize=intake.receive,
            attaching_conversation_kwargs_enabled=False,
            logger=SDK_LOG,
            name="citewell",
        )
        SDK_LOG.setLevel(logging.WARNING)
        context = Context(self.web, self.me, self.audiences, self.actors, desk)
        shared = self._shared_channels
        sharing = Sharing(self.web, self.me, self._look, self.audiences, inbox, desk, shared_channels=shared)
        setup = Setup(context)
        Interactions(context, self._look, sharing, inbox).register(app)
        Knowledge(context, Files(self.web, self.web.client.token or "", api_url)).register(app)
        setup.register(app)
        Homepage(context, setup).register(app)
        app.event("member_joined_channel")(self.members.joined)
        app.event(re.compile(""))(_leave_alone)
        return app

    async def close(self) -> None:
        self._keeping.cancel()
        await asyncio.wait({self._keeping})
        await self._http.close()

    async def _offer(self, message: IncomingMessage) -> str:
        """What the button carries that adds the files of a direct message; nothing where its author may not."""
        author = partial(self.actors.of, {"id": message.asker.user})
        return adding.offered(message) if self._desk and await addable(self._desk, message, author) else ""


async def enter(token: str, api_url: str, pace: Pace, look: Look, *, shared_channels: bool) -> Session:
    """Find out whose token it is. Raises Misconfigured or Unavailable."""
    http = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=pace.timeout))
    client = AsyncWebClient(token=token, base_url=api_url, session=http, retry_handlers=[], logger=SDK_LOG)
    SDK_LOG.setLevel(logging.WARNING)
    web = Web(client, pace)
    try:
        workspace = await introduce(web)
    except BaseException:
        await http.close()
        raise
    return Session(http, web, workspace, look, shared_channels=shared_channels)


async def _leave_alone() -> None:
    """An event that nothing here is about, such as `file_shared`: acknowledged, or Slack sends it again."""
