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
    rest: str
    """In SQL: what else holds of it. NOT NULL unless that begins with NULL."""


class TableIndex(NamedTuple):
    name: str
    on: str
    """The columns, and which rows."""
    unique: bool = False


class Export(NamedTuple):
    """What somebody who asks for it is given of rows: as `name`, these columns in this order."""

    name: str
    columns: str
    order: str


DELETED = "deleted"
BY_PROGRAM = "by program"


@dataclass(frozen=True)
class Personal:
    """Rows that name somebody."""

    which: str
    """The condition for it: `$1` is a person's id."""
    export: Export | None = None
    forgotten: str = DELETED
    """What forgetting the person does to them: DELETED, what it sets instead, or BY_PROGRAM, where it takes more than a
    statement: see `storage.people.person`."""
    counted: bool = False
    """A person is told how many of them were deleted."""


class Owner(StrEnum):
    """How the workspace that a row belongs to is known from a column."""

    SPACE = "it names the workspace"
    PLACE = "it names a place, a conversation or a message in the workspace"
    PERSON = "it names a person in the workspace"
    SCOPE = "it names the workspace, and somebody after a blank"
    OPERATOR = "no workspace sees it, only the operator"
    RULE = "each engine that keeps workspaces apart has a rule of its own"


class Owned(NamedTuple):
    by: Owner
    column: str = ""
    stays: bool = False
    """Also when the workspace is left. All else that a column names the owner of goes then."""


@dataclass(frozen=True)
class StoredTable:
    """All must be said: a table that names nobody, or belongs to no workspace, says why."""

    name: str
    said: str
    """Of each column its name, its kind, and in SQL what else holds of it."""
    people: tuple[Personal, ...] | str
    owned: Owned | str
    key: tuple[str, ...] = ()
    """Of the columns; the first one unless said."""
    unique: str = ""
    """Columns that are unique together."""
    indexes: tuple[TableIndex, ...] = ()

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        parts = (each.split(maxsplit=2) for each in _BETWEEN.split(self.said))
        return tuple(Column(name, ColumnType(kind), " ".join(rest)) for name, kind, *rest in parts)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        return self.key or self.names[:1]

    @property
    def personal(self) -> tuple[Personal, ...]:
        return self.people if isinstance(self.people, tuple) else ()
