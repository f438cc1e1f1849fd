"""Splitting of long text over messages: between sentences, rows and lines of code, with nothing lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from pipeline.words.text import strip_invisible

MAX_PIECE_LENGTH = 600
"""Characters of foreign text in one piece: whatever a platform's escapes add, a piece fits a message."""

MAX_NAME_LENGTH = 120
"""Characters of a title or a name."""


class PieceKind(StrEnum):
    TEXT = "text"
    CODE = "code"
    QUOTE = "quote"


class TextPiece(NamedTuple):
    """Text that is not split: a sentence, a list item, a row, a line of code."""

    text: str
    separator: str = ""
    """Text between it and the piece before it in the same message."""
    kind: PieceKind = PieceKind.TEXT
    language: str = ""
    """The language of code."""
    repeated_header: str = ""
    """The table header that is repeated above it where it begins a new message."""


class Segment(NamedTuple):
    """Neighbouring pieces of one kind in one message."""

    text: str
    kind: PieceKind = PieceKind.TEXT
    language: str = ""


MessageSegments = tuple[Segment, ...]


def pack_messages(
    pieces: Iterable[TextPiece],
    limit: int,
    *,
    first: int | None = None,
    length: Callable[[str], int] = len,
    overhead: int = 0,
) -> list[MessageSegments]:
    """Pack pieces into messages of at most `limit` by `length` (the first of `first`); each segment takes `overhead`
    more. An earlier message never depends on later pieces."""
    messages: list[MessageSegments] = []
    current: list[Segment] = []
    used, room = 0, limit if first is None else first
    for piece in pieces:
        added = length(piece.separator + piece.text) + (0 if _continues(current, piece) else overhead)
        if current and used + added > room:
            messages.append(tuple(current))
            current, used, room = [], length(f"{piece.repeated_header}\n") if piece.repeated_header else 0, limit
            added = length(piece.text) + overhead
        _add(current, piece)
        used += added
    return [*messages, tuple(current)] if current else messages


def _continues(current: list[Segment], piece: TextPiece) -> bool:
    """Return True if a piece continues the last segment. Each block of code is a segment of its own."""
    alike = bool(current) and (current[-1].kind, current[-1].language) == (piece.kind, piece.language)
    return alike and (piece.kind is PieceKind.TEXT or piece.separator == "\n")


def _add(current: list[Segment], piece: TextPiece) -> None:
    if _continues(current, piece):
        current[-1] = current[-1]._replace(text=f"{current[-1].text}{piece.separator}{piece.text}")
        return
    text = f"{piece.repeated_header}\n{piece.text}" if piece.repeated_header and not current else piece.text
    current.append(Segment(text, piece.kind, piece.language))


def wrap_text(text: str, room: int = MAX_PIECE_LENGTH) -> Iterator[str]:
    """Yield parts of at most `room` characters, cut at white space, and inside words only where there is none."""
    while len(text) > room:
        cut = max(text.rfind(" ", 0, room), text.rfind("\n", 0, room))
        cut = cut if cut > room // 2 else room
        yield text[:cut]
        text = text[cut:].lstrip(" \n")
    if text:
        yield text


def sanitize_line(text: str, room: int) -> str:
    """Return foreign text as one line of at most `room` characters, without hidden characters."""
    return shorten_line(strip_hidden(text), room)


def strip_hidden(text: str) -> str:
    """Return foreign text as one line, without hidden characters."""
    return " ".join(strip_invisible(text).split())


def shorten_line(text: str, room: int) -> str:
    """Return one line of at most `room` characters, with an ellipsis where something is left out."""
    line = " ".join(text.split())
    return line if len(line) <= room else f"{line[: room - 1].rstrip()}…"
