"""Slack and the page as people read them: everything that is posted or shown there is known at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request

from adapters.web.context import Visitor
from adapters.web.signin.identity import make_web_identity, web_groups
from pipeline.ports import PostRecorder, ReplyStream
from pipeline.values import Actor, Answer, IncomingMessage, MessageTrigger, PersonId, PlaceId, Readers
from tests.contracts.sight.model import Model
from tests.contracts.sight.people import COLLECTIONS, STAFF

CSRF = "a token of the page's"


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

    async def get_readers(self, target: IncomingMessage | PlaceId | PersonId) -> Readers:
        if isinstance(target, PlaceId):
            return self.everyone(str(target))
        if isinstance(target, PersonId):
            return self.alone(str(target))
        where = target.conversation
        place = f"{where.platform}:{where.space}:{where.channel}"
        if place not in self._model.members:
            return self.alone(target.author)
        return self.alone(target.author, place) if target.manner is MessageTrigger.COMMAND else self.everyone(place)

    def alone(self, person: str, channel: str = "") -> Readers:
        if person.startswith("web:"):
            name = person.removeprefix("web:")
            groups = tuple("staff" for _ in range(person in self._model.members[STAFF]))
            return Readers(groups=web_groups(make_web_identity(name, name, groups)))
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

    async def post(self, outgoing: Any, recorder: PostRecorder) -> None:
        await recorder.record_intent()
        if isinstance(outgoing, ReplyStream):
            message = outgoing.work.message
            place, said = str(message.place.channel_key), []
            alone = place not in self._model.members or message.manner is MessageTrigger.COMMAND
            said += [event.model_dump_json() async for event in outgoing.events]
            answer = await outgoing.events.answer()
            said.append(answer.model_dump_json())
            self.answers.append(answer)
            text, who = "\n".join(said), frozenset({message.author}) if alone else self.reading(place)
            if message.manner is MessageTrigger.AWAITED:
                self.owed.append((text, message.author))
        else:
            text, who = outgoing.model_dump_json(), self._whom(outgoing)
        self.shown.append((text, who))
        await recorder.record_posted("1.1")

    def _whom(self, announced: Any) -> frozenset[str]:
        where = getattr(announced, "destination", None) or announced.to
        place = ":".join(str(where).split(":")[:3])
        if place in self._model.members:
            return self.reading(place)
        return frozenset({announced.handoff.asker if hasattr(announced, "handoff") else place})

    async def find_posted(self, outgoing: object) -> None: ...

    async def post_ephemeral(self, message: IncomingMessage, answer: Answer) -> None:
        self.shown.append((answer.model_dump_json(), frozenset({message.author})))


class Trusting:
    """The port `WebAuthenticator`, for browsers that say by themselves whose they are."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    async def authenticate(self, request: Request) -> Visitor | None:
        person = request.headers.get("x-person")
        if not person:
            return None
        readers = self._platform.alone(person)
        actor = Actor(person=person, groups=readers.groups | {person})
        return Visitor(person=person, name=person.rpartition(":")[2], readers=readers, actor=actor, csrf=CSRF)

    async def readers(self, person: str) -> Readers:
        return self._platform.alone(person)

    def is_valid_csrf(self, visitor: Visitor, token: str, request: Request) -> bool:
        return token == CSRF
