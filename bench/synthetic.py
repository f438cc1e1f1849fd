"""A made-up library of any size: English words by Zipf's law, random unit vectors, the same on every machine."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from adapters.models.minilm.embedder import FOLDER
from pipeline.ports import Library
from pipeline.values import BlockKind, Chunk, Document, Unit

SENTENCES = 6
WORDS = 18
CHUNKS = 20
"""Of one document."""
DIMENSIONS = 384


class Corpus:
    """Chunks and questions drawn from one seed."""

    def __init__(self, chunks: int, *, seed: int = 1) -> None:
        self._random = np.random.default_rng(seed)
        self._chunks = chunks
        self._words = _vocabulary()
        weights = 1 / np.arange(1, len(self._words) + 1)
        self._shares = np.cumsum(weights / weights.sum())
        self._kept: list[list[str]] = []

    async def fill(self, library: Library, embedder: str) -> None:
        """Put every document into `library`, with vectors as if `embedder` had made them."""
        for document, chunks in self._documents():
            vectors = [_unit_rows(self._random, SENTENCES) for _ in chunks]
            await library.put(document, chunks, vectors, embedder)

    def questions(self, count: int) -> list[str]:
        """Each asks with five of the rarer words of one sentence."""
        picked = self._random.integers(len(self._kept), size=count)
        return ["What is " + " ".join(sorted(self._kept[i], key=len)[-5:]) + "?" for i in picked]

    def _documents(self) -> Iterator[tuple[Document, list[Chunk]]]:
        for number in range(-(-self._chunks // CHUNKS)):
            document = Document(id=f"doc-{number}", filename=f"{number}.md", title=f"Document {number}", version="1")
            many = min(CHUNKS, self._chunks - number * CHUNKS)
            yield document, [self._chunk(document.id, position) for position in range(many)]

    def _chunk(self, document_id: str, position: int) -> Chunk:
        drawn = np.searchsorted(self._shares, self._random.random((SENTENCES, WORDS)))
        text, units = "", []
        for row in drawn:
            words = [self._words[i] for i in row]
            self._kept.append([word for word, rank in zip(words, row, strict=True) if rank > 200])
            sentence = " ".join(words).capitalize() + "."
            units.append(Unit(start=len(text), end=len(text) + len(sentence), kind=BlockKind.PROSE))
            text += sentence + " "
        return Chunk(
            id=f"{document_id}-{position}",
            document_id=document_id,
            text=text.rstrip(),
            units=tuple(units),
            position=position,
        )


def _vocabulary() -> list[str]:
    """Whole words that the embedder's tokenizer knows, commonest first: a word is one token, as most are in English."""
    entries = json.loads((FOLDER / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    return [word for word in entries if len(word) > 1 and word.isascii() and word.isalpha()]


def _unit_rows(random: np.random.Generator, rows: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    matrix = random.standard_normal((rows, DIMENSIONS), dtype=np.float32)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
