"""How a platform is set up: what its own settings come to, and what the bot gives to it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, ClassVar, NamedTuple, Protocol

from pipeline.ports.client_services import AdminService, ConversationArchive, LinkTargets, QueryService, SessionStore
from pipeline.ports.platform import PlatformAdapter
from pipeline.ports.services import BotServices
from pipeline.values import Finding, PersonId, PlaceId, PlaceSettings, Platform, Readers
from pipeline.values.platform import Installation
from pipeline.values.setup import TokenCheck, TokenPrompt

# --- The workspaces that people add the bot to by themselves --------------------------------------


class InstallationStore(Protocol):
    """Tokens are encrypted where they are kept. `Inbox.leave` erases an installation with all else of its workspace.

    What cannot be decrypted raises Misconfigured."""

    async def put(self, installation: Installation) -> None:
        """Keep it instead of an earlier one of that workspace."""
        ...

    async def get(self, space: PlaceId) -> Installation | None: ...

    async def all(self) -> list[Installation]:
        """In the order of their workspaces' ids."""
        ...

    async def reencrypt(self) -> None:
        """Encrypt anew what was not encrypted with the newest key."""
        ...

    def issue_state(self) -> str:
        """What an installation begins with, and has to come back with."""
        ...

    async def consume_state(self, state: str) -> bool:
        """Whether `state` was given out lately and was not taken before."""
        ...


# --- How a platform is set up ---------------------------------------------------------------------


class HttpServers(Protocol):
    def serve(
        self, address: str, routes: Sequence[Any], *, setting: str, body_bytes: int = ...
    ) -> AbstractAsyncContextManager[int]:
        """Answer at `HOST:PORT`, which others may share, while the block is open; gives the port. `routes` are
        Starlette's; `body_bytes`: the longest body that they take, where it is more than a form's.

        Raises Misconfigured, which names `setting`, where nothing can listen there."""
        ...


class AdapterContext(NamedTuple):
    """What the bot gives to every adapter."""

    http_servers: HttpServers
    services: BotServices
    query_service: QueryService
    conversation_archive: ConversationArchive
    admin_service: AdminService
    link_targets: LinkTargets
    installations: Callable[[], InstallationStore]
    """Raises Misconfigured where tokens cannot be encrypted."""
    data_dir: str
    """Where it may keep what it remembers."""
    show_citations: bool
    show_confidence: bool
    """What the operator wants shown below an answer."""
    retention_days: int
    echo: Callable[[str], None]
    """Tells the operator."""
    sessions: SessionStore
    resolve_readers: Callable[[PersonId], Awaitable[Readers | None]]
    """The readers of a person alone, as the platform that they are of tells; None where it does not run here or cannot
    tell."""
    program_routes: Callable[..., AbstractAsyncContextManager[Sequence[Any]]]
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
    def is_enabled(self) -> bool:
        """Whether the operator set it up."""
        ...

    @property
    def home_spaces(self) -> frozenset[str] | None:
        """The organisation's own workspaces or servers (`slack:T1`); None: all that the bot is in."""
        ...

    @property
    def is_sharded(self) -> bool:
        """Whether its spaces are divided among processes."""
        ...

    @property
    def clock_url(self) -> str:
        """An address whose answers tell the time; empty: none."""
        ...

    @property
    def indexing_blocker(self) -> str:
        """Why what is said on its channels may not be kept as a source of answers, a sentence; empty: it may."""
        ...

    async def find_channels(self, name: str) -> list[PlaceId]:
        """The channels that the bot is in and that are called so. Raises what a service's refusal is translated to."""
        ...

    def setting_warnings(self, places: Mapping[PlaceId, PlaceSettings]) -> list[str]:
        """A line for each setting that is most likely a mistake. `places` are its own."""
        ...

    def setup(self) -> PlatformSetup | None:
        """Return how its tokens are made; None where it has none."""
        ...

    def create_adapter(self, context: AdapterContext) -> PlatformAdapter:
        """Connects nothing yet. Raises what `host.installations` raises."""
        ...

    async def diagnose_stored(self, installations: Callable[[], InstallationStore]) -> Finding | None:
        """Whether what is kept of it can be read; None where nothing is. Asks no service."""
        ...

    def diagnose(
        self, places: Collection[PlaceId], load_installations: Callable[[], Awaitable[list[Installation] | None]]
    ) -> AsyncIterator[Finding]:
        """Whether its side of the installation is well. Posts nothing. `places`: its own that the settings name, the
        bot should be there; `kept`: None for what cannot be read, which `diagnose_stored` told."""
        ...
