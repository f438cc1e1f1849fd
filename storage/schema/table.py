"""Declaration of a table: its columns in types that each engine names in its own way, its personal data, and the owner
of its rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

_BETWEEN = re.compile(r",\s+(?![^(]*\))")
"""A comma outside parentheses."""


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
    """A number that the database assigns, for few rows."""
    SERIAL = "serial"
    LASTING = "lasting"
    """A number that the database assigns, and never again once its row is gone."""


class Column(NamedTuple):
    name: str
    kind: ColumnType
    constraints: str
    """Further SQL of the column. NOT NULL unless that begins with NULL."""


class TableIndex(NamedTuple):
    name: str
    target: str
    """The columns, and the condition for rows."""
    unique: bool = False


class ExportSpec(NamedTuple):
    """The data of rows that a person who requests it is given: as `name`, these columns in this order."""

    name: str
    columns: str
    order: str


DELETED = "deleted"
BY_PROGRAM = "by program"


@dataclass(frozen=True)
class PersonalRows:
    """Rows that name a person."""

    condition: str
    """Matches rows of a person: `$1` is the person's id."""
    export: ExportSpec | None = None
    on_forget: str = DELETED
    """The effect of forgetting the person: DELETED, the assignments of an UPDATE, or BY_PROGRAM, where it takes more
    than a statement: see `storage.people.personal_data`."""
    is_counted: bool = False
    """True if the number of deleted rows is reported to the person."""


class RowOwner(StrEnum):
    """The way a column tells a row's workspace."""

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
    """True if rows stay when the workspace is left. All other rows with an owner's column are deleted then."""


@dataclass(frozen=True)
class StoredTable:
    """Declaration of a stored table. Nothing is left open: a table that names nobody, or belongs to no workspace, gives
    the reason."""

    name: str
    definition: str
    """For each column its name, its type, and further SQL."""
    personal_rows: tuple[PersonalRows, ...] | str
    ownership: Ownership | str
    key: tuple[str, ...] = ()
    """The columns of the key; the first one if empty."""
    unique: str = ""
    """Columns that are unique together."""
    indexes: tuple[TableIndex, ...] = ()

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        parts = (definition.split(maxsplit=2) for definition in _BETWEEN.split(self.definition))
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
