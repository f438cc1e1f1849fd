"""Make the ONNX graph of a checkpoint: python -m training.export CHECKPOINT OUT.onnx

The graph is the embedder's (`bench/convert_minilm.py`: int8 weights, activations of 14 bits in two parts) with the
reader's heads, for one pair at a time, so that what it says does not depend on a batch.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper

from bench.convert_minilm import HEADS, MICROSOFT, WIDTH, Builder
from training.model import FROZEN, Weights, layers_of, load_weights, views

INPUTS = ("input_ids", "token_type_ids")
"""[CLS] question [SEP] passage [SEP]; 1 where a token belongs to the passage, its separator included."""
OUTPUTS = ("verdict", "tokens")
"""Logits (2,): answers, is about it; and one a token: its sentence answers."""


class Reader(Builder):
    """Names of parameters are those of `training/model.py`."""

    def embeddings(self) -> str:
        words = self.weights["words"]
        scale = np.abs(words).max(axis=1, keepdims=True) / 127
        whole = np.clip(np.rint(words / scale), -127, 127).astype(np.int8)
        picked = self.one("Cast", self.one("Gather", self.constant(whole), "input_ids"), to=TensorProto.FLOAT)
        word = self.one("Mul", picked, self.one("Gather", self.constant(scale.astype(np.float32)), "input_ids"))
        length = self.one("Shape", "input_ids", start=1, end=2)
        place = self.one("Slice", self.weight("places"), self.constant([0]), length, self.constant([0]))
        second = self.one("Mul", self._column(), self.weight("passage"))
        return self.normalise_sum(self.one("Add", word, place), second, "norm")

    def _column(self) -> str:
        return self.one("Unsqueeze", self.one("Cast", INPUTS[1], to=TensorProto.FLOAT), self.constant([2]))

    def layer(self, value: str, number: int) -> str:
        parts = self.node("Split", self._part(value, f"{number}.three"), self.constant([WIDTH] * 3), outputs=3, axis=-1)
        seen = self.one("MultiHeadAttention", *parts, domain=MICROSOFT, num_heads=HEADS)
        value = self.normalise_sum(self._part(seen, f"{number}.seen"), value, f"{number}.seen_norm")
        wide = self.one("Gelu", self._part(value, f"{number}.wide"))
        return self.normalise_sum(self._part(wide, f"{number}.narrow"), value, f"{number}.narrow_norm")

    def _part(self, value: str, name: str) -> str:
        return self.dense(value, self.weights[f"{name}.weight"].T, self.weights[f"{name}.bias"])

    def verdict(self, value: str) -> None:
        """What `model._verdict` does, in fp32."""
        column = self._column()
        other = self.one("Sub", self.constant(np.array(1, np.float32)), column)
        asked, read = self._mean(value, other), self._mean(value, column)
        tokens = self._linear(value, "token")
        one, votes = self.node("Split", tokens, self.constant([1, 2]), outputs=2, axis=-1)
        self.nodes.append(helper.make_node("Squeeze", [one, self.constant([0, 2])], [OUTPUTS[1]]))
        far = self.one("Mul", other, self.constant(np.array(-1e4, np.float32)))
        votes = self.one("Add", self.one("Mul", votes, self.constant(np.array(2, np.float32))), far)
        most = self.one("ReduceLogSumExp", votes, self.constant([1]), keepdims=0)
        product = self.one("Mul", asked, read)
        apart = self.one("Abs", self.one("Sub", asked, read))
        hidden = self.one("Tanh", self._linear(self.one("Concat", product, apart, asked, read, axis=-1), "compare"))
        cosine = self.one("ReduceMean", product, self.constant([1]), keepdims=1)
        near = self.one("Mul", cosine, self.weight("cosine"))
        said = self.one("Add", self._linear(hidden, "verdict"), near)
        said = self.one("Add", said, self.one("Mul", most, self.constant(np.array(0.15, np.float32))))
        self.nodes.append(helper.make_node("Squeeze", [said, self.constant([0])], [OUTPUTS[0]]))

    def _mean(self, value: str, column: str) -> str:
        """The direction of the mean: dividing by how many there are would not change it."""
        total = self.one("ReduceSum", self.one("Mul", value, column), self.constant([1]), keepdims=0)
        unit = self.one("Div", total, self.one("ReduceL2", total, self.constant([1]), keepdims=1))
        return self.one("Mul", unit, self.constant(np.array(WIDTH**0.5, np.float32)))

    def _linear(self, value: str, name: str) -> str:
        product = self.one("MatMul", value, self.constant(self.weights[f"{name}.weight"].T))
        return self.one("Add", product, self.weight(f"{name}.bias"))


def build(weights: Weights) -> onnx.ModelProto:
    builder = Reader({name: value.numpy() for name, value in weights.items()})
    value = builder.embeddings()
    for number in range(layers_of(weights)):
        value = builder.layer(value, number)
    builder.verdict(value)
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, [1, "tokens"]) for name in INPUTS]
    shapes: tuple[list[int | str], ...] = ([2], ["tokens"])
    outputs = [
        helper.make_tensor_value_info(*one) for one in zip(OUTPUTS, [TensorProto.FLOAT] * 2, shapes, strict=True)
    ]
    graph = helper.make_graph(builder.nodes, "reader", inputs, outputs, builder.constants)
    operators = [helper.make_opsetid("", 20), helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(graph, producer_name="citewell", opset_imports=operators, ir_version=9)
    onnx.checker.check_model(model)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", type=Path, default=Path("adapters/models/minilm"))
    chosen = parser.parse_args()
    saved, first = torch.load(chosen.checkpoint), load_weights(chosen.model, seed=0)
    weights = views(saved["average"].float(), saved["shapes"]) | {name: first[name] for name in FROZEN}
    content = build(weights).SerializeToString(deterministic=True)
    chosen.out.write_bytes(content)
    print(f"{chosen.out}: {len(content) / 1e6:.1f} MB, from {int(saved['count'][1])} pairs")


if __name__ == "__main__":
    main()
