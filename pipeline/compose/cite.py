"""Citations: numbers given at first appearance, and the marks and references of the four styles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from urllib.parse import quote as percent_encoded

from pipeline.ports import Links
from pipeline.translations import ENGLISH, Words
from pipeline.values import (
    LIVE,
    BlockKind,
    Chunk,
    Citation,
    CitationStyle,
    CitedSentence,
    Document,
    Judgement,
    Link,
    Quoted,
    RetrievedChunk,
    Sentence,
    row_ends,
    row_spans,
    row_text,
)
from pipeline.words import links, wording
from pipeline.words.text import space

# --- Which sentences are a document's own text, and where inline code stands in them --------------

Spans = tuple[tuple[int, int], ...]
_MARKED = re.compile(r"[*_~\\\[\]<&!]")
"""In code that Markdown would read as something else, or write in another way."""


def own_text(sentence: Sentence, chunks: Sequence[Chunk]) -> Spans | None:
    """Where inline code stands in a sentence that is text of `chunks` to the letter, each of its cells where it is a
    row; None where it is not."""
    if sentence.kind is BlockKind.CODE or not chunks:
        return None
    for chunk in chunks:
        for index, unit in enumerate(chunk.units):
            if unit.end - unit.start == len(sentence.text) and chunk.said(unit) == sentence.text:
                return chunk.code_of(index)
    text = row_text(sentence.cells) if sentence.cells else sentence.text
    found: list[tuple[int, int]] = []
    for start, end in row_spans(row_ends(sentence.cells or (text,))):
        code = _standing(text[start:end], chunks)
        if code is None:
            return None
        found += ((start + first, start + last) for first, last in code)
    return tuple(found)


def inline_code(sentence: Sentence, chunks: Iterable[Chunk]) -> Spans:
    """Where inline code of `chunks` that Markdown would misread stands bare in a sentence, which is Markdown."""
    text = sentence.text if sentence.kind is not BlockKind.CODE else ""
    said = {chunk.text[start:end] for chunk in chunks for start, end in chunk.code}
    wanted = sorted((one for one in said if _MARKED.search(one) and one in text), key=len, reverse=True)
    if not wanted:
        return ()
    bare = re.compile(rf"`[^`]*`|(?<!\w)(?P<code>{'|'.join(map(re.escape, wanted))})(?!\w)")
    return tuple(match.span() for match in bare.finditer(text) if match["code"])


def _standing(text: str, chunks: Iterable[Chunk]) -> Spans | None:
    for chunk in chunks:
        if (at := chunk.text.find(text)) >= 0:
            inside = (span for span in chunk.code if at <= span[0] and span[1] <= at + len(text))
            return tuple((start - at, end - at) for start, end in inside)
        for index, unit in enumerate(chunk.units):
            if unit.kind is BlockKind.ROW and chunk.spelled_out(index) == text:
                return _in_order(text, [chunk.text_of(index)[start:end] for start, end in chunk.code_of(index)])
    return None


def _in_order(text: str, code: Iterable[str]) -> Spans:
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
SNIPPET = 150
"""Characters of context shown with a citation."""
FRAGMENT = "!$&'()*+,;=:@/?-._~"
"""Marks that a fragment may hold as they are (RFC 3986)."""
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPERSCRIPT = str.maketrans("0123456789", _SUPERSCRIPTS)


Stale = Callable[[Document], bool]
"""Whether a document is older than what its source says holds."""


def never(_: Document) -> bool:
    return False


class Numbering:
    """Gives each passage its number the first time a shown sentence rests on it, and keeps what was quoted.

    What stands below an answer goes on with its numbers, `addresses` and what is `stale`: `after`."""

    def __init__(
        self,
        passages: Iterable[RetrievedChunk],
        after: Numbering | None = None,
        *,
        addresses: Links | None = None,
        stale: Stale = never,
    ) -> None:
        self._passages = {passage.chunk.id: passage for passage in passages}
        self._addresses: Links = addresses or (after._addresses if after else OWN)  # noqa: SLF001 as below
        self._stale: Stale = after._stale if after else stale  # noqa: SLF001 as below
        self._given: dict[str, int] = after._given if after else {}  # noqa: SLF001 one numbering in two parts
        self._numbers: dict[str, int] = {}
        self._quotes: dict[str, list[str]] = {}
        self.sentences: list[CitedSentence] = []
        """Every sentence cited so far."""

    def knows(self, passages: Iterable[RetrievedChunk]) -> None:
        """Let what follows rest on `passages`, too."""
        self._passages |= {passage.chunk.id: passage for passage in passages}

    def cite(self, sentence: Sentence, judgement: Judgement) -> CitedSentence:
        """`sentence` with the numbers of the passages that support it; one that none does is marked as such."""
        chunks = [self._passages[chunk_id].chunk for chunk_id in judgement.chunk_ids if judgement.supported]
        own = own_text(sentence, chunks)
        cited = CitedSentence(
            text=sentence.text,
            kind=sentence.kind,
            numbers=self.number(judgement.chunk_ids, judgement.quote) if judgement.supported else (),
            cell_numbers=self._of_cells(sentence, judgement),
            opens=sentence.opens,
            number=sentence.number,
            language=sentence.language,
            section=sentence.section,
            as_of=sentence.as_of,
            verified=judgement.supported,
            links=self._links(sentence, judgement),
            cells=sentence.cells,
            literal=own is not None,
            code=inline_code(sentence, chunks) if own is None else own,
            depth=sentence.depth,
        )
        self.sentences.append(cited)
        return cited

    def _links(self, sentence: Sentence, judgement: Judgement) -> tuple[Link, ...]:
        if not judgement.supported or sentence.kind is BlockKind.CODE:
            return ()
        supporting = (self._passages[chunk_id] for chunk_id in judgement.chunk_ids)
        return links.said(sentence.text, supporting, judgement.quote)

    def _of_cells(self, sentence: Sentence, judgement: Judgement) -> tuple[int, ...]:
        """Of a supported row that names the source of each of its cells."""
        if sentence.kind is not BlockKind.ROW or set(sentence.chunk_ids) != set(judgement.chunk_ids):
            return ()
        each = len(sentence.chunk_ids) == len(sentence.cells)
        return tuple(self._numbers[chunk_id] for chunk_id in sentence.chunk_ids) if each else ()

    def number(self, chunk_ids: Sequence[str], quote: str = "") -> tuple[int, ...]:
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
            cite(
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


def cite(
    passage: RetrievedChunk,
    number: int,
    *,
    quotes: Sequence[str] = (),
    positions: tuple[tuple[int, int], ...] = (),
    whole: bool = False,
    addresses: Links | None = None,
    stale: Stale = never,
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
        url=(addresses or OWN).link(passage, quotes),
        quote=_quote(chunk.text, quotes),
        snippet=snippet(chunk.text, quotes[0]) if quotes else snippet(chunk.text[chunk.overlap :], ""),
        passage=chunk.text[chunk.overlap :] if whole and not document.flagged else "",
        score=round(passage.score, 3),
        confirmed=passage.confirmed,
        positions=positions,
        date=document.dated,
        stale=stale(document),
        parts=_parts_of(chunk, quotes, whole=whole and not document.flagged),
        flagged=document.flagged,
        said_in=document.said_in,
        live=document.source == LIVE,
    )


def _heading(chunk: Chunk, title: str, quotes: Sequence[str]) -> tuple[str, ...]:
    """The chunk's heading path; where a chunk packs small sections together, also those that hold the quoted spans.

    The title of its document is not repeated."""
    starts = [chunk.text.find(quote) for quote in quotes]
    headings = [unit for unit in chunk.units if unit.kind is BlockKind.HEADING]
    above = [[unit for unit in headings if unit.start <= start][-1:] for start in starts]
    found = dict.fromkeys(chunk.said(unit) for units in above for unit in units)
    own = [heading for heading in found if heading not in (title, *chunk.heading)]
    return (*chunk.heading, " / ".join(own)) if own else chunk.heading


class OwnAddresses:
    """The port `Links` where nothing is served: documents with an address of their own have one, and no others.

    It gets the fragment that leads to the first quoted span, or to where the passage begins, unless that has an address
    of its own; one that has a fragment stays as it is."""

    def link(self, passage: RetrievedChunk, quotes: Sequence[str] = ()) -> str:
        return _link(passage.document.url, passage.chunk, quotes)


OWN = OwnAddresses()


def _link(url: str, chunk: Chunk, quotes: Sequence[str]) -> str:
    start = chunk.text.find(quotes[0]) if quotes else chunk.overlap
    anchor = next((anchor for at, anchor in reversed(chunk.anchors) if at <= max(start, 0)), "")
    if links.at_home(anchor, url):
        return anchor
    return f"{url}#{percent_encoded(anchor, safe=FRAGMENT)}" if url and anchor and "#" not in url else url


def _quote(text: str, quotes: Sequence[str]) -> str:
    """The spans of `text` that were used, with ` … ` where something between two of them was not."""
    quote = "".join(quotes[:1])
    for before, span in pairwise(quotes):
        quote += (space(before) if _follows(text, before, span) else " … ") + span
    return quote


def _follows(text: str, before: str, span: str) -> bool:
    """Whether `span` stands in `text` behind `before`, with nothing but white space between them."""
    start = text.find(before)
    while start >= 0:
        if text[start + len(before) :].lstrip().startswith(span):
            return True
        start = text.find(before, start + 1)
    return False


def _parts_of(chunk: Chunk, quotes: Sequence[str], *, whole: bool) -> tuple[Quoted, ...]:
    """A passage, or what is quoted of it, with its tables and its code apart; none where it is text alone."""
    units = {chunk.said(unit): place for place, unit in enumerate(chunk.units)}
    every = [place for place, unit in enumerate(chunk.units) if unit.end > chunk.overlap]
    found = every if whole else [units.get(quote, _TEXT) for quote in quotes]

    def part(number: int) -> tuple[BlockKind | None, int | None]:
        place = found[number]
        kind = chunk.units[place].kind if place != _TEXT else BlockKind.PROSE
        if kind in _TABLE:
            return BlockKind.ROW, place if kind is BlockKind.HEADER else chunk.header(place)
        return (kind, place) if kind is BlockKind.CODE else (None, None)

    told: list[Quoted] = []
    for (kind, above), numbers in groupby(range(len(found)), key=part):
        run = list(numbers)
        first, last = found[run[0]], found[run[-1]]
        if kind is BlockKind.ROW:
            rows = (chunk.cells(found[number]) for number in run if found[number] != above)
            told.append(Quoted(header=() if above is None else chunk.cells(above), rows=tuple(rows)))
        elif kind is BlockKind.CODE:
            told.append(Quoted(text=chunk.text_of(first), code=True))
        elif whole:
            start = max(chunk.overlap, chunk.units[first - 1].end if first else 0)
            told.append(Quoted(text=chunk.text[start : chunk.units[last].end].strip("\n")))
        else:
            told.append(Quoted(text=_quote(chunk.text, [quotes[number] for number in run])))
    return tuple(told) if any(one.rows or one.header or one.code for one in told) else ()


def snippet(text: str, quote: str) -> str:
    """About 150 characters of `text` that hold the beginning of `quote`, cut at words."""
    start = max(text.find(quote), 0)
    if len(text) - start < SNIPPET:
        start = max(0, len(text) - SNIPPET)
    while start and not text[start - 1].isspace():
        start -= 1
    end = min(len(text), start + SNIPPET)
    if end < len(text):
        cut = text.rfind(" ", start, end)
        end = cut if cut > start else end
    words = " ".join(text[start:end].split())
    return f"{'… ' if start else ''}{words}{' …' if end < len(text) else ''}"


def place(citation: Citation, words: Words = ENGLISH) -> str:
    """Where in its document a citation stands: `Expenses > Travel, page 3`; and that the document is flagged."""
    heading = citation.heading[1:] if citation.heading[:1] == (citation.title,) else citation.heading
    parts = [words(wording.THREAD, where=citation.said_in)] if citation.said_in else []
    parts += [" > ".join(heading)] if heading else []
    if citation.sheet and citation.sheet not in heading[-1:]:
        parts.append(words(wording.SHEET, name=citation.sheet))
    if citation.page is not None:
        parts.append(words(wording.PAGE, number=citation.page))
    if citation.flagged:
        parts.append(words(wording.FLAGGED))
    return ", ".join(parts)


def reference(citation: Citation, words: Words = ENGLISH) -> str:
    """A full reference in plain text: title, and where in it."""
    where = place(citation, words)
    return f"{citation.title} - {where}" if where else citation.title


def listed(number: int, style: CitationStyle) -> str:
    """What stands before a source in the list below an answer: the mark that its sentences bear."""
    return str(number).translate(_SUPERSCRIPT) if style is CitationStyle.FOOTNOTE else f"[{number}]"


def beside(marks: Sequence[str]) -> str:
    """Marks of one place: `[1][2]`, `¹⁻²`."""
    return ("⁻" if marks[0][0] in _SUPERSCRIPTS else "").join(marks)


def mark(
    numbers: Sequence[int], citations: Mapping[int, Citation], style: CitationStyle, words: Words = ENGLISH
) -> str:
    """What stands behind a sentence, with its leading space where the style has one."""
    if not numbers:
        return ""
    match style:
        case CitationStyle.FOOTNOTE:
            return beside([listed(number, style) for number in numbers])
        case CitationStyle.INLINE:
            references = (_inline(citations[number], words) for number in numbers)
            return " " + " ".join(f"({words(wording.SOURCE, reference=one)})" for one in references)
        case _:
            return f" {beside([listed(number, style) for number in numbers])}"


def _inline(citation: Citation, words: Words) -> str:
    named = f"{citation.product} {citation.document_type}".strip() if citation.product else citation.title
    where = place(citation, words)
    return f"{named} - {where}" if where else named
