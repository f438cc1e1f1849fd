"""Configuration of platforms, and what the bot gives to their adapters."""

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

# --- Installations by other workspaces ------------------------------------------------------------


class InstallationStore(Protocol):
    """Installations of the bot in workspaces that people add it to by themselves. Tokens are encrypted at rest;
    `Inbox.erase_space` also erases the installation of the workspace.

    All methods raise Misconfigured for what cannot be decrypted."""

    async def put(self, installation: Installation) -> None:
        """Save an installation in place of an earlier one of that workspace."""
        ...

    async def get(self, space: PlaceId) -> Installation | None:
        """Return the installation of a workspace."""
        ...

    async def all(self) -> list[Installation]:
        """Return all installations, in the order of their workspaces' ids."""
        ...

    async def reencrypt(self) -> None:
        """Encrypt with the newest key what was encrypted with an older one."""
        ...

    def issue_state(self) -> str:
        """Return a new OAuth state, which the installation has to come back with."""
        ...

    async def consume_state(self, state: str) -> bool:
        """Return True once for a `state` that was issued lately."""
        ...


# --- Configuration of platforms -------------------------------------------------------------------


class HttpServers(Protocol):
    """HTTP servers that several adapters share by address."""

    def serve(
        self, address: str, routes: Sequence[Any], *, setting: str, body_bytes: int = ...
    ) -> AbstractAsyncContextManager[int]:
        """Serve `routes` (Starlette's) at `HOST:PORT`, which others may share, while the block is open; gives the port.
        `body_bytes`: the longest body that they take, where it is more than a form's.

        Raises Misconfigured, which names `setting`, where nothing can listen there."""
        ...


class AdapterContext(NamedTuple):
    """Services and settings that the bot gives to every adapter."""

    http_servers: HttpServers
    services: BotServices
    query_service: QueryService
    conversation_archive: ConversationArchive
    admin_service: AdminService
    link_targets: LinkTargets
    installations: Callable[[], InstallationStore]
    """Raises Misconfigured where tokens cannot be encrypted."""
    data_dir: str
    """Folder where an adapter may keep its state."""
    show_citations: bool
    show_confidence: bool
    """True where the operator wants the confidence shown below an answer."""
    retention_days: int
    echo: Callable[[str], None]
    """Prints a line for the operator."""
    sessions: SessionStore
    resolve_readers: Callable[[PersonId], Awaitable[Readers | None]]
    """Looks up the readers of a message to a person alone; None where the person's platform does not run here or cannot
    tell."""
    program_routes: Callable[..., AbstractAsyncContextManager[Sequence[Any]]]
    """Opens the routes of the API and MCP, for an adapter that serves pages. `machine`: the program whose secret opens
    them where nobody signs in; `tokens`: the verifier of the tokens that people sign in with, which open them as
    well."""


class PlatformSetup(Protocol):
    """How the tokens of a platform are made and checked."""

    @property
    def link(self) -> str:
        """Address where the steps to the first token begin. Raises Refused where a file of the installation is
        missing."""
        ...

    @property
    def tokens(self) -> tuple[TokenPrompt, ...]:
        """Tokens that it needs with its other settings, in the order in which they are made."""
        ...

    def current_token(self, prompt: TokenPrompt) -> str:
        """Return the token that the settings hold; empty without one."""
        ...

    async def check(self, prompt: TokenPrompt, token: str) -> TokenCheck:
        """Ask the service about a token, as `PlatformConfig.diagnose` does. Posts nothing."""
        ...


class PlatformConfig(Protocol):
    """The settings of one platform. An SDK is imported where it is connected or diagnosed, not before."""

    platform: ClassVar[Platform]

    @property
    def is_enabled(self) -> bool:
        """True where the operator configured it."""
        ...

    @property
    def home_spaces(self) -> frozenset[str] | None:
        """The organisation's own workspaces or servers (`slack:T1`); None: all that the bot is in."""
        ...

    @property
    def is_sharded(self) -> bool:
        """True where its spaces are divided among processes."""
        ...

    @property
    def clock_url(self) -> str:
        """An address whose responses carry the time; empty: none."""
        ...

    @property
    def channel_indexing_blocker(self) -> str:
        """A sentence with the reason why messages of its channels may not be indexed; empty where they may."""
        ...

    async def find_channels(self, name: str) -> list[PlaceId]:
        """Return the channels with that name that the bot is in. Raises the error that the service's refusal is
        translated to."""
        ...

    def setting_warnings(self, places: Mapping[PlaceId, PlaceSettings]) -> list[str]:
        """Return a line for each setting that is probably a mistake. `places` are its own."""
        ...

    def setup(self) -> PlatformSetup | None:
        """Return how its tokens are made; None where it has none."""
        ...

    def create_adapter(self, context: AdapterContext) -> PlatformAdapter:
        """Create the adapter without connecting it. Raises what `AdapterContext.installations` raises."""
        ...

    async def diagnose_stored(self, installations: Callable[[], InstallationStore]) -> Finding | None:
        """Check if the stored installations can be read; return None where there are none. Asks no service."""
        ...

    def diagnose(
        self, places: Collection[PlaceId], load_installations: Callable[[], Awaitable[list[Installation] | None]]
    ) -> AsyncIterator[Finding]:
        """Check the platform's side of the installation, and yield findings. Posts nothing. `places`: places of this
        platform that the settings name, where the bot should be; `load_installations`: returns None where they cannot
        be read, which `diagnose_stored` reports."""
        ...
