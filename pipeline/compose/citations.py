"""Citations: numbers given at first appearance, and the marks and references of the four styles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import assert_never
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
_MARKED = re.compile(r"[*_~\\\[\]<&!]")
"""In code that Markdown would read as something else, or write in another way."""


def literal_code_spans(sentence: DraftSentence, chunks: Sequence[Chunk]) -> TextSpans | None:
    """Where inline code stands in a sentence that is text of `chunks` to the letter, each of its cells where it is a
    row; None where it is not."""
    if sentence.kind is BlockKind.CODE or not chunks:
        return None
    for chunk in chunks:
        for index, unit in enumerate(chunk.units):
            if unit.end - unit.start == len(sentence.text) and chunk.unit_text(unit) == sentence.text:
                return chunk.code_spans(index)
    text = join_cells(sentence.cells) if sentence.cells else sentence.text
    found: list[tuple[int, int]] = []
    for start, end in cell_spans(cell_ends(sentence.cells or (text,))):
        code = _standing(text[start:end], chunks)
        if code is None:
            return None
        found += ((start + first, start + last) for first, last in code)
    return tuple(found)


def inline_code_spans(sentence: DraftSentence, chunks: Iterable[Chunk]) -> TextSpans:
    """Where inline code of `chunks` that Markdown would misread stands bare in a sentence, which is Markdown."""
    text = sentence.text if sentence.kind is not BlockKind.CODE else ""
    said = {chunk.text[start:end] for chunk in chunks for start, end in chunk.code}
    wanted = sorted((one for one in said if _MARKED.search(one) and one in text), key=len, reverse=True)
    if not wanted:
        return ()
    bare = re.compile(rf"`[^`]*`|(?<!\w)(?P<code>{'|'.join(map(re.escape, wanted))})(?!\w)")
    return tuple(match.span() for match in bare.finditer(text) if match["code"])


def _standing(text: str, chunks: Iterable[Chunk]) -> TextSpans | None:
    for chunk in chunks:
        if (at := chunk.text.find(text)) >= 0:
            inside = (span for span in chunk.code if at <= span[0] and span[1] <= at + len(text))
            return tuple((start - at, end - at) for start, end in inside)
        for index, unit in enumerate(chunk.units):
            if unit.kind is BlockKind.ROW and chunk.readable_row(index) == text:
                return _in_order(text, [chunk.text_at(index)[start:end] for start, end in chunk.code_spans(index)])
    return None


def _in_order(text: str, code: Iterable[str]) -> TextSpans:
    found: list[tuple[int, int]] = []
    end = 0
    for one in code:
        if (start := text.find(one, end)) >= 0:
            end = start + len(one)
            found.append((start, end))
    return tuple(found)


# --- Citations ------------------------------------------------------------------------------------

_TABLE = frozenset({BlockKind.HEADER, BlockKind.ROW})
_TEXT = -1
"""The place of what is quoted and no unit of its passage."""
SNIPPET_CHARACTERS = 150
"""Characters of context shown with a citation."""
FRAGMENT_SAFE_CHARACTERS = "!$&'()*+,;=:@/?-._~"
"""Marks that a fragment may hold as they are (RFC 3986)."""
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPERSCRIPT = str.maketrans("0123456789", _SUPERSCRIPTS)


StalenessCheck = Callable[[Document], bool]
"""Whether a document is older than what its source says holds."""


def is_never_stale(_: Document) -> bool:
    return False


class CitationRegistry:
    """Gives each passage its number the first time a shown sentence rests on it, and keeps what was quoted.

    What stands below an answer goes on with its numbers, `addresses` and what is `stale`: `after`."""

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
        self._given: dict[str, int] = after._given if after else {}  # noqa: SLF001 one numbering in two parts
        self._numbers: dict[str, int] = {}
        self._quotes: dict[str, list[str]] = {}
        self.sentences: list[CitedSentence] = []
        """Every sentence cited so far."""

    def add_passages(self, passages: Iterable[RetrievedChunk]) -> None:
        """Let what follows rest on `passages`, too."""
        self._passages |= {passage.chunk.id: passage for passage in passages}

    def cite(self, sentence: DraftSentence, judgement: Judgement) -> CitedSentence:
        """`sentence` with the numbers of the passages that support it; one that none does is marked as such."""
        chunks = [self._passages[chunk_id].chunk for chunk_id in judgement.chunk_ids if judgement.is_supported]
        own = literal_code_spans(sentence, chunks)
        cited = CitedSentence(
            text=sentence.text,
            kind=sentence.kind,
            numbers=self.assign_numbers(judgement.chunk_ids, judgement.quote) if judgement.is_supported else (),
            cell_numbers=self._of_cells(sentence, judgement),
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

    def _of_cells(self, sentence: DraftSentence, judgement: Judgement) -> tuple[int, ...]:
        """Of a supported row that names the source of each of its cells."""
        if sentence.kind is not BlockKind.ROW or set(sentence.chunk_ids) != set(judgement.chunk_ids):
            return ()
        each = len(sentence.chunk_ids) == len(sentence.cells)
        return tuple(self._numbers[chunk_id] for chunk_id in sentence.chunk_ids) if each else ()

    def assign_numbers(self, chunk_ids: Sequence[str], quote: str = "") -> tuple[int, ...]:
        """The numbers of `chunk_ids`, ascending; `quote` is the supporting span of the first one."""
        for chunk_id in chunk_ids:
            self._numbers[chunk_id] = self._given.setdefault(chunk_id, len(self._given) + 1)
        if chunk_ids and quote:
            quotes = self._quotes.setdefault(chunk_ids[0], [])
            if quote not in quotes:
                quotes.append(quote)
        return tuple(sorted(self._numbers[chunk_id] for chunk_id in chunk_ids))

    def citations(
        self, positions: Mapping[int, Sequence[tuple[int, int]]] | None = None, *, whole: bool = False
    ) -> tuple[Citation, ...]:
        """What was cited, in order; `positions` are the spans in the body by number; `whole`: with all of each passage
        that may be shown."""
        return tuple(
            build_citation(
                self._passages[chunk_id],
                number,
                quotes=self._quotes.get(chunk_id, ()),
                positions=tuple((positions or {}).get(number, ())),
                whole=whole,
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
    whole: bool = False,
    addresses: PassageLinks | None = None,
    stale: StalenessCheck = is_never_stale,
) -> Citation:
    """A passage as a numbered source; `quotes` are the spans of it that were used. `whole`: with all of it, unless it
    is flagged. `addresses`: where it is opened; by default, only what has an address of its own is."""
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
        heading=_heading(chunk, document.title, quotes),
        url=(addresses or DOCUMENT_URL_LINKS).build_url(passage, quotes),
        quote=_quote(chunk.text, quotes),
        snippet=quote_snippet(chunk.text, quotes[0]) if quotes else quote_snippet(chunk.text[chunk.overlap :], ""),
        passage=chunk.text[chunk.overlap :] if whole and not document.flagged else "",
        score=round(passage.score, 3),
        confirmed=passage.confirmed,
        positions=positions,
        date=document.last_changed,
        stale=stale(document),
        parts=_parts_of(chunk, quotes, whole=whole and not document.flagged),
        flagged=document.flagged,
        said_in=document.channel_name,
        live=document.source == LIVE_SOURCE,
    )


def _heading(chunk: Chunk, title: str, quotes: Sequence[str]) -> tuple[str, ...]:
    """The chunk's heading path; where a chunk packs small sections together, also those that hold the quoted spans.

    The title of its document is not repeated."""
    starts = [chunk.text.find(quote) for quote in quotes]
    headings = [unit for unit in chunk.units if unit.kind is BlockKind.HEADING]
    above = [[unit for unit in headings if unit.start <= start][-1:] for start in starts]
    found = dict.fromkeys(chunk.unit_text(unit) for units in above for unit in units)
    own = [heading for heading in found if heading not in (title, *chunk.heading)]
    return (*chunk.heading, " / ".join(own)) if own else chunk.heading


class DocumentUrlLinks:
    """The port `Links` where nothing is served: documents with an address of their own have one, and no others.

    It gets the fragment that leads to the first quoted span, or to where the passage begins, unless that has an address
    of its own; one that has a fragment stays as it is."""

    def build_url(self, passage: RetrievedChunk, quotes: Sequence[str] = ()) -> str:
        return _link(passage.document.url, passage.chunk, quotes)


DOCUMENT_URL_LINKS = DocumentUrlLinks()


def _link(url: str, chunk: Chunk, quotes: Sequence[str]) -> str:
    start = chunk.text.find(quotes[0]) if quotes else chunk.overlap
    anchor = next((anchor for at, anchor in reversed(chunk.anchors) if at <= max(start, 0)), "")
    if links.is_same_host(anchor, url):
        return anchor
    return (
        f"{url}#{percent_encoded(anchor, safe=FRAGMENT_SAFE_CHARACTERS)}" if url and anchor and "#" not in url else url
    )


def _quote(text: str, quotes: Sequence[str]) -> str:
    """The spans of `text` that were used, with ` … ` where something between two of them was not."""
    quote = "".join(quotes[:1])
    for before, span in pairwise(quotes):
        quote += (sentence_separator(before) if _follows(text, before, span) else " … ") + span
    return quote


def _follows(text: str, before: str, span: str) -> bool:
    """Whether `span` stands in `text` behind `before`, with nothing but white space between them."""
    start = text.find(before)
    while start >= 0:
        if text[start + len(before) :].lstrip().startswith(span):
            return True
        start = text.find(before, start + 1)
    return False


def _parts_of(chunk: Chunk, quotes: Sequence[str], *, whole: bool) -> tuple[QuotedBlock, ...]:
    """A passage, or what is quoted of it, with its tables and its code apart; none where it is text alone."""
    units = {chunk.unit_text(unit): place for place, unit in enumerate(chunk.units)}
    every = [place for place, unit in enumerate(chunk.units) if unit.end > chunk.overlap]
    found = every if whole else [units.get(quote, _TEXT) for quote in quotes]

    def part(number: int) -> tuple[BlockKind | None, int | None]:
        place = found[number]
        kind = chunk.units[place].kind if place != _TEXT else BlockKind.PROSE
        if kind in _TABLE:
            return BlockKind.ROW, place if kind is BlockKind.HEADER else chunk.header_of(place)
        return (kind, place) if kind is BlockKind.CODE else (None, None)

    told: list[QuotedBlock] = []
    for (kind, above), numbers in groupby(range(len(found)), key=part):
        run = list(numbers)
        first, last = found[run[0]], found[run[-1]]
        if kind is BlockKind.ROW:
            rows = (chunk.cells_at(found[number]) for number in run if found[number] != above)
            told.append(QuotedBlock(header=() if above is None else chunk.cells_at(above), rows=tuple(rows)))
        elif kind is BlockKind.CODE:
            told.append(QuotedBlock(text=chunk.text_at(first), code=True))
        elif whole:
            start = max(chunk.overlap, chunk.units[first - 1].end if first else 0)
            told.append(QuotedBlock(text=chunk.text[start : chunk.units[last].end].strip("\n")))
        else:
            told.append(QuotedBlock(text=_quote(chunk.text, [quotes[number] for number in run])))
    return tuple(told) if any(one.rows or one.header or one.code for one in told) else ()


def quote_snippet(text: str, quote: str) -> str:
    """About 150 characters of `text` that hold the beginning of `quote`, cut at words."""
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


def citation_location(citation: Citation, words: Translator = ENGLISH_TRANSLATOR) -> str:
    """Where in its document a citation stands: `Expenses > Travel, page 3`; and that the document is flagged."""
    heading = citation.heading[1:] if citation.heading[:1] == (citation.title,) else citation.heading
    parts = [words(wording.THREAD_LABEL, where=citation.said_in)] if citation.said_in else []
    parts += [" > ".join(heading)] if heading else []
    if citation.sheet and citation.sheet not in heading[-1:]:
        parts.append(words(wording.SHEET_LABEL, name=citation.sheet))
    if citation.page is not None:
        parts.append(words(wording.PAGE_LABEL, number=citation.page))
    if citation.flagged:
        parts.append(words(wording.INSTRUCTIONS_IGNORED))
    return ", ".join(parts)


def citation_reference(citation: Citation, words: Translator = ENGLISH_TRANSLATOR) -> str:
    """A full reference in plain text: title, and where in it."""
    where = citation_location(citation, words)
    return f"{citation.title} - {where}" if where else citation.title


def list_mark(number: int, style: CitationStyle) -> str:
    """What stands before a source in the list below an answer: the mark that its sentences bear."""
    return str(number).translate(_SUPERSCRIPT) if style is CitationStyle.FOOTNOTE else f"[{number}]"


def join_citation_marks(marks: Sequence[str]) -> str:
    """Marks of one place: `[1][2]`, `¹⁻²`."""
    return ("⁻" if marks[0][0] in _SUPERSCRIPTS else "").join(marks)


def render_mark(
    numbers: Sequence[int],
    citations: Mapping[int, Citation],
    style: CitationStyle,
    words: Translator = ENGLISH_TRANSLATOR,
) -> str:
    """What stands behind a sentence, with its leading space where the style has one."""
    if not numbers:
        return ""
    match style:
        case CitationStyle.FOOTNOTE:
            return join_citation_marks([list_mark(number, style) for number in numbers])
        case CitationStyle.INLINE:
            references = (_inline(citations[number], words) for number in numbers)
            return " " + " ".join(f"({words(wording.SOURCE_LINE, reference=one)})" for one in references)
        case CitationStyle.NUMBERED | CitationStyle.ENDNOTE:
            return f" {join_citation_marks([list_mark(number, style) for number in numbers])}"
    assert_never(style)


def _inline(citation: Citation, words: Translator) -> str:
    named = f"{citation.product} {citation.document_type}".strip() if citation.product else citation.title
    where = citation_location(citation, words)
    return f"{named} - {where}" if where else named
