"""Citewell in a browser: the port `PlatformAdapter`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from starlette.routing import BaseRoute

from adapters.web import pages
from adapters.web.admin import routes as admin
from adapters.web.ask import routes as ask
from adapters.web.platform import WEB
from adapters.web.signin import routes as signin
from adapters.web.site import Site
from adapters.web.source import routes as source
from pipeline.ports import Desk, Growing, Inbox, Receipt
from pipeline.values import Around, ConversationId, IncomingMessage, PersonId, PlaceId, Readers, Work
from pipeline.values.posting.digest import Announcement


class WebAdapter:
    name = WEB.name
    setting = WEB.setting

    def __init__(self, address: str, site: Site) -> None:
        self.address = address
        self._site = site

    @property
    def routes(self) -> Sequence[BaseRoute]:
        """Each room's."""
        rooms = (ask, source, signin, admin)
        return [pages.assets(), *(route for room in rooms for route in room.routes(self._site))]

    async def listen(self, inbox: Inbox, desk: Desk) -> None:
        await asyncio.Event().wait()

    def serves(self, space: str) -> bool:
        """Every process answers everyone."""
        return True

    async def connected(self) -> bool:
        return True

    async def post(self, outgoing: Growing | Announcement, receipt: Receipt) -> None:
        raise NotImplementedError

    async def find(self, outgoing: Work | Announcement) -> str | None:
        return None

    async def stop(self, conversation: ConversationId) -> None:
        raise NotImplementedError

    async def around(self, message: IncomingMessage) -> Around:
        """Nobody else is there."""
        return Around()

    async def readers(self, of: IncomingMessage | PlaceId | PersonId) -> Readers:
        raise NotImplementedError

    async def close(self) -> None: ...
