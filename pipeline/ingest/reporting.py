"""What a run of ingestion tells: an event for each document, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from enum import StrEnum

from pipeline.errors import CitewellError
from pipeline.values import Chunk, Document, Value


class DocumentChange(StrEnum):
    """What becomes of one document."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REMOVED = "removed"
    FAILED = "failed"
    UNDERWAY = "underway"


class IngestEvent(Value):
    """One document is dealt with."""

    change: DocumentChange
    label: str
    done: int
    """Documents dealt with so far, of `total`; removed ones are not counted."""
    total: int


class DocumentFailed(IngestEvent):
    """A document could not be taken. Its old version, if there is one, keeps serving."""

    change: DocumentChange = DocumentChange.FAILED
    reason: str
    """Why, and what to do."""
    whole: bool = False
    """It is the source: not all of it could be listed."""


class DocumentProgress(IngestEvent):
    """A long document is being taken in; its old version serves until it is complete."""

    change: DocumentChange = DocumentChange.UNDERWAY
    share: float
    """Of the document, 0 to 1."""


class IngestSummary(Value):
    """What a run did."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: tuple[DocumentFailed, ...] = ()
    chunks: int = 0
    words: int = 0
    flagged: tuple[str, ...] = ()
    """Labels of documents that hold instructions addressed to an assistant."""
    keys: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Labels of documents that hold keys or tokens, and of what forms."""
    unread: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Labels of documents of which a part could not be read, and which parts."""
    unsupported: tuple[str, ...] = ()
    """Labels of files that were passed over because of their format."""
    outside: tuple[str, ...] = ()
    """Labels of links that were not followed, as they lead out of what was named."""
    foreign: tuple[str, ...] = ()
    """Labels of folders and files that were passed over as fetched, built or minified by programs."""
    empty: tuple[str, ...] = ()
    """Labels of files that nothing is in."""
    degraded: str = ""
    """Why documents of this run have no vectors; empty when they have."""
    skipped: tuple[tuple[str, str], ...] = ()
    """Label and reason of documents that the source passed over."""
    unreached: str = ""
    """Why not all of the source was seen, and nothing was forgotten."""
    denied: bool = False
    """The source lets us read nothing: nobody sees its documents until it does again."""
    kept: tuple[str, ...] = ()
    """Ids of documents that are gone from the source and were not forgotten, as too few would have been left."""


class IngestReporter:
    """Counts, and tells each document to `on_event`."""

    def __init__(self, on_event: Callable[[IngestEvent], None], total: int) -> None:
        self._on_event = on_event
        self._total = total
        self._counts: Counter[DocumentChange] = Counter()
        self._failed: list[DocumentFailed] = []
        self._flagged: list[str] = []
        self._keys: list[tuple[str, tuple[str, ...]]] = []
        self._unread: list[tuple[str, tuple[str, ...]]] = []
        self._chunks = self._words = 0

    def record_change(self, change: DocumentChange, label: str) -> None:
        self._counts[change] += 1
        self._on_event(IngestEvent(change=change, label=label, done=self._done, total=self._total))

    def record_failure(self, label: str, error: CitewellError, *, whole: bool = False) -> None:
        reason = f"{error}. {error.what_to_do}".rstrip(" .") + "."
        self._counts[DocumentChange.FAILED] += 1
        event = DocumentFailed(label=label, reason=reason, whole=whole, done=self._done, total=self._total)
        self._failed.append(event)
        self._on_event(event)

    def record_chunks(self, chunks: Sequence[Chunk]) -> None:
        self._chunks += len(chunks)
        self._words += sum(len(chunk.text.split()) for chunk in chunks)

    def report_progress(self, label: str, share: float) -> None:
        self._on_event(DocumentProgress(label=label, share=share, done=self._done, total=self._total))

    def record_stored(self, label: str, document: Document, *, new: bool) -> None:
        if document.flagged:
            self._flagged.append(label)
        if document.keys:
            self._keys.append((label, document.keys))
        if document.unread:
            self._unread.append((label, document.unread))
        self.record_change(DocumentChange.ADDED if new else DocumentChange.CHANGED, label)

    def build_summary(self, degraded: str) -> IngestSummary:
        return IngestSummary(
            added=self._counts[DocumentChange.ADDED],
            changed=self._counts[DocumentChange.CHANGED],
            unchanged=self._counts[DocumentChange.UNCHANGED],
            removed=self._counts[DocumentChange.REMOVED],
            failed=tuple(self._failed),
            chunks=self._chunks,
            words=self._words,
            flagged=tuple(self._flagged),
            keys=tuple(self._keys),
            unread=tuple(self._unread),
            degraded=degraded,
        )

    @property
    def _done(self) -> int:
        return min(self._total, self._counts.total() - self._counts[DocumentChange.REMOVED])
