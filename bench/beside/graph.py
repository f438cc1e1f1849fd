"""A graph that Citewell ships, as the other side runs it: by onnxruntime, on one thread."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tokenizers import Tokenizer

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_MODELS = Path(__file__).parents[2] / "adapters" / "models"
EMBEDDER, CROSS_ENCODER = _MODELS / "minilm", _MODELS / "cross_encoder"


def opened(folder: Path, most_tokens: int) -> tuple[InferenceSession, Tokenizer]:
    """The graph and its tokenizer, which leaves out what is beyond `most_tokens`; onnxruntime tells nobody of it."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read once, when it loads
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(folder / "model.int8.onnx"), options)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(most_tokens)
    return session, tokenizer
