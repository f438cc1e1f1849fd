"""What the properties of a Notion page say, as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from adapters.sources.notion.shapes import plain

Titles = Mapping[str, str]
"""Of pages, by id."""


def text_of(said: Mapping[str, Any], titles: Titles) -> str:
    """A property's value; empty when it has none, or none that can be read (a button)."""
    kind = said.get("type")
    return _text(kind, said.get(kind), titles) if isinstance(kind, str) else ""


def _text(kind: str, value: Any, titles: Titles) -> str:
    match kind, value:
        case "title" | "rich_text", _:
            return plain(value)
        case "checkbox" | "boolean", bool():
            return "Yes" if value else "No"
        case "number", int() | float():
            return f"{value:.15g}"
        case "url" | "email" | "phone_number" | "string", str():
            return value
        case "created_time" | "last_edited_time", str():
            return value[:10]
        case "date", {"start": str(start)}:
            return f"{start} – {value['end']}" if value.get("end") else start
        case "unique_id", {"number": int(number)}:
            return f"{value['prefix']}-{number}" if value.get("prefix") else str(number)
        case "select" | "status" | "created_by" | "last_edited_by" | "verification", Mapping():
            return str(value.get("name") or value.get("state") or "")
        case "multi_select" | "people" | "files", list():
            return _joined(one.get("name") for one in _tables(value))
        case "relation", list():
            return _joined(titles.get(str(one.get("id"))) for one in _tables(value))
        case "formula" | "rollup", Mapping():
            return text_of(value, titles)
        case "array", list():
            return _joined(text_of(one, titles) for one in _tables(value))
    return ""


def _tables(values: Iterable[object]) -> Iterator[Mapping[str, Any]]:
    return (one for one in values if isinstance(one, Mapping))


def _joined(texts: Iterable[object]) -> str:
    return ", ".join(str(text) for text in texts if text)
