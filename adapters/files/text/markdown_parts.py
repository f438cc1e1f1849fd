"""A long Markdown text in parts, so that no more of it is in memory than one of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

PART = 500_000
"""Characters of a part, or more where one block has more: 50 to 400 MB while it is read. Dividing takes as long as
reading, so nothing shorter is divided."""
_CALL = re.compile(r"\[\^([^\]\s]{1,200})\](?!:)")


@dataclass
class Parts:
    """The parts of a text, and what is to be known of all of them for each to be read as it is in the whole."""

    texts: list[str] = field(default_factory=list)
    known: dict[str, Any] = field(default_factory=dict)
    """By the parser: the addresses of links that are written apart from them."""
    titles: int = 0
    """Headings of the first level that are in no other block."""


def in_parts(text: str, parser: MarkdownIt, on_read: Callable[[int], None]) -> Parts:
    """Each part ends before a block, which nothing before it goes on into. `on_read` hears how many characters have
    been looked at."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    parts = Parts()
    notes: dict[str, tuple[int, str]] = {}
    start, size = 0, PART
    while start < len(text):
        end = text.find("\n", start + size) + 1 or len(text)
        tokens: list[Token] = []
        parser.block.parse(text[start:end], parser, parts.known, tokens)
        on_read(end)
        lines = text[start:end].split("\n")
        last = len(lines) if end == len(text) else _last_block(tokens, lines)
        if not last:
            size *= 2
            continue
        own = [token for token in tokens if token.map is not None and token.map[0] < last]
        parts.titles += sum(map(is_title, own))
        for token in own:
            if token.type == "footnote_reference_open" and token.map:
                notes.setdefault(token.meta["label"], (len(parts.texts), "\n".join(lines[slice(*token.map)])))
        parts.texts.append("".join(f"{line}\n" for line in lines[:last]))
        start += len(parts.texts[-1])
    parts.known.pop("footnotes", None)
    parts.known["called"] = {f":{name}" for text in parts.texts for name in _CALL.findall(text)}
    parts.texts = [_with_notes(part, place, notes) for place, part in enumerate(parts.texts)] if notes else parts.texts
    return parts


def is_title(token: Token) -> bool:
    return token.type == "heading_open" and token.tag == "h1" and token.level == 0


def _with_notes(part: str, place: int, notes: Mapping[str, tuple[int, str]]) -> str:
    """A part with the notes that it calls and that stand in another."""
    called = dict.fromkeys(_CALL.findall(part))
    elsewhere = [notes[name][1] for name in called if name in notes and notes[name][0] != place]
    return "\n\n".join([part, *elsewhere])


def _last_block(tokens: Sequence[Token], lines: Sequence[str]) -> int:
    """The line on which the last block begins that stands in no other and is not indented: a note's would be."""
    starts = (token.map[0] for token in reversed(tokens) if token.map and token.level == 0)
    return next((line for line in starts if not lines[line][:1].isspace()), 0)
