"""Real ONNX graphs of a few nodes, and a tokenizer, in a folder as somebody sets one up.

A graph is a protobuf message; field numbers are those of `onnx.proto3`, nodes those of opset 18."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

WORDS = """
    [UNK] [CLS] [SEP] query passage : ? . the office opens open at nine in morning when does pump is primed must be
    before it started""".split()
DIMENSIONS = 64
TABLE = np.random.default_rng(7).normal(size=(len(WORDS), DIMENSIONS)).astype(np.float32)
"""The vector of each word."""
FLOAT, INT64 = 1, 7


def message(*fields: tuple[int, int | str | bytes]) -> bytes:
    """Numbers, and what has a length."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            content = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(content)) + content
    return out


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def node(kind: str, inputs: str, output: str, **attributes: int) -> bytes:
    whole = [(5, message((1, name), (3, value), (20, 2))) for name, value in attributes.items()]
    return message(*((1, one) for one in inputs.split()), (2, output), (4, kind), *whole)


def constant(name: str, values: NDArray[np.generic]) -> bytes:
    kind = INT64 if values.dtype == np.int64 else FLOAT
    return message(*((1, size) for size in values.shape), (2, kind), (8, name), (9, values.tobytes()))


def named(name: str, kind: int, *shape: str | int) -> bytes:
    sizes = [(1, message((1, one) if isinstance(one, int) else (2, one))) for one in shape]
    return message((1, name), (2, message((1, message((1, kind), (2, message(*sizes)))))))


def graph(nodes: Sequence[bytes], inputs: str, output: bytes, *constants: bytes) -> bytes:
    whole = message(
        *((1, one) for one in nodes),
        (2, "graph"),
        *((5, one) for one in constants),
        *((11, named(name, INT64, "texts", "tokens")) for name in inputs.split()),
        (12, output),
    )
    return message((1, 8), (7, whole), (8, message((2, 18))))


def tokens_graph(*, times: float = 3.0, inputs: str = "input_ids attention_mask token_type_ids") -> bytes:
    """Gives each token its vector of TABLE, `times` as long."""
    table = constant("table", np.float32(times) * TABLE)
    return graph(
        [node("Gather", "table input_ids", "out")], inputs, named("out", FLOAT, "texts", "tokens", DIMENSIONS), table
    )


def pooled_graph(*, times: float = 1.0) -> bytes:
    """Gives a text the mean of those."""
    table, axis = constant("table", np.float32(times) * TABLE), constant("axis", np.array([1]))
    nodes = [node("Gather", "table input_ids", "every"), node("ReduceMean", "every axis", "out", keepdims=0)]
    return graph(nodes, "input_ids", named("out", FLOAT, "texts", DIMENSIONS), table, axis)


def cross_encoder(gives: str = "yes") -> bytes:
    """`yes` is how often a token of the second text stands in the first, `no` the negative of it."""
    nodes = [
        node("Unsqueeze", "input_ids two", "column"),
        node("Unsqueeze", "input_ids one", "row"),
        node("Equal", "column row", "equal"),
        node("Cast", "equal", "same", to=FLOAT),
        node("Cast", "token_type_ids", "second", to=FLOAT),
        node("Sub", "unit second", "first"),
        node("Unsqueeze", "second two", "of_second"),
        node("Unsqueeze", "first one", "of_first"),
        node("Mul", "of_second of_first", "across"),
        node("Mul", "same across", "shared"),
        node("ReduceSum", "shared both", "count", keepdims=0),
        node("Unsqueeze", "count one", "yes"),
        node("Neg", "yes", "no"),
        node("Concat", gives, "out", axis=1),
    ]
    axes = [constant("one", np.array([1])), constant("two", np.array([2])), constant("both", np.array([1, 2]))]
    inputs = "input_ids attention_mask token_type_ids"
    out = named("out", FLOAT, "texts", len(gives.split()))
    return graph(nodes, inputs, out, constant("unit", np.ones(1, np.float32)), *axes)


def model_folder(folder: Path, weights: bytes, **manifest: object) -> Path:
    """`folder` with these weights, the tokenizer of WORDS and a manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(weights)
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    files = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("model.onnx", "tokenizer.json")
    }
    (folder / "manifest.json").write_text(json.dumps({"files": files, "max_length": 32} | manifest))
    return folder
