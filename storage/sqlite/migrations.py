"""The schema of `citewell.db`: migrations are only ever appended.

A passage is numbered `revision * 2**20 + position`: its revision is known from the number alone, so that a document's
new version becomes visible, and its old one invisible, by changing one row.
"""

from __future__ import annotations

import sqlite3

from sqlite_utils import Database, Migrations

from pipeline.errors import Misconfigured

schema = Migrations("citewell")


@schema()
def library(db: Database) -> None:
    _each(
        db,
        """
        CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE collection (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE revision (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            document TEXT NOT NULL,
            collection INTEGER NOT NULL REFERENCES collection (id),
            source TEXT NOT NULL,
            filename TEXT NOT NULL,
            version TEXT NOT NULL,
            embedder TEXT NOT NULL,
            dimensions INTEGER NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('staged', 'live', 'retired')),
            body TEXT NOT NULL,
            created_at REAL NOT NULL);
        CREATE UNIQUE INDEX revision_live ON revision (document) WHERE state = 'live';
        CREATE INDEX revision_hidden ON revision (id) WHERE state <> 'live';
        CREATE INDEX revision_source ON revision (source);
        CREATE VIEW live AS
            SELECT revision.id, document, collection AS collection_id, collection.name AS collection, source, filename,
                version, embedder, dimensions, body
            FROM revision JOIN collection ON collection.id = revision.collection WHERE state = 'live';
        CREATE TABLE chunk (number INTEGER PRIMARY KEY, id TEXT NOT NULL, body TEXT NOT NULL);
        CREATE INDEX chunk_id ON chunk (id);
        CREATE TABLE unit_vectors (number INTEGER PRIMARY KEY, matrix BLOB NOT NULL);
        CREATE TABLE mean_vector (number INTEGER PRIMARY KEY, vector BLOB NOT NULL);
        CREATE VIRTUAL TABLE words USING fts5 (collection, title, text, tokenize = 'porter unicode61');
        CREATE VIRTUAL TABLE term USING fts5vocab (words, row);
        """,
    )


@schema()
def conversations(db: Database) -> None:
    _each(
        db,
        """
        CREATE TABLE turn (
            id INTEGER PRIMARY KEY,
            conversation TEXT NOT NULL,
            author TEXT NOT NULL,
            asked_at REAL NOT NULL,
            body TEXT NOT NULL);
        CREATE INDEX turn_conversation ON turn (conversation, id);
        CREATE INDEX turn_author ON turn (author);
        CREATE TABLE answer (
            id TEXT PRIMARY KEY, author TEXT NOT NULL, at REAL NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
        CREATE INDEX answer_author ON answer (author);
        CREATE TABLE preference (person TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE rating (
            answer TEXT NOT NULL,
            person TEXT NOT NULL,
            vote TEXT NOT NULL,
            reason TEXT,
            comment TEXT NOT NULL,
            at REAL NOT NULL,
            PRIMARY KEY (answer, person)) WITHOUT ROWID;
        CREATE INDEX rating_person ON rating (person);
        """,
    )


@schema()
def inbox(db: Database) -> None:
    _each(
        db,
        """
        CREATE TABLE message (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT NOT NULL UNIQUE,
            space TEXT NOT NULL,
            author TEXT NOT NULL,
            conversation TEXT NOT NULL,
            state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'expired', 'dead', 'cancelled')),
            sent_at REAL NOT NULL,
            body TEXT NOT NULL,
            attempt INTEGER NOT NULL DEFAULT 0,
            not_before REAL NOT NULL DEFAULT 0,
            leased_until REAL NOT NULL DEFAULT 0,
            withdrawn INTEGER NOT NULL DEFAULT 0,
            answer TEXT NOT NULL DEFAULT '',
            posting_since REAL,
            reference TEXT NOT NULL DEFAULT '',
            why TEXT NOT NULL DEFAULT '',
            closed_at REAL);
        CREATE INDEX message_open ON message (space, author, sequence) WHERE state = 'open';
        CREATE INDEX message_order ON message (conversation, sequence) WHERE state = 'open';
        CREATE INDEX message_author ON message (author);
        CREATE INDEX message_closed ON message (closed_at) WHERE state <> 'open';
        CREATE TABLE known (digest BLOB PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
        CREATE TABLE served (scope TEXT PRIMARY KEY, turn INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE told (author TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
        CREATE TABLE seen (channel TEXT PRIMARY KEY, message TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE part (conversation TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
        """,
    )


@schema()
def budgets(db: Database) -> None:
    _each(
        db,
        """
        CREATE TABLE token_use (
            subject TEXT NOT NULL,
            day TEXT NOT NULL,
            tokens INTEGER NOT NULL,
            PRIMARY KEY (subject, day)) WITHOUT ROWID;
        """,
    )


@schema()
def turns(db: Database) -> None:
    """How many messages each space (`space` is "" then) and each author has waiting, in the order of their turns."""
    _each(
        db,
        """
        CREATE TABLE waiting (
            scope TEXT PRIMARY KEY,
            space TEXT NOT NULL,
            author TEXT NOT NULL,
            messages INTEGER NOT NULL,
            turn INTEGER NOT NULL,
            since INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX waiting_turn ON waiting (space, turn, since, author);
        INSERT INTO waiting
            SELECT scope, '', '', messages, coalesce(turn, 0), since FROM (
                SELECT space AS scope, count(*) AS messages, min(sequence) AS since
                FROM message WHERE state = 'open' GROUP BY 1) LEFT JOIN served USING (scope)
            UNION ALL
            SELECT scope, space, author, messages, coalesce(turn, 0), since FROM (
                SELECT space || ' ' || author AS scope, space, author, count(*) AS messages, min(sequence) AS since
                FROM message WHERE state = 'open' GROUP BY 1) LEFT JOIN served USING (scope);
        CREATE TRIGGER message_opened AFTER INSERT ON message BEGIN
            INSERT INTO waiting VALUES (
                NEW.space, '', '', 1,
                coalesce((SELECT turn FROM served WHERE scope = NEW.space), 0), NEW.sequence)
                ON CONFLICT (scope) DO UPDATE SET messages = messages + 1;
            INSERT INTO waiting VALUES (
                NEW.space || ' ' || NEW.author, NEW.space, NEW.author, 1,
                coalesce((SELECT turn FROM served WHERE scope = NEW.space || ' ' || NEW.author), 0), NEW.sequence)
                ON CONFLICT (scope) DO UPDATE SET messages = messages + 1;
        END;
        CREATE TRIGGER message_closed AFTER UPDATE OF state ON message
            WHEN OLD.state = 'open' AND NEW.state <> 'open' BEGIN
            UPDATE waiting SET messages = messages - 1 WHERE scope IN (OLD.space, OLD.space || ' ' || OLD.author);
            DELETE FROM waiting WHERE messages = 0 AND scope IN (OLD.space, OLD.space || ' ' || OLD.author);
        END;
        CREATE TRIGGER message_erased AFTER DELETE ON message WHEN OLD.state = 'open' BEGIN
            UPDATE waiting SET messages = messages - 1 WHERE scope IN (OLD.space, OLD.space || ' ' || OLD.author);
            DELETE FROM waiting WHERE messages = 0 AND scope IN (OLD.space, OLD.space || ' ' || OLD.author);
        END;
        """,
    )


@schema()
def sources(db: Database) -> None:
    """The collection of each source; where documents of one were in several, that of the one written last."""
    _each(
        db,
        """
        CREATE TABLE source (name TEXT PRIMARY KEY, collection TEXT NOT NULL) WITHOUT ROWID;
        INSERT INTO source
            SELECT source, collection FROM live WHERE id IN (SELECT max(id) FROM live GROUP BY source);
        """,
    )


@schema()
def questions(db: Database) -> None:
    """Which question an answer was given to, for as long as the answer is kept: longer than the message is."""
    _each(
        db,
        """
        CREATE TABLE question (
            key TEXT PRIMARY KEY, answer TEXT NOT NULL, conversation TEXT NOT NULL) WITHOUT ROWID;
        CREATE INDEX question_answer ON question (answer);
        INSERT INTO question SELECT key, answer, conversation FROM message WHERE answer <> '';
        CREATE TRIGGER message_answered AFTER UPDATE OF answer ON message WHEN NEW.answer <> '' BEGIN
            INSERT OR REPLACE INTO question VALUES (NEW.key, NEW.answer, NEW.conversation);
        END;
        CREATE TRIGGER answer_forgotten AFTER DELETE ON answer BEGIN
            DELETE FROM question WHERE answer = OLD.id;
        END;
        """,
    )


@schema()
def audit(db: Database) -> None:
    _each(
        db,
        """
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at REAL NOT NULL,
            actor TEXT NOT NULL,
            action TEXT NOT NULL,
            subject TEXT NOT NULL,
            allowed INTEGER NOT NULL);
        CREATE INDEX audit_actor ON audit (actor);
        """,
    )


@schema()
def suspects(db: Database) -> None:
    """How often the process ended while it worked on a message, and until when nothing else is begun beside it."""
    _each(
        db,
        """
        ALTER TABLE message ADD COLUMN ends INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE message ADD COLUMN alone_until REAL NOT NULL DEFAULT 0;
        CREATE INDEX message_leased ON message (leased_until) WHERE state = 'open' AND leased_until > 0;
        CREATE INDEX message_suspect ON message (not_before, sequence) WHERE state = 'open' AND ends >= 2;
        """,
    )


@schema()
def places(db: Database) -> None:
    _each(db, "CREATE TABLE place (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;")


@schema()
def silences(db: Database) -> None:
    """Conversations that somebody sent the bot out of, until it is addressed there again."""
    _each(db, "CREATE TABLE silenced (conversation TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;")


@schema()
def handoffs(db: Database) -> None:
    """Questions that people are asked, and what the bot posts about them, each with its intent and its outcome."""
    _each(
        db,
        """
        CREATE TABLE handoff (
            id TEXT PRIMARY KEY,
            answer TEXT NOT NULL UNIQUE,
            asker TEXT NOT NULL,
            body TEXT NOT NULL,
            at REAL NOT NULL,
            resolver TEXT NOT NULL DEFAULT '',
            name TEXT NOT NULL DEFAULT '',
            reply TEXT NOT NULL DEFAULT '',
            resolved_at REAL) WITHOUT ROWID;
        CREATE INDEX handoff_asker ON handoff (asker);
        CREATE TABLE notice (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            handoff TEXT NOT NULL REFERENCES handoff (id) ON DELETE CASCADE,
            about TEXT NOT NULL,
            state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'dead')),
            attempt INTEGER NOT NULL DEFAULT 0,
            not_before REAL NOT NULL DEFAULT 0,
            posting_since REAL,
            reference TEXT NOT NULL DEFAULT '',
            UNIQUE (handoff, about));
        CREATE INDEX notice_open ON notice (not_before) WHERE state = 'open';
        """,
    )


@schema()
def unasked(db: Database) -> None:
    """Answers of the last hour that nobody asked for."""
    _each(
        db,
        "CREATE TABLE unasked (key TEXT PRIMARY KEY, place TEXT NOT NULL, at REAL NOT NULL) WITHOUT ROWID;"
        "CREATE INDEX unasked_place ON unasked (place);",
    )


@schema()
def source_memory(db: Database) -> None:
    """What sources keep between two looks at their services, and how the last one ended."""
    _each(
        db,
        """
        CREATE TABLE source_memory (
            source TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (source, key)) WITHOUT ROWID;
        CREATE TABLE source_look (source TEXT PRIMARY KEY, at REAL NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
        """,
    )


@schema()
def ends_of_silence(db: Database) -> None:
    """When the bot was called back, so that what was said before is not answered when it is read later."""
    _each(db, "ALTER TABLE silenced ADD COLUMN until REAL;")


_ASKED = """
    SELECT {row}.id, {row}.author, {row}.at,
        coalesce(nullif(json_extract({row}.body, '$.standalone'), ''), json_extract({row}.body, '$.question')),
        json_extract({row}.body, '$.outcome'),
        json_extract({row}.body, '$.confidence.level'),
        coalesce(json_array_length({row}.body, '$.comparison.contradictions'), 0) > 0 OR EXISTS (
            SELECT 1 FROM json_each({row}.body, '$.confidence.reasons')
            WHERE json_extract(value, '$.name') = 'consistent' AND json_extract(value, '$.value') = 0),
        (SELECT json_group_array(DISTINCT json_extract(value, '$.document_id'))
            FROM json_each({row}.body, '$.citations')),
        coalesce(json_extract({row}.body, '$.nearest[0].document_id'), '')
    {source} WHERE json_extract({row}.body, '$.standalone') <> '' OR json_extract({row}.body, '$.outcome') = 'failed'
"""


@schema()
def asked(db: Database) -> None:
    """What insights are counted from: of each kept answer to something that was looked up, what fits in a line."""
    _each(
        db,
        f"""
        CREATE TABLE asked (
            answer TEXT PRIMARY KEY,
            author TEXT NOT NULL,
            at REAL NOT NULL,
            question TEXT NOT NULL,
            outcome TEXT NOT NULL,
            level TEXT NOT NULL,
            differing INTEGER NOT NULL,
            cited TEXT NOT NULL,
            nearest TEXT NOT NULL) WITHOUT ROWID;
        INSERT INTO asked {_ASKED.format(row="answer", source="FROM answer")};
        CREATE TRIGGER answer_asked AFTER INSERT ON answer BEGIN
            INSERT OR REPLACE INTO asked {_ASKED.format(row="NEW", source="")};
        END;
        CREATE TRIGGER asked_forgotten AFTER DELETE ON answer BEGIN
            DELETE FROM asked WHERE answer = OLD.id;
        END;
        """,  # noqa: S608 - our own words
    )


@schema()
def digests(db: Database) -> None:
    """What was posted of each week, and to whom."""
    _each(
        db,
        """
        CREATE TABLE digest (
            week TEXT PRIMARY KEY,
            recipient TEXT NOT NULL,
            state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'dead')),
            attempt INTEGER NOT NULL DEFAULT 0,
            not_before REAL NOT NULL DEFAULT 0,
            posting_since REAL,
            reference TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
        """,
    )


@schema()
def wishes(db: Database) -> None:
    """What people want to be told once it can be answered, and on which state of the library it was tried last."""
    _each(
        db,
        """
        CREATE TABLE wish (
            id TEXT PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            answer TEXT NOT NULL,
            person TEXT NOT NULL,
            question TEXT NOT NULL,
            body TEXT NOT NULL,
            asked_at REAL NOT NULL,
            tried INTEGER,
            told_at REAL,
            UNIQUE (person, question)) WITHOUT ROWID;
        CREATE INDEX wish_answer ON wish (answer);
        """,
    )


@schema()
def tries(db: Database) -> None:
    """When each may be tried again, so that documents that change all the time do not cost an answer each time."""
    _each(db, "ALTER TABLE wish ADD COLUMN not_before REAL NOT NULL DEFAULT 0;")


@schema()
def asked_by_the_program(db: Database) -> None:
    """The program writes `asked` itself, the same on every engine."""
    _each(db, "DROP TRIGGER answer_asked;")


@schema()
def holders(db: Database) -> None:
    """Which process has a lease, where several do; also so that what is moved from there fits."""
    _each(db, "ALTER TABLE message ADD COLUMN holder INTEGER NOT NULL DEFAULT 0;")


@schema()
def installations(db: Database) -> None:
    """The workspaces that people added the bot to, sealed, and which states of installing were taken."""
    _each(
        db,
        """
        CREATE TABLE installation (space TEXT PRIMARY KEY, sealed TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE taken_state (state TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
        """,
    )


@schema()
def stops(db: Database) -> None:
    """Somebody does not want the answer that is being written."""
    _each(db, "ALTER TABLE message ADD COLUMN stopped INTEGER NOT NULL DEFAULT 0;")


@schema()
def tenancy(db: Database) -> None:
    """Of PostgreSQL alone, which keeps workspaces apart by itself."""


def outdated(db: Database) -> bool:
    """Whether `db` lacks a migration. Raises Misconfigured when it has one that this program does not know."""
    known = {migration.name for migration in schema.pending(Database(memory=True))}
    applied = {migration.name for migration in schema.applied(db)}
    if applied - known:
        raise Misconfigured(
            "CITEWELL_DATA",
            "the database was written by a newer version of Citewell",
            what_to_do="Install that version again, or restore a backup from the folder's `backups`.",
        )
    return applied != known


def _each(db: Database, statements: str) -> None:
    """One by one: `executescript` would commit the transaction around the migration."""
    statement = ""
    for part in statements.split(";")[:-1]:
        statement += f"{part};"
        if sqlite3.complete_statement(statement):
            db.execute(statement)
            statement = ""
