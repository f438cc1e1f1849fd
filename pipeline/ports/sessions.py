"""Sessions of the page."""

from __future__ import annotations

from typing import Protocol

from pipeline.values.session import Session, SignedIn


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
