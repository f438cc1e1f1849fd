"""Reports of an ingestion: an event for each document, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import Any

from pipeline.errors import CitewellError
from pipeline.ports import SourceItem
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
    work_done: float = 0.0
    """Work done so far, of `work`: the bytes of what is new or changed, where the source says them."""
    work: float = 0.0


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


class _Work:
    """The work of a run: each document that is due counts its bytes, or as much as the others on average."""

    def __init__(self, items: Iterable[SourceItem]) -> None:
        lengths = {item.id: item.length for item in items}
        known = [length for length in lengths.values() if length]
        typical = sum(known) / len(known) if known else 1.0
        self._due = {item_id: length or typical for item_id, length in lengths.items()}
        self._shares: dict[str, float] = {}
        self._finished = 0.0
        self.total = sum(self._due.values())

    @property
    def done(self) -> float:
        return self._finished + sum(self._due[item_id] * share for item_id, share in self._shares.items())

    def finish(self, item_id: str) -> None:
        self._shares.pop(item_id, None)
        self._finished += self._due.pop(item_id, 0.0)

    def advance(self, item_id: str, share: float) -> None:
        if item_id in self._due:
            self._shares[item_id] = share


class IngestReporter:
    """A reporter that counts, and passes each document's event to `on_event`."""

    def __init__(self, on_event: Callable[[IngestEvent], None], total: int) -> None:
        self._on_event = on_event
        self._total = total
        self._work = _Work(())
        self._counts: Counter[DocumentChange] = Counter()
        self._failed: list[DocumentFailed] = []
        self._flagged: list[str] = []
        self._keys: list[tuple[str, tuple[str, ...]]] = []
        self._unread: list[tuple[str, tuple[str, ...]]] = []
        self._chunks = self._words = 0

    def expect(self, items: Iterable[SourceItem]) -> None:
        """Take these as the items that are due: all others take no time."""
        self._work = _Work(items)

    def record_change(self, change: DocumentChange, label: str) -> None:
        """Count the outcome of a document and report it."""
        self._counts[change] += 1
        self._on_event(IngestEvent(change=change, label=label, **self._progress()))

    def record_failure(self, item: SourceItem, error: CitewellError) -> None:
        """Count the failure of a document and report it."""
        self._work.finish(item.id)
        self._record_failure(item.label, error, whole=False)

    def record_unlisted(self, source: str, error: CitewellError) -> None:
        """Count and report that a source could not be listed completely."""
        self._record_failure(source, error, whole=True)

    def _record_failure(self, label: str, error: CitewellError, *, whole: bool) -> None:
        reason = f"{error}. {error.what_to_do}".rstrip(" .") + "."
        self._counts[DocumentChange.FAILED] += 1
        event = DocumentFailed(label=label, reason=reason, whole=whole, **self._progress())
        self._failed.append(event)
        self._on_event(event)

    def record_chunks(self, chunks: Sequence[Chunk]) -> None:
        """Count chunks and their words."""
        self._chunks += len(chunks)
        self._words += sum(len(chunk.text.split()) for chunk in chunks)

    def report_progress(self, item: SourceItem, share: float) -> None:
        """Report the progress of a long document."""
        self._work.advance(item.id, share)
        self._on_event(DocumentProgress(label=item.label, share=share, **self._progress()))

    def record_stored(self, item: SourceItem, document: Document, *, new: bool) -> None:
        """Count a stored document, with its warnings, and report it."""
        label = item.label
        self._work.finish(item.id)
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

    def _progress(self) -> dict[str, Any]:
        done = min(self._total, self._counts.total() - self._counts[DocumentChange.REMOVED])
        return {"done": done, "total": self._total, "work_done": self._work.done, "work": self._work.total}
