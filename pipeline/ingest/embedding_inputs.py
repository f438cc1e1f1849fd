"""Texts to embed for each unit of a chunk: its words, with those it cannot be understood without."""

from __future__ import annotations

from itertools import islice, zip_longest

from pipeline.values import BlockKind, Chunk

_VALUES_PER_COLUMN = 8
"""Number of values of each column for the vector of many rows: with all of a passage it takes three times as long."""
_ENTRIES = frozenset({BlockKind.ITEM, BlockKind.STEP})
_SHORT_ENTRY_WORDS = 8
"""Number of words below which a list entry is embedded with its lead-in, or with the entry that encloses it."""


def embedding_texts(chunk: Chunk, title: str) -> list[str]:
    """Return one text for each unit of a document of that `title`, in order; a single one for all where they are short
    rows of a long table.

    A table row becomes `column: cell` pairs, a short item follows its lead-in; all but code follow their heading, if
    that is marked as one and not the title. Of 56 questions of newcomers the first passage holds the facts of 43,
    without the heading of 39. (With the title where there is no heading, questions that an article does not answer look
    answered: AUROC on clapnq .77 for .82.)"""
    if chunk.together:
        return [_summarize_rows(chunk)]
    texts = []
    heading = chunk.heading[-1] if chunk.heading else ""
    for index, unit in enumerate(chunk.units):
        text, above = chunk.unit_text(unit), None if unit.parent is None else chunk.units[unit.parent]
        if unit.kind is BlockKind.ROW and above:
            text = chunk.labeled_row(index) or text
        if (
            unit.kind in _ENTRIES
            and above
            and above.kind is not BlockKind.HEADING
            and len(text.split()) < _SHORT_ENTRY_WORDS
        ):
            text = f"{chunk.unit_text(above)} {text}"
        if unit.kind is BlockKind.HEADING and not unit.inferred:
            heading = text if text != title else ""
        elif heading and unit.kind is not BlockKind.CODE:
            text = f"{heading}: {text}"
        texts.append(text)
    return texts


def _summarize_rows(chunk: Chunk) -> str:
    """Return the topic of the rows: the names of the columns, and the first values in each of them."""
    rows = [chunk.cells_at(index) for index in range(len(chunk.units))]
    columns = zip_longest(*rows, fillvalue="")
    return ". ".join(
        ", ".join(islice(dict.fromkeys(filter(_has_words, column)), 1 + _VALUES_PER_COLUMN)) for column in columns
    )


def _has_words(cell: str) -> bool:
    """Tell whether a cell has more letters than digits: no number, code or date."""
    return sum(map(str.isalpha, cell)) > sum(map(str.isdigit, cell))
