"""The web page as a platform: the port `PlatformAdapter`. A post is what the database keeps, and pages show that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

from starlette.routing import BaseRoute

from adapters.http.hosts import LocalOperator, guard_routes
from adapters.web import loopback, pages
from adapters.web.admin import routes as admin
from adapters.web.ask import routes as ask
from adapters.web.ask.live_drafts import LiveDrafts
from adapters.web.context import WebContext
from adapters.web.platform import WEB
from adapters.web.signin import routes as signin
from adapters.web.signin.flow import SignInFlow
from adapters.web.source import routes as source
from pipeline.ports import BotServices, HttpServers, Inbox, PostRecorder, ReplyStream
from pipeline.translations import Translator
from pipeline.values import (
    ConversationId,
    IncomingMessage,
    LeasedMessage,
    PersonId,
    PlaceId,
    Readers,
)
from pipeline.values.posting import Announcement


class WebAdapter:
    """The page, the API and MCP at one address of this process."""

    name = WEB.name

    def __init__(
        self,
        address: str,
        servers: HttpServers,
        context: WebContext,
        echo: Callable[[str], None],
        program_routes: Callable[[], AbstractAsyncContextManager[Sequence[BaseRoute]]],
        sign_in: SignInFlow | LocalOperator | None = None,
        url: str = "",
    ) -> None:
        """`echo` prints a line for the operator; `program_routes` opens the routes of the API and MCP; `sign_in` is the
        flow by which people sign in, or the machine, whose operator opens the page by a link; `url` is the address that
        people open."""
        self._address = address
        self._servers = servers
        self._context = context
        self._echo = echo
        self._program_routes = program_routes
        self._flow = sign_in if isinstance(sign_in, SignInFlow) else None
        self._machine = sign_in if isinstance(sign_in, LocalOperator) else None
        self._url = url
        self._drafts = LiveDrafts()
        self._open = False

    def routes(self, inbox: Inbox, programs: Sequence[BaseRoute] = ()) -> Sequence[BaseRoute]:
        """Return every route of this address, those of `programs` among them."""
        entry_routes = loopback.routes(self._machine) if self._machine else signin.routes(self._context, self._flow)
        routes = [
            pages.asset_route(),
            *source.routes(self._context),
            *entry_routes,
            *admin.routes(self._context),
            *ask.routes(self._context, inbox, self._drafts),
            *programs,
        ]
        return guard_routes(routes, self._machine.refusal_reason) if self._machine else routes

    async def listen(self, inbox: Inbox, services: BotServices) -> None:
        try:
            async with (
                self._program_routes() as programs,
                self._servers.serve(self._address, self.routes(inbox, programs), setting=WEB.setting),
            ):
                self._open = True
                self._echo(f"Page: {loopback.operator_link(self._url, self._machine) if self._machine else self._url}")
                await asyncio.Event().wait()
        finally:
            self._open = False

    def can_serve(self, space: str) -> bool:
        """Return True: every process answers everyone."""
        return True

    async def is_connected(self) -> bool:
        return self._open

    async def post(self, outgoing: ReplyStream | Announcement, recorder: PostRecorder) -> Sequence[ConversationId]:
        """Send the draft to the pages that are open. The answer itself needs no sending: its reader sees it once it is
        saved, and an announcement is kept where it came from."""
        await recorder.record_intent()
        if isinstance(outgoing, ReplyStream):
            await self._stream_draft(outgoing)
        await recorder.record_posted(outgoing.work.key if isinstance(outgoing, ReplyStream) else outgoing.key)
        return ()

    async def _stream_draft(self, outgoing: ReplyStream) -> None:
        conversation = outgoing.work.message.conversation
        self._drafts.begin(conversation, Translator(outgoing.work.language))
        try:
            async with outgoing.events as stream:
                async for event in stream:
                    await self._drafts.add(conversation, event)
        finally:
            await self._drafts.end(conversation)

    async def find_posted(self, outgoing: LeasedMessage | Announcement) -> str | None:
        """Return the key of what was saved: whatever is saved was shown."""
        if isinstance(outgoing, LeasedMessage):
            return outgoing.key if outgoing.answer else None
        return outgoing.key

    async def get_readers(self, target: IncomingMessage | PlaceId | PersonId) -> Readers:
        """Return the reader alone: nobody reads along on the page."""
        if isinstance(target, PlaceId):
            return Readers(groups=frozenset(), external=True)
        return await self._context.authenticator.readers(
            target.author if isinstance(target, IncomingMessage) else str(target)
        )

    async def close(self) -> None:
        """Close the connections to the identity providers."""
        for provider in self._flow.providers.values() if self._flow else ():
            await provider.close()
