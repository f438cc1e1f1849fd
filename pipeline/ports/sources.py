"""Where documents come from."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from pipeline.values import Parsed, Value


class SourceItem(Value):
    """One document a source offers, before it is parsed."""

    id: str
    """Document id, stable between runs."""
    label: str
    """What a person calls it: a path, a title."""
    version: str
    """SHA-256 of the content."""


class DocumentSource(Protocol):
    name: str
    """Documents of one source are pruned together."""

    def items(self) -> AsyncIterator[SourceItem]:
        """Everything there is, cheaply."""
        ...

    async def parse(self, item: SourceItem) -> Parsed:
        """Raises Refused with the reason, in words, when the document cannot be read."""
        ...
