"""What is embedded for each unit of a chunk: its words, with those it cannot be understood without."""

from __future__ import annotations

from pipeline.values import BlockKind, Chunk, row_named

_SHORT = 8
"""Words below which a list item is embedded with its lead-in."""


def unit_texts(chunk: Chunk) -> list[str]:
    """One text for each unit, in order.

    A table row comes as `column: cell` pairs, a short item after the sentence that leads it in.
    """
    texts = []
    header = ""
    lead = ""
    for unit in chunk.units:
        text = chunk.text[unit.start : unit.end]
        match unit.kind:
            case BlockKind.HEADER:
                header = text
            case BlockKind.ROW:
                text = row_named(text, header) or text
            case BlockKind.ITEM | BlockKind.STEP if lead and len(text.split()) < _SHORT:
                text = f"{lead} {text}"
            case BlockKind.PROSE | BlockKind.HEADING:
                lead = text if text.endswith((":", "：")) else ""
                header = ""
        texts.append(text)
    return texts
