"""What Confluence's REST APIs answer with, as far as it is read here."""

from __future__ import annotations

from pydantic import AliasChoices, BaseModel, ConfigDict, Field


class Wire(BaseModel):
    """A part of an answer; what it holds besides is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True, coerce_numbers_to_str=True)


class Links(Wire):
    webui: str = ""
    download: str = ""
    next: str = ""


class Batch(Wire):
    """A list, or the part of it that one request gets."""

    results: tuple[object, ...]
    links: Links = Field(Links(), alias="_links")


class Named(Wire):
    """A label, a property."""

    name: str = Field("", validation_alias=AliasChoices("name", "key"))
    value: object = None


class Version(Wire):
    number: int
    when: str = Field("", validation_alias=AliasChoices("when", "createdAt"))


class Space(Wire):
    id: str
    key: str


class _Readers(Wire):
    results: tuple[object, ...]


class _Subjects(Wire):
    user: _Readers
    group: _Readers


class Restriction(Wire):
    """Who may do something; empty: everyone in the space."""

    restrictions: _Subjects

    @property
    def closed(self) -> bool:
        return bool(self.restrictions.user.results or self.restrictions.group.results)


class _Restrictions(Wire):
    read: Restriction | None = None


class _Labels(Wire):
    results: tuple[Named, ...] = ()


class _Metadata(Wire):
    labels: _Labels = _Labels()


class _Extensions(Wire):
    size: int = Field(0, alias="fileSize")


class _Container(Wire):
    id: str = ""


class Content(Wire):
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


class PageV2(Wire):
    id: str
    title: str
    parent: str | None = Field(None, alias="parentId")
    parent_type: str | None = Field(None, alias="parentType")
    version: Version
    links: Links = Field(Links(), alias="_links")


class Above(Wire):
    """A folder, a whiteboard or a database that pages stand below."""

    parent: str | None = Field(None, alias="parentId")
    parent_type: str | None = Field(None, alias="parentType")


class _Storage(Wire):
    value: str


class _Body(Wire):
    storage: _Storage


class _Properties(Wire):
    results: tuple[Named, ...] = ()


class Written(Wire):
    """A page with its text, of either API."""

    body: _Body
    owner: str | None = Field(None, alias="ownerId")
    properties: _Properties = _Properties()

    @property
    def new_editor(self) -> bool:
        return any(found.name == "editor" and found.value in (None, "v2") for found in self.properties.results)


class Person(Wire):
    account_id: str = Field("", alias="accountId")
    name: str = Field("", alias="displayName")


class People(Wire):
    results: tuple[Person, ...]
