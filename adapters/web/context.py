"""The visitor of a page, how a route learns who it is, and what all routes of the page share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import Field
from starlette.requests import Request

from adapters.chat.reply.parts import RenderOptions
from adapters.http.auth import RateLimiter
from adapters.web.links import SignedLinks
from pipeline.ports import AdminService, BotServices, ConversationArchive, QueryService
from pipeline.values import Actor, Readers, Value


class Visitor(Value):
    """The person who uses the browser: the operator at the machine, or a person who signed in."""

    person: str
    """The person's id as ports have it: `web:ann`, `slack:T1:U3`, `console:local`."""
    name: str
    """The name that the page shows."""
    readers: Readers
    """The visitor alone."""
    actor: Actor
    operator: bool = False
    """True for the operator, who holds the data folder and sees all of it."""
    session: bool = False
    """True where they signed in here, and may sign out."""
    csrf: str = Field(repr=False)
    """The token that a form must send to change something."""


class WebAuthenticator(Protocol):
    """Authentication of the visitors of the page."""

    async def authenticate(self, request: Request) -> Visitor | None:
        """Return the visitor; None for somebody who has to sign in first."""
        ...

    async def readers(self, person: str) -> Readers:
        """Return a person alone, as of now; in doubt, readers who are not inside."""
        ...

    def is_valid_csrf(self, visitor: Visitor, token: str, request: Request) -> bool:
        """Return True where a form with this token was filled in on our page, by this visitor."""
        ...


@dataclass(frozen=True, kw_only=True)
class WebContext:
    """Services, authentication and limits that all routes of the page share."""

    authenticator: WebAuthenticator
    services: BotServices
    queries: QueryService
    conversations: ConversationArchive
    admin_service: AdminService
    render_options: RenderOptions
    rate_limiter: RateLimiter = field(default_factory=RateLimiter)
    links: SignedLinks | None = None
    """None where readers cannot reach the page at an address."""
    serves_originals: bool
    """True where readers may download the original file of a source."""
    is_admin: Callable[[Actor], bool] = lambda actor: False
    """Returns True where somebody is shown the admin pages; each of those checks it again."""
