"""Checked sentences as one text: which of them stand together, and the Markdown that they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, assert_never

from pipeline.compose.citations import citation_reference, render_mark
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values import BlockKind, Citation, CitationStyle, CitedSentence, join_cells
from pipeline.words import wording
from pipeline.words.text import sentence_separator

INDENT = "   "
"""Before an entry for each that it stands in: as much as Markdown needs below a step."""
_TOGETHER = frozenset({BlockKind.PROSE, BlockKind.ITEM, BlockKind.STEP})
_OWN_LINE = frozenset({BlockKind.ITEM, BlockKind.STEP, BlockKind.ROW})


class LaidOutSentence(NamedTuple):
    """A sentence at its place among the others."""

    sentence: CitedSentence
    previous: CitedSentence | None
    """The one of whose paragraph, list or table it is the next; None where it begins another."""
    section_title: str
    """What stands above it where a part of a comparison begins with it, such as `Differences`."""
    step_number: int
    """The number of a step; of another sentence, that of the last step before it."""
    is_first: bool


def lay_out_sentences(
    sentences: Iterable[CitedSentence], words: Translator = ENGLISH_TRANSLATOR
) -> Iterator[LaidOutSentence]:
    """Each as a text is made of them, whichever that is. What is no step stands between two and counts nothing."""
    step = 0
    before: CitedSentence | None = None
    for sentence in sentences:
        begins = before is None or before.section != sentence.section
        part = wording.COMPARISON_TITLES.get(sentence.section) if begins else None
        above = words(part) if part else ""
        if sentence.kind is BlockKind.STEP:
            step = sentence.number or (1 if sentence.opens or above else step + 1)
        together = before if before and _goes_on(before, sentence) else None
        yield LaidOutSentence(sentence, together, above, step, is_first=before is None)
        before = sentence


def _goes_on(before: CitedSentence, sentence: CitedSentence) -> bool:
    """Whether a sentence stands in the same paragraph, list or table as the one before."""
    if sentence.opens or sentence.section != before.section:
        return False
    if sentence.kind is BlockKind.ROW:
        return before.kind in (BlockKind.HEADER, BlockKind.ROW)
    return sentence.kind is before.kind and sentence.kind in _TOGETHER


def with_list_depths(sentences: Iterable[CitedSentence]) -> Iterator[tuple[CitedSentence, int]]:
    """Each with how many of the entries that are said before it in its list it stands in."""
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
    words: Translator = ENGLISH_TRANSLATOR,
) -> tuple[str, dict[int, list[tuple[int, int]]]]:
    """The answer as Markdown, and for each citation number the spans of the sentences that rest on it."""
    by_number = {citation.number: citation for citation in citations}
    text = ""
    positions: dict[int, list[tuple[int, int]]] = {}
    for one, (sentence, depth) in zip(lay_out_sentences(sentences, words), with_list_depths(sentences), strict=True):
        text += f"{_gap(one)}**{one.section_title}**\n\n" if one.section_title else _gap(one)
        start, piece = _shape(
            sentence, one.step_number, render_mark(sentence.numbers, by_number, style, words), words, depth
        )
        for number in sentence.numbers:
            positions.setdefault(number, []).append((len(text) + start, len(text) + start + len(sentence.text)))
        text += piece
    if style is CitationStyle.ENDNOTE and citations:
        text += f"\n\n{words(wording.SOURCES_TITLE)}:\n" + "\n".join(
            f"{c.number}. {citation_reference(c, words)}" for c in citations
        )
    return text, positions


def _gap(one: LaidOutSentence) -> str:
    if one.previous is None:
        return "" if one.is_first else "\n\n"
    if one.sentence.kind in _OWN_LINE:
        return "\n"
    return " " if one.previous.numbers else sentence_separator(one.previous.text)


def sentence_prefix(sentence: CitedSentence, words: Translator = ENGLISH_TRANSLATOR) -> str:
    """What stands in front of a sentence: that nothing supports it, or the day that its document is of."""
    warning = "" if sentence.verified else f"{words(wording.UNVERIFIED_CLAIM)}: "
    return warning + (f"{words(wording.AS_OF, date=sentence.as_of)}: " if sentence.as_of else "")


def _shape(sentence: CitedSentence, step: int, marked: str, words: Translator, depth: int = 0) -> tuple[int, str]:
    """Where the sentence's own text starts in its Markdown, and that Markdown."""
    warning = sentence_prefix(sentence, words)
    match sentence.kind:
        case BlockKind.ITEM:
            before = f"{INDENT * depth}- {warning}"
        case BlockKind.STEP:
            before = f"{INDENT * depth}{step}. {warning}"
        case BlockKind.HEADER:
            rule = join_cells("---" for _ in sentence.cells)
            return 2, f"| {_barred(sentence.cells)} |\n| {rule} |"
        case BlockKind.ROW:
            return 2 + len(warning), f"| {warning}{_barred(sentence.cells)}{marked} |"
        case BlockKind.CODE:
            fence = "`" * (max(map(len, re.findall("`{3,}", sentence.text)), default=2) + 1)
            before = f"{warning.rstrip()}\n{fence}{sentence.language}\n".lstrip()
            return len(before), f"{before}{sentence.text}\n{fence}\n{marked.strip()}".rstrip()
        case BlockKind.PROSE | BlockKind.HEADING:
            before = warning
        case _:
            assert_never(sentence.kind)
    return len(before), f"{before}{sentence.text}{marked}"


def _barred(cells: Sequence[str]) -> str:
    """The cells of a row between bars; one in a cell is another sign, of the same length."""
    return join_cells(cell.replace("|", "∣") for cell in cells)
