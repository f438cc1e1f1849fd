"""Embedders that know what MiniLM knows, and tell it in vectors of another kind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adapters.models.minilm.embedder import MiniLMEmbedder
from pipeline.errors import Unavailable
from pipeline.ports import Vectors


class Shifted:
    """MiniLM's vectors with one and the same vector added to each."""

    name = "shifted"
    dimensions = 384

    def __init__(self) -> None:
        self.asked = 0
        self.mute = "nothing"
        """How the questions begin that it does not answer."""
        self._minilm = MiniLMEmbedder()
        self._common = np.random.default_rng(7).normal(size=self.dimensions)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return self._told(await self._minilm.embed(texts))

    async def embed_question(self, text: str) -> Vectors:
        self.asked += 1
        if text.startswith(self.mute):
            raise Unavailable("embedder", "is not there")
        vector: Vectors = self._told((await self._minilm.embed_question(text))[None, :])[0]
        return vector

    def _told(self, vectors: Vectors) -> Vectors:
        shifted = vectors + self._common / np.linalg.norm(self._common)
        unit: Vectors = (shifted / np.linalg.norm(shifted, axis=1, keepdims=True)).astype(np.float32)
        return unit


class Compressed(Shifted):
    """MiniLM's with a number more that makes every cosine .7 and three tenths of what it was."""

    name = "compressed"
    dimensions = 385

    def _told(self, vectors: Vectors) -> Vectors:
        return np.hstack([vectors * 0.3**0.5, np.full((len(vectors), 1), 0.7**0.5)]).astype(np.float32)
