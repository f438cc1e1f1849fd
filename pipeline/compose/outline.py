"""The structured side of an answer: key facts, limitations and the parts of a comparison, from checked sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.translations import ENGLISH, Words
from pipeline.values import BlockKind, CitedSentence, Comparison
from pipeline.words import wording
from pipeline.words.text import terms

_FACTS = 5
_DEFINITE = re.compile(r"\d")


def key_facts(sentences: Sequence[CitedSentence]) -> tuple[str, ...]:
    """Up to five sentences in their order: those with a figure first, and the first sentence always."""
    facts = [s for s in sentences if s.verified and s.kind not in (BlockKind.HEADER, BlockKind.HEADING, BlockKind.CODE)]
    ranked = sorted(range(len(facts)), key=lambda place: (place > 0, not _DEFINITE.search(facts[place].text), place))
    return tuple(facts[place].text for place in sorted(ranked[:_FACTS]))


def limitations(*, closing: str, abstain_reason: str, left_out: bool, words: Words = ENGLISH) -> tuple[str, ...]:
    """Why the answer is not all that was asked for, in the words that are shown."""
    dropped = words(wording.PARTIAL_DROPPED) if left_out else ""
    return tuple(dict.fromkeys(line for line in (abstain_reason, closing, dropped) if line))


def comparison(sentences: Sequence[CitedSentence], sides: Sequence[str]) -> Comparison | None:
    """The parts of a comparison: as the writer labelled them, and the rows of a table with a column for each side.

    None when nothing is labelled and there are no sides."""
    if not sides and not any(sentence.section for sentence in sentences):
        return None
    parts: dict[str, list[str]] = {"similarities": [], "differences": [], "contradictions": [], "conclusion": []}
    columns = tuple(sides)
    for sentence in sentences:
        columns = sentence.cells[-len(sides) :] if sentence.kind is BlockKind.HEADER else columns
        if not sentence.verified or sentence.kind is BlockKind.HEADER:
            continue
        if sentence.section:
            parts[sentence.section].append(sentence.text)
        elif sentence.kind is BlockKind.ROW:
            cells = sentence.cells[-len(sides) :] if _heads(columns, sides) else ()
            same = len({" ".join(cell.lower().split()) for cell in cells}) == 1
            parts["similarities" if same else "differences"].append(_told(cells, sides) or sentence.text)
    return Comparison(
        similarities=tuple(parts["similarities"]),
        differences=tuple(parts["differences"]),
        contradictions=tuple(parts["contradictions"]),
        conclusion=" ".join(parts["conclusion"]),
    )


def _heads(columns: Sequence[str], sides: Sequence[str]) -> bool:
    """Whether the columns of a table are the sides."""
    paired = zip(columns, sides, strict=False)
    return len(columns) == len(sides) > 0 and all(set(terms(column)) & set(terms(side)) for column, side in paired)


def _told(cells: Sequence[str], sides: Sequence[str]) -> str:
    return "; ".join(f"{side}: {cell}" for side, cell in zip(sides, cells, strict=False))
