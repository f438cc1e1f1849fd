"""The tables of `citewell.toml`: readers of collections, holders of roles, and sources of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, get_args
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from bot.config.field_types import (
    AudienceGroup,
    Branch,
    CollectionName,
    EnvVarName,
    FolderId,
    GitUrl,
    Repository,
    RoleHolder,
    SpaceKey,
)
from pipeline.rules.setting_types import HttpAddress, ServerUrl


class SettingTable(BaseModel):
    """One table; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class CollectionSettings(SettingTable):
    """Readers of a collection. Without an entry, everyone inside the organisation may see it."""

    only: tuple[Annotated[str, AudienceGroup], ...] = ()
    """Groups such as `slack:T1`, `slack:T1:C2`, `slack:T1:U3`, `discord:G1:role:R4`; empty: everyone inside."""
    public: bool = False
    """People of other organisations (Slack Connect) may see it too."""


class RoleSettings(SettingTable):
    """Holders of roles. Without an entry, nobody on a platform has one."""

    admin: tuple[Annotated[str, RoleHolder], ...] = ()
    """May set up places, and all that contributors may."""
    contributor: tuple[Annotated[str, RoleHolder], ...] = ()
    """May keep a person's reply as an answer."""


class SourceTable(SettingTable):
    """A source of documents: the fields of all kinds. `kind` is a literal in each."""

    kind: str
    name: Annotated[str, CollectionName]
    """The source's name in messages; the ids of its documents begin with it."""
    collection: Annotated[str, CollectionName] | None = None
    """Without it: CITEWELL_DEFAULT_COLLECTION."""
    every_minutes: int | None = Field(None, ge=0, le=10_080)
    """Minutes between two syncs while `citewell run` is up; 0: only by `citewell sources sync`. Without it:
    CITEWELL_SYNC_MINUTES."""
    stale_after: int | None = Field(None, ge=1, le=36_500)
    """Days since the last change or review after which a citation says that it may be out of date. Without it: never.
    """

    @property
    def source_id(self) -> str:
        """The source's name in the library."""
        return f"{self.kind}:{self.name}"


class ServiceTable(SourceTable):
    """A source that is fetched from a service."""

    token_from: Annotated[str, EnvVarName] = ""
    """The environment variable that holds the secret."""
    private: bool = False
    """True if it may be in a private network or on this machine."""


class RightsTable(ServiceTable):
    """A source whose service says who may read which of its documents."""

    restricted: bool = False
    """True to take the documents that not everyone there may read, and nothing else."""

    @field_validator("restricted")
    @classmethod
    def _somewhere(cls, value: bool, info: ValidationInfo) -> bool:
        if value and not info.data.get("collection"):
            raise ValueError("set together with a collection, which says who may see what is restricted")
        return value


class FolderTable(SourceTable):
    kind: Literal["folder"]
    path: Path
    base_url: Annotated[str, HttpAddress] | None = None
    """The address where people read the files; `{path}` stands for a file's path below the folder."""

    @property
    def source_id(self) -> str:
        return self.path.expanduser().resolve().as_posix()


class GitTable(ServiceTable):
    kind: Literal["git"]
    url: Annotated[str, GitUrl]
    branch: Annotated[str, Branch] = ""
    """Empty: the host's default branch."""
    paths: tuple[str, ...] = ()
    """Folders and files of it; empty: all."""
    base_url: Annotated[str, HttpAddress] | None = None
    """The address where people read the files, for unknown hosts; `{path}` stands for a file's path."""
    token_from: Annotated[str, EnvVarName] = "GIT_TOKEN"  # noqa: S105 - the name of one

    @field_validator("url")
    @classmethod
    def _on_this_machine(cls, value: str, info: ValidationInfo) -> str:
        if value.startswith("file:") and not info.data.get("private"):
            raise ValueError("https://…, or stand beside private = true where it is on this machine")
        return value


class WebTable(ServiceTable):
    kind: Literal["web"]
    sitemap: Annotated[str, HttpAddress] | None = None
    pages: tuple[Annotated[str, HttpAddress], ...] = ()
    """Addresses, and no others."""
    start: Annotated[str, HttpAddress] | None = None
    """The page to follow links from."""
    prefix: Annotated[str, HttpAddress] | None = None
    """The beginning of the addresses of pages that are not listed; with `start`, its folder."""
    max_pages: int = Field(5000, ge=1, le=100_000)
    pace: float = Field(0.0, ge=0, le=60)
    """Least seconds between two requests to one server."""

    @model_validator(mode="after")
    def _one_way_in(self) -> WebTable:
        if sum(map(bool, (self.sitemap, self.pages, self.start))) != 1:
            raise ValueError("given one of sitemap, pages and start, and only one")
        return self


class GoogleDriveTable(RightsTable):
    kind: Literal["google-drive"]
    folder: Annotated[str, FolderId]
    """The id of a folder or of a shared drive, the last part of its address."""
    base_url: Annotated[str, ServerUrl] = "https://www.googleapis.com"
    token_from: Annotated[str, EnvVarName] = "GOOGLE_APPLICATION_CREDENTIALS"  # noqa: S105 - the name of one


class ConfluenceTable(RightsTable):
    kind: Literal["confluence"]
    url: Annotated[str, HttpAddress]
    """The address where people read it: `https://example.atlassian.net/wiki`, `https://wiki.example.com/confluence`."""
    spaces: tuple[Annotated[str, SpaceKey], ...]
    email: str = ""
    """On Cloud: the account that the token belongs to. Without it: Data Center."""
    api_url: Annotated[str, HttpAddress] | None = None
    """On Cloud, for a token with scopes: `https://api.atlassian.com/ex/confluence/CLOUD_ID/wiki`."""
    labels: tuple[str, ...] = ()
    """Pages with one of them; empty: all."""
    without_labels: tuple[str, ...] = ()
    token_from: Annotated[str, EnvVarName] = "CONFLUENCE_TOKEN"  # noqa: S105 - the name of one

    @field_validator("spaces")
    @classmethod
    def _some(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value:
            raise ValueError('keys of spaces, such as ["ENG", "HR"]')
        return value

    @model_validator(mode="after")
    def _whose_token(self) -> ConfluenceTable:
        if (urlsplit(self.url).hostname or "").endswith(".atlassian.net") and not self.email:
            raise ValueError("given an email on Cloud: that of the account that the token belongs to")
        return self


class NotionTable(ServiceTable):
    kind: Literal["notion"]
    base_url: Annotated[str, ServerUrl] = "https://api.notion.com"
    token_from: Annotated[str, EnvVarName] = "NOTION_TOKEN"  # noqa: S105 - the name of one


class GitHubTable(ServiceTable):
    kind: Literal["github"]
    repository: Annotated[str, Repository]
    take: tuple[Literal["issues", "discussions", "wiki"], ...] = ("issues", "discussions", "wiki")
    unanswered: bool = False
    """True to take open issues and discussions without an answer too."""
    base_url: Annotated[str, ServerUrl] = "https://github.com"
    """For GitHub Enterprise: its address."""
    token_from: Annotated[str, EnvVarName] = "GITHUB_TOKEN"  # noqa: S105 - the name of one


_Sources = FolderTable | GitTable | WebTable | ConfluenceTable | NotionTable | GoogleDriveTable | GitHubTable
AnySource = Annotated[_Sources, Field(discriminator="kind")]
SOURCE_TABLES: dict[str, type[SourceTable]] = {
    kind: table for table in get_args(_Sources) for kind in get_args(table.model_fields["kind"].annotation)
}


def check_unique_sources(tables: Sequence[SourceTable]) -> None:
    """Raise ValueError when two sources have one name, or take one folder."""
    for counts, what in (
        (Counter(table.name for table in tables), "name"),
        (Counter(table.source_id for table in tables), "folder"),
    ):
        if twice := [value for value, count in counts.items() if count > 1]:
            raise ValueError(f"sources with a {what} of their own each: {twice[0]} is there twice")
