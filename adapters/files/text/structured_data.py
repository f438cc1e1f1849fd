"""JSON and YAML as blocks: names as headings, values beside their names, lists of records as tables."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from adapters.files.content import OutlineBuilder, ParsedFile
from adapters.files.decode import decode_text
from adapters.files.table_headers import are_column_names
from pipeline.errors import Refused
from pipeline.values import BlockKind, replace

_MAX_HEADING_DEPTH = 6
"""Depth of names that become headings; below, everything stands in lists."""
_COMMENT = re.compile(r"""("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?(?:\*/|\Z)""", re.DOTALL)
_LAST_COMMA = re.compile(r"""("(?:[^"\\\n]|\\.)*")|,(?=\s*+[\]}])""", re.DOTALL)
"""Commas, and comments in _COMMENT, that are no JSON. Quoted texts beside them stay."""
_YAML_COMMENT = re.compile(r"^[ \t]*#[ \t]*[^\W\d_]{2}", re.MULTILINE)
_MAX_VALUES = 500_000
_MAX_COLUMNS = 60


def read_json(content: bytes) -> ParsedFile:
    """Read one value, or several one after the other, as they are written. Comments and superfluous commas are
    accepted."""
    text = decode_text(content)
    try:
        try:
            return _read_documents(_parse_values(text))
        except ValueError:
            parsed = _read_documents(_parse_values(_LAST_COMMA.sub(r"\1", _COMMENT.sub(r"\1", text))))
            return replace(parsed, unread=("comments",))
    except (ValueError, RecursionError) as error:
        return _read_as_text(text, f"{error}; it was read as text")


def _parse_values(text: str) -> list[Any]:
    decoder = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
    values: list[Any] = []
    text = text.strip()
    position = 0
    while position < len(text) or not values:
        while text[position : position + 1].isspace():
            position += 1
        value, position = decoder.raw_decode(text, position)
        values.append(value)
    return values if len(values) == 1 else [values]


def read_yaml(content: bytes) -> ParsedFile:
    """Read every document of the file, with values as they are written. Raises Refused where names stand for more than
    a file may hold."""
    import yaml

    text = decode_text(content)
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        parsed = _read_documents(list(yaml.load_all(text, _plain_loader(loader))))
        return replace(parsed, unread=("comments",)) if _YAML_COMMENT.search(text) else parsed
    except yaml.YAMLError as error:
        return _read_as_text(text, f"{getattr(error, 'problem', '') or 'it is no YAML'}; it was read as text")


def _read_as_text(text: str, why: str) -> ParsedFile:
    outline = OutlineBuilder()
    outline.add(BlockKind.CODE, text)
    outline.note_unread(why)
    return outline.build()


def _plain_loader(loader: Any) -> Any:
    """Return `loader` without tags of programs, and with every value as it is written: `no`, 007 and 2026-01-05 are
    texts."""

    merges = {
        key: [resolver for resolver in resolvers if resolver[0] == "tag:yaml.org,2002:merge"]
        for key, resolvers in loader.yaml_implicit_resolvers.items()
    }
    attributes = {
        "yaml_implicit_resolvers": merges,
        "yaml_constructors": {},
        "yaml_multi_constructors": {"": _construct_as_written},
    }
    return type("Plain", (loader,), attributes)


def _construct_as_written(loader: Any, _tag: str, node: Any) -> Any:
    match node.id:
        case "mapping":
            loader.flatten_mapping(node)
            pairs = [[loader.construct_object(part, deep=True) for part in pair] for pair in node.value]
            return {", ".join(map(str, key)) if isinstance(key, list | dict) else key: value for key, value in pairs}
        case "sequence":
            return loader.construct_sequence(node, deep=True)
        case _:
            return loader.construct_scalar(node)


def _read_documents(documents: list[Any]) -> ParsedFile:
    walk = _ValueWriter()
    for document in documents:
        walk.outline.close_sections(1)
        walk.value("", document, 1)
    title = documents[0].get("title") if documents and isinstance(documents[0], dict) else None
    return walk.outline.build(title=title if isinstance(title, str) else "")


class _ValueWriter:
    def __init__(self) -> None:
        self.outline = OutlineBuilder()
        self._values_left = _MAX_VALUES

    def value(self, name: str, value: Any, level: int) -> None:
        """Append a value under its name."""
        if isinstance(value, Mapping | list) and level <= _MAX_HEADING_DEPTH and not _is_plain_list(value):
            self.outline.close_sections(level)
            self.outline.add_heading(level, name)
            below = level + bool(name)
            if isinstance(value, Mapping):
                self._add_mapping(value, below)
            elif columns := _record_columns(value):
                rows = [[self._format_value(record.get(column, "")) for column in columns] for record in value]
                self.outline.add_table([columns, *rows], header=1)
            elif value and all(map(_is_plain_list, value)):
                rows = [list(map(self._format_value, row)) for row in value]
                self.outline.add_table(rows, header=int(are_column_names(rows[0])))
            else:
                for number, item in enumerate(value, 1):
                    self.value(_record_name(item) or f"{number}", item, below)
        elif isinstance(value, list):
            self.outline.add(BlockKind.PROSE, f"{name}:" if name and value else "")
            for item in value:
                self.outline.add(BlockKind.ITEM, self._format_value(item))
        elif "\n" in (text := self._format_value(value)).strip():
            self.outline.add(BlockKind.PROSE, f"{name}:")
            self.outline.add(BlockKind.PROSE, text)
        else:
            text = "null" if value is None else text
            self.outline.add(BlockKind.PROSE, f"{name}: {text}" if name and text else text)

    def _add_mapping(self, value: Mapping[Any, Any], level: int) -> None:
        """Append plain values first: any text behind a section would stand in it."""
        for plain in (True, False):
            for key, item in value.items():
                if (not isinstance(item, Mapping | list) or _is_plain_list(item)) is plain:
                    self.value(str(key), item, level)

    def _format_value(self, value: Any) -> str:
        """Write a value on one line."""
        self._values_left -= 1
        if self._values_left < 0:
            raise Refused("the file holds more values than a document may", what_to_do="Split it.")
        match value:
            case None:
                return ""
            case bool():
                return "true" if value else "false"
            case list():
                return ", ".join(map(self._format_value, value))
            case Mapping():
                return ", ".join(f"{key}: {self._format_value(item)}" for key, item in value.items())
            case _:
                return str(value)


def _record_columns(value: list[Any]) -> list[str]:
    """Return the names of the columns where `value` is a list of flat records."""
    names: dict[str, None] = {}
    for record in value:
        if not isinstance(record, Mapping) or any(
            isinstance(item, Mapping) or (isinstance(item, list) and not _is_plain_list(item))
            for item in record.values()
        ):
            return []
        names.update(dict.fromkeys(map(str, record)))
    return list(names) if len(names) <= _MAX_COLUMNS else []


def _is_plain_list(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(item, Mapping | list) for item in value)


def _record_name(value: Any) -> str:
    """Return the name of a record."""
    names = (value.get(key) for key in ("title", "name", "question", "id")) if isinstance(value, Mapping) else ()
    return next((str(name) for name in names if isinstance(name, str | int) and str(name).strip()), "")
