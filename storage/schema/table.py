"""What is declared of a table: its columns in types that each engine names in its own way, whom it knows, and whose
its rows are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

_BETWEEN = re.compile(r",\s+(?![^(]*\))")
"""A comma that stands in no parentheses."""


class ColumnType(StrEnum):
    """The type of a column."""

    WORD = "word"
    """Text that is compared byte by byte, as ids are."""
    TEXT = "text"
    JSON = "json"
    INT = "int"
    BIGINT = "bigint"
    REAL = "real"
    FLAG = "flag"
    BYTES = "bytes"
    SMALLSERIAL = "smallserial"
    """A number that the database gives; of few rows."""
    SERIAL = "serial"
    LASTING = "lasting"
    """A number that the database gives, and gives to no other row once this one is gone."""


class Column(NamedTuple):
    name: str
    kind: ColumnType
    constraints: str
    """In SQL: what else holds of it. NOT NULL unless that begins with NULL."""


class TableIndex(NamedTuple):
    name: str
    target: str
    """The columns, and which rows."""
    unique: bool = False


class ExportSpec(NamedTuple):
    """What somebody who asks for it is given of rows: as `name`, these columns in this order."""

    name: str
    columns: str
    order: str


DELETED = "deleted"
BY_PROGRAM = "by program"


@dataclass(frozen=True)
class PersonalRows:
    """Rows that name somebody."""

    condition: str
    """The condition for it: `$1` is a person's id."""
    export: ExportSpec | None = None
    on_forget: str = DELETED
    """What forgetting the person does to them: DELETED, what it sets instead, or BY_PROGRAM, where it takes more than a
    statement: see `storage.people.personal_data`."""
    is_counted: bool = False
    """A person is told how many of them were deleted."""


class RowOwner(StrEnum):
    """How the workspace that a row belongs to is known from a column."""

    SPACE = "it names the workspace"
    PLACE = "it names a place, a conversation or a message in the workspace"
    PERSON = "it names a person in the workspace"
    SCOPE = "it names the workspace, and somebody after a blank"
    OPERATOR = "no workspace sees it, only the operator"
    RULE = "each engine that keeps workspaces apart has a rule of its own"


class Ownership(NamedTuple):
    by: RowOwner
    column: str = ""
    survives_leave: bool = False
    """Also when the workspace is left. All else that a column names the owner of goes then."""


@dataclass(frozen=True)
class StoredTable:
    """All must be said: a table that names nobody, or belongs to no workspace, says why."""

    name: str
    definition: str
    """Of each column its name, its kind, and in SQL what else holds of it."""
    personal_rows: tuple[PersonalRows, ...] | str
    ownership: Ownership | str
    key: tuple[str, ...] = ()
    """Of the columns; the first one unless said."""
    unique: str = ""
    """Columns that are unique together."""
    indexes: tuple[TableIndex, ...] = ()

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        parts = (each.split(maxsplit=2) for each in _BETWEEN.split(self.definition))
        return tuple(Column(name, ColumnType(kind), " ".join(rest)) for name, kind, *rest in parts)

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @cached_property
    def key_names(self) -> tuple[str, ...]:
        return self.key or self.column_names[:1]

    @property
    def personal_row_sets(self) -> tuple[PersonalRows, ...]:
        return self.personal_rows if isinstance(self.personal_rows, tuple) else ()
