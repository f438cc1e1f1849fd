"""Which sentences of an answer are a document's own text, and where inline code stands in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipeline.values import BlockKind, Chunk, Sentence, row_ends, row_spans, row_text

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
