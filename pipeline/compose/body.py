"""The body of an answer: the layout of its sentences, and their Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pipeline.compose.citations import citation_reference, render_mark
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values import BlockKind, Citation, CitationStyle, CitedSentence, join_cells
from pipeline.words import wording
from pipeline.words.text import sentence_separator

INDENT = "   "
"""Indent of an entry per level: as much as Markdown needs below a step."""
_TOGETHER = frozenset({BlockKind.PROSE, BlockKind.ITEM, BlockKind.STEP})
_OWN_LINE = frozenset({BlockKind.ITEM, BlockKind.STEP, BlockKind.ROW})


class LaidOutSentence(NamedTuple):
    """A sentence at its place among the others."""

    sentence: CitedSentence
    previous: CitedSentence | None
    """The sentence before it in its paragraph, list or table; None where it begins another."""
    section_title: str
    """Title above it where a part of a comparison begins with it, such as `Differences`."""
    step_number: int
    """Number of a step; of another sentence, that of the last step before it."""
    is_first: bool


def lay_out_sentences(
    sentences: Iterable[CitedSentence], translator: Translator = ENGLISH_TRANSLATOR
) -> Iterator[LaidOutSentence]:
    """Yield the sentences with their layout, for text of any kind. Sentences between two steps do not interrupt their
    numbers."""
    step = 0
    previous: CitedSentence | None = None
    for sentence in sentences:
        opens_section = previous is None or previous.section != sentence.section
        title_text = wording.COMPARISON_TITLES.get(sentence.section) if opens_section else None
        title = translator(title_text) if title_text else ""
        if sentence.kind is BlockKind.STEP:
            step = sentence.number or (1 if sentence.opens or title else step + 1)
        continued = previous if previous and _continues(previous, sentence) else None
        yield LaidOutSentence(sentence, continued, title, step, is_first=previous is None)
        previous = sentence


def _continues(before: CitedSentence, sentence: CitedSentence) -> bool:
    """Tell whether a sentence stands in the same paragraph, list or table as the one before."""
    if sentence.opens or sentence.section != before.section:
        return False
    if sentence.kind is BlockKind.ROW:
        return before.kind in (BlockKind.HEADER, BlockKind.ROW)
    return sentence.kind is before.kind and sentence.kind in _TOGETHER


def with_list_depths(sentences: Iterable[CitedSentence]) -> Iterator[tuple[CitedSentence, int]]:
    """Yield each sentence with the number of entries shown before it that enclose it in its list."""
    holders: list[int] = []
    for sentence in sentences:
        entry = sentence.kind in (BlockKind.ITEM, BlockKind.STEP)
        holders = [depth for depth in holders if depth < sentence.depth] if entry and not sentence.opens else []
        yield sentence, len(holders)
        holders += [sentence.depth] if entry else []


def render_body(
    sentences: Sequence[CitedSentence],
    citations: Sequence[Citation],
    style: CitationStyle,
    translator: Translator = ENGLISH_TRANSLATOR,
) -> tuple[str, dict[int, list[tuple[int, int]]]]:
    """Render the answer as Markdown; also return, for each citation number, the spans of the sentences that rest on
    it."""
    by_number = {citation.number: citation for citation in citations}
    text = ""
    positions: dict[int, list[tuple[int, int]]] = {}
    for laid_out, (sentence, depth) in zip(
        lay_out_sentences(sentences, translator), with_list_depths(sentences), strict=True
    ):
        text += (
            f"{_separator(laid_out)}**{laid_out.section_title}**\n\n"
            if laid_out.section_title
            else _separator(laid_out)
        )
        start, piece = _render_sentence(
            sentence,
            laid_out.step_number,
            render_mark(sentence.numbers, by_number, style, translator),
            translator,
            depth,
        )
        for number in sentence.numbers:
            positions.setdefault(number, []).append((len(text) + start, len(text) + start + len(sentence.text)))
        text += piece
    if style is CitationStyle.ENDNOTE and citations:
        text += f"\n\n{translator(wording.SOURCES_TITLE)}:\n" + "\n".join(
            f"{c.number}. {citation_reference(c, translator)}" for c in citations
        )
    return text, positions


def _separator(laid_out: LaidOutSentence) -> str:
    if laid_out.previous is None:
        return "" if laid_out.is_first else "\n\n"
    if laid_out.sentence.kind in _OWN_LINE:
        return "\n"
    return " " if laid_out.previous.numbers else sentence_separator(laid_out.previous.text)


def sentence_prefix(sentence: CitedSentence, translator: Translator = ENGLISH_TRANSLATOR) -> str:
    """Return the text in front of a sentence: that nothing supports it, or the day of its document."""
    warning = "" if sentence.verified else f"{translator(wording.UNVERIFIED_CLAIM)}: "
    return warning + (f"{translator(wording.AS_OF, date=sentence.as_of)}: " if sentence.as_of else "")


def _render_sentence(
    sentence: CitedSentence, step: int, marked: str, translator: Translator, depth: int = 0
) -> tuple[int, str]:
    """Return the offset of the sentence's own text in its Markdown, and that Markdown."""
    warning = sentence_prefix(sentence, translator)
    match sentence.kind:
        case BlockKind.ITEM:
            opening = f"{INDENT * depth}- {warning}"
        case BlockKind.STEP:
            opening = f"{INDENT * depth}{step}. {warning}"
        case BlockKind.HEADER:
            rule = join_cells("---" for _ in sentence.cells)
            return 2, f"| {_join_barred(sentence.cells)} |\n| {rule} |"
        case BlockKind.ROW:
            return 2 + len(warning), f"| {warning}{_join_barred(sentence.cells)}{marked} |"
        case BlockKind.CODE:
            fence = "`" * (max(map(len, re.findall("`{3,}", sentence.text)), default=2) + 1)
            opening = f"{warning.rstrip()}\n{fence}{sentence.language}\n".lstrip()
            return len(opening), f"{opening}{sentence.text}\n{fence}\n{marked.strip()}".rstrip()
        case _:
            opening = warning
    return len(opening), f"{opening}{sentence.text}{marked}"


def _join_barred(cells: Sequence[str]) -> str:
    """Render the cells of a row between bars; a bar inside a cell becomes another sign, of the same length."""
    return join_cells(cell.replace("|", "∣") for cell in cells)
