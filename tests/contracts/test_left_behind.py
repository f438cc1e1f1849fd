"""Nothing is left of a person, a question, a document or a workspace that was erased, whichever field it stood in."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from pipeline.errors import Refused
from pipeline.values import (
    Action,
    Answer,
    AnswerSubscription,
    AuditEntry,
    ChannelMessage,
    Chunk,
    Citation,
    Document,
    Handoff,
    IncomingMessage,
    PlaceId,
    Preferences,
    Rating,
    Turn,
    Unit,
    replace,
)
from pipeline.values.api_access import Identity
from pipeline.values.chunks import BlockKind
from pipeline.values.posting import SharedAnswer
from storage.database import Connection
from storage.open import Storage
from storage.schema.table import ColumnType
from storage.schema.tables import TABLES
from tests.doubles.asked import replied
from tests.doubles.engines import Engine, traces
from tests.doubles.filled import filled
from tests.doubles.samples import answer, message

CANARY = "quetzalcoatlus"
PERSON, OTHER = "slack:T1:UQUETZAL", "slack:T1:U2"
WORDS = [CANARY, "UQUETZAL"]
WRITTEN = ("text", "attachments")
"""Fields of a message that somebody writes; the others are the platform's."""
PASSAGES = 1000
SECONDS = 5.0
"""Promised: erasing takes no longer."""
KINDS = {
    *("revision.version", "revision.state", "message.state", "message.reference", "message.why", "asked.outcome"),
    *("asked.level", "rating.vote", "rating.reason", "outbox.about", "outbox.state", "outbox.reference", "outbox.why"),
    *("audit.action", "asked.cited"),
}
"""Columns that hold states, names of our own and ids, never what somebody wrote."""


@dataclass(frozen=True)
class Lived:
    """Everything that a person can leave behind, in every field that they can fill."""

    storage: Storage
    person: str
    word: str
    number: str

    @property
    def asked(self) -> IncomingMessage:
        sent = message(self.number, author=self.person.rpartition(":")[2])
        given = {name: getattr(sent, name) for name in IncomingMessage.model_fields if name not in WRITTEN}
        return filled(IncomingMessage, self.word, **given)

    @property
    def document(self) -> str:
        """The thread of what was said."""
        return f"slack:T1:C2:{self.number}"

    async def leave(self) -> None:
        """Somebody else is answered from what was said, too."""
        await self._say()
        about = {"document_id": self.document, "chunk_id": f"{self.document}#0"}
        which = {"filename": "#ops", "url": "", "said_in": "#ops", "date": ""}
        cited = filled(Citation, self.word, live=False, **about | which)
        given = {"language": "en", "question": self.asked.text, "citations": (cited,), "nearest": ()}
        own = filled(Answer, self.word, id=f"a{self.number}", **given)
        await replied(self.storage, self.asked, own)
        await self._react()
        await self._elsewhere()
        told = ("body", "sentences", "quoted", "citations", "claims", "key_facts", "corrections", "comparison")
        theirs = replace(answer(f"theirs {self.number}"), **{name: getattr(own, name) for name in told})
        await replied(
            self.storage,
            message(f"{self.number}2", author="U3", text="And?"),
            replace(theirs, standalone="And?"),
        )

    async def ask_only(self) -> None:
        """A question, answered from documents that say nothing of the kind, rated, and wanted by somebody else."""
        own = filled(Answer, self.word, id=f"a{self.number}", language="en", citations=(), nearest=())
        await replied(self.storage, self.asked, own)
        await self._react()

    async def _say(self) -> None:
        channel, at = PlaceId.parse("slack:T1:C2"), datetime.now(UTC)
        given = {"channel": channel, "thread": self.number, "message": self.number, "author": self.person, "at": at}
        said = filled(ChannelMessage, self.word, **given)
        await self.storage.channel_messages.save([said])
        about = filled(Document, self.word, id=self.document, source=str(channel), collection=str(channel))
        units = (Unit(start=0, end=len(said.text), kind=BlockKind.ROW),)
        chunk = filled(
            Chunk,
            self.word,
            id=f"{self.document}#0",
            document_id=self.document,
            text=said.text,
            units=units,
            anchors=(),
            links=(),
        )
        await self.storage.library.replace_document(about, [chunk], None, "")

    async def _react(self) -> None:
        """What is written and pressed below an answer."""
        storage, given, person, asked = self.storage, f"a{self.number}", self.person, self.asked
        await storage.history.record(asked.conversation, filled(Turn, self.word, author=person))
        await storage.feedback.rate(filled(Rating, self.word, answer_id=given, person=person))
        about = {"answer_id": given, "origin": asked.conversation}
        target = PlaceId.parse("slack:T1:C9")
        handoff = filled(Handoff, self.word, id=f"h{self.number}", asker=person, target=target, **about)
        await storage.handoffs.create(handoff)
        await storage.handoffs.resolve(handoff.id, person, self.word, f"It is {self.word}.")
        where = {"to": "slack:T1:C2", "language": "en", "answer": None, "posting_since": None}
        await storage.outbox.queue_share(filled(SharedAnswer, self.word, answer_id=given, person=person, **where))
        wish = {"person": person, "said_in": (), "message": "1.1", **about}
        await storage.subscriptions.save(filled(AnswerSubscription, self.word, id=f"w{self.number}", **wish), limit=9)
        await storage.subscriptions.save(
            filled(AnswerSubscription, self.word, id=f"theirs {self.number}", **wish | {"person": "slack:T1:U3"}),
            limit=9,
        )
        taught = filled(Document, self.word, id=f"taught/{handoff.id}", source="taught", collection="default")
        await storage.library.replace_document(taught, [], None, "")

    async def _elsewhere(self) -> None:
        storage, person = self.storage, self.person
        await storage.history.save_preferences(person, filled(Preferences, self.word))
        await storage.sessions.create(filled(Identity, self.word, person=person))
        await storage.idempotency.begin(f"{person} {self.word}", "digest")
        await storage.idempotency.complete(f"{person} {self.word}", f'{{"question": "{self.word}"}}')
        decided = AuditEntry(at=datetime.now(UTC), actor=person, action=Action.SET_UP, subject=person, allowed=True)
        await storage.audit.record(decided)
        added = Document(id=f"chat/{self.number}", filename="leave.md", title="Leave", source="chat:slack:T1")
        await storage.library.replace_document(replace(added, metadata={"author": person}), [], None, "")
        await storage.inbox.accept(message(f"{self.number}1", author=person.rpartition(":")[2], text=self.word))


@pytest.fixture
async def storage(engine: Engine) -> AsyncIterator[Storage]:
    async with engine.storage() as opened:
        yield opened


async def holding(storage: Storage) -> set[str]:
    """The columns that hold the word or the person."""

    def work(db: Connection) -> set[str]:
        return {
            f"{table.name}.{column.name}"
            for table in TABLES
            for column in table.columns
            if column.kind is not ColumnType.BYTES
            for (value,) in db.execute(f"SELECT CAST({column.name} AS TEXT) FROM {table.name}").fetchall()
            if any(word in str(value) for word in WORDS)
        }

    return await storage.database.read(work)


async def test_of_whoever_is_forgotten_nothing_is_left_in_any_column_index_or_file(storage: Storage) -> None:
    await Lived(storage, OTHER, "archaeopteryx", "2.0").leave()
    await Lived(storage, PERSON, CANARY, "1.0").leave()
    if storage.database.is_shared:
        await storage.database.write(lambda db: db.execute("ANALYZE"))
    with suppress(Refused):
        await storage.back_up()
    texts = {
        f"{table.name}.{column.name}"
        for table in TABLES
        if table.personal_row_sets
        for column in table.columns
        if column.kind in (ColumnType.TEXT, ColumnType.JSON)
    }
    missing = texts - KINDS - await holding(storage)
    assert not missing, "a new column: let a person fill it above"
    began = time.monotonic()
    await storage.personal_data.forget(PERSON)
    assert time.monotonic() - began < SECONDS
    assert await traces(storage, WORDS) == []


async def test_of_a_workspace_that_was_left_nothing_is_left_but_who_changed_what(storage: Storage) -> None:
    """That stays for a year, without what anybody wrote."""
    await Lived(storage, PERSON, CANARY, "1.0").leave()
    began = time.monotonic()
    await storage.inbox.erase_space(PlaceId.parse("slack:T1"))
    await storage.library.delete_unreachable()
    await storage.database.purge_deleted()
    assert time.monotonic() - began < SECONDS
    assert await holding(storage) == {"audit.actor", "audit.subject"}
    assert await traces(storage, [CANARY]) == []


async def test_of_a_question_that_was_deleted_nothing_is_left(storage: Storage) -> None:
    asking = Lived(storage, PERSON, CANARY, "1.0")
    await asking.ask_only()
    assert await traces(storage, [CANARY])
    await storage.inbox.cancel(asking.asked.key)
    await storage.library.delete_unreachable()
    await storage.database.purge_deleted()
    assert await traces(storage, [CANARY]) == []


@pytest.mark.slow
async def test_of_a_document_that_was_removed_its_name_and_address_are_left_in_answers_and_nothing_else(
    storage: Storage,
) -> None:
    """A large one, in seconds."""
    which = {"id": "gone", "filename": "gone.md", "url": "", "source": "folder", "collection": "default"}
    about = filled(Document, CANARY, **which)
    pieces = [_piece(about.id, number) for number in range(PASSAGES)]
    await storage.library.replace_document(about, pieces, None, "")
    cited = filled(Citation, CANARY, document_id=about.id, chunk_id="gone#0", live=False, said_in="", date="")
    cited = replace(cited, filename=about.filename, url=about.url)
    given = replace(answer(), body=CANARY, citations=(cited,), standalone="What?")
    asked = message()
    await storage.inbox.accept(asked)
    await storage.inbox.lease()
    await storage.inbox.save_answer(asked.key, given)
    await storage.inbox.mark_posting(asked.key)
    body = f'{{"conversation":"c","answer":{given.model_dump_json()}}}'
    await storage.idempotency.begin(f"{asked.author} once", "digest")
    await storage.idempotency.complete(f"{asked.author} once", body)
    assert await traces(storage, [CANARY])
    began = time.monotonic()
    await storage.library.remove_documents([about.id])
    assert time.monotonic() - began < SECONDS
    assert await traces(storage, [CANARY]) == []


def _piece(document: str, number: int) -> Chunk:
    text = f"Row {number} says {CANARY}"
    units = (Unit(start=0, end=len(text), kind=BlockKind.ROW),)
    given = {"id": f"{document}#{number}", "document_id": document, "text": text, "units": units, "position": number}
    return filled(Chunk, CANARY, anchors=(), links=(), **given)
