"""Citations: numbers in order of first appearance, and the marks and references of the four styles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple, assert_never
from urllib.parse import quote as percent_encoded

from pipeline.ports import PassageLinks
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values import (
    LIVE_SOURCE,
    BlockKind,
    Chunk,
    Citation,
    CitationStyle,
    CitedSentence,
    Document,
    DraftSentence,
    Judgement,
    Link,
    QuotedBlock,
    RetrievedChunk,
    cell_ends,
    cell_spans,
    join_cells,
)
from pipeline.words import links, wording
from pipeline.words.text import sentence_separator

# --- Which sentences are a document's own text, and where inline code stands in them --------------

TextSpans = tuple[tuple[int, int], ...]
_MARKDOWN_SIGN = re.compile(r"[*_~\\\[\]<&!]")
"""A sign in code that Markdown would misread, or write in another way."""


def literal_code_spans(sentence: DraftSentence, chunks: Sequence[Chunk]) -> TextSpans | None:
    """Return the spans of inline code in a sentence that is text of `chunks` to the letter, cell by cell where it is a
    row; None where it is not."""
    if sentence.kind is BlockKind.CODE or not chunks:
        return None
    for chunk in chunks:
        for index, unit in enumerate(chunk.units):
            if unit.end - unit.start == len(sentence.text) and chunk.unit_text(unit) == sentence.text:
                return chunk.code_spans(index)
    text = join_cells(sentence.cells) if sentence.cells else sentence.text
    spans: list[tuple[int, int]] = []
    for start, end in cell_spans(cell_ends(sentence.cells or (text,))):
        code = _find_code_spans(text[start:end], chunks)
        if code is None:
            return None
        spans += ((start + first, start + last) for first, last in code)
    return tuple(spans)


def inline_code_spans(sentence: DraftSentence, chunks: Iterable[Chunk]) -> TextSpans:
    """Return the spans of inline code of `chunks` that stand bare in a sentence of Markdown, which would misread
    them."""
    text = sentence.text if sentence.kind is not BlockKind.CODE else ""
    code_texts = {chunk.text[start:end] for chunk in chunks for start, end in chunk.code}
    marked = sorted(
        (code for code in code_texts if _MARKDOWN_SIGN.search(code) and code in text), key=len, reverse=True
    )
    if not marked:
        return ()
    pattern = re.compile(rf"`[^`]*`|(?<!\w)(?P<code>{'|'.join(map(re.escape, marked))})(?!\w)")
    return tuple(match.span() for match in pattern.finditer(text) if match["code"])


def _find_code_spans(text: str, chunks: Iterable[Chunk]) -> TextSpans | None:
    for chunk in chunks:
        if (offset := chunk.text.find(text)) >= 0:
            inside = (span for span in chunk.code if offset <= span[0] and span[1] <= offset + len(text))
            return tuple((start - offset, end - offset) for start, end in inside)
        for index, unit in enumerate(chunk.units):
            if unit.kind is BlockKind.ROW and chunk.readable_row(index) == text:
                return _locate_in_order(
                    text, [chunk.text_at(index)[start:end] for start, end in chunk.code_spans(index)]
                )
    return None


def _locate_in_order(text: str, code: Iterable[str]) -> TextSpans:
    spans: list[tuple[int, int]] = []
    end = 0
    for part in code:
        if (start := text.find(part, end)) >= 0:
            end = start + len(part)
            spans.append((start, end))
    return tuple(spans)


# --- Citations ------------------------------------------------------------------------------------

_TABLE = frozenset({BlockKind.HEADER, BlockKind.ROW})
_NO_UNIT = -1
"""Placeholder index of quoted text that is no unit of its passage."""
SNIPPET_CHARACTERS = 150
"""Characters of context shown with a citation."""
FRAGMENT_SAFE_CHARACTERS = "!$&'()*+,;=:@/?-._~"
"""Characters that a fragment may hold unescaped (RFC 3986)."""
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPERSCRIPT = str.maketrans("0123456789", _SUPERSCRIPTS)


StalenessCheck = Callable[[Document], bool]
"""Function that tells whether a document is older than its source allows."""


def is_never_stale(_: Document) -> bool:
    """Return False for every document."""
    return False


class CitationRegistry:
    """A registry that numbers each passage when the first shown sentence rests on it, and keeps the quoted spans.

    The passages below an answer continue the numbers, `addresses` and `stale` check of the registry `after` which they
    come."""

    def __init__(
        self,
        passages: Iterable[RetrievedChunk],
        after: CitationRegistry | None = None,
        *,
        addresses: PassageLinks | None = None,
        stale: StalenessCheck = is_never_stale,
    ) -> None:
        self._passages = {passage.chunk.id: passage for passage in passages}
        self._addresses: PassageLinks = addresses or (after._addresses if after else DOCUMENT_URL_LINKS)  # noqa: SLF001 as below
        self._stale: StalenessCheck = after._stale if after else stale  # noqa: SLF001 as below
        self._assigned: dict[str, int] = after._assigned if after else {}  # noqa: SLF001 one numbering in two parts
        self._numbers: dict[str, int] = {}
        self._quotes: dict[str, list[str]] = {}
        self.sentences: list[CitedSentence] = []
        """Every sentence cited so far."""

    def add_passages(self, passages: Iterable[RetrievedChunk]) -> None:
        """Add `passages` that later sentences may rest on."""
        self._passages |= {passage.chunk.id: passage for passage in passages}

    def cite(self, sentence: DraftSentence, judgement: Judgement) -> CitedSentence:
        """Return `sentence` with the numbers of the passages that support it; one without support is marked as
        unverified."""
        chunks = [self._passages[chunk_id].chunk for chunk_id in judgement.chunk_ids if judgement.is_supported]
        own = literal_code_spans(sentence, chunks)
        cited = CitedSentence(
            text=sentence.text,
            kind=sentence.kind,
            numbers=self.assign_numbers(judgement.chunk_ids, judgement.quote) if judgement.is_supported else (),
            cell_numbers=self._cell_numbers(sentence, judgement),
            opens=sentence.opens,
            number=sentence.number,
            language=sentence.language,
            section=sentence.section,
            as_of=sentence.as_of,
            verified=judgement.is_supported,
            links=self._links(sentence, judgement),
            cells=sentence.cells,
            literal=own is not None,
            code=inline_code_spans(sentence, chunks) if own is None else own,
            depth=sentence.depth,
        )
        self.sentences.append(cited)
        return cited

    def _links(self, sentence: DraftSentence, judgement: Judgement) -> tuple[Link, ...]:
        if not judgement.is_supported or sentence.kind is BlockKind.CODE:
            return ()
        supporting = (self._passages[chunk_id] for chunk_id in judgement.chunk_ids)
        return links.find_links(sentence.text, supporting, judgement.quote)

    def _cell_numbers(self, sentence: DraftSentence, judgement: Judgement) -> tuple[int, ...]:
        """Return the number of each cell of a supported row that names the source of each of its cells."""
        if sentence.kind is not BlockKind.ROW or set(sentence.chunk_ids) != set(judgement.chunk_ids):
            return ()
        each = len(sentence.chunk_ids) == len(sentence.cells)
        return tuple(self._numbers[chunk_id] for chunk_id in sentence.chunk_ids) if each else ()

    def assign_numbers(self, chunk_ids: Sequence[str], quote: str = "") -> tuple[int, ...]:
        """Return the numbers of `chunk_ids`, ascending; `quote` is the supporting span of the first one."""
        for chunk_id in chunk_ids:
            self._numbers[chunk_id] = self._assigned.setdefault(chunk_id, len(self._assigned) + 1)
        if chunk_ids and quote:
            quotes = self._quotes.setdefault(chunk_ids[0], [])
            if quote not in quotes:
                quotes.append(quote)
        return tuple(sorted(self._numbers[chunk_id] for chunk_id in chunk_ids))

    def citations(
        self, positions: Mapping[int, Sequence[tuple[int, int]]] | None = None, *, full_text: bool = False
    ) -> tuple[Citation, ...]:
        """Return the citations in order; `positions` are the spans in the body by number. With `whole` they have the
        full text of each passage that may be shown."""
        return tuple(
            build_citation(
                self._passages[chunk_id],
                number,
                quotes=self._quotes.get(chunk_id, ()),
                positions=tuple((positions or {}).get(number, ())),
                full_text=full_text,
                addresses=self._addresses,
                stale=self._stale,
            )
            for chunk_id, number in self._numbers.items()
        )


def build_citation(
    passage: RetrievedChunk,
    number: int,
    *,
    quotes: Sequence[str] = (),
    positions: tuple[tuple[int, int], ...] = (),
    full_text: bool = False,
    addresses: PassageLinks | None = None,
    stale: StalenessCheck = is_never_stale,
) -> Citation:
    """Build the citation of a passage; `quotes` are the spans of it that were used.

    With `full_text` it has all of the passage, unless the document is flagged. `addresses` builds its link; by
    default only a document with an address of its own has one."""
    chunk, document = passage.chunk, passage.document
    return Citation(
        number=number,
        document_id=document.id,
        chunk_id=chunk.id,
        title=document.title,
        filename=document.filename,
        product=document.product,
        document_type=document.document_type,
        page=chunk.page,
        sheet=chunk.sheet,
        heading=_heading_path(chunk, document.title, quotes),
        url=(addresses or DOCUMENT_URL_LINKS).build_url(passage, quotes),
        quote=_join_quotes(chunk.text, quotes),
        snippet=quote_snippet(chunk.text, quotes[0]) if quotes else quote_snippet(chunk.text[chunk.overlap :], ""),
        passage=chunk.text[chunk.overlap :] if full_text and not document.flagged else "",
        score=round(passage.score, 3),
        confirmed=passage.confirmed,
        positions=positions,
        date=document.last_changed,
        stale=stale(document),
        parts=_quoted_blocks(chunk, quotes, full_text=full_text and not document.flagged),
        flagged=document.flagged,
        said_in=document.channel_name,
        live=document.source == LIVE_SOURCE,
    )


def _heading_path(chunk: Chunk, title: str, quotes: Sequence[str]) -> tuple[str, ...]:
    """Return the chunk's heading path; where a chunk packs small sections together, also the headings of the quoted
    spans.

    The title of its document is not repeated."""
    starts = [chunk.text.find(quote) for quote in quotes]
    headings = [unit for unit in chunk.units if unit.kind is BlockKind.HEADING]
    above = [[unit for unit in headings if unit.start <= start][-1:] for start in starts]
    quoted_headings = dict.fromkeys(chunk.unit_text(unit) for units in above for unit in units)
    further = [heading for heading in quoted_headings if heading not in (title, *chunk.heading)]
    return (*chunk.heading, " / ".join(further)) if further else chunk.heading


class DocumentUrlLinks:
    """The port `PassageLinks` without a server: only documents with an address of their own have a link.

    The address gets the fragment of the first quoted span, or of the beginning of the passage, unless that has an
    address of its own; an address with a fragment stays unchanged."""

    def build_url(self, passage: RetrievedChunk, quotes: Sequence[str] = ()) -> str:
        return _anchored_url(passage.document.url, passage.chunk, quotes)


DOCUMENT_URL_LINKS = DocumentUrlLinks()


def _anchored_url(url: str, chunk: Chunk, quotes: Sequence[str]) -> str:
    start = chunk.text.find(quotes[0]) if quotes else chunk.overlap
    anchor = next((anchor for offset, anchor in reversed(chunk.anchors) if offset <= max(start, 0)), "")
    if links.is_same_host(anchor, url):
        return anchor
    return (
        f"{url}#{percent_encoded(anchor, safe=FRAGMENT_SAFE_CHARACTERS)}" if url and anchor and "#" not in url else url
    )


def _join_quotes(text: str, quotes: Sequence[str]) -> str:
    """Join the used spans of `text`, with ` … ` at a gap between two of them."""
    quote = "".join(quotes[:1])
    for before, span in pairwise(quotes):
        quote += (sentence_separator(before) if _follows(text, before, span) else " … ") + span
    return quote


def _follows(text: str, before: str, span: str) -> bool:
    """Tell whether `span` stands in `text` behind `before`, with nothing but white space between them."""
    start = text.find(before)
    while start >= 0:
        if text[start + len(before) :].lstrip().startswith(span):
            return True
        start = text.find(before, start + 1)
    return False


def _quoted_blocks(chunk: Chunk, quotes: Sequence[str], *, full_text: bool) -> tuple[QuotedBlock, ...]:
    """Return a passage, or the quoted parts of it, with its tables and its code apart; nothing where it is text
    alone."""
    units = {chunk.unit_text(unit): place for place, unit in enumerate(chunk.units)}
    all_indexes = [place for place, unit in enumerate(chunk.units) if unit.end > chunk.overlap]
    indexes = all_indexes if full_text else [units.get(quote, _NO_UNIT) for quote in quotes]

    def part(number: int) -> tuple[BlockKind | None, int | None]:
        place = indexes[number]
        kind = chunk.units[place].kind if place != _NO_UNIT else BlockKind.PROSE
        if kind in _TABLE:
            return BlockKind.ROW, place if kind is BlockKind.HEADER else chunk.header_of(place)
        return (kind, place) if kind is BlockKind.CODE else (None, None)

    blocks: list[QuotedBlock] = []
    for (kind, above), numbers in groupby(range(len(indexes)), key=part):
        run = list(numbers)
        first, last = indexes[run[0]], indexes[run[-1]]
        if kind is BlockKind.ROW:
            rows = (chunk.cells_at(indexes[number]) for number in run if indexes[number] != above)
            blocks.append(QuotedBlock(header=() if above is None else chunk.cells_at(above), rows=tuple(rows)))
        elif kind is BlockKind.CODE:
            blocks.append(QuotedBlock(text=chunk.text_at(first), code=True))
        elif full_text:
            start = max(chunk.overlap, chunk.units[first - 1].end if first else 0)
            blocks.append(QuotedBlock(text=chunk.text[start : chunk.units[last].end].strip("\n")))
        else:
            blocks.append(QuotedBlock(text=_join_quotes(chunk.text, [quotes[number] for number in run])))
    return tuple(blocks) if any(block.rows or block.header or block.code for block in blocks) else ()


def quote_snippet(text: str, quote: str) -> str:
    """Return about 150 characters of `text` with the beginning of `quote`, cut at words."""
    start = max(text.find(quote), 0)
    if len(text) - start < SNIPPET_CHARACTERS:
        start = max(0, len(text) - SNIPPET_CHARACTERS)
    while start and not text[start - 1].isspace():
        start -= 1
    end = min(len(text), start + SNIPPET_CHARACTERS)
    if end < len(text):
        cut = text.rfind(" ", start, end)
        end = cut if cut > start else end
    words = " ".join(text[start:end].split())
    return f"{'… ' if start else ''}{words}{' …' if end < len(text) else ''}"


class CitedPlace(NamedTuple):
    """The place of a passage, as its citation names it."""

    title: str
    heading: tuple[str, ...]
    sheet: str | None
    page: int | None
    said_in: str
    flagged: bool


def cited_place(passage: RetrievedChunk, quotes: Sequence[str]) -> CitedPlace:
    """Return the place of a passage of which `quotes` were used: as its citation names it, without building that."""
    chunk, document = passage.chunk, passage.document
    heading = _heading_path(chunk, document.title, quotes)
    return CitedPlace(document.title, heading, chunk.sheet, chunk.page, document.channel_name, document.flagged)


def citation_location(citation: Citation | CitedPlace, translator: Translator = ENGLISH_TRANSLATOR) -> str:
    """Return the place of a citation in its document: `Expenses > Travel, page 3`; and the notice that the document is
    flagged."""
    heading = citation.heading[1:] if citation.heading[:1] == (citation.title,) else citation.heading
    parts = [translator(wording.THREAD_LABEL, where=citation.said_in)] if citation.said_in else []
    parts += [" > ".join(heading)] if heading else []
    if citation.sheet and citation.sheet not in heading[-1:]:
        parts.append(translator(wording.SHEET_LABEL, name=citation.sheet))
    if citation.page is not None:
        parts.append(translator(wording.PAGE_LABEL, number=citation.page))
    if citation.flagged:
        parts.append(translator(wording.INSTRUCTIONS_IGNORED))
    return ", ".join(parts)


def citation_reference(citation: Citation | CitedPlace, translator: Translator = ENGLISH_TRANSLATOR) -> str:
    """Return a full reference in plain text: title, and place in the document."""
    where = citation_location(citation, translator)
    return f"{citation.title} - {where}" if where else citation.title


def list_mark(number: int, style: CitationStyle) -> str:
    """Return the mark before a source in the list below an answer: the same that its sentences bear."""
    return str(number).translate(_SUPERSCRIPT) if style is CitationStyle.FOOTNOTE else f"[{number}]"


def join_citation_marks(marks: Sequence[str]) -> str:
    """Join the marks of one place: `[1][2]`, `¹⁻²`."""
    return ("⁻" if marks[0][0] in _SUPERSCRIPTS else "").join(marks)


def render_mark(
    numbers: Sequence[int],
    citations: Mapping[int, Citation],
    style: CitationStyle,
    translator: Translator = ENGLISH_TRANSLATOR,
) -> str:
    """Render the marks behind a sentence, with a leading space where the style has one."""
    if not numbers:
        return ""
    match style:
        case CitationStyle.FOOTNOTE:
            return join_citation_marks([list_mark(number, style) for number in numbers])
        case CitationStyle.INLINE:
            references = (_inline_reference(citations[number], translator) for number in numbers)
            return " " + " ".join(
                f"({translator(wording.SOURCE_LINE, reference=reference)})" for reference in references
            )
        case CitationStyle.NUMBERED | CitationStyle.ENDNOTE:
            return f" {join_citation_marks([list_mark(number, style) for number in numbers])}"
    assert_never(style)


def _inline_reference(citation: Citation, translator: Translator) -> str:
    named = f"{citation.product} {citation.document_type}".strip() if citation.product else citation.title
    where = citation_location(citation, translator)
    return f"{named} - {where}" if where else named
