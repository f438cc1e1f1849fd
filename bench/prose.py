"""Documents of plain English for timing: the handbook's own sentences, no two of them the same.

One word in five is drawn anew from the handbook, so that no sentence is embedded once for many documents. Length of
sentences and tokens a word (1.21) stay those of the handbook; four public collections have 1.12, 1.15, 1.27 and 1.80.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

from pipeline.words.text import sentence_spans

PARAGRAPHS = 12
SENTENCES = 5
"""Of one paragraph."""
POISONED = "supplier-questions.md"
"""Holds an instruction to assistants, which few documents do."""
_PROSE = re.compile(r"[A-Z][^|`]*[.!?]")


def documents(folder: Path, words: int, *, seed: int = 1) -> Iterator[str]:
    """Markdown made of the prose in `folder`, until there are `words` words of it."""
    drawn = random.Random(seed)
    files = [file for file in sorted(folder.iterdir()) if file.suffix in {".md", ".txt"} and file.name != POISONED]
    lines = [line for file in files for line in _prose(file)]
    spare = [word for line in lines for word in line.split() if word.isalpha() and word.islower()]
    while words > 0:
        paragraphs = [_paragraph(lines, spare, drawn) for _ in range(PARAGRAPHS)]
        text = "\n\n".join([f"# {' '.join(drawn.sample(spare, 4)).capitalize()}", *paragraphs, ""])
        yield text
        words -= len(text.split())


def _prose(file: Path) -> Iterator[str]:
    """Sentences of the paragraphs; tables, lists and headings are left out."""
    for block in file.read_text(encoding="utf-8").split("\n\n"):
        paragraph = " ".join(block.split())
        if _PROSE.fullmatch(paragraph):
            yield from (paragraph[start:end] for start, end in sentence_spans(paragraph))


def _paragraph(lines: list[str], spare: list[str], drawn: random.Random) -> str:
    return " ".join(_varied(drawn.choice(lines), spare, drawn) for _ in range(SENTENCES))


def _varied(line: str, spare: list[str], drawn: random.Random) -> str:
    words = line.split()
    plain = [place for place, word in enumerate(words) if word.isalpha() and word.islower()]
    for place in drawn.sample(plain, min(len(plain), max(1, len(words) // 5))):
        words[place] = drawn.choice(spare)
    return " ".join(words)
