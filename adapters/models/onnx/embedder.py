"""An embedder from the operator's own folder."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from adapters.models.onnx.model import EmbedderManifest, OnnxModel, OutputArray, open_onnx_model, read_manifest
from adapters.models.vectors import normalize_vectors, vector_norms
from pipeline.errors import Unavailable
from pipeline.ports import Vectors

CACHED_QUESTIONS = 256
"""Questions whose vectors are kept."""
_UNIT_TOLERANCE = 0.01
"""Tolerance of a vector's length where the graph is said to give vectors of unit length."""


class OnnxEmbedder:
    """`Embedder` and `Tokenizer`. A text has one vector, whatever it is embedded with. The dimensions are 0 until the
    first run. Every method raises Unavailable when the files are not those of the manifest or cannot be run, so that
    lexical search alone can answer."""

    def __init__(self, name: str, graph: OnnxModel, manifest: EmbedderManifest, *, dimensions: int = 0) -> None:
        self.name = name
        self.dimensions = dimensions
        self._graph = graph
        self._manifest = manifest
        self._cache: OrderedDict[str, Vectors] = OrderedDict()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of shape (len(texts), dimensions), in order. Raises Unavailable."""
        return await self._embed(self._manifest.passage_prefix, texts)

    async def embed_question(self, text: str) -> Vectors:
        """Return a read-only vector of shape (dimensions,). Raises Unavailable."""
        if text in self._cache:
            self._cache.move_to_end(text)
            return self._cache[text]
        vector: Vectors = (await self._embed(self._manifest.question_prefix, [text]))[0]
        vector.flags.writeable = False
        self._cache[text] = vector
        while len(self._cache) > CACHED_QUESTIONS:
            self._cache.popitem(last=False)
        return vector

    def count_tokens(self, text: str) -> int:
        """Return the tokens of `text` without the special ones. Raises Unavailable."""
        return self._graph.count_tokens(text)

    async def _embed(self, prefix: str, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        vectors = np.stack([self._pool(row) for row in await self._graph.run([prefix + text for text in texts])])
        if self._manifest.normalise:
            vectors = normalize_vectors(self._graph.service, vectors)
        elif np.abs(vector_norms(self._graph.service, vectors) - 1).max() > _UNIT_TOLERANCE:
            raise self._manifest_error("gives vectors whose length is not 1: set normalise to true")
        self.dimensions = vectors.shape[1]
        return vectors

    def _pool(self, row: OutputArray) -> Vectors:
        pooling = self._manifest.pooling
        if row.ndim == 1 and pooling is None:
            return row
        if row.ndim != 2 or pooling is None:
            problem = (
                "one vector a text: leave pooling out" if row.ndim == 1 else "a vector for each token: set pooling"
            )
            raise self._manifest_error(f"gives {problem}")
        if pooling == "mean":
            mean: Vectors = row.mean(axis=0)
            return mean
        token: Vectors = row[0 if pooling == "cls" else -1]
        return token

    def _manifest_error(self, problem: str) -> Unavailable:
        return Unavailable(self._graph.service, f"its graph {problem} in its manifest", permanent=True)


def open_onnx_embedder(folder: Path, setting: str) -> OnnxEmbedder:
    """Return the embedder of a folder; nothing is loaded yet. Raise Misconfigured, naming `setting`."""
    manifest = read_manifest(folder, EmbedderManifest, setting)
    return OnnxEmbedder(f"onnx:{manifest.digest}", open_onnx_model(folder, manifest, "embedder"), manifest)
