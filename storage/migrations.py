"""Migrations of rows when the schema changes: written once for both engines, and only ever appended.

To change the schema, change the declarations in `storage.schema`, and append a name here: a database without it is
migrated in one transaction, and a program that does not know it refuses the database. Missing tables, columns and
indexes are created from the declarations; triggers, views and policies are created anew. A change that a comparison
cannot find is a `MigrationStep`, run after everything declared exists; a new database needs none.

A step is written for the tables as they are declared now: dropping a column or a table that an older step fills means
changing that step, too. A new column is declared behind the older ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from pipeline.errors import Misconfigured
from storage.database import Connection

MigrationStep = Callable[[Connection], None]

FIRST_MIGRATION = "first"
MIGRATIONS: Mapping[str, MigrationStep | None] = {FIRST_MIGRATION: None}


def missing_migrations(applied: Collection[str], setting: str, what_to_do: str) -> list[str]:
    """Return the migrations that a database still needs, after those in `applied`.

    Raises Misconfigured, naming `setting`, when it has one that this program does not know.
    """
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
    """Run the steps of these migrations, in order."""
    for name in names:
        if step := MIGRATIONS[name]:
            step(db)
