"""Keys of programs, what was answered to them, and sessions of the page."""

from __future__ import annotations

from typing import Protocol

from pipeline.values.keys import Key, Session, SignedIn


class Keys(Protocol):
    async def holder(self, secret: str) -> Key | None:
        """The key of that secret while it is not revoked. Raises Unavailable."""
        ...

    async def revoked(self, person: str) -> bool:
        """Whether that (`Key.person`) is a key that was revoked. Raises Unavailable."""
        ...


class Replies(Protocol):
    """What was answered to a request that names itself, for a day. All raise Unavailable."""

    async def begin(self, request: str, digest: str) -> str | None:
        """None where it is new, and is to be answered now; else what was answered. Raises Refused for another request
        of that name, and Busy while the first is still being answered."""
        ...

    async def answered(self, request: str, body: str) -> None: ...

    async def forgone(self, request: str) -> None:
        """It came to nothing: the same may be asked again."""
        ...


class Sessions(Protocol):
    """What is told of a person last holds in all their sessions. All raise Unavailable."""

    async def begin(self, who: SignedIn) -> str:
        """A new session; its secret, which is told to their browser and kept nowhere."""
        ...

    async def of(self, secret: str) -> Session | None:
        """The session of that secret, while it lasts; looking at it makes it last longer."""
        ...

    async def end(self, secret: str) -> None: ...

    async def vouched(self, who: SignedIn) -> None:
        """Somebody vouches for them with each request: they are known from now on as they are now."""
        ...

    async def newest(self, person: str) -> Session | None:
        """What was told of a person last, while a session of theirs lasts."""
        ...
