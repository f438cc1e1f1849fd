"""What the database does by itself when rows change: written once, for both engines."""

from __future__ import annotations

from typing import NamedTuple


class Trigger(NamedTuple):
    """Runs for each row, in the same transaction."""

    name: str
    after: str
    """What happens, and to which table."""
    does: str
    """Statements, each ended by a semicolon. `NEW` and `OLD` are the row."""
    when: str = ""
    """Only then; empty: always."""


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
