"""People whose browsers say by themselves who they are: the port `WebAuthenticator` without a sign-in."""

from __future__ import annotations

from starlette.requests import Request

from adapters.web.context import Visitor
from adapters.web.platform import SPACE, WEB
from pipeline.values import Actor, PersonId, Readers

HEADER = "X-Person"
CSRF = "a token of the page's"


def person(name: str) -> PersonId:
    return PersonId(platform=WEB.name, user=name)


class Trusting:
    """Every name is somebody, and inside."""

    async def authenticate(self, request: Request) -> Visitor | None:
        name = request.headers.get(HEADER)
        if not name:
            return None
        readers = await self.readers(str(person(name)))
        return Visitor(
            person=str(person(name)),
            name=name,
            readers=readers,
            actor=Actor(person=str(person(name)), groups=readers.groups),
            csrf=CSRF,
        )

    async def readers(self, person: str) -> Readers:
        return Readers(groups=frozenset({f"{WEB.name}:{SPACE}", PersonId.parse(person).group}))

    def is_valid_csrf(self, visitor: Visitor, token: str, request: Request) -> bool:
        return token == visitor.csrf
