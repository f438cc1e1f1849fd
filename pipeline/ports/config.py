"""How a platform is set up: what its own settings come to, and what the bot gives to it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, ClassVar, NamedTuple, Protocol

from pipeline.ports.desk import Desk
from pipeline.ports.platform import PlatformAdapter
from pipeline.ports.reading import Archive, Overview, Reading, Sessions, Sources
from pipeline.values import Finding, PersonId, Place, PlaceId, Platform, Readers
from pipeline.values.platform import Installation
from pipeline.values.setup import TokenCheck, TokenPrompt

# --- The workspaces that people add the bot to by themselves --------------------------------------


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


# --- How a platform is set up ---------------------------------------------------------------------


class Doors(Protocol):
    def serving(
        self, address: str, routes: Sequence[Any], *, setting: str, body_bytes: int = ...
    ) -> AbstractAsyncContextManager[int]:
        """Answer at `HOST:PORT`, which others may share, while the block is open; gives the port. `routes` are
        Starlette's; `body_bytes`: the longest body that they take, where it is more than a form's.

        Raises Misconfigured, which names `setting`, where nothing can listen there."""
        ...


class Host(NamedTuple):
    """What the bot gives to every adapter."""

    doors: Doors
    desk: Desk
    reading: Reading
    archive: Archive
    overview: Overview
    sources: Sources
    installations: Callable[[], Installations]
    """Raises Misconfigured where tokens cannot be encrypted."""
    folder: str
    """Where it may keep what it remembers."""
    citations: bool
    confidence: bool
    """What the operator wants shown below an answer."""
    retention_days: int
    say: Callable[[str], None]
    """Tells the operator."""
    sessions: Sessions
    people: Callable[[PersonId], Awaitable[Readers | None]]
    """The readers of a person alone, as the platform that they are of tells; None where it does not run here or cannot
    tell."""
    programs: Callable[..., AbstractAsyncContextManager[Sequence[Any]]]
    """The routes of what programs call, for whoever serves pages. `machine`: whose secret opens them where nobody signs
    in; `tokens`: what people get where they sign in opens them, too."""


class PlatformSetup(Protocol):
    """How the tokens of a platform are made and checked."""

    @property
    def link(self) -> str:
        """Where the steps to the first token begin. Raise Refused where a file of the installation is missing."""
        ...

    @property
    def tokens(self) -> tuple[TokenPrompt, ...]:
        """Those that it needs with its other settings, in the order in which they are made."""
        ...

    def current_token(self, prompt: TokenPrompt) -> str:
        """Return the token that the settings hold; empty without one."""
        ...

    async def check(self, prompt: TokenPrompt, token: str) -> TokenCheck:
        """Ask the service about a token, as `examine` does. Posts nothing."""
        ...


class PlatformConfig(Protocol):
    """The settings of one platform. An SDK is imported where it is connected or examined, not before."""

    platform: ClassVar[Platform]

    @property
    def wanted(self) -> bool:
        """Whether the operator set it up."""
        ...

    @property
    def homes(self) -> frozenset[str] | None:
        """The organisation's own workspaces or servers (`slack:T1`); None: all that the bot is in."""
        ...

    @property
    def divided(self) -> bool:
        """Whether its spaces are divided among processes."""
        ...

    @property
    def clock(self) -> str:
        """An address whose answers tell the time; empty: none."""
        ...

    @property
    def unindexed(self) -> str:
        """Why what is said on its channels may not be kept as a source of answers, a sentence; empty: it may."""
        ...

    async def channels_named(self, name: str) -> list[PlaceId]:
        """The channels that the bot is in and that are called so. Raises what a service's refusal is translated to."""
        ...

    def doubts(self, places: Mapping[PlaceId, Place]) -> list[str]:
        """A line for each setting that is most likely a mistake. `places` are its own."""
        ...

    def setup(self) -> PlatformSetup | None:
        """Return how its tokens are made; None where it has none."""
        ...

    def adapter(self, host: Host) -> PlatformAdapter:
        """Connects nothing yet. Raises what `host.installations` raises."""
        ...

    async def examine_kept(self, installations: Callable[[], Installations]) -> Finding | None:
        """Whether what is kept of it can be read; None where nothing is. Asks no service."""
        ...

    def examine(
        self, places: Collection[PlaceId], kept: Callable[[], Awaitable[list[Installation] | None]]
    ) -> AsyncIterator[Finding]:
        """Whether its side of the installation is well. Posts nothing. `places`: its own that the settings name, the
        bot should be there; `kept`: None for what cannot be read, which `examine_kept` told."""
        ...
