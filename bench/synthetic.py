"""A made-up library of any size: English words by Zipf's law, random unit vectors, the same on every machine."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from adapters.models.minilm.embedder import FOLDER
from pipeline.ports import Vectors
from pipeline.values import BlockKind, Chunk, Document, Unit

SENTENCES = 6
WORDS = 18
CHUNKS = 20
"""Of one document."""
DIMENSIONS = 384
COMMON = 200
"""Ranks of words that no question asks with."""

Made = tuple[Document, list[Chunk], list[Vectors]]
"""A document with its chunks and their units' vectors."""


class Corpus:
    """Chunks and questions, each document from a seed of its own."""

    def __init__(self, chunks: int, *, seed: int = 1) -> None:
        self._seed = seed
        self.chunks = chunks
        self._words = np.array(_vocabulary())
        weights = 1 / np.arange(1, len(self._words) + 1)
        self._shares = np.cumsum(weights / weights.sum())

    @property
    def count(self) -> int:
        """Of documents."""
        return -(-self.chunks // CHUNKS)

    def documents(self, numbers: Iterable[int] | None = None) -> Iterator[Made]:
        """All, or those of these numbers."""
        for number in range(self.count) if numbers is None else numbers:
            drawn, random = self._drawn(number)
            document = Document(
                id=document_id(number), filename=f"{number}.md", title=f"Document {number}", version="1"
            )
            chunks = [self._chunk(document.id, position, ranks) for position, ranks in enumerate(drawn)]
            yield document, chunks, [unit_rows(random, SENTENCES) for _ in chunks]

    def questions(self, count: int) -> list[str]:
        """Each asks with five of the rarer words of one sentence."""
        random = np.random.default_rng(self._seed)
        return [self._question(random) for _ in range(count)]

    def _question(self, random: np.random.Generator) -> str:
        drawn, _ = self._drawn(int(random.integers(self.count)))
        ranks = drawn[random.integers(len(drawn)), random.integers(SENTENCES)]
        return "What is " + " ".join(sorted(self._words[ranks[ranks > COMMON]].tolist(), key=len)[-5:]) + "?"

    def _drawn(self, number: int) -> tuple[NDArray[np.int64], np.random.Generator]:
        """The ranks of the words of a document by chunk and sentence, and what draws its vectors."""
        random = np.random.default_rng((self._seed, number))
        many = min(CHUNKS, self.chunks - number * CHUNKS)
        return np.searchsorted(self._shares, random.random((many, SENTENCES, WORDS))), random

    def _chunk(self, document_id: str, position: int, ranks: NDArray[np.int64]) -> Chunk:
        sentences = [" ".join(words).capitalize() + "." for words in self._words[ranks].tolist()]
        return Chunk(
            id=f"{document_id}-{position}",
            document_id=document_id,
            text=" ".join(sentences),
            units=_units(sentences),
            position=position,
        )


def document_id(number: int) -> str:
    return f"doc-{number}"


def _units(sentences: Sequence[str]) -> tuple[Unit, ...]:
    starts = np.cumsum([0, *(len(sentence) + 1 for sentence in sentences)]).tolist()
    return tuple(Unit(start=start, end=end - 1, kind=BlockKind.PROSE, part=1) for start, end in pairwise(starts))


def _vocabulary() -> list[str]:
    """Whole words that the embedder's tokenizer knows, commonest first: a word is one token, as most are in English."""
    entries = json.loads((FOLDER / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    return [word for word in entries if len(word) > 1 and word.isascii() and word.isalpha()]


def unit_rows(random: np.random.Generator, rows: int) -> Vectors:
    matrix = random.standard_normal((rows, DIMENSIONS), dtype=np.float32)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
