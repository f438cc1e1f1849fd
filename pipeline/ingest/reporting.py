"""Reports of an ingestion: an event for each document, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from enum import StrEnum

from pipeline.errors import CitewellError
from pipeline.values import Chunk, Document, Value


class DocumentChange(StrEnum):
    """The outcome for one document."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REMOVED = "removed"
    FAILED = "failed"
    UNDERWAY = "underway"


class IngestEvent(Value):
    """The outcome for one document, with the progress of the run."""

    change: DocumentChange
    label: str
    done: int
    """Number of documents done so far, of `total`; without removed ones."""
    total: int


class DocumentFailed(IngestEvent):
    """A document that failed. Its old version, if there is one, keeps serving."""

    change: DocumentChange = DocumentChange.FAILED
    reason: str
    """Reason, and what to do."""
    whole: bool = False
    """True where this is the source itself, which could not be listed completely."""


class DocumentProgress(IngestEvent):
    """A long document on its way in; its old version serves until it is complete."""

    change: DocumentChange = DocumentChange.UNDERWAY
    share: float
    """Share of the document, 0 to 1."""


class IngestSummary(Value):
    """The results of a run."""

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
    """Labels of documents with keys or tokens, and the types of these."""
    unread: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Labels of documents with unreadable parts, and the names of these."""
    unsupported: tuple[str, ...] = ()
    """Labels of files that were skipped because of their format."""
    outside: tuple[str, ...] = ()
    """Labels of links that were not followed, because they lead outside the given address."""
    foreign: tuple[str, ...] = ()
    """Labels of folders and files that were skipped because programs fetched, built or minified them."""
    empty: tuple[str, ...] = ()
    """Labels of empty files."""
    degraded: str = ""
    """Reason why documents of this run have no vectors; empty when they have."""
    skipped: tuple[tuple[str, str], ...] = ()
    """Label and reason of documents that the source skipped."""
    unreached: str = ""
    """Reason why a part of the source was not seen, and nothing was removed."""
    denied: bool = False
    """True where the source denies us all access: its documents are hidden until it grants it again."""
    kept: tuple[str, ...] = ()
    """Ids of documents that are gone from the source but not removed, as too few would have been left."""


class IngestReporter:
    """A reporter that counts, and passes each document's event to `on_event`."""

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
        """Count the outcome of a document and report it."""
        self._counts[change] += 1
        self._on_event(IngestEvent(change=change, label=label, done=self._done, total=self._total))

    def record_failure(self, label: str, error: CitewellError, *, whole: bool = False) -> None:
        """Count a failure and report it; `whole`: the source could not be listed completely."""
        reason = f"{error}. {error.what_to_do}".rstrip(" .") + "."
        self._counts[DocumentChange.FAILED] += 1
        event = DocumentFailed(label=label, reason=reason, whole=whole, done=self._done, total=self._total)
        self._failed.append(event)
        self._on_event(event)

    def record_chunks(self, chunks: Sequence[Chunk]) -> None:
        """Count chunks and their words."""
        self._chunks += len(chunks)
        self._words += sum(len(chunk.text.split()) for chunk in chunks)

    def report_progress(self, label: str, share: float) -> None:
        """Report the progress of a long document."""
        self._on_event(DocumentProgress(label=label, share=share, done=self._done, total=self._total))

    def record_stored(self, label: str, document: Document, *, new: bool) -> None:
        """Count a stored document, with its warnings, and report it."""
        if document.flagged:
            self._flagged.append(label)
        if document.keys:
            self._keys.append((label, document.keys))
        if document.unread:
            self._unread.append((label, document.unread))
        self.record_change(DocumentChange.ADDED if new else DocumentChange.CHANGED, label)

    def build_summary(self, degraded: str) -> IngestSummary:
        """Build the summary; `degraded` is the reason why there are no vectors."""
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
