"""Long text over several messages: cut between sentences and lines, fences closed and opened again, nothing lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from adapters.discord.limits import length
from adapters.discord.markdown import at_line_start

FENCE = "```"


class Piece(NamedTuple):
    """What is kept whole where it fits: a sentence, a list item, a line of code."""

    text: str
    gap: str = ""
    """What separates it from the piece before it in the same message."""
    fence: str | None = None
    """The language of the fenced block it stands in, possibly empty; None outside of one."""


def pack(pieces: Iterable[Piece], limit: int) -> list[str]:
    """Fill texts of at most `limit` characters; an earlier text never depends on later pieces."""
    texts: list[str] = []
    current = ""
    fence: str | None = None
    for piece in pieces:
        for part in _cut(piece, limit):
            if current and length(_add(current, fence, part)) + _closing(part.fence) > limit:
                texts.append(_close(current, fence))
                current, fence = "", None
            current = _add(current, fence, part)
            fence = part.fence
    if current:
        texts.append(_close(current, fence))
    return texts


def _add(current: str, fence: str | None, piece: Piece) -> str:
    if piece.fence is not None and piece.fence == fence and piece.gap == "\n":
        return f"{current}\n{piece.text}"
    before = _close(current, fence)
    opened = f"{FENCE}{piece.fence}\n{piece.text}" if piece.fence is not None else piece.text
    gap = piece.gap if fence is None and piece.fence is None else "\n"
    return f"{before}{gap}{opened}" if before else opened


def _close(text: str, fence: str | None) -> str:
    return text if fence is None else f"{text}\n{FENCE}"


def _closing(fence: str | None) -> int:
    return 0 if fence is None else len(FENCE) + 1


def _cut(piece: Piece, limit: int) -> Iterator[Piece]:
    """`piece` where it fits, otherwise parts of it, cut at white space and inside words only where there is none."""
    room = limit - (2 * len(FENCE) + len(piece.fence) + 2 if piece.fence is not None else 1)
    text, gap = piece.text, piece.gap
    while length(text) > room:
        end = _reach(text, room)
        space = max(text.rfind(" ", 0, end), text.rfind("\n", 0, end))
        end = space if space > end // 2 else end - _open_escape(text[:end])
        yield Piece(text[:end], gap, piece.fence)
        rest = text[end:].lstrip(" \n") if piece.fence is None else text[end:].removeprefix("\n")
        text, gap = (at_line_start(rest) if piece.fence is None else rest), "\n"
    if text:
        yield Piece(text, gap, piece.fence)


def _open_escape(text: str) -> int:
    """1 when `text` ends in a backslash that escapes what comes after it."""
    return (len(text) - len(text.rstrip("\\"))) % 2


def _reach(text: str, room: int) -> int:
    """How many characters of `text` fit into `room` UTF-16 units."""
    used = 0
    for index, character in enumerate(text):
        used += 2 if character > "\uffff" else 1
        if used > room:
            return index
    return len(text)
