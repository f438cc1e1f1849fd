"""The word check: the support of a sentence by the passages that its writer read, as far as words can decide it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipeline.check.risk import find_unsupported_figure, find_unsupported_name, support_score
from pipeline.check.verbatim import PassageSpan, find_code, find_phrase, find_verbatim, normalize_words
from pipeline.evidence.injected_instructions import is_instruction_free, is_instruction_unit
from pipeline.screen import is_assistant_instruction
from pipeline.values import BlockKind, DraftSentence, Judgement, RetrievedChunk, SupportBasis, join_cells
from pipeline.words.text import content_terms, distinct_terms

_EMPHASIS = re.compile(r"[*_`]+")
REPEATED_SHARE = 0.6
"""Share of the words of a sentence above which a unit with them counts as its source."""
MIN_CELL_WORDS = 4
"""Minimum number of words of a cell that states something by itself; a shorter one is a name or a value."""


def judge_sentence(
    sentence: DraftSentence,
    passages: Sequence[RetrievedChunk],
    *,
    question: str = "",
    header: Sequence[str] = (),
    history_text: str = "",
) -> Judgement:
    """Judge one sentence by its words. Support is looked for in the passages it names, then in the others.

    VERBATIM: it stands in a passage in normalized words (`normalize_words`), in full or without parts that carry no
    condition, negation or quantity. Code stands exactly. A row has the cells of one row, under the same `header` where
    there is one, or consists of whole sentences. A heading or header row carries no claim: it has words of a passage or
    of the `question`, and stands only when something under it does, which the caller checks.

    VETOED: it has a number, date or unit that neither a passage nor the `question` has; it is code or a caption that is
    not there; or it is, or rests on, an instruction to an assistant.

    UNSURE: everything else; the reason names the first name, if any, that is neither there nor in `history_text`."""
    named = [passage for passage in passages if passage.chunk.id in sentence.chunk_ids]
    others = [passage for passage in passages if passage.chunk.id not in sentence.chunk_ids]
    places = _find_places(sentence, named, header) or _find_places(sentence, others, header)
    if is_assistant_instruction(_EMPHASIS.sub("", sentence.text)):
        return _veto("it is an instruction to an assistant", forbidden=True)
    trusted = [place for place in places if is_instruction_free(place.passage, place.start, place.end)]
    if trusted:
        return _support_verbatim(trusted)
    if places or _repeats_instruction(sentence.text, passages):
        return _veto("it rests on an instruction to an assistant", forbidden=True)
    if sentence.kind in (BlockKind.HEADING, BlockKind.HEADER):
        if not _is_known_caption(sentence, [*named, *others], question):
            return _veto("its words are not there")
        return Judgement(
            support=SupportBasis.VERBATIM, score=1.0, chunk_ids=tuple(passage.chunk.id for passage in named)
        )
    if sentence.kind is BlockKind.CODE:
        return _veto("the passages do not have this code")
    score = support_score(sentence.text, named or passages, question)
    named_columns = join_cells(header)
    if new := find_unsupported_figure(sentence.text, passages, f"{question}\n{named_columns}"):
        return Judgement(support=SupportBasis.VETOED, score=score, reason=f"{new} is not in the passages")
    name = find_unsupported_name(sentence.text, passages, f"{question}\n{named_columns}\n{history_text}")
    reason = f"{name} is not in the passages" if name else "it is said in other words than the passages say it"
    return Judgement(support=SupportBasis.UNSURE, score=score, reason=reason)


def judge_unit(sentence: DraftSentence, passage: RetrievedChunk) -> Judgement:
    """Judge a sentence that is a unit of the passage to the letter: as `judge_sentence` does, without a search for it
    where that can only find the unit."""
    if passage.document.flagged or sentence.kind in (BlockKind.CODE, BlockKind.ROW):
        return judge_sentence(sentence, [passage])
    plain = _EMPHASIS.sub("", sentence.text)
    if is_assistant_instruction(plain) or (plain != sentence.text and is_assistant_instruction(sentence.text)):
        return _veto("it is an instruction to an assistant", forbidden=True)
    return Judgement(support=SupportBasis.VERBATIM, score=1.0, chunk_ids=sentence.chunk_ids, quote=sentence.text)


def _repeats_instruction(text: str, passages: Sequence[RetrievedChunk]) -> bool:
    """Tell whether one unit of any passage that instructs an assistant has most of the words."""
    terms = distinct_terms(text)
    return any(
        len(terms & distinct_terms(passage.chunk.text_at(place))) > REPEATED_SHARE * len(terms)
        and is_instruction_unit(passage, place)
        for passage in passages
        for place in range(len(passage.chunk.units))
    )


def _veto(reason: str, *, forbidden: bool = False) -> Judgement:
    return Judgement(support=SupportBasis.VETOED, score=0.0, reason=reason, is_injected=forbidden)


def _support_verbatim(places: Sequence[PassageSpan]) -> Judgement:
    best = places[0]
    return Judgement(
        support=SupportBasis.VERBATIM,
        score=1.0,
        chunk_ids=tuple(dict.fromkeys(place.passage.chunk.id for place in places)),
        quote=best.passage.chunk.text[best.start : best.end],
    )


def _find_places(sentence: DraftSentence, named: Sequence[RetrievedChunk], header: Sequence[str]) -> list[PassageSpan]:
    if sentence.kind is BlockKind.CODE:
        return find_code(sentence.text, named)
    if sentence.kind is BlockKind.ROW:
        return _find_rows(sentence.cells, header, named) or _find_cells(sentence.cells, named)
    return find_verbatim(sentence.text, named) or _find_spelled_rows(sentence.text, named)


def _find_spelled_rows(text: str, named: Sequence[RetrievedChunk]) -> list[PassageSpan]:
    """Find the table rows that are this text when they are spelled out."""
    words = _normalized_text(text)
    return [
        PassageSpan(passage, unit.start, unit.end)
        for passage in named
        for index, unit in enumerate(passage.chunk.units)
        if unit.kind is BlockKind.ROW and words and _normalized_text(passage.chunk.readable_row(index)) == words
    ]


def _find_rows(row: Sequence[str], header: Sequence[str], named: Sequence[RetrievedChunk]) -> list[PassageSpan]:
    """Find the table rows that have every cell, each in the same column as here."""
    wanted = [(name, cell) for name, cell in _label_cells(header, row) if cell]
    return [
        PassageSpan(passage, unit.start, unit.end)
        for passage in named
        for index, unit in enumerate(passage.chunk.units)
        if unit.kind is BlockKind.ROW and len(wanted) > 1 and _row_has_cells(wanted, passage, index)
    ]


def _row_has_cells(wanted: Iterable[tuple[str, str]], passage: RetrievedChunk, index: int) -> bool:
    above = passage.chunk.header_of(index)
    columns = _label_cells(passage.chunk.cells_at(above) if above is not None else (), passage.chunk.cells_at(index))
    return all(any(cell == have and name in ("", column) for column, have in columns) for name, cell in wanted)


def _find_cells(row: Sequence[str], named: Sequence[RetrievedChunk]) -> list[PassageSpan]:
    """Find the units that are the cells of a comparison: each a whole sentence, or a whole row of another table.

    The writer alone decides under which side a sentence stands."""
    spans_by_text: dict[str, list[PassageSpan]] = {}
    for passage in named:
        for index, unit in enumerate(passage.chunk.units):
            place = PassageSpan(passage, unit.start, unit.end)
            spans_by_text.setdefault(_normalized_text(passage.chunk.text_at(index)), []).append(place)
    cells = {_normalized_text(cell): len(normalize_words(cell)) for cell in row}
    matches = [spans_by_text.get(words, []) if length >= MIN_CELL_WORDS else [] for words, length in cells.items()]
    return [place for places in matches for place in places] if all(matches) else []


def _is_known_caption(caption: DraftSentence, named: Sequence[RetrievedChunk], question: str) -> bool:
    """Tell whether each cell stands in the question, or in or above a passage; a short column name in any order."""
    texts = [question]
    for passage in named:
        texts += [passage.document.title, *passage.chunk.heading]
        texts += [passage.chunk.text_at(index) for index in range(len(passage.chunk.units))]
    known_terms = frozenset().union(*map(distinct_terms, texts))
    cells = [cell for cell in caption.cells or (caption.text,) if normalize_words(cell)]
    return bool(cells) and all(
        any(find_phrase(cell, text) for text in texts)
        or (
            caption.kind is BlockKind.HEADER
            and len(normalize_words(cell)) < MIN_CELL_WORDS
            and known_terms.issuperset(content_terms(cell))
        )
        for cell in cells
    )


def _label_cells(header: Sequence[str], cells: Sequence[str]) -> list[tuple[str, str]]:
    """Return the normalized cells of a row behind the names of their columns; the names are empty where their number
    differs from the cells'."""
    names = header if len(header) == len(cells) else [""] * len(cells)
    return [(_normalized_text(name), _normalized_text(cell)) for name, cell in zip(names, cells, strict=True)]


def _normalized_text(text: str) -> str:
    return " ".join(word.word for word in normalize_words(text))
