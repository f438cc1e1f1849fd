"""Responses of Confluence's REST APIs, as far as they are read."""

from __future__ import annotations

from typing import Generic, TypeVar
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field

from adapters.sources.rest_client import ResponseModel

R = TypeVar("R", bound=ResponseModel)


class ConfluenceLinks(ResponseModel):
    webui: str = ""
    download: str = ""
    next: str = ""


class ConfluenceResults(ResponseModel, Generic[R]):
    """A list, or the part of it that one request gets."""

    results: tuple[R, ...]
    links: ConfluenceLinks = Field(ConfluenceLinks(), alias="_links")

    @property
    def next_token(self) -> str:
        """The query of the next part. The rest of its address is built by a server behind a gateway, and is not
        used."""
        return urlsplit(self.links.next).query


class NamedValue(ResponseModel):
    """A label or a property."""

    name: str = Field("", validation_alias=AliasChoices("name", "key"))
    value: object = None


class ContentVersion(ResponseModel):
    number: int
    when: str = Field("", validation_alias=AliasChoices("when", "createdAt"))


class ConfluenceSpace(ResponseModel):
    id: str
    key: str


class _Readers(ResponseModel):
    results: tuple[object, ...]


class _Subjects(ResponseModel):
    user: _Readers
    group: _Readers


class ContentRestriction(ResponseModel):
    """The users and groups who may do something; empty: everyone in the space."""

    restrictions: _Subjects

    @property
    def is_restricted(self) -> bool:
        return bool(self.restrictions.user.results or self.restrictions.group.results)


class _Restrictions(ResponseModel):
    read: ContentRestriction | None = None


class _Labels(ResponseModel):
    results: tuple[NamedValue, ...] = ()


class _Metadata(ResponseModel):
    labels: _Labels = _Labels()


class _Extensions(ResponseModel):
    size: int = Field(default=0, alias="fileSize")


class _Container(ResponseModel):
    id: str = ""


class ContentV1(ResponseModel):
    """A page or an attachment of API v1."""

    id: str
    type: str
    title: str
    version: ContentVersion
    ancestors: tuple[_Container, ...] = ()
    metadata: _Metadata = _Metadata()
    restrictions: _Restrictions = _Restrictions()
    container: _Container = _Container()
    extensions: _Extensions = _Extensions()
    links: ConfluenceLinks = Field(ConfluenceLinks(), alias="_links")

    @property
    def labels(self) -> frozenset[str]:
        return frozenset(label.name for label in self.metadata.labels.results)

    @property
    def is_restricted(self) -> bool:
        """True where not everyone in the space may read it, or nothing is known of its restrictions."""
        return self.restrictions.read is None or self.restrictions.read.is_restricted


class PageV2(ResponseModel):
    id: str
    title: str
    parent: str | None = Field(None, alias="parentId")
    parent_type: str | None = Field(None, alias="parentType")
    version: ContentVersion
    links: ConfluenceLinks = Field(ConfluenceLinks(), alias="_links")


class PageContainer(ResponseModel):
    """A folder, a whiteboard or a database that pages stand below."""

    parent: str | None = Field(None, alias="parentId")
    parent_type: str | None = Field(None, alias="parentType")


class _Storage(ResponseModel):
    value: str


class _Body(ResponseModel):
    storage: _Storage


class _Properties(ResponseModel):
    results: tuple[NamedValue, ...] = ()


class PageBodyResponse(ResponseModel):
    """A page with its text, of either API."""

    body: _Body
    owner: str | None = Field(None, alias="ownerId")
    properties: _Properties = _Properties()

    @property
    def new_editor(self) -> bool:
        return any(entry.name == "editor" and entry.value in (None, "v2") for entry in self.properties.results)


class ConfluenceUser(ResponseModel):
    account_id: str = Field("", alias="accountId")
    name: str = Field("", alias="displayName")


class ConfluenceUsers(ResponseModel):
    results: tuple[ConfluenceUser, ...]
