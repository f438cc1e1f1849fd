"""A whole Citewell over real storage, with people who ask, press, call and read in every way at once."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

import httpx2 as httpx
from cryptography.fernet import Fernet
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.requests import Request

from adapters.chat.reply.parts import Look
from adapters.http.caller import Callers
from adapters.http.doors import Doors
from adapters.http.pace import Pace
from adapters.mcp.tools import Calls
from adapters.web.adapter import WebAdapter
from adapters.web.links import SignedLinks
from adapters.web.signin.provider import groups_of, inside
from adapters.web.site import Site
from adapters.web.visitor import Visitor
from bot.admin.overview import AdminOverview
from bot.citewell import Citewell
from bot.config.tables import Collection, Roles
from bot.programs import programs
from bot.run.courier import Courier
from bot.run.delivery import Delivery
from bot.wiring import open_citewell
from pipeline.ports import Growing, Receipt
from pipeline.values import (
    Action,
    Actor,
    Answer,
    Around,
    IncomingMessage,
    Manner,
    PersonId,
    Place,
    PlaceId,
    Readers,
)
from tests.contracts.sight.model import HOME, Model, Opened
from tests.doubles.engines import Engine
from tests.doubles.settings import extractive

URL = "https://citewell.acme.example"
CSRF = "a token of the page's"
ANN, BEN, CHE, ADA, GUS, BEA, BOB = (
    "slack:T1:UANN",
    "slack:T1:UBEN",
    "slack:T1:UCHE",
    "slack:T1:UADA",
    "slack:T1:UGUS",
    "slack:T2:UBEA",
    "slack:T2:UBOB",
)
WIM, WES = "web:wim", "web:wes"
PEOPLE = (ANN, BEN, CHE, ADA, GUS, BEA, BOB, WIM, WES)
ADMINS = (ADA, BEA, WES)
CHANNELS = ("slack:T1:CALL", "slack:T1:CBOARD", "slack:T1:CHELP", "slack:T2:CALL", "slack:T2:CHELP")
STAFF = "web:group:staff"
COLLECTIONS = ("default", "press", "board", "ann", "beta", "staff", "slack:T1:CBOARD")
GROUPS = (
    *CHANNELS,
    "slack:T1",
    "slack:T2",
    "web:page",
    STAFF,
    ANN,
    "slack:T1:user:UBEN",
    "slack:T2:UBOB",
    "web:user:wim",
)


def people() -> Model:
    """GUS is a guest."""
    members = {channel: {one for one in PEOPLE if one.startswith(channel[:9])} for channel in CHANNELS}
    return Model({**members, STAFF: {WES}}, {GUS})


def redrawn(model: Model, dice: random.Random) -> None:
    """Other rules."""
    for name in COLLECTIONS:
        if name in model.members:
            continue
        only = frozenset(dice.sample(GROUPS, dice.choice((0, 1, 1, 2))))
        model.rules[name] = Opened(only, public=dice.random() < 0.25)


class Platform:
    """A platform of which everything is known at once: the port `PlatformAdapter`, as far as deliveries ask it."""

    def __init__(self, name: str, model: Model) -> None:
        self.name = name
        self._model = model
        self.shown: list[tuple[str, frozenset[str]]] = []
        """What was posted, and who reads it."""
        self.owed: list[tuple[str, str]] = []
        """What was told later, and whose it is: they may have left the channel since, which SECURITY.md says."""
        self.answers: list[Answer] = []

    async def readers(self, of: IncomingMessage | PlaceId | PersonId) -> Readers:
        if isinstance(of, PlaceId):
            return self.everyone(str(of))
        if isinstance(of, PersonId):
            return self.alone(str(of))
        where = of.conversation
        place = f"{where.platform}:{where.space}:{where.channel}"
        if place not in self._model.members:
            return self.alone(of.author)
        return self.alone(of.author, place) if of.manner is Manner.COMMAND else self.everyone(place)

    def alone(self, person: str, channel: str = "") -> Readers:
        if person.startswith("web:"):
            name = person.removeprefix("web:")
            groups = tuple("staff" for _ in range(person in self._model.members[STAFF]))
            return Readers(groups=groups_of(inside(name, name, groups)))
        space, _, user = person.rpartition(":")
        groups = {space, person, f"{space}:user:{user}", *filter(None, [channel]), *self._open_to([person])}
        return Readers(groups=frozenset(groups), external=person in self._model.guests)

    def everyone(self, channel: str) -> Readers:
        there = self.reading(channel)
        groups = {channel.rpartition(":")[0], channel, *self._open_to(there)}
        return Readers(groups=frozenset(groups), external=not self._model.guests.isdisjoint(there))

    def _open_to(self, there: Sequence[str]) -> set[str]:
        sources = [name for name in COLLECTIONS if name in self._model.members]
        return {f"{one}:reader" for one in sources if all(self._model.may_see(person, one) for person in there)}

    def reading(self, channel: str) -> frozenset[str]:
        return frozenset(self._model.members[channel])

    async def post(self, outgoing: Any, receipt: Receipt) -> None:
        await receipt.posting()
        if isinstance(outgoing, Growing):
            message = outgoing.work.message
            place, said = str(message.place.where), []
            alone = place not in self._model.members or message.manner is Manner.COMMAND
            async for event in outgoing.events:
                said.append(event.model_dump_json())
                if isinstance(event, Answer):
                    self.answers.append(event)
            text, who = "\n".join(said), frozenset({message.author}) if alone else self.reading(place)
            if message.manner is Manner.AWAITED:
                self.owed.append((text, message.author))
        else:
            text, who = outgoing.model_dump_json(), self._whom(outgoing)
        self.shown.append((text, who))
        await receipt.posted("1.1")

    def _whom(self, announced: Any) -> frozenset[str]:
        where = getattr(announced, "where", None) or announced.to
        place = ":".join(str(where).split(":")[:3])
        if place in self._model.members:
            return self.reading(place)
        return frozenset({announced.handoff.asker if hasattr(announced, "handoff") else place})

    async def find(self, outgoing: object) -> None: ...

    async def around(self, message: IncomingMessage) -> Around:
        return Around()

    async def thread(self, message: IncomingMessage, words: object) -> None: ...

    async def whisper(self, message: IncomingMessage, answer: Answer) -> None:
        self.shown.append((answer.model_dump_json(), frozenset({message.author})))


class Trusting:
    """The port `Visitors`, for browsers that say by themselves whose they are."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    async def visitor(self, request: Request) -> Visitor | None:
        person = request.headers.get("x-person")
        if not person:
            return None
        readers = self._platform.alone(person)
        actor = Actor(person=person, groups=readers.groups | {person})
        return Visitor(person=person, name=person.rpartition(":")[2], readers=readers, actor=actor, csrf=CSRF)

    async def readers(self, person: str) -> Readers:
        return self._platform.alone(person)

    def checked(self, visitor: Visitor, given: str, request: Request) -> bool:
        return given == CSRF


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
        slack_client_id="1.2",
        slack_client_secret=SecretStr("s"),
        slack_signing_secret=SecretStr("s"),
        encryption_keys=SecretStr(Fernet.generate_key().decode()),
        slack_home_workspaces=[HOME.partition(":")[2]],
        web_listen="127.0.0.1:8080",
        web_url=URL,
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
        more = await stack.enter_async_context(programs(citewell, url=URL, local=False, tokens=None))
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
            Callers(citewell.storage.keys, citewell.reading, local=False, pace=Pace(clock=count(step=60).__next__)),
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
        grace_seconds=0,
        retry_seconds=0,
    )
