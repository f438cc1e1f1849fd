"""What an engine offers: transactions, and in them SQL that SQLite and PostgreSQL read alike.

Values are numbered, `$1` the first of them: both engines know that notation, so that no statement is rewritten on its
way. What only one of them can say stands in its package, behind `Database` and `PassageIndex`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeVar

from pipeline.ports import Vectors
from pipeline.values import SearchHit

T = TypeVar("T")


class AdvisoryLock(StrEnum):
    """What several processes do one after the other, in short transactions."""

    INBOX = "inbox"
    """Which messages wait, and whose turn it is."""
    PASSAGES = "passages"
    """How many hold each word."""
    TOKENS = "tokens"
    """What is used of a day's."""
    SUBSCRIPTIONS = "wishes"
    SESSIONS = "sessions"
    """What is told of a person."""


class Cursor(Protocol):
    """What a statement returned, and how many rows it changed."""

    @property
    def rowcount(self) -> int: ...

    @property
    def description(self) -> Sequence[Sequence[Any]] | None: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """One transaction's view of the database; it is good for as long as that lasts."""

    @property
    def skip_locked(self) -> str:
        """Ends a SELECT of rows that are to be changed, so that another process that wants them passes them over."""
        ...

    @property
    def for_update(self) -> str:
        """Ends a SELECT of rows that are to be changed, so that another process that wants them waits."""
        ...

    @property
    def lease_holder(self) -> int:
        """What this process stamps its leases with; 0 where only one process leases."""
        ...

    def advisory_lock(self, what: AdvisoryLock) -> None:
        """Until this transaction ends, no other process does the same."""
        ...

    def execute(self, statement: str, values: Sequence[object] = ()) -> Cursor: ...

    def executemany(self, statement: str, rows: Iterable[Sequence[object]]) -> None: ...


TransactionFunction = Callable[[Connection], T]
"""What is done inside one transaction, on the connection given."""


def fetch_value(db: Connection, query: str, values: Sequence[object] = ()) -> Any:
    """The first value of the first row; None where there is none."""
    row = db.execute(query, values).fetchone()
    return row[0] if row else None


class Leadership(NamedTuple):
    """What a process is among those that answer from the same database."""

    lease_holder: int
    """As `Connection.holder`. Another one than before: the leases that were stamped with that are lost."""
    is_leader: bool
    """It does what only one of them may do."""


class IndexedPassage(NamedTuple):
    """What a passage is found by."""

    number: int
    collection_id: int
    title: str
    text: str
    mean_vector: Vectors | None
    """The direction of the mean of its units' vectors."""


class PassageIndex(Protocol):
    """Finds passages by their words and by their vectors. All inside the caller's transaction, unless said otherwise.

    `scope`: the collections searched, None for all. What is not live is not found."""

    def add(self, db: Connection, passages: Sequence[IndexedPassage]) -> None: ...

    def bulk_add(self, db: Connection, passages: Sequence[IndexedPassage]) -> None:
        """As `add`, for many while nobody searches: none is found before `complete`."""
        ...

    def finish_bulk(self, db: Connection) -> None:
        """Let what was filled be found. Does nothing where that is done."""
        ...

    def remove(self, db: Connection, numbers: Sequence[int]) -> None: ...

    async def purge_removed(self, database: Database) -> None:
        """Leave nothing of the words of passages that were removed. In transactions of its own."""
        ...

    def document_frequency(self, db: Connection, words: Collection[str]) -> dict[str, int]:
        """How many passages hold each word, in whichever form."""
        ...

    def stem(self, word: str) -> str:
        """What `word` is known by in this index, as `beginning` has it."""
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
        """The passages that hold one of the words `rare`, ranked by all words of `frequency`: BM25, a title counting
        one and a half times as much as the text. `total`: how many passages there are."""
        ...

    def contains_word(self, db: Connection, word: str, scope: Collection[int] | None) -> bool: ...

    def stems_with_prefix(self, db: Connection, letters: Collection[str]) -> dict[str, int]:
        """The stems that begin in one of these ways, and how many passages hold each."""
        ...

    def texts_containing(self, db: Connection, word: str, scope: Collection[int] | None, most: int) -> list[str]:
        """Some texts that hold `word`, titles included, in lower case."""
        ...


class Database(Protocol):
    """The truth, shared by all of a process's tasks and by several processes. Call it from any task."""

    @property
    def passage_index(self) -> PassageIndex: ...

    @property
    def is_shared(self) -> bool:
        """Whether other processes may answer from it, too."""
        ...

    async def write(self, work: TransactionFunction[T], *, durable: bool = False) -> T:
        """Run `work` in one transaction, after the process's writes before it. With `durable`, it survives a power cut
        once this returns; without, a crash of the process.

        Durable writes that wait at the same time share a commit, and may be run a second time when it fails: `work`
        changes nothing but the database. Raises Unavailable when the database cannot be written, and whatever `work`
        raises; nothing is written then."""
        ...

    async def read(self, work: TransactionFunction[T]) -> T:
        """Run `work` on a snapshot that nothing changes. Raises Unavailable."""
        ...

    async def check_leadership(self) -> Leadership:
        """What this process is now. Of those that ask again and again, one is first until it ends or is cut off.

        Raises Unavailable; then it is not known what others have taken over meanwhile."""
        ...

    def dead_holders(self, db: Connection) -> set[int]:
        """The holders of leases that do not live any more."""
        ...

    async def purge_deleted(self) -> bool:
        """Let go of what was deleted, as far as the engine can; False when others were in the way."""
        ...

    async def close(self) -> None:
        """Wait for what is under way, then close."""
        ...
