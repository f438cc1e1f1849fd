"""What Notion's API answers with, as far as it is read here."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field

from adapters.sources.rest import Json, Shape
from pipeline.values import Link, replace


def _moment(value: str) -> str:
    if datetime.fromisoformat(value).tzinfo is None:
        raise ValueError("a moment has a time zone")
    return value


Moment = Annotated[str, AfterValidator(_moment)]
"""In ISO 8601."""


class ResultPart(Shape):
    """A list, or the part of it that one request gets."""

    results: tuple[Json, ...]
    next_cursor: str | None = None
    has_more: bool = False

    @property
    def following(self) -> str:
        return (self.next_cursor or "") if self.has_more else ""


class Found(Shape):
    object: str


class _Gone(Shape):
    archived: bool = False
    in_trash: bool = False

    @property
    def gone(self) -> bool:
        return self.archived or self.in_trash


class NotionPage(_Gone):
    id: str
    url: str = ""
    edited: Moment = Field(alias="last_edited_time")
    properties: dict[str, Json] = Field(default_factory=dict)

    @property
    def title(self) -> str:
        named = (said for said in self.properties.values() if said.get("type") == "title")
        return plain(next(named, {}).get("title"))

    @property
    def in_short(self) -> NotionPage:
        """Without its properties but the title, which thousands of rows need not keep in memory."""
        title = {name: said for name, said in self.properties.items() if said.get("type") == "title"}
        return replace(self, properties=title)


class DataSource(_Gone):
    """A table of a database."""

    id: str
    url: str = ""
    edited: Moment = Field(alias="last_edited_time")
    named: tuple[Json, ...] = Field((), alias="title")
    properties: dict[str, Json] = Field(default_factory=dict)

    @property
    def title(self) -> str:
        return plain(self.named)

    @property
    def columns(self) -> list[str]:
        """Their names, the title's first."""
        return sorted(self.properties, key=lambda name: self.properties[name].get("type") != "title")


class BlockPart(_Gone):
    """A block without those below it."""

    id: str
    type: str
    has_children: bool = False
    model_config = ConfigDict(extra="allow")

    @property
    def said(self) -> Mapping[str, Any]:
        """What is particular to its type."""
        found = (self.model_extra or {}).get(self.type)
        return found if isinstance(found, Mapping) else {}


def plain(rich_text: object) -> str:
    """Rich text without its marks."""
    if not isinstance(rich_text, list | tuple):
        return ""
    return "".join(str(part.get("plain_text") or "") for part in rich_text if isinstance(part, Mapping))


def links(rich_text: object) -> list[Link]:
    """The links in rich text."""
    if not isinstance(rich_text, list | tuple):
        return []
    parts = (part for part in rich_text if isinstance(part, Mapping) and part.get("href"))
    return [Link(text=str(part.get("plain_text") or ""), url=str(part["href"])) for part in parts]
