"""Keys of programs, and what was answered to them."""

from __future__ import annotations

from typing import Protocol

from pipeline.values.keys import Key


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
