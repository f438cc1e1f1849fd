"""What Confluence's REST APIs answer with, as far as it is read here."""

from __future__ import annotations

from typing import Generic, TypeVar
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field

from adapters.sources.rest import Shape

R = TypeVar("R", bound=Shape)


class Links(Shape):
    webui: str = ""
    download: str = ""
    next: str = ""


class Results(Shape, Generic[R]):
    """A list, or the part of it that one request gets."""

    results: tuple[R, ...]
    links: Links = Field(Links(), alias="_links")

    @property
    def following(self) -> str:
        """The address of the rest is built by a server behind a gateway: only its query is ours to use."""
        return urlsplit(self.links.next).query


class Named(Shape):
    """A label, a property."""

    name: str = Field("", validation_alias=AliasChoices("name", "key"))
    value: object = None


class Version(Shape):
    number: int
    when: str = Field("", validation_alias=AliasChoices("when", "createdAt"))


class Space(Shape):
    id: str
    key: str


class _Readers(Shape):
    results: tuple[object, ...]


class _Subjects(Shape):
    user: _Readers
    group: _Readers


class Restriction(Shape):
    """Who may do something; empty: everyone in the space."""

    restrictions: _Subjects

    @property
    def closed(self) -> bool:
        return bool(self.restrictions.user.results or self.restrictions.group.results)


class _Restrictions(Shape):
    read: Restriction | None = None


class _Labels(Shape):
    results: tuple[Named, ...] = ()


class _Metadata(Shape):
    labels: _Labels = _Labels()


class _Extensions(Shape):
    size: int = Field(default=0, alias="fileSize")


class _Container(Shape):
    id: str = ""


class ContentV1(Shape):
    """A page or an attachment, of v1."""

    id: str
    type: str
    title: str
    version: Version
    ancestors: tuple[_Container, ...] = ()
    metadata: _Metadata = _Metadata()
    restrictions: _Restrictions = _Restrictions()
    container: _Container = _Container()
    extensions: _Extensions = _Extensions()
    links: Links = Field(Links(), alias="_links")

    @property
    def labels(self) -> frozenset[str]:
        return frozenset(label.name for label in self.metadata.labels.results)

    @property
    def closed(self) -> bool:
        """Not everyone in the space may read it, or nothing was said of it."""
        return self.restrictions.read is None or self.restrictions.read.closed


class PageV2(Shape):
    id: str
    title: str
    parent: str | None = Field(None, alias="parentId")
    parent_type: str | None = Field(None, alias="parentType")
    version: Version
    links: Links = Field(Links(), alias="_links")


class Container(Shape):
    """A folder, a whiteboard or a database that pages stand below."""

    parent: str | None = Field(None, alias="parentId")
    parent_type: str | None = Field(None, alias="parentType")


class _Storage(Shape):
    value: str


class _Body(Shape):
    storage: _Storage


class _Properties(Shape):
    results: tuple[Named, ...] = ()


class PageBody(Shape):
    """A page with its text, of either API."""

    body: _Body
    owner: str | None = Field(None, alias="ownerId")
    properties: _Properties = _Properties()

    @property
    def new_editor(self) -> bool:
        return any(found.name == "editor" and found.value in (None, "v2") for found in self.properties.results)


class Profile(Shape):
    account_id: str = Field("", alias="accountId")
    name: str = Field("", alias="displayName")


class Profiles(Shape):
    results: tuple[Profile, ...]
