"""What is embedded for each unit of a chunk: its words, with those it cannot be understood without."""

from __future__ import annotations

from pipeline.values import BlockKind, Chunk, row_cells, row_text

_SHORT = 8
"""Words below which a list item is embedded with its lead-in."""


def unit_texts(chunk: Chunk) -> list[str]:
    """One text for each unit, in order.

    A table row comes as `column: cell` pairs, a short item after the sentence that leads it in.
    """
    texts = []
    columns: list[str] = []
    lead = ""
    for unit in chunk.units:
        text = chunk.text[unit.start : unit.end]
        match unit.kind:
            case BlockKind.HEADER:
                columns = row_cells(text)
            case BlockKind.ROW if columns:
                text = _named(row_cells(text), columns)
            case BlockKind.ITEM | BlockKind.STEP if lead and len(text.split()) < _SHORT:
                text = f"{lead} {text}"
            case BlockKind.PROSE | BlockKind.HEADING:
                lead = text if text.endswith((":", "：")) else ""
                columns = []
        texts.append(text)
    return texts


def _named(cells: list[str], columns: list[str]) -> str:
    if len(cells) != len(columns):
        return row_text(cells)
    pairs = zip(columns, cells, strict=True)
    return ", ".join(f"{column}: {cell}" if column else cell for column, cell in pairs if cell)
