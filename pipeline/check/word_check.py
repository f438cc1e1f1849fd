"""Is a sentence supported by the passages that its writer read? What words can decide; the rest is read."""

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
"""Share of the words of a sentence that a unit must have for the sentence to repeat it."""
MIN_CELL_WORDS = 4
"""Words from which a cell says something by itself; with fewer it is a name or a value."""


def judge_sentence(
    sentence: DraftSentence,
    passages: Sequence[RetrievedChunk],
    *,
    question: str = "",
    header: Sequence[str] = (),
    heard: str = "",
) -> Judgement:
    """What words decide about one sentence. Support is looked for in the passages it names, then in the others.

    Verbatim: it stands in a passage, as words are compared (`folding.fold`), whole or with parts left out that bear no
    condition, negation or quantity; code stands exactly; a row has the cells of one row, under the `header` it stands
    under where there is one, or is made of whole sentences. A heading or header row carries no claim: it has words of
    a passage or of the `question`, and stands only when something under it does, which is the caller's to see. Vetoed:
    it has a number, date or unit that neither a passage nor the `question` has; it is code or a caption that does not
    stand there. Unsure: everything else; the reason says which name, if any, stands neither there nor in what was
    `heard` before. An instruction to an assistant is forbidden."""
    named = [passage for passage in passages if passage.chunk.id in sentence.chunk_ids]
    others = [passage for passage in passages if passage.chunk.id not in sentence.chunk_ids]
    found = _places(sentence, named, header) or _places(sentence, others, header)
    if is_assistant_instruction(_EMPHASIS.sub("", sentence.text)):
        return _not("it is an instruction to an assistant", forbidden=True)
    legibly = [place for place in found if is_instruction_free(place.passage, place.start, place.end)]
    if legibly:
        return _verbatim(legibly)
    if found or _repeats_an_order(sentence.text, passages):
        return _not("it rests on an instruction to an assistant", forbidden=True)
    if sentence.kind in (BlockKind.HEADING, BlockKind.HEADER):
        if not _caption(sentence, [*named, *others], question):
            return _not("its words are not there")
        return Judgement(support=SupportBasis.VERBATIM, score=1.0, chunk_ids=tuple(one.chunk.id for one in named))
    if sentence.kind is BlockKind.CODE:
        return _not("the passages do not have this code")
    score = support_score(sentence.text, named or passages, question)
    named_columns = join_cells(header)
    if new := find_unsupported_figure(sentence.text, passages, f"{question}\n{named_columns}"):
        return Judgement(support=SupportBasis.VETOED, score=score, reason=f"{new} is not in the passages")
    name = find_unsupported_name(sentence.text, passages, f"{question}\n{named_columns}\n{heard}")
    reason = f"{name} is not in the passages" if name else "it is said in other words than the passages say it"
    return Judgement(support=SupportBasis.UNSURE, score=score, reason=reason)


def _repeats_an_order(text: str, passages: Sequence[RetrievedChunk]) -> bool:
    """Whether one unit of any passage that orders an assistant has most of the words."""
    said = distinct_terms(text)
    return any(
        len(said & distinct_terms(passage.chunk.text_at(place))) > REPEATED_SHARE * len(said)
        and is_instruction_unit(passage, place)
        for passage in passages
        for place in range(len(passage.chunk.units))
    )


def _not(reason: str, *, forbidden: bool = False) -> Judgement:
    return Judgement(support=SupportBasis.VETOED, score=0.0, reason=reason, is_injected=forbidden)


def _verbatim(places: Sequence[PassageSpan]) -> Judgement:
    best = places[0]
    return Judgement(
        support=SupportBasis.VERBATIM,
        score=1.0,
        chunk_ids=tuple(dict.fromkeys(place.passage.chunk.id for place in places)),
        quote=best.passage.chunk.text[best.start : best.end],
    )


def _places(sentence: DraftSentence, named: Sequence[RetrievedChunk], header: Sequence[str]) -> list[PassageSpan]:
    if sentence.kind is BlockKind.CODE:
        return find_code(sentence.text, named)
    if sentence.kind is BlockKind.ROW:
        return _rows(sentence.cells, header, named) or _side_by_side(sentence.cells, named)
    return find_verbatim(sentence.text, named) or _spelled(sentence.text, named)


def _spelled(text: str, named: Sequence[RetrievedChunk]) -> list[PassageSpan]:
    """The table rows that are this text when they are spelled out."""
    said = _words(text)
    return [
        PassageSpan(passage, unit.start, unit.end)
        for passage in named
        for index, unit in enumerate(passage.chunk.units)
        if unit.kind is BlockKind.ROW and said and _words(passage.chunk.readable_row(index)) == said
    ]


def _rows(row: Sequence[str], header: Sequence[str], named: Sequence[RetrievedChunk]) -> list[PassageSpan]:
    """The table rows that have every cell, each in the column it stands under here."""
    wanted = [(name, cell) for name, cell in _under(header, row) if cell]
    return [
        PassageSpan(passage, unit.start, unit.end)
        for passage in named
        for index, unit in enumerate(passage.chunk.units)
        if unit.kind is BlockKind.ROW and len(wanted) > 1 and _all_in(wanted, passage, index)
    ]


def _all_in(wanted: Iterable[tuple[str, str]], passage: RetrievedChunk, index: int) -> bool:
    above = passage.chunk.header_of(index)
    columns = _under(passage.chunk.cells_at(above) if above is not None else (), passage.chunk.cells_at(index))
    return all(any(cell == have and name in ("", column) for column, have in columns) for name, cell in wanted)


def _side_by_side(row: Sequence[str], named: Sequence[RetrievedChunk]) -> list[PassageSpan]:
    """The units that are the cells of a comparison: each a whole sentence, or a whole row of another table.

    Which side a sentence stands under is its writer's."""
    said: dict[str, list[PassageSpan]] = {}
    for passage in named:
        for index, unit in enumerate(passage.chunk.units):
            place = PassageSpan(passage, unit.start, unit.end)
            said.setdefault(_words(passage.chunk.text_at(index)), []).append(place)
    cells = {_words(cell): len(normalize_words(cell)) for cell in row}
    found = [said.get(words, []) if length >= MIN_CELL_WORDS else [] for words, length in cells.items()]
    return [place for places in found for place in places] if all(found) else []


def _caption(caption: DraftSentence, named: Sequence[RetrievedChunk], question: str) -> bool:
    """Whether each cell stands in the question, or in or above a passage; a short name of a column in any order."""
    around = [question]
    for passage in named:
        around += [passage.document.title, *passage.chunk.heading]
        around += [passage.chunk.text_at(index) for index in range(len(passage.chunk.units))]
    known = frozenset().union(*map(distinct_terms, around))
    cells = [cell for cell in caption.cells or (caption.text,) if normalize_words(cell)]
    return bool(cells) and all(
        any(find_phrase(cell, text) for text in around)
        or (
            caption.kind is BlockKind.HEADER
            and len(normalize_words(cell)) < MIN_CELL_WORDS
            and known.issuperset(content_terms(cell))
        )
        for cell in cells
    )


def _under(header: Sequence[str], cells: Sequence[str]) -> list[tuple[str, str]]:
    """The cells of a row behind the names of their columns, as words are compared; without names where these are not as
    many as the cells."""
    names = header if len(header) == len(cells) else [""] * len(cells)
    return [(_words(name), _words(cell)) for name, cell in zip(names, cells, strict=True)]


def _words(text: str) -> str:
    return " ".join(one.word for one in normalize_words(text))
