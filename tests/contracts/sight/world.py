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

from adapters.chat.reply.parts import Look
from adapters.http.caller import Callers, Pace
from adapters.http.doors import Doors
from adapters.mcp.tools import Calls
from adapters.slack.config import SlackConfig
from adapters.web.adapter import WebAdapter
from adapters.web.config import WebConfig
from adapters.web.links import SignedLinks
from adapters.web.visitor import Site
from bot.admin.overview import AdminOverview
from bot.citewell import Citewell
from bot.config.tables import Collection, Roles
from bot.platforms import programs
from bot.run.courier import Courier
from bot.run.delivery import Delivery
from bot.wiring import open_citewell
from pipeline.values import Action, Actor, Place, PlaceId
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
    callers: Callers
    calls: Calls
    delivery: Delivery
    courier: Courier
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
        collections={name: Collection(only=tuple(sorted(r.only)), public=r.public) for name, r in model.rules.items()},
        roles=Roles(admin=(ADA, BEA, "web:user:wes"), contributor=(ANN, "slack:T2:UBOB")),
        places={space: Place(ask=PlaceId.parse(f"{space}:CHELP"), teach=teach) for space in ("slack:T1", "slack:T2")},
    )
    async with AsyncExitStack() as stack:
        citewell = await stack.enter_async_context(open_citewell(settings, exclusive=True))
        slack, web = Platform("slack", model), Platform("web", model)
        adapters: Any = {"slack": slack, "web": web}
        links = SignedLinks(URL, citewell.sources)
        site = Site(
            visitors=Trusting(slack),
            desk=citewell.desk,
            reading=citewell.reading,
            archive=citewell.storage.archive,
            overview=AdminOverview(citewell),
            look=Look(citations=True, confidence=True),
            pace=Pace(clock=count(step=60).__next__),
            links=links,
            originals=True,
            admin=lambda actor: citewell.desk.authority.allows(actor, Action.READ_INSIGHTS),
        )
        routes: Any = WebAdapter("", Doors(), site, lambda _: None, programs).routes(citewell.storage.inbox)  # type: ignore[arg-type] # asked of no door
        more = await stack.enter_async_context(programs(citewell, url=URL, machine=None, tokens=None))
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
            Callers(citewell.storage.keys, citewell.reading, pace=Pace(clock=count(step=60).__next__)),
            Calls(citewell.reading),
            delivery(citewell, adapters),
            Courier(citewell.storage.outbox, citewell.desk, adapters, grace_seconds=0, retry_seconds=0),
            links,
        )


def delivery(citewell: Citewell, adapters: Any) -> Delivery:
    async def nobody(place: PlaceId) -> None: ...

    return Delivery(
        citewell.storage.inbox,
        citewell.responder,
        adapters,
        citewell.request,
        citewell.desk.chosen,
        at_a_time=1,
        expire_late=False,
        live=None,
        spent=nobody,
        shown=citewell.desk.seen,
        grace_seconds=0,
        retry_seconds=0,
    )
