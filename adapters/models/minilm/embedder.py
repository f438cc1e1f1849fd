"""The embedder that comes with Citewell: MiniLM-L6 weights as an int8 ONNX graph, run by onnxruntime."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from adapters.models.onnx.embedder import OnnxEmbedder
from adapters.models.onnx.model import TOKENIZER, EmbedderManifest, OnnxModel

FOLDER = Path(__file__).parent
MODEL = "model.int8.onnx"
MODEL_SHA256 = "e911017e4f3268bff09a3a004ea0413f56283f35481295609462b146e0922749"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
MAX_TOKENS = 256
"""Tokens that the model was trained with; the rest of a longer text is cut off."""
COUNTED_WORDS, LONGEST_WORD = 65_536, 40
"""Words whose tokens are remembered, and characters from which one is not."""


class MiniLMEmbedder(OnnxEmbedder):
    """all-MiniLM-L6-v2: 384 dimensions. Between processors the cosine of two vectors of a text is at least .9999. The
    graph takes the mean and normalizes it to unit length. Its files are not compared with their hashes at each
    start."""

    name = "minilm-l6-w8a14-headed"
    """Also names how the embedded texts are built: `pipeline/ingest/embedding_inputs.py`."""

    def __init__(self, folder: Path = FOLDER, *, threads: int | None = None) -> None:
        manifest = EmbedderManifest(
            files={MODEL: MODEL_SHA256, TOKENIZER: TOKENIZER_SHA256}, max_length=MAX_TOKENS, normalise=False
        )
        graph = OnnxModel("embedder", folder / MODEL, folder / TOKENIZER, max_tokens=MAX_TOKENS, threads=threads)
        super().__init__(self.name, graph, manifest, dimensions=384)
        self._count_word = lru_cache(maxsize=COUNTED_WORDS)(super().count_tokens)

    def count_tokens(self, text: str) -> int:
        """Return the tokens of `text` without the special ones: the sum of its words', since this tokenizer reads each
        word by itself. Control characters that part words for Python alone, which no parser lets through, may make it
        differ. Raises Unavailable."""
        count = super().count_tokens
        words = text.split() or [""]
        return sum(self._count_word(word) if len(word) <= LONGEST_WORD else count(word) for word in words)
