"""What becomes of rows when the schema changes: written once for both engines, and only ever appended.

To change the schema, change what `storage.schema` declares, and append a name here: a database that does not have it
is brought up to date in one transaction, and a program that does not know it refuses the database. What is declared
and missing is made by itself, tables, columns and indexes; triggers, views and policies are made anew. What cannot be
seen by comparing is a `Step`, run when all that is declared is there.

`before` names the tables that there were, of a new database none. A step is written for tables as they are declared
now: who drops a column or a table that an older step fills changes that step, too. A column is declared behind those
that are older. A backup keeps its old tables; what they know of a person is forgotten as long as they are declared, in
use or retired.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from pipeline.errors import Misconfigured
from pipeline.values import Answer, Document
from storage.database import Connection
from storage.documents.quoted import quote_all
from storage.messages.asked import KEEP, line

Step = Callable[[Connection, Collection[str]], None]


def _turns(db: Connection, before: Collection[str]) -> None:
    """How many messages each space (`space` is "" then) and each author has waiting, in the order of their turns."""
    db.execute(
        """
        INSERT INTO waiting
            SELECT counted.scope, '', '', messages, coalesce(turn, 0), since FROM (
                SELECT space AS scope, count(*) AS messages, min(sequence) AS since
                FROM message WHERE state = 'open' GROUP BY 1) AS counted LEFT JOIN served USING (scope)
            UNION ALL
            SELECT counted.scope, space, author, messages, coalesce(turn, 0), since FROM (
                SELECT space || ' ' || author AS scope, space, author, count(*) AS messages, min(sequence) AS since
                FROM message WHERE state = 'open' GROUP BY 1, 2, 3) AS counted LEFT JOIN served USING (scope)
        """
    )


def _sources(db: Connection, before: Collection[str]) -> None:
    """The collection of each source; where documents of one were in several, that of the one written last."""
    db.execute(
        "INSERT INTO source SELECT source, collection FROM live WHERE id IN (SELECT max(id) FROM live GROUP BY source)"
    )


def _questions(db: Connection, before: Collection[str]) -> None:
    """Which question an answer was given to."""
    db.execute("INSERT INTO question SELECT key, answer, conversation FROM message WHERE answer <> ''")


def _asked(db: Connection, before: Collection[str]) -> None:
    """What insights are counted from."""
    answers = db.execute("SELECT body, author, at FROM answer").fetchall()
    rows = (line(Answer.model_validate_json(body), author, at) for body, author, at in answers)
    db.executemany(KEEP, filter(None, rows))


def _outbox(db: Connection, before: Collection[str]) -> None:
    """What the bot posts by itself, notices and digests, is in one table."""
    how_far = "state, attempt, not_before, posting_since, reference"
    if "notice" in before:
        db.execute(
            f"INSERT INTO outbox (key, about, handoff, {how_far})"  # noqa: S608 - our own words
            f" SELECT about || ':' || handoff, about, handoff, {how_far} FROM notice ORDER BY sequence"
        )
        db.execute("DROP TABLE notice")
    if "digest" in before:
        db.execute(
            f"INSERT INTO outbox (key, about, recipient, {how_far})"  # noqa: S608 - as above
            f" SELECT 'digest:' || week, 'digest', recipient, {how_far} FROM digest ORDER BY week"
        )
        db.execute("DROP TABLE digest")


def _dated(db: Connection, before: Collection[str]) -> None:
    """The day of each document."""
    documents = db.execute("SELECT id, CAST(body AS TEXT) FROM revision").fetchall()
    days = ((Document.model_validate_json(body).dated, revision) for revision, body in documents)
    db.executemany("UPDATE revision SET dated = $1 WHERE id = $2", [one for one in days if one[0]])


def _quoting(db: Connection, before: Collection[str]) -> None:
    """Which documents each answer shows passages of."""
    quote_all(db)


MIGRATIONS: Mapping[str, Step | None] = {
    "library": None,
    "conversations": None,
    "inbox": None,
    "budgets": None,
    "turns": _turns,
    "sources": _sources,
    "questions": _questions,
    "audit": None,
    "suspects": None,
    "places": None,
    "silences": None,
    "handoffs": None,
    "unasked": None,
    "source_memory": None,
    "ends_of_silence": None,
    "asked": _asked,
    "digests": None,
    "wishes": None,
    "tries": None,
    "asked_by_the_program": None,
    "holders": None,
    "installations": None,
    "stops": None,
    "tenancy": None,
    "declared": None,
    "outbox": _outbox,
    "beside": None,
    "pages": None,
    "channels": None,
    "dated": _dated,
    "roles_of_ratings": None,
    "quoting": _quoting,
    "collections_of_revisions": None,
    "conversations_of_questions": None,
}


def lacking(applied: Collection[str], setting: str, what_to_do: str) -> list[str]:
    """The migrations that a database still needs, which has those that are `applied`.

    Raises Misconfigured, about `setting`, when it has one that this program does not know."""
    if set(applied) - MIGRATIONS.keys():
        raise Misconfigured(setting, "the database was written by a newer version of Citewell", what_to_do=what_to_do)
    return [name for name in MIGRATIONS if name not in applied]


def run(names: Collection[str], db: Connection, before: Collection[str]) -> None:
    """Their steps, in order."""
    for name in names:
        if step := MIGRATIONS[name]:
            step(db, before)
