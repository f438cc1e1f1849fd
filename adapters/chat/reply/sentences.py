"""Building of blocks from checked sentences. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from adapters.chat.reply.parts import (
    ReplyBlock,
    ReplyCode,
    ReplyHeading,
    ReplyList,
    ReplyParagraph,
    ReplyTable,
    ReplyText,
)
from adapters.chat.reply.splitting import MAX_NAME_LENGTH, sanitize_line, strip_hidden
from pipeline.compose import citations
from pipeline.compose.body import lay_out_sentences, sentence_prefix, with_list_depths
from pipeline.translations import Translator
from pipeline.values import (
    BlockKind,
    Citation,
    CitationStyle,
    CitedSentence,
    Link,
    cell_ends,
    cell_spans,
    join_cells,
    replace,
)
from pipeline.words.text import strip_invisible

MAX_HEADING_LENGTH = 200
"""Characters above which a heading becomes a paragraph."""
_HEADING_KINDS = frozenset({BlockKind.HEADER, BlockKind.HEADING})


def build_blocks(
    sentences: Sequence[CitedSentence], citations: Sequence[Citation], style: CitationStyle, translator: Translator
) -> Iterator[ReplyBlock]:
    """Yield the blocks; sentences of one paragraph, list or table share a block."""
    marks = _Marks(sentences, citations, style, translator)
    run: list[CitedSentence] = []
    number = 0
    for laid_out in lay_out_sentences(sentences, translator):
        if run and not laid_out.previous:
            yield from _block(run, number, marks)
            run = []
        if laid_out.section_title:
            yield ReplyHeading(text=ReplyText(text=laid_out.section_title))
        number = number if run else laid_out.step_number
        run.append(laid_out.sentence)
    if run:
        yield from _block(run, number, marks)


def _block(run: Sequence[CitedSentence], number: int, marks: _Marks) -> Iterator[ReplyBlock]:
    first = run[0]
    match first.kind:
        case BlockKind.HEADER | BlockKind.ROW:
            yield _table(run, marks)
        case BlockKind.CODE:
            caption = ReplyText(
                text="", marks=marks.of(first), numbers=marks.numbers(first), warning=marks.before(first)
            )
            text = strip_invisible(first.text).strip("\n").replace("\t", "    ")
            if text.strip():
                yield ReplyCode(
                    text=text, language=_language(first.language), caption=caption if _has_caption(caption) else None
                )
        case BlockKind.HEADING:
            if texts := _texts(run, marks):
                fits = len(texts[0].text) <= MAX_HEADING_LENGTH
                yield ReplyHeading(text=texts[0]) if fits else ReplyParagraph(sentences=texts)
        case BlockKind.ITEM | BlockKind.STEP:
            if texts := _texts(run, marks):
                yield ReplyList(items=texts, first=number if first.kind is BlockKind.STEP else 0)
        case _:
            if texts := _texts(run, marks):
                yield ReplyParagraph(sentences=texts)


def _texts(run: Iterable[CitedSentence], marks: _Marks) -> tuple[ReplyText, ...]:
    texts = (
        _line(
            sentence,
            (0, len(sentence.text)),
            marks=marks.of(sentence),
            numbers=marks.numbers(sentence),
            warning=marks.before(sentence),
            depth=depth,
        )
        for sentence, depth in with_list_depths(run)
    )
    return tuple(text for text in texts if text.text)


def _has_caption(text: ReplyText) -> bool:
    return bool(text.marks or text.warning)


def _table(run: Sequence[CitedSentence], marks: _Marks) -> ReplyTable:
    header = _cells(run[0]) if run[0].kind is BlockKind.HEADER else []
    return ReplyTable(header=tuple(header), rows=tuple(_row(sentence, marks) for sentence in run[1 if header else 0 :]))


def _row(sentence: CitedSentence, marks: _Marks) -> tuple[ReplyText, ...]:
    cells = _cells(sentence)
    cell_marks = marks.of_cells(sentence, [bool(cell.text) for cell in cells])
    cells = [
        replace(cell, marks=mark, numbers=numbers) for cell, (mark, numbers) in zip(cells, cell_marks, strict=True)
    ]
    return (replace(cells[0], warning=marks.before(sentence)), *cells[1:])


def _cells(sentence: CitedSentence) -> list[ReplyText]:
    joined = replace(sentence, text=join_cells(sentence.cells))
    return [_line(joined, span) for span in cell_spans(cell_ends(sentence.cells))]


def _line(sentence: CitedSentence, span: tuple[int, int], **attributes: Any) -> ReplyText:
    """Return a span of a sentence as one line."""
    start, end = span
    text = strip_hidden(sentence.text[start:end])
    links = (Link(text=strip_hidden(link.text), url=link.url) for link in sentence.links)
    code: list[tuple[int, int]] = []
    for first, last in sentence.code:
        code_text = strip_hidden(sentence.text[first:last]) if start <= first and last <= end else ""
        # The x keeps the blank before the code, which would be stripped at the end of a text.
        offset = len(strip_hidden(sentence.text[start:first] + "x")) - 1
        if code_text and (at := text.find(code_text, max(offset, code[-1][1] if code else 0))) >= 0:
            code.append((at, at + len(code_text)))
    visible_links = tuple(link for link in links if link.text)
    return ReplyText(text=text, links=visible_links, is_literal=sentence.literal, code_spans=tuple(code), **attributes)


def _language(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())[:20]


class _Marks:
    """The citation marks behind each sentence. Where one source serves all sentences, or all below its heading, it
    stands once, behind the last that is not code: below a block of code it would stand alone."""

    def __init__(
        self,
        sentences: Sequence[CitedSentence],
        citations: Sequence[Citation],
        style: CitationStyle,
        translator: Translator,
    ) -> None:
        self._citations = {citation.number: _shorten_names(citation) for citation in citations}
        self._style = style
        self._translator = translator
        runs = [sentences] if len(citations) == 1 else _under_headings(sentences) if citations else []
        self._unmarked_ids = {id(sentence) for run in runs for sentence in _unmarked(run)}

    def of(self, sentence: CitedSentence) -> str:
        return "" if id(sentence) in self._unmarked_ids else self._mark(sentence.numbers)

    def numbers(self, sentence: CitedSentence) -> tuple[int, ...]:
        """Return the source numbers that `of` names."""
        return () if id(sentence) in self._unmarked_ids else sentence.numbers

    def before(self, sentence: CitedSentence) -> str:
        return sentence_prefix(sentence, self._translator) if sentence.kind is not BlockKind.HEADER else ""

    def of_cells(self, sentence: CitedSentence, filled: Sequence[bool]) -> list[tuple[str, tuple[int, ...]]]:
        """Return the marks of a row: behind each cell its own where that is known, otherwise all behind the last cell
        that is filled."""
        if id(sentence) not in self._unmarked_ids and len(sentence.cell_numbers) == len(filled):
            return [(self._mark((number,)), (number,)) for number in sentence.cell_numbers]
        last = max((place for place, says in enumerate(filled) if says), default=0)
        mark, none = (self.of(sentence), self.numbers(sentence)), ("", tuple[int, ...]())
        return [mark if place == last else none for place in range(len(filled))]

    def _mark(self, numbers: tuple[int, ...]) -> str:
        is_known = all(number in self._citations for number in numbers)
        style = self._style if is_known else CitationStyle.NUMBERED
        return citations.render_mark(numbers, self._citations, style, self._translator).strip()


def _under_headings(sentences: Sequence[CitedSentence]) -> list[Sequence[CitedSentence]]:
    """Return each heading with the sentences below it."""
    starts = [place for place, sentence in enumerate(sentences) if sentence.kind is BlockKind.HEADING]
    return [sentences[start:end] for start, end in pairwise([*starts, len(sentences)])]


def _unmarked(run: Sequence[CitedSentence]) -> list[CitedSentence]:
    """Return the sentences that need no mark: of those that rest on one source, all but the last that is not code."""
    marked = [sentence for sentence in run if sentence.kind not in _HEADING_KINDS]
    sources = {sentence.numbers for sentence in run if sentence.kind is BlockKind.HEADING or sentence in marked}
    if len(sources) != 1 or len(next(iter(sources))) != 1:
        return []
    candidates = [sentence for sentence in marked if sentence.kind is not BlockKind.CODE] or marked
    return [sentence for sentence in run if sentence is not candidates[-1]] if candidates else []


def _shorten_names(citation: Citation) -> Citation:
    """Return a citation whose names are short enough for the text."""
    return replace(
        citation,
        title=sanitize_line(citation.title, MAX_NAME_LENGTH),
        product=sanitize_line(citation.product, MAX_NAME_LENGTH),
        document_type=sanitize_line(citation.document_type, MAX_NAME_LENGTH),
        heading=tuple(sanitize_line(part, MAX_NAME_LENGTH) for part in citation.heading[-2:]),
        sheet=citation.sheet and sanitize_line(citation.sheet, MAX_NAME_LENGTH),
    )
