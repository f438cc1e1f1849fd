"""Where documents come from."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Protocol, runtime_checkable

from pipeline.values import ParsedDocument, Value


class SourceItem(Value):
    """One document a source offers, before it is parsed."""

    id: str
    """Document id, stable between runs."""
    label: str
    """What a person calls it: a path, a title."""
    version: str
    """Differs when the content does: its SHA-256, or what the service calls its version. The document that is parsed
    from it bears the same."""


class DocumentSource(Protocol):
    name: str
    """Documents of one source are pruned together."""

    def list_items(self) -> AsyncIterator[SourceItem]:
        """Everything there is, cheaply. Raises Unavailable when there may be more: nothing is forgotten then."""
        ...

    async def parse_item(self, item: SourceItem) -> ParsedDocument:
        """Raises Refused with the reason, in words, when the document cannot be read; Unavailable when the service does
        not answer any more: the rest is read the next time."""
        ...


@runtime_checkable
class SkipReportingSource(Protocol):
    """A source that passes documents over, and says why."""

    @property
    def skipped(self) -> Mapping[str, str]:
        """What the last `items()` passed over: label -> reason, a clause such as `not everyone may read it`."""
        ...


@runtime_checkable
class PermissionAwareSource(Protocol):
    """A source whose service says who may read what."""

    @property
    def withheld(self) -> frozenset[str]:
        """Ids of what the last `items()` saw and left out, as not everyone may read it: it is forgotten at once,
        whatever else of the source is kept."""
        ...


class SourceCache(Protocol):
    """What a source keeps between two looks at its service (ETags, cursors, a listing). It is lost without harm."""

    async def load(self) -> dict[str, str]:
        """All that is kept."""
        ...

    async def update(self, changes: Mapping[str, str | None]) -> None:
        """Keep these too, in one transaction; None forgets a key."""
        ...
