"""The workspaces that people add the bot to by themselves."""

from __future__ import annotations

from typing import Protocol

from pipeline.values import PlaceId
from pipeline.values.platform import Installation


class Installations(Protocol):
    """Tokens are encrypted where they are kept. `Inbox.leave` erases an installation with all else of its workspace.

    What cannot be decrypted raises Misconfigured."""

    async def put(self, installation: Installation) -> None:
        """Keep it instead of an earlier one of that workspace."""
        ...

    async def of(self, space: PlaceId) -> Installation | None: ...

    async def all(self) -> list[Installation]:
        """In the order of their workspaces' ids."""
        ...

    async def renew(self) -> None:
        """Encrypt anew what was not encrypted with the newest key."""
        ...

    def new_state(self) -> str:
        """What an installation begins with, and has to come back with."""
        ...

    async def take(self, state: str) -> bool:
        """Whether `state` was given out lately and was not taken before."""
        ...
