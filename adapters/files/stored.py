"""A page as Confluence stores it."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from pipeline.values import Value


class StoredPage(Value):
    """What stands on it, in the storage format, and what that refers to and does not hold itself."""

    storage: str
    title: str = ""
    names: Mapping[str, str] = Field(default_factory=dict)
    """Of people, by account id or user key."""
    url: str = ""
    """Where people read the pages of that Confluence."""
    space: str = ""
    """The key of the page's own."""
    new_editor: bool = True
