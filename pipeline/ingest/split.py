"""Parsed -> chunks: pieces small enough to search and cite, whole enough to be understood.

A chunk never crosses a document. A heading starts a new one, unless the one before is tiny and both belong
under the same parent. Tables, code and lists stay whole where they fit; a table that does not repeats its
header row with each part, a list its lead-in line, prose the end of the chunk before.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

from pipeline.errors import Unavailable
from pipeline.ingest.pieces import Group, Piece, Section, sections
from pipeline.ports import Tokenizer
from pipeline.values import BlockKind, Chunk, Parsed, Unit

TOKENS = 500
OVERLAP = 50
TINY = 100
"""A chunk below this many tokens takes in the next section of the same parent."""
_ENOUGH = 0.6
"""A chunk filled to this share is closed rather than a paragraph cut."""


class WordCount:
    """A `Tokenizer` for when there is no embedder: words and marks, four thirds of a token each."""

    def count(self, text: str) -> int:
        return -(-len(re.findall(r"\w+|[^\w\s]", text)) * 4 // 3)


class Splitter:
    """Splits by the embedder's own tokenizer: no chunk has more than `tokens`.

    While the tokenizer is unavailable, words are counted instead.
    """

    def __init__(self, tokenizer: Tokenizer, *, tokens: int = TOKENS, overlap: int = OVERLAP) -> None:
        self._tokenizer = tokenizer
        self._tokens = tokens
        self._overlap = overlap

    def split(self, parsed: Parsed) -> tuple[Chunk, ...]:
        """Chunks in reading order; every word of every block is in one of them."""
        try:
            return self._split(parsed, self._tokenizer)
        except Unavailable:
            return self._split(parsed, WordCount())

    def _split(self, parsed: Parsed, tokenizer: Tokenizer) -> tuple[Chunk, ...]:
        drafts: list[_Draft] = []
        for section in sections(parsed.blocks, tokenizer, self._tokens):
            if drafts and drafts[-1].takes(section, self._tokens):
                drafts[-1].take(section)
            else:
                drafts.extend(self._fill(section))
        return tuple(draft.chunk(parsed.document.id, position) for position, draft in enumerate(drafts))

    def _fill(self, section: Section) -> Iterator[_Draft]:
        draft = _Draft(section.path)
        for group in section.groups:
            if self._closes(draft, group):
                yield draft
                draft = draft.next(draft.tail(min(self._overlap, self._tokens - group.tokens)))
            for piece in group.pieces:
                if draft.tokens + piece.tokens > self._tokens:
                    yield draft
                    room = self._tokens - piece.tokens
                    draft = draft.next(self._opening(group, draft, room))
                draft.append(piece)
        yield draft

    def _closes(self, draft: _Draft, group: Group) -> bool:
        """Whether `group` is better off in a chunk of its own than added to `draft`."""
        if not draft.has_content:
            return False
        if draft.tokens >= TINY and draft.page != group.pieces[0].block.page:
            return True
        too_much = draft.tokens + group.tokens > self._tokens >= group.tokens
        return too_much and (group.whole or draft.tokens >= _ENOUGH * self._tokens)

    def _opening(self, group: Group, draft: _Draft, room: int) -> Sequence[Piece]:
        """What the next part of `group` begins with, at most half a chunk."""
        if group.repeated and draft.pieces[-1] not in group.repeated:
            cost = sum(piece.tokens for piece in group.repeated)
            return group.repeated if cost <= min(room, self._tokens // 2) else ()
        return draft.tail(min(self._overlap, room))


class _Draft:
    """A chunk being filled."""

    def __init__(self, path: tuple[str, ...], repeated: Sequence[Piece] = ()) -> None:
        self.path = path
        self.pieces = list(repeated)
        self.tokens = sum(piece.tokens for piece in repeated)
        self._repeated = len(repeated)

    @property
    def has_content(self) -> bool:
        return any(piece.kind is not BlockKind.HEADING for piece in self.pieces[self._repeated :])

    @property
    def page(self) -> int | None:
        return self.pieces[-1].block.page

    def append(self, piece: Piece) -> None:
        self.pieces.append(piece)
        self.tokens += piece.tokens

    def takes(self, section: Section, limit: int) -> bool:
        """Whether `section` is a sibling or child that rounds off this tiny chunk on the same page and sheet."""
        related = section.path[:-1] == self.path[:-1] or section.path[: len(self.path)] == self.path
        first, last = section.groups[0].pieces[0].block, self.pieces[-1].block
        together = (first.page, first.sheet) == (last.page, last.sheet)
        return related and together and self.tokens < TINY and self.tokens + section.tokens <= limit

    def take(self, section: Section) -> None:
        shared = 0
        while shared < min(len(self.path), len(section.path)) and self.path[shared] == section.path[shared]:
            shared += 1
        self.path = self.path[:shared]
        for group in section.groups:
            for piece in group.pieces:
                self.append(piece)

    def next(self, repeated: Sequence[Piece]) -> _Draft:
        return _Draft(self.path, repeated)

    def tail(self, room: int) -> list[Piece]:
        """The last sentences of prose that fit into `room` tokens, but never all of the chunk."""
        kept: list[Piece] = []
        for piece in reversed(self.pieces[self._repeated + 1 :]):
            room -= piece.tokens
            if piece.kind is not BlockKind.PROSE or room < 0:
                break
            kept.append(piece)
        return kept[::-1]

    def chunk(self, document_id: str, position: int) -> Chunk:
        text = ""
        overlap = 0
        units: list[Unit] = []
        for index, piece in enumerate(self.pieces):
            text += piece.space if text else ""
            if index == self._repeated:
                overlap = len(text)
            text += piece.marker
            units.append(Unit(start=len(text), end=len(text) + len(piece.text), kind=piece.kind))
            text += piece.text
        own = [piece.block for piece in self.pieces[self._repeated :]]
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        return Chunk(
            id=f"{document_id}#{position}-{digest[:12]}",
            document_id=document_id,
            text=text,
            units=tuple(units),
            heading=self.path,
            page=own[0].page,
            sheet=own[0].sheet,
            row=next((block.row for block in own if block.row is not None), None),
            position=position,
            overlap=overlap,
        )
