"""The result of every reader of a file format: blocks in reading order under their headings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import chain, zip_longest
from typing import overload
from urllib.parse import urlsplit

from pydantic import Field, SkipValidation, TypeAdapter

from adapters.files.parse_errors import catch_parse_errors
from adapters.files.table_grid import merge_header_rows
from pipeline.errors import Refused
from pipeline.values import Block, BlockKind, Link, Value, join_cells, replace

# --- Many blocks in little memory: a table of 100,000 rows is 20 MB here, and ten times as much as values ---

BLOCKS_PER_FRAME = 2_000
"""Number of blocks that are written and read together."""
_ADAPTER = TypeAdapter(list[Block])


def pack_blocks(blocks: list[Block]) -> bytes:
    """Pack at most BLOCKS_PER_FRAME blocks into one frame of JSON."""
    return _ADAPTER.dump_json(blocks, exclude_defaults=True)


class PackedBlocks(Sequence[Block]):
    """Blocks in frames of JSON. All frames but the last hold BLOCKS_PER_FRAME blocks. Made to be iterated in order."""

    def __init__(self, frames: Sequence[bytes], count: int) -> None:
        self.frames = tuple(frames)
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Block]:
        for frame in self.frames:
            yield from _ADAPTER.validate_json(frame)

    @overload
    def __getitem__(self, index: int) -> Block: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Block, ...]: ...
    def __getitem__(self, index: int | slice) -> Block | tuple[Block, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        position = range(self._count)[index]
        return _ADAPTER.validate_json(self.frames[position // BLOCKS_PER_FRAME])[position % BLOCKS_PER_FRAME]


# --- What a reader produces -----------------------------------------------------------------------

MAX_CHARACTERS = 20_000_000
"""Largest text of one document: about 3,000 dense pages."""
ProgressCallback = Callable[[int, int], None]
"""Callback with the number of pages read and the number of all pages, which is 0 where it is unknown."""
TEXT_PAGE_SIZE = 10_000
"""Bytes, or characters, of a text format that count as much as a page."""
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\ufeff\ufffe\uffff\ud800-\udfff]")
_DIRECTION = re.compile(r"[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufff9-\ufffb]")
"""Marks that turn the direction of the text around them, and characters that nobody sees."""
_UNSAFE = re.compile(r"""[\s<>|"`\\^{}]""")
_MAX_URL_LENGTH = 2000
_SPACE = re.compile(r"[^\S\n]+")
_WHOLE_WORD_REACH = 500
"""Characters within which inline code that is part of a word is looked for as a word of its own."""
_PLACEHOLDER = re.compile(
    r"\W*(?:untitled|unnamed|anonymous|unspecified|unknown|no title|title|document|word document|presentation|"
    r"(?:powerpoint|pptxgenjs) presentation|spreadsheet|unbenannt|ohne titel|dokument|sans titre|sin t[ií]tulo|"
    r"senza titolo)(?: (?:document|presentation|spreadsheet|dokument|title))?[\W\d_]*|[\W_]*",
    re.IGNORECASE,
)
"""Titles that programs leave where a person gave none."""


def ignore_progress(pages: int, total: int) -> None:
    """Ignore the progress: the default `ProgressCallback`."""


class ParsedFile(Value):
    """A file as read, before it becomes a document of the index."""

    title: str = ""
    """Title of the file; empty where the file gives none."""
    blocks: SkipValidation[Sequence[Block]] = ()
    product: str = ""
    document_type: str = ""
    url: str = ""
    metadata: dict[str, str] = Field(default_factory=dict)
    unread: tuple[str, ...] = ()
    """Parts that could not be read, each a phrase with its place: `page 3: no text, only a picture`."""

    @property
    def has_text(self) -> bool:
        return any(character.isalnum() for block in self.blocks for character in block.text)


class OutlineBuilder:
    """A collector of blocks that keeps the path of headings above them.

    `page`, `sheet` and `anchor` are stamped onto the blocks that follow. Raises Refused past MAX_CHARACTERS.
    """

    def __init__(self) -> None:
        self.page: int | None = None
        self.sheet: str | None = None
        self.anchor = ""
        self._blocks: list[Block] = []
        self._frames: list[bytes] = []
        self._path: list[tuple[int, str]] = []
        self._title = ""
        self._characters = 0
        self._unread: dict[str, None] = {}
        self._opens = False
        """True where the next row would be the first of a table without a header."""

    def add_heading(self, level: int, text: str, *, title: bool = False, code: Iterable[str] = ()) -> None:
        """Open a section. A heading that is the document's title is no part of the paths below it."""
        text = clean_text(text).replace("\n", " ")
        if not text:
            return
        self.close_sections(level)
        self._append(BlockKind.HEADING, text, code=_find_code_spans(text, code))
        if title and not self._title:
            self._title = text
        else:
            self._path.append((level, text))

    def close_sections(self, level: int) -> None:
        """Close the sections of this level and of deeper ones, so that later blocks stand under what is above them."""
        while self._path and self._path[-1][0] >= level:
            self._path.pop()

    @property
    def character_count(self) -> int:
        """Number of characters so far."""
        return self._characters

    def add(
        self,
        kind: BlockKind,
        text: str,
        *,
        row: int | None = None,
        depth: int = 0,
        number: int = 0,
        links: Iterable[Link] = (),
        code: Iterable[str] = (),
    ) -> None:
        """Append a block that is nested in `depth` list entries. Leave out a block without text. `links`, and the texts
        of inline `code`, come in the order of their words in `text`."""
        if kind is BlockKind.CODE:
            text, links, code = _CONTROL.sub("", text).strip("\n").rstrip(), (), ()
        else:
            text = clean_text(text)
        if text.strip():
            self._append(kind, text, row, depth, number, _locate_links(text, links), code=_find_code_spans(text, code))

    def add_table(
        self,
        rows: Sequence[Sequence[str]],
        *,
        header: int,
        depth: int = 0,
        links: Sequence[Iterable[Link]] = (),
        code: Sequence[Iterable[str]] = (),
    ) -> None:
        """Append rows of cells, one text a column, as a table of its own. The first `header` rows are one header. Rows
        without text are left out. `links` and inline `code` hold, for each row, those of its cells."""
        self._opens = True
        if header:
            names = merge_header_rows([[_clean_cell(cell) for cell in row] for row in rows[:header]])
            marks = chain(*links[:header]), chain(*code[:header])
            self.add_row(BlockKind.HEADER, names, depth=depth, links=marks[0], code=marks[1])
        for cells, own, codes in zip_longest(rows[header:], links[header:], code[header:], fillvalue=()):
            self.add_row(BlockKind.ROW, cells, depth=depth, links=own, code=codes)

    def add_row(
        self,
        kind: BlockKind,
        cells: Iterable[str],
        *,
        row: int | None = None,
        depth: int = 0,
        links: Iterable[Link] = (),
        code: Iterable[str] = (),
    ) -> None:
        """Append a header or a row of a table, one text a column. Leave it out where no cell has text."""
        texts = tuple(map(_clean_cell, cells))
        if any(texts):
            text = join_cells(texts)
            self._append(kind, text, row, depth, 0, _locate_links(text, links), texts, _find_code_spans(text, code))

    def add_content(self, parsed: ParsedFile, name: str = "") -> None:
        """Append the content of a part or, under its name, of a file that this one contains."""
        above = tuple(heading for _, heading in self._path)
        if name:
            self._append(BlockKind.HEADING, clean_label(name))
            above = (*above, clean_label(name))
        for block in parsed.blocks:
            self._store(replace(block, heading=(*above, *block.heading)))
        for description in parsed.unread:
            self.note_unread(f"{name}: {description}" if name else description)

    def add_section(self, parsed: ParsedFile, name: str, fallback_name: str) -> None:
        """Append the content of a part under its name, or under `fallback_name`. Append nothing where it has neither a
        name nor text."""
        self.add_content(replace(parsed, unread=()), name or (fallback_name if parsed.blocks else ""))
        for description in parsed.unread:
            self.note_unread(description)

    def note_unread(self, description: str) -> None:
        """Note a part that could not be read: `page 3: no text, only a picture`."""
        self._unread[clean_label(description)] = None

    def skip_damaged(self, description: str) -> AbstractContextManager[None]:
        """Note `description` as unread where a library fails inside the block. Raises Refused and MemoryError."""
        return catch_parse_errors(lambda _: self.note_unread(description))

    def build(self, *, title: str = "") -> ParsedFile:
        """Return everything collected, with the title that a heading gave unless there is a `title`."""
        count = len(self._frames) * BLOCKS_PER_FRAME + len(self._blocks)
        blocks = (
            PackedBlocks([*self._frames, pack_blocks(self._blocks)], count) if self._frames else tuple(self._blocks)
        )
        return ParsedFile(
            blocks=blocks, unread=tuple(self._unread), title=clean_label(title) or clean_label(self._title)
        )

    def _append(
        self,
        kind: BlockKind,
        text: str,
        row: int | None = None,
        depth: int = 0,
        number: int = 0,
        links: tuple[Link, ...] = (),
        cells: tuple[str, ...] = (),
        code: tuple[tuple[int, int], ...] = (),
    ) -> None:
        opens, self._opens = self._opens and kind is BlockKind.ROW, self._opens and not cells
        self._store(
            Block(
                kind=kind,
                text=text,
                cells=cells,
                opens=opens,
                heading=tuple([name for _, name in self._path]),
                page=self.page,
                sheet=self.sheet,
                row=row,
                depth=depth,
                number=number,
                anchor=self.anchor,
                links=links,
                code=code,
            )
        )

    def _store(self, block: Block) -> None:
        self._characters += len(block.text) + (sum(len(link.url) for link in block.links) if block.links else 0)
        if self._characters > MAX_CHARACTERS:
            raise Refused(
                f"the document holds more than {MAX_CHARACTERS // 1_000_000} MB of text",
                what_to_do="Split it into several files.",
            )
        if len(self._blocks) == BLOCKS_PER_FRAME:
            self._frames.append(pack_blocks(self._blocks))
            self._blocks.clear()
        self._blocks.append(block)


def _locate_links(text: str, links: Iterable[Link]) -> tuple[Link, ...]:
    """Return the links whose words stand in `text`, in their order."""
    located: list[Link] = []
    end = 0
    for link in links:
        words = " ".join(clean_text(link.text).split())
        start = text.find(words, end) if len(link.url) <= _MAX_URL_LENGTH and any(map(str.isalnum, words)) else -1
        if start >= 0:
            end = start + len(words)
            located.append(Link(text=words, url=link.url.strip()))
    return tuple(located)


def _find_code_spans(text: str, code: Iterable[str]) -> tuple[tuple[int, int], ...]:
    """Return the start and end in `text` of each text of `code` that stands in it, in their order."""
    spans: list[tuple[int, int]] = []
    end = 0
    for snippet in code:
        words = _clean_cell(snippet)
        start = first = text.find(words, end) if words else -1
        last = first + len(words) + _WHOLE_WORD_REACH
        while start >= 0 and not _is_whole_word(text, start, start + len(words)):
            start = text.find(words, start + 1, last)
        if first >= 0:
            start = first if start < 0 else start
            end = start + len(words)
            spans.append((start, end))
    return tuple(spans)


def _is_whole_word(text: str, start: int, end: int) -> bool:
    """Return whether no word continues across `start` or `end`."""
    around = text[max(start - 1, 0) : start + 1], text[end - 1 : end + 1]
    return not any(len(pair) == 2 and pair.isalnum() for pair in around)


def _clean_cell(text: str) -> str:
    """Clean a cell's text and put it on one line."""
    if text.isprintable() and "  " not in text:  # as most cells are: nothing to clean
        return text.strip()
    return " ".join(clean_text(text).split())


def clean_text(text: str) -> str:
    """Return `text` without control characters, with single blanks and trimmed lines. Line ends stay."""
    if text.isprintable() and "  " not in text:
        return text.strip()
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return "\n".join(line for line in (_SPACE.sub(" ", line).strip() for line in text.split("\n")) if line)


def clean_label(text: str) -> str:
    """Return a name on one line, without characters that would make it, or the text beside it, look like something
    else."""
    return " ".join(_DIRECTION.sub("", clean_text(text)).split())


def drop_placeholder_title(text: str | None) -> str:
    """Return the title that a person gave. Empty for a program's placeholder, such as `(anonymous)` or `Untitled 1`."""
    plain = " ".join((text or "").split())
    return "" if _PLACEHOLDER.fullmatch(plain) else plain


def has_control_chars(text: str) -> bool:
    """Return whether `text` holds a character that is neither visible nor white space."""
    return bool(_CONTROL.search(text) or _DIRECTION.search(text))


def safe_url(url: str) -> str:
    """Return `url` if a reader may be sent there (http or https) and it ends where it seems to, otherwise an empty
    text."""
    url = url.strip()
    if len(url) > _MAX_URL_LENGTH or _UNSAFE.search(url) or has_control_chars(url):
        return ""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in {"http", "https"} and parts.hostname and "@" not in parts.netloc else ""


# --- Where a page and a sitemap lead, whom a page names, and what it says to robots ---------------

ROBOTS_AGENT = "citewell"
MAX_SITEMAP_BYTES = 50_000_000
"""Bytes of a sitemap, unpacked: the limit of the protocol (sitemaps.org)."""
NOINDEX_WORDS = frozenset({"noindex", "none"})
NOFOLLOW_WORDS = frozenset({"nofollow", "none"})
"""Words to robots by which a page is not to be indexed (NOINDEX_WORDS), and its links are not to be followed."""


class PageLinks(Value):
    """The addresses of a page or a sitemap, as they are written there."""

    links: tuple[str, ...] = ()
    """Links of a page that may be followed; for a sitemap its pages, or other sitemaps where `is_sitemap_index` is
    true."""
    is_sitemap_index: bool = False
    base_url: str = ""
    canonical: str = ""
    robots: frozenset[str] = frozenset()
    """Words of NOINDEX_WORDS and NOFOLLOW_WORDS that the page names."""
    account_ids: frozenset[str] = frozenset()
    """Account ids and user keys of the people whom a page of Confluence names."""


def parse_robots(text: str | None) -> frozenset[str]:
    """Return the words of NOINDEX_WORDS and NOFOLLOW_WORDS in a robots meta element or an X-Robots-Tag header."""
    return frozenset((NOINDEX_WORDS | NOFOLLOW_WORDS) & attribute_words((text or "").replace(",", " ")))


def attribute_words(text: str | None) -> set[str]:
    """Return the words of an attribute that holds several, in lower case."""
    return set((text or "").lower().split())
