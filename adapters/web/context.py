"""Who looks at a page, how a route learns it, and what every room of the page is given."""

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
    """Whoever the browser acts for: the operator at the machine, or a person who signed in."""

    person: str
    """As the ports name people: `web:ann`, `slack:T1:U3`, `console:local`."""
    name: str
    """As the page calls them."""
    readers: Readers
    """They alone."""
    actor: Actor
    operator: bool = False
    """They hold the data folder, and see all of it."""
    session: bool = False
    """They signed in here, and may sign out."""
    csrf: str = Field(repr=False)
    """What a form that changes something must bring along."""


class WebAuthenticator(Protocol):
    async def authenticate(self, request: Request) -> Visitor | None:
        """Who it is, where they are known; None for somebody who has to sign in first."""
        ...

    async def readers(self, person: str) -> Readers:
        """They alone, as of now; in doubt, nobody who is inside."""
        ...

    def is_valid_csrf(self, visitor: Visitor, given: str, request: Request) -> bool:
        """Whether a form with the token `given` was filled in on a page of ours, by them."""
        ...


@dataclass(frozen=True, kw_only=True)
class WebContext:
    authenticator: WebAuthenticator
    services: BotServices
    queries: QueryService
    conversations: ConversationArchive
    admin_service: AdminService
    render_options: RenderOptions
    rate_limiter: RateLimiter = field(default_factory=RateLimiter)
    links: SignedLinks | None = None
    """None where readers cannot reach the page by an address."""
    serves_originals: bool
    """Readers may download the original file of a source."""
    is_admin: Callable[[Actor], bool] = lambda actor: False
    """Whether to show somebody what admins see; it is checked again where it is asked for."""
