"""The interface of an engine: transactions, and in them SQL that SQLite and PostgreSQL read alike.

Parameters are numbered from `$1`: both engines know that notation, so no statement is rewritten on its way. SQL that
only one engine knows stands in its package, behind `Database` and `PassageIndex`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeVar

from pipeline.ports import Vectors
from pipeline.values import SearchHit

T = TypeVar("T")


class AdvisoryLock(StrEnum):
    """A short piece of work that processes do one after the other."""

    INBOX = "inbox"
    """Choosing which messages wait, and whose turn it is."""
    PASSAGES = "passages"
    """Counting the passages that hold each word."""
    TOKENS = "tokens"
    """Counting the tokens used in a day."""
    SUBSCRIPTIONS = "wishes"
    SESSIONS = "sessions"
    """Updating the identities that sessions hold."""


class Cursor(Protocol):
    """The rows a statement returned, and the number of rows it changed."""

    @property
    def rowcount(self) -> int: ...

    @property
    def description(self) -> Sequence[Sequence[Any]] | None: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """One transaction's view of the database, valid until the transaction ends."""

    @property
    def skip_locked(self) -> str:
        """The end of a SELECT whose rows will be changed: another process passes over them."""
        ...

    @property
    def for_update(self) -> str:
        """The end of a SELECT whose rows will be changed: another process waits for them."""
        ...

    @property
    def lease_holder(self) -> int:
        """The number this process stamps its leases with; 0 where only one process leases."""
        ...

    def advisory_lock(self, lock: AdvisoryLock) -> None:
        """Let no other process take the same lock until this transaction ends."""
        ...

    def execute(self, statement: str, values: Sequence[object] = ()) -> Cursor: ...

    def executemany(self, statement: str, rows: Iterable[Sequence[object]]) -> None: ...


TransactionFunction = Callable[[Connection], T]
"""Work done inside one transaction, on the connection passed in."""


def fetch_value(db: Connection, query: str, values: Sequence[object] = ()) -> Any:
    """Return the first value of the first row, or None if there is no row."""
    row = db.execute(query, values).fetchone()
    return row[0] if row else None


class Leadership(NamedTuple):
    """The role of a process among those that answer from the same database."""

    lease_holder: int
    """The number in `Connection.lease_holder`. If it changed, the leases stamped with the earlier number are lost."""
    is_leader: bool
    """True for the one process that runs the work only one may run."""


class IndexedPassage(NamedTuple):
    """The words and the vector by which a passage is found."""

    number: int
    collection_id: int
    title: str
    text: str
    mean_vector: Vectors | None
    """The direction of the mean of its units' vectors."""


class PassageRanking(Protocol):
    """Ranks passages in memory, as long as what can be found stays the same; may be called from any thread."""

    def search(
        self, db: Connection, rare: Sequence[str], words: Collection[str], scope: Collection[int] | None, limit: int
    ) -> list[SearchHit] | None:
        """Return what `PassageIndex.search` returns for `words`; None where that has to be asked."""
        ...

    def read_all(self, db: Connection, is_stopped: Callable[[], bool]) -> None:
        """Read beforehand what searches would read when they need it. `is_stopped` is asked again and again; once it
        says so, nothing of that is kept."""
        ...


class PassageIndex(Protocol):
    """Finds passages by their words and by their vectors, inside the caller's transaction unless said otherwise.

    `scope`: the collections searched, None for all. Only live passages are found.
    """

    def add(self, db: Connection, passages: Sequence[IndexedPassage]) -> None: ...

    def bulk_add(self, db: Connection, passages: Sequence[IndexedPassage]) -> None:
        """Add many passages while nobody searches. None of them is found before `finish_bulk`."""
        ...

    def finish_bulk(self, db: Connection) -> None:
        """Make passages added by `bulk_add` searchable. Does nothing when that is done already."""
        ...

    def remove(self, db: Connection, numbers: Sequence[int]) -> None: ...

    async def purge_removed(self, database: Database) -> None:
        """Erase the words of removed passages from the index, in transactions of its own."""
        ...

    def document_frequency(self, db: Connection, words: Collection[str]) -> dict[str, int]:
        """Return how many passages hold each word, in any of its forms."""
        ...

    def stem(self, word: str) -> str:
        """Return the stem that the index knows `word` by, as `stems_with_prefix` returns it."""
        ...

    def search(
        self,
        db: Connection,
        rare: Sequence[str],
        frequency: Mapping[str, int],
        total: int,
        scope: Collection[int] | None,
        limit: int,
    ) -> list[SearchHit]:
        """Return the passages that hold one of the words `rare`, ranked by all words of `frequency`.

        The ranking is BM25; a title counts one and a half times as much as the text. `total`: the number of all
        passages.
        """
        ...

    def load_ranking(self, db: Connection) -> PassageRanking | None:
        """Return what ranks the present passages in memory; None where this index is as fast."""
        ...

    def contains_word(self, db: Connection, word: str, scope: Collection[int] | None) -> bool: ...

    def stems(self, words: Sequence[str]) -> list[str]:
        """Return the stem of each word, as `stem` does."""
        ...

    def count_stems(self, db: Connection, limit: int) -> dict[str, int] | None:
        """Return the stems that begin with no digit, and how many passages hold each; None if there are more than
        `limit`."""
        ...

    def stems_with_prefix(self, db: Connection, letters: Collection[str]) -> dict[str, int]:
        """Return the stems that begin with one of `letters`, and how many passages hold each."""
        ...

    def texts_containing(self, db: Connection, word: str, scope: Collection[int] | None, limit: int) -> Iterator[str]:
        """Yield up to `limit` texts that hold `word`, titles included, in lower case."""
        ...


class Database(Protocol):
    """The one source of truth, shared by all tasks of a process and by several processes. Methods may be called from
    any task."""

    @property
    def passage_index(self) -> PassageIndex: ...

    @property
    def is_shared(self) -> bool:
        """True when other processes may answer from it, too."""
        ...

    async def write(self, work: TransactionFunction[T], *, durable: bool = False) -> T:
        """Run `work` in one transaction, after the process's writes before it.

        With `durable`, the change survives a power cut once this returns; without, it survives a crash of the process.
        Durable writes that wait at the same time share a commit, and may be run a second time when it fails: `work`
        must change nothing but the database. Raises Unavailable when the database cannot be written, and whatever
        `work` raises; nothing is written then.
        """
        ...

    async def read(self, work: TransactionFunction[T]) -> T:
        """Run `work` on a snapshot that nothing changes. Raises Unavailable."""
        ...

    async def check_leadership(self) -> Leadership:
        """Return this process's role now. Of the processes that keep asking, one leads until it ends or is cut off.

        Raises Unavailable; others may then have taken over.
        """
        ...

    def dead_holders(self, db: Connection) -> set[int]:
        """Return the holders of leases whose processes have ended."""
        ...

    async def purge_deleted(self) -> bool:
        """Erase deleted data from the files, as far as the engine can.

        Return False when other processes prevented it.
        """
        ...

    async def close(self) -> None:
        """Wait for work under way, then close."""
        ...
