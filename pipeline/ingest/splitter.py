"""From blocks to chunks: small enough to search and cite, complete enough to be understood.

A chunk never crosses a document. A heading starts a new one, unless the one before is tiny and both belong under the
same parent. Tables, code and lists stay whole where they fit; a table that does not repeats its header row with each
part, a list its lead-in line, prose the end of the chunk before."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass

from pipeline.errors import Unavailable
from pipeline.ingest.pieces import BlockPiece, HeadingSection, PieceGroup, build_sections
from pipeline.ports import Tokenizer
from pipeline.values import Block, BlockKind, Chunk, Document, ParsedDocument, Unit, is_question, replace
from pipeline.words.links import resolve_links
from pipeline.words.text import is_lead_in

# --- The tree of a chunk: what each piece stands under --------------------------------------------

_ENTRIES = frozenset({BlockKind.ITEM, BlockKind.STEP})
_EXPLAINING = frozenset({BlockKind.PROSE, BlockKind.HEADING, *_ENTRIES})
_TITLE = re.compile(r"[^\W\d_a-z][^\d.!?;:。！？：]*(?<![,、])")
"""A line that begins with a capital (or in a script without them) and has no figure, no mark that ends a sentence, and
no colon: text behind a colon describes the text before it."""
_TITLE_LENGTH = 80


def infer_kinds(pieces: Sequence[BlockPiece]) -> Iterator[BlockKind]:
    """Yield the kind of each piece: where the format does not mark headings, a short line alone above text is one."""
    for index, piece in enumerate(pieces):
        titled = _stands_alone(pieces, index) and not _looks_like_title(pieces[index + 1])
        yield BlockKind.HEADING if titled and _looks_like_title(piece) else piece.kind


def _stands_alone(pieces: Sequence[BlockPiece], index: int) -> bool:
    """Tell whether a line break stands before and behind a piece, and text after that."""
    alone = index == 0 or "\n" in pieces[index].leading_space
    return alone and index + 1 < len(pieces) and "\n" in pieces[index + 1].leading_space


def _looks_like_title(piece: BlockPiece) -> bool:
    short = piece.kind is BlockKind.PROSE and len(piece.text) <= _TITLE_LENGTH
    return short and not piece.depth and bool(_TITLE.fullmatch(piece.text))


def find_parents(pieces: Sequence[BlockPiece], kinds: Sequence[BlockKind]) -> list[int | None]:
    """Return `Unit.parent` of each piece, by these kinds."""
    parents: list[int | None] = []
    heading: int | None = None
    header: int | None = None
    entries: list[int] = []
    list_part, opener = 0, None
    for index, (piece, kind) in enumerate(zip(pieces, kinds, strict=True)):
        before = index - 1 if index else None
        header = header if kind is BlockKind.ROW and not piece.block.opens else None
        if kind is BlockKind.HEADING:
            heading, parent = index, None
        elif kind is BlockKind.ROW:
            parent = header
        elif kind in _ENTRIES or piece.depth:
            if piece.part != list_part and kind is not BlockKind.HEADER:
                list_part, opener, entries = piece.part, _find_opening(pieces, kinds, before), []
            entries = [entry for entry in entries if pieces[entry].depth < piece.depth]
            parent = entries[-1] if entries else opener
            entries += [index] if kind in _ENTRIES else []
        elif kind is BlockKind.HEADER:
            parent = _find_opening(pieces, kinds, before)
        elif kind is BlockKind.CODE:
            together = before is not None and pieces[before].part == piece.part
            parent = (
                parents[-1] if together else before if before is not None and kinds[before] in _EXPLAINING else None
            )
        else:
            parent = heading
            heading = index if is_question(piece.text) else heading
        header = index if kind is BlockKind.HEADER else header
        parents.append(parent)
    return parents


def _find_opening(pieces: Sequence[BlockPiece], kinds: Sequence[BlockKind], before: int | None) -> int | None:
    """Return the piece right above a list or a table, if it is a heading or a lead-in."""
    if before is None:
        return None
    opens = kinds[before] is BlockKind.HEADING or is_lead_in(pieces[before].text) or is_question(pieces[before].text)
    return before if opens else None


# --- Chunks ---------------------------------------------------------------------------------------

CHUNK_TOKENS = 500
CHUNK_OVERLAP = 50
MIN_CHUNK_TOKENS = 100
"""Number of tokens below which a chunk absorbs the next section of the same parent."""
SHORT_ROWS = 8
"""Minimum number of rows of a long table in a chunk that share a vector: of 60 tokens each by default."""
_FULL_SHARE = 0.6
"""Share of its tokens from which a chunk is closed rather than a paragraph cut."""


def _with_anchors(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks; one without an anchor gets that of the nearest heading above that has one."""
    heading_anchors: dict[tuple[str, ...], str] = {}
    for block in blocks:
        path = block.heading
        if block.kind is BlockKind.HEADING:
            path = (*path, block.text)
            heading_anchors[path] = block.anchor
        above = (heading_anchors.get(path[:depth], "") for depth in range(len(path), 0, -1))
        anchor = block.anchor or next(filter(None, above), "")
        yield block if anchor == block.anchor else replace(block, anchor=anchor)


class WordTokenizer:
    """A `Tokenizer` for when there is no embedder: it counts four thirds of a token for each word and mark."""

    def count_tokens(self, text: str) -> int:
        """Return the estimated number of tokens."""
        return -(-len(re.findall(r"\w+|[^\w\s]", text)) * 4 // 3)


@dataclass(frozen=True)
class TokenSplitter:
    """A splitter with the embedder's own tokenizer: no chunk has more than `tokens`.

    While the tokenizer is unavailable, words are counted instead."""

    tokenizer: Tokenizer
    _: KW_ONLY
    tokens: int = CHUNK_TOKENS
    overlap: int = CHUNK_OVERLAP

    def split(self, parsed: ParsedDocument) -> tuple[Chunk, ...]:
        """Return the chunks in reading order; every word of every block is in one of them."""
        return tuple(self.chunks(parsed.document, parsed.blocks))

    def chunks(self, document: Document, blocks: Iterable[Block]) -> Iterator[Chunk]:
        """Yield the chunks one by one, as the blocks come."""
        drafts = self._drafts(
            build_sections(resolve_links(_with_anchors(blocks), document.url), self._available_tokenizer(), self.tokens)
        )
        return (draft.chunk(document.id, position) for position, draft in enumerate(drafts))

    def _available_tokenizer(self) -> Tokenizer:
        try:
            self.tokenizer.count_tokens("")
        except Unavailable:
            return WordTokenizer()
        return self.tokenizer

    def _drafts(self, sections: Iterable[HeadingSection]) -> Iterator[_Draft]:
        draft: _Draft | None = None
        for section in sections:
            if draft and section.is_continued:
                *full, draft = self._fill(draft, section)
                yield from full
            elif draft and draft.accepts(section, self.tokens):
                draft.add_section(section)
            else:
                if draft:
                    yield draft
                *full, draft = self._fill(_Draft(section.heading_path), section)
                yield from full
        if draft:
            yield draft

    def _fill(self, draft: _Draft, section: HeadingSection) -> Iterator[_Draft]:
        """Yield `draft` with as much of the section as it holds, and the drafts for the rest."""
        for group in section.groups:
            page_turned = draft.has_content and draft.page != group.pieces[0].block.page
            if not group.is_continued and (page_turned or self._should_close(draft, group)):
                yield draft
                draft = draft.next(() if page_turned else draft.tail(min(self.overlap, self.tokens - group.tokens)))
            is_long_table = group.is_long_table
            for piece in group.pieces:
                if draft.tokens + piece.tokens > self.tokens:
                    yield draft
                    room = self.tokens - piece.tokens
                    draft = draft.next(self._find_opening(group, draft, room))
                    draft.table = is_long_table
                draft.append(piece)
        yield draft

    def _should_close(self, draft: _Draft, group: PieceGroup) -> bool:
        """Tell whether `group` is better off in a chunk of its own than added to `draft`."""
        if not draft.has_content:
            return False
        too_much = draft.tokens + group.tokens > self.tokens >= group.tokens
        return too_much and (group.keep_together or draft.tokens >= _FULL_SHARE * self.tokens)

    def _find_opening(self, group: PieceGroup, draft: _Draft, room: int) -> Sequence[BlockPiece]:
        """Return the opening of the next part of `group`, at most half a chunk."""
        if group.repeated_opening and draft.pieces[-1] not in group.repeated_opening:
            cost = sum(piece.tokens for piece in group.repeated_opening)
            return group.repeated_opening if cost <= min(room, self.tokens // 2) else ()
        return draft.tail(min(self.overlap, room))


class _Draft:
    """A chunk while it is filled."""

    def __init__(self, path: tuple[str, ...], repeated: Sequence[BlockPiece] = ()) -> None:
        self.path = path
        self.pieces = list(repeated)
        self.tokens = sum(piece.tokens for piece in repeated)
        self._repeated = len(repeated)
        self.table = False
        """It begins within a long table."""

    @property
    def has_content(self) -> bool:
        return any(piece.kind is not BlockKind.HEADING for piece in self.pieces[self._repeated :])

    @property
    def page(self) -> int | None:
        return self.pieces[-1].block.page

    def append(self, piece: BlockPiece) -> None:
        self.pieces.append(piece)
        self.tokens += piece.tokens

    def accepts(self, section: HeadingSection, limit: int) -> bool:
        """Tell whether `section` is a sibling or child that completes this tiny chunk on the same page and sheet."""
        related = section.heading_path[:-1] == self.path[:-1] or section.heading_path[: len(self.path)] == self.path
        first, last = section.groups[0].pieces[0].block, self.pieces[-1].block
        together = (first.page, first.sheet) == (last.page, last.sheet)
        return related and together and self.tokens < MIN_CHUNK_TOKENS and self.tokens + section.tokens <= limit

    def add_section(self, section: HeadingSection) -> None:
        shared = 0
        while (
            shared < min(len(self.path), len(section.heading_path))
            and self.path[shared] == section.heading_path[shared]
        ):
            shared += 1
        self.path = self.path[:shared]
        for group in section.groups:
            for piece in group.pieces:
                self.append(piece)

    def next(self, repeated: Sequence[BlockPiece]) -> _Draft:
        return _Draft(self.path, repeated)

    def tail(self, room: int) -> list[BlockPiece]:
        """Return the last sentences of prose that fit into `room` tokens, but never all of the chunk."""
        sentences: list[BlockPiece] = []
        for piece in reversed(self.pieces[self._repeated + 1 :]):
            room -= piece.tokens
            if piece.kind is not BlockKind.PROSE or room < 0:
                break
            sentences.append(piece)
        return sentences[::-1]

    def chunk(self, document_id: str, position: int) -> Chunk:
        text = ""
        overlap = 0
        units: list[Unit] = []
        anchors: list[tuple[int, str]] = []
        links: list[tuple[int, int, str]] = []
        code: list[tuple[int, int]] = []
        kinds = list(infer_kinds(self.pieces))
        parents = find_parents(self.pieces, kinds)
        for index, piece in enumerate(self.pieces):
            text += piece.leading_space if text else ""
            if index == self._repeated:
                overlap = len(text)
            if piece.block.anchor != (anchors[-1][1] if anchors else ""):
                anchors.append((len(text), piece.block.anchor))
            text += piece.marker
            units.append(
                Unit(
                    start=len(text),
                    end=len(text) + len(piece.text),
                    kind=kinds[index],
                    part=piece.part,
                    parent=parents[index],
                    number=piece.number,
                    inferred=kinds[index] is not piece.kind,
                    cells=piece.cells,
                )
            )
            links += ((len(text) + start, len(text) + end, url) for start, end, url in piece.links)
            code += ((len(text) + start, len(text) + end) for start, end in piece.code)
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
            together=self.table and len(own) >= SHORT_ROWS and all(block.kind is BlockKind.ROW for block in own),
            anchors=tuple(anchors),
            links=tuple(links),
            code=tuple(code),
        )
