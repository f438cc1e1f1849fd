"""Sources of documents."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Protocol, runtime_checkable

from pipeline.values import ParsedDocument, Value


class SourceItem(Value):
    """A document that a source offers, before it is parsed."""

    id: str
    """Document id, stable between runs."""
    label: str
    """Name for people: a path, a title."""
    version: str
    """Version that differs when the content does: its SHA-256, or the service's own. The document that is parsed from
    it has the same version."""
    length: int = 0
    """Bytes to read; 0 where the source does not say."""


class DocumentSource(Protocol):
    """A place that documents are read from."""

    name: str
    """Name of the source; its documents are pruned together."""

    def list_items(self) -> AsyncIterator[SourceItem]:
        """List everything there is, cheaply. Raises Unavailable when the list may be incomplete: nothing is removed
        then."""
        ...

    async def parse_item(self, item: SourceItem) -> ParsedDocument:
        """Read and parse one document. Raises Refused with the reason, in words, when it cannot be read; Unavailable
        when the service does not respond any more: the rest is read the next time."""
        ...


@runtime_checkable
class SkipReportingSource(Protocol):
    """A source that skips documents, and gives the reasons."""

    @property
    def skipped(self) -> Mapping[str, str]:
        """Documents that the last `list_items()` skipped: label -> reason, a clause such as `not everyone may read
        it`."""
        ...


@runtime_checkable
class PermissionAwareSource(Protocol):
    """A source whose service knows who may read a document."""

    @property
    def withheld(self) -> frozenset[str]:
        """Ids that the last `list_items()` left out because not everyone may read them: they are removed at once,
        whatever else of the source is kept."""
        ...


class SourceCache(Protocol):
    """State that a source keeps between two runs (ETags, cursors, a listing). Losing it does no harm."""

    async def load(self) -> dict[str, str]:
        """Return all entries."""
        ...

    async def update(self, changes: Mapping[str, str | None]) -> None:
        """Merge entries in one transaction; None removes a key."""
        ...
