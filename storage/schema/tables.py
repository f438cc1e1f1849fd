"""All tables with data that cannot be made again, each after those it refers to, and passages after the sources of
their index; and their triggers."""

from __future__ import annotations

from typing import NamedTuple

from storage.schema import documents, messages
from storage.schema.table import ExportSpec, Ownership, PersonalRows, RowOwner, StoredTable, TableIndex

# --- What the database does by itself when rows change: written once, for both engines ------------


class Trigger(NamedTuple):
    """SQL that runs for each changed row, in the same transaction."""

    name: str
    event: str
    """The operation and its table."""
    statements: str
    """Statements, each ended by a semicolon. `NEW` and `OLD` are the row."""
    condition: str = ""
    """The condition for running; empty: always."""


_FEWER = """
    UPDATE waiting SET messages = messages - 1 WHERE scope IN (OLD.space, OLD.space || ' ' || OLD.author);
    DELETE FROM waiting WHERE messages = 0 AND scope IN (OLD.space, OLD.space || ' ' || OLD.author);
"""
TRIGGERS = (
    Trigger(
        "message_opened",
        "INSERT ON message",
        """
        INSERT INTO waiting VALUES (
            NEW.space, '', '', 1, coalesce((SELECT turn FROM served WHERE scope = NEW.space), 0), NEW.sequence)
            ON CONFLICT (scope) DO UPDATE SET messages = waiting.messages + 1;
        INSERT INTO waiting VALUES (
            NEW.space || ' ' || NEW.author, NEW.space, NEW.author, 1,
            coalesce((SELECT turn FROM served WHERE scope = NEW.space || ' ' || NEW.author), 0), NEW.sequence)
            ON CONFLICT (scope) DO UPDATE SET messages = waiting.messages + 1;
        """,
    ),
    Trigger("message_closed", "UPDATE OF state ON message", _FEWER, "OLD.state = 'open' AND NEW.state <> 'open'"),
    Trigger("message_erased", "DELETE ON message", _FEWER, "OLD.state = 'open'"),
    Trigger(
        "message_answered",
        "UPDATE OF answer ON message",
        """
        INSERT INTO question VALUES (NEW.key, NEW.answer, NEW.conversation) ON CONFLICT (key)
            DO UPDATE SET answer = excluded.answer, conversation = excluded.conversation;
        """,
        "NEW.answer <> ''",
    ),
    Trigger(
        "answer_forgotten",
        "DELETE ON answer",
        """
        DELETE FROM question WHERE answer = OLD.id;
        DELETE FROM asked WHERE answer = OLD.id;
        DELETE FROM quoting WHERE answer = OLD.id;
        """,
    ),
)


# --- Tables of the installation: settings, workspaces, budgets, and who did what ------------------

OPERATION_TABLES = (
    StoredTable(
        "setting",
        "name word, value text",
        personal_rows="numbers, moments and a key of the installation",
        ownership="numbers, moments and a key of the installation",
    ),
    StoredTable(
        "installation",
        "space word, sealed text",
        personal_rows="tokens of workspaces",
        ownership=Ownership(RowOwner.SPACE, "space"),
    ),
    StoredTable(
        "taken_state",
        "state word, at real",
        personal_rows="random texts",
        ownership="random texts, before a workspace is known",
    ),
    StoredTable(
        "web_session",
        "id word, person word, body json, at real, until real",
        indexes=(TableIndex("web_session_person", "(person)"),),
        personal_rows=(PersonalRows("person = $1", ExportSpec("sessions", "at, until", "at")),),
        ownership=Ownership(RowOwner.OPERATOR, "person"),
    ),
    StoredTable(
        "api_key",
        "id word, digest word UNIQUE, body json, at real, revoked_at real NULL",
        personal_rows="programs, by the names that admins gave them",
        ownership=Ownership(RowOwner.OPERATOR),
    ),
    StoredTable(
        "api_reply",
        "request word, digest word, body text, at real",
        personal_rows=(PersonalRows("substr(request, 1, length($1) + 1) = $1 || ' '"),),
        ownership=Ownership(RowOwner.OPERATOR, "request"),
    ),
    StoredTable(
        "place",
        "id word, body json",
        personal_rows="what is set for a place, not who set it",
        ownership=Ownership(RowOwner.PLACE, "id"),
    ),
    StoredTable(
        "token_use",
        "subject word, day word, tokens bigint",
        key=("subject", "day"),
        personal_rows="digests of people and workspaces, and numbers",
        ownership="digests of people and workspaces, and numbers",
    ),
    StoredTable(
        "audit",
        "id lasting, at real, actor word, action text, subject word, allowed flag",
        indexes=(TableIndex("audit_actor", "(actor)"),),
        personal_rows=(
            PersonalRows(
                "actor = $1",
                ExportSpec("decisions", "at, action, subject, allowed", "id"),
                on_forget="actor = '(erased)'",
            ),
            PersonalRows("subject = $1", on_forget="subject = '(erased)'"),
        ),
        ownership=Ownership(RowOwner.PERSON, "actor", survives_leave=True),
    ),
)


# --- All of them ----------------------------------------------------------------------------------

TABLES = (*documents.DOCUMENT_TABLES, *messages.QUEUE_TABLES, *messages.HISTORY_TABLES, *OPERATION_TABLES)
_NAMED = {table.name: table for table in TABLES}


def upsert_statement(name: str) -> str:
    """Return the statement that inserts a complete row, in place of one with the same key."""
    table = _NAMED[name]
    values = ", ".join(f"${number}" for number in range(1, len(table.column_names) + 1))
    rest = ", ".join(f"{column} = excluded.{column}" for column in table.column_names if column not in table.key_names)
    return f"INSERT INTO {name} VALUES ({values}) ON CONFLICT ({', '.join(table.key_names)}) DO UPDATE SET {rest}"  # noqa: S608
