"""A cross-encoder from the operator's own folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from adapters.models.onnx.model import ModelManifest, OnnxModel, open_onnx_model, read_manifest
from pipeline.errors import Unavailable


class OnnxReranker:
    """A `Reranker` without a deadline. Question and passage are one input of the graph; the score is its only output
    for them, or the last of several (`is no answer`, `is one`)."""

    def __init__(self, graph: OnnxModel) -> None:
        self._graph = graph

    async def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """See `Reranker`."""
        rows = await self._graph.run([(question, passage) for passage in passages])
        if any(row.ndim != 1 for row in rows):
            raise Unavailable(self._graph.service, "its graph is not a cross-encoder", permanent=True)
        return [float(row[-1]) for row in rows]


def open_onnx_reranker(folder: Path, setting: str) -> OnnxReranker:
    """Return the reranker of a folder; nothing is loaded yet. Raise Misconfigured, naming `setting`."""
    return OnnxReranker(open_onnx_model(folder, read_manifest(folder, ModelManifest, setting), "reranker"))
