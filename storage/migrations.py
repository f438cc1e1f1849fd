"""What becomes of rows when the schema changes: written once for both engines, and only ever appended.

To change the schema, change what `storage.schema` declares, and append a name here: a database that does not have it
is brought up to date in one transaction, and a program that does not know it refuses the database. What is declared
and missing is made by itself, tables, columns and indexes; triggers, views and policies are made anew. What cannot be
seen by comparing is a `Step`, run when all that is declared is there; of a new database nothing is there to change.

A step is written for tables as they are declared now: who drops a column or a table that an older step fills changes
that step, too. A column is declared behind those that are older.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from pipeline.errors import Misconfigured
from storage.database import Connection

MigrationStep = Callable[[Connection], None]

FIRST_MIGRATION = "first"
MIGRATIONS: Mapping[str, MigrationStep | None] = {FIRST_MIGRATION: None}


def missing_migrations(applied: Collection[str], setting: str, what_to_do: str) -> list[str]:
    """The migrations that a database still needs, which has those that are `applied`.

    Raises Misconfigured, about `setting`, when it has one that this program does not know."""
    if applied and FIRST_MIGRATION not in applied:
        raise Misconfigured(
            setting,
            "the database was written before the first release of Citewell",
            what_to_do="Set it to another, which is made anew, and index again. Nothing was changed in this one.",
        )
    if set(applied) - MIGRATIONS.keys():
        raise Misconfigured(setting, "the database was written by a newer version of Citewell", what_to_do=what_to_do)
    return [name for name in MIGRATIONS if name not in applied]


def run_migrations(names: Collection[str], db: Connection) -> None:
    """Their steps, in order."""
    for name in names:
        if step := MIGRATIONS[name]:
            step(db)
