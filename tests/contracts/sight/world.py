"""A whole Citewell over real storage, with people who ask, press, call and read in every way at once."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

import httpx2 as httpx
from cryptography.fernet import Fernet
from pydantic import SecretStr
from starlette.applications import Starlette

from adapters.chat.reply.parts import RenderOptions
from adapters.http.auth import CallerAuthenticator, RateLimiter
from adapters.http.servers import UvicornServers
from adapters.mcp.tools import McpToolHandler
from adapters.slack.config import SlackConfig
from adapters.web.adapter import WebAdapter
from adapters.web.config import WebConfig
from adapters.web.context import WebContext
from adapters.web.links import SignedLinks
from bot.admin.overview import StoredAdminService
from bot.citewell import Citewell
from bot.config.tables import CollectionSettings, RoleSettings
from bot.platforms import open_program_routes
from bot.run.delivery import Delivery
from bot.run.outbox_worker import OutboxWorker
from bot.wiring import open_citewell
from pipeline.values import Action, Actor, PlaceId, PlaceSettings
from tests.contracts.sight.model import HOME, Model
from tests.contracts.sight.people import ADA, ANN, BEA, COLLECTIONS
from tests.contracts.sight.platforms import Platform, Trusting
from tests.doubles.engines import Engine
from tests.doubles.settings import extractive

URL = "https://citewell.acme.example"


@dataclass
class World:
    """As it is between two starts."""

    citewell: Citewell
    model: Model
    dice: random.Random
    slack: Platform
    web: Platform
    client: httpx.AsyncClient
    callers: CallerAuthenticator
    calls: McpToolHandler
    delivery: Delivery
    courier: OutboxWorker
    links: SignedLinks

    def platform(self, person: str) -> Platform:
        return self.web if person.startswith("web:") else self.slack

    def actor(self, person: str) -> Actor:
        return Actor(person=person, groups=self.platform(person).alone(person).groups | {person})


@asynccontextmanager
async def opened(engine: Engine, model: Model, dice: random.Random) -> AsyncIterator[World]:
    """With the rules of the model."""
    teach = dice.choice(COLLECTIONS[:-1])
    settings = extractive(
        engine.folder,
        embedder="none",
        database=SecretStr(engine.url) if engine.url else None,
        slack=SlackConfig(
            client_id="1.2", client_secret="s", signing_secret="s", home_workspaces=(HOME.partition(":")[2],)
        ),
        encryption_keys=SecretStr(Fernet.generate_key().decode()),
        web=WebConfig(listen="127.0.0.1:8080", url=URL),
        collections={
            name: CollectionSettings(only=tuple(sorted(r.only)), public=r.public) for name, r in model.rules.items()
        },
        roles=RoleSettings(admin=(ADA, BEA, "web:user:wes"), contributor=(ANN, "slack:T2:UBOB")),
        places={
            space: PlaceSettings(ask=PlaceId.parse(f"{space}:CHELP"), teach=teach) for space in ("slack:T1", "slack:T2")
        },
    )
    async with AsyncExitStack() as stack:
        citewell = await stack.enter_async_context(open_citewell(settings, exclusive=True))
        slack, web = Platform("slack", model), Platform("web", model)
        adapters: Any = {"slack": slack, "web": web}
        links = SignedLinks(URL, citewell.sources)
        site = WebContext(
            authenticator=Trusting(slack),
            services=citewell.services,
            queries=citewell.reading,
            conversations=citewell.storage.archive,
            admin_service=StoredAdminService(citewell),
            render_options=RenderOptions(citations=True, confidence=True),
            rate_limiter=RateLimiter(clock=count(step=60).__next__),
            links=links,
            serves_originals=True,
            is_admin=lambda actor: citewell.services.authority.is_allowed(actor, Action.READ_INSIGHTS),
        )
        routes: Any = WebAdapter("", UvicornServers(), site, lambda _: None, open_program_routes).routes(
            citewell.storage.inbox
        )  # type: ignore[arg-type] # asked of no door
        more = await stack.enter_async_context(open_program_routes(citewell, url=URL, machine=None, tokens=None))
        app = Starlette(routes=[*routes, *more])
        client = await stack.enter_async_context(
            httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=URL)
        )
        yield World(
            citewell,
            model,
            dice,
            slack,
            web,
            client,
            CallerAuthenticator(
                citewell.storage.api_keys, citewell.reading, rate_limiter=RateLimiter(clock=count(step=60).__next__)
            ),
            McpToolHandler(citewell.reading),
            delivery(citewell, adapters),
            OutboxWorker(citewell.storage.outbox, citewell.services, adapters, grace_seconds=0, retry_seconds=0),
            links,
        )


def delivery(citewell: Citewell, adapters: Any) -> Delivery:
    async def nobody(place: PlaceId) -> None: ...

    return Delivery(
        citewell.storage.inbox,
        citewell.responder,
        adapters,
        citewell.request,
        citewell.services.choose_options,
        at_a_time=1,
        expire_late=False,
        live=None,
        on_quota_spent=nobody,
        visible_answer=citewell.services.visible_answer,
        grace_seconds=0,
        retry_seconds=0,
    )
