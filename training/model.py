"""The reader: MiniLM's layers over question and passage together, and heads that say what was read.

All trained parameters lie in one flat vector, so that workers can share them and a step is a few operations.
"""

from __future__ import annotations

from pathlib import Path

import onnx
import torch
import torch.nn.functional as F  # noqa: N812 - the name everybody uses
from onnx import numpy_helper
from torch import Tensor

WIDTH, HEADS, EPSILON = 384, 12, 1e-12
ANSWERS, ABOUT = 0, 1
"""Columns of the first output: the passage answers the question; it is about what is asked."""
FROZEN = ("words", "places")
"""Embeddings: as shipped with the embedder, so that one file can serve both."""
Weights = dict[str, Tensor]


def load_weights(folder: Path, seed: int, layers: int = 6) -> Weights:
    """The first `layers` of the embedder in `folder`, as it is shipped, and heads drawn with `seed`.

    Its matrices are int8; training begins with what they stand for."""
    graph = onnx.load(folder / "model.int8.onnx").graph
    stored = {one.name: torch.from_numpy(numpy_helper.to_array(one).copy()) for one in graph.initializer}
    words, scale = (stored[node.input[0]] for node in graph.node if node.op_type == "Gather")
    places = next(stored[node.input[0]] for node in graph.node if node.op_type == "Slice")
    weights = {
        "words": words.float() * scale,
        "places": places,
        "passage": torch.zeros(WIDTH),
        "norm.weight": stored["embeddings.LayerNorm.weight"],
        "norm.bias": stored["embeddings.LayerNorm.bias"],
    }
    dense = iter(node.input for node in graph.node if node.op_type == "MatMulIntegerToFloat" and len(node.input) == 7)
    for number in range(layers):
        for name in ("three", "seen", "wide", "narrow"):
            _, matrix, _, scale, _, _, bias = next(dense)
            weights[f"{number}.{name}.weight"] = (stored[matrix].float() * stored[scale]).T
            weights[f"{number}.{name}.bias"] = stored[bias]
        for name, norm in (("seen_norm", "attention.output.LayerNorm"), ("narrow_norm", "output.LayerNorm")):
            for kind in ("weight", "bias"):
                weights[f"{number}.{name}.{kind}"] = stored[f"encoder.layer.{number}.{norm}.{kind}"]
    draw = torch.Generator().manual_seed(seed)
    weights["compare.weight"] = torch.randn(WIDTH, 4 * WIDTH, generator=draw) * 0.02
    weights["compare.bias"] = torch.zeros(WIDTH)
    weights["verdict.weight"] = torch.randn(2, WIDTH, generator=draw) * 0.02
    weights["verdict.bias"] = torch.full((2,), -3.0)
    weights["cosine"] = torch.full((2,), 4.0)
    weights["token.weight"] = torch.randn(3, WIDTH, generator=draw) * 0.02
    weights["token.bias"] = torch.zeros(3)
    return {name: value.float().contiguous() for name, value in weights.items()}


def views(flat: Tensor, shapes: dict[str, torch.Size]) -> Weights:
    """The named parameters inside one flat vector, without a copy."""
    found, start = {}, 0
    for name, shape in shapes.items():
        found[name] = flat[start : start + shape.numel()].view(shape)
        start += shape.numel()
    return found


def layers_of(w: Weights) -> int:
    return sum(name.endswith(".three.weight") for name in w)


def forward(w: Weights, ids: Tensor, passage: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Logits (batch, 2) of ANSWERS and ABOUT, and one logit a token (batch, tokens): its sentence answers.

    `passage` is 1 where a token belongs to the passage, `mask` where there is one.

    Attention is written out: torch's own has a backward pass ten times slower on a processor. No dropout.
    """
    batch, length = ids.shape
    x = F.embedding(ids, w["words"]) + w["places"][:length] + passage[..., None] * w["passage"]
    x = F.layer_norm(x, (WIDTH,), w["norm.weight"], w["norm.bias"], EPSILON)
    unseen = x.new_zeros(batch, 1, 1, length).masked_fill(mask[:, None, None, :] == 0, -1e4)
    for number in range(layers_of(w)):
        x = _layer(w, number, x, unseen)
    return _verdict(w, x.float(), passage.float(), mask.float())


def _layer(w: Weights, number: int, x: Tensor, unseen: Tensor) -> Tensor:
    def linear(value: Tensor, name: str) -> Tensor:
        return F.linear(value, w[f"{number}.{name}.weight"], w[f"{number}.{name}.bias"])

    def norm(value: Tensor, name: str) -> Tensor:
        return F.layer_norm(value, (WIDTH,), w[f"{number}.{name}.weight"], w[f"{number}.{name}.bias"], EPSILON)

    batch, length, _ = x.shape
    size = WIDTH // HEADS
    three = linear(x, "three").view(batch, length, 3, HEADS, size).permute(2, 0, 3, 1, 4).contiguous()
    attention = torch.softmax(torch.matmul(three[0] * size**-0.5, three[1].transpose(-1, -2)) + unseen, -1)
    seen = torch.matmul(attention, three[2]).transpose(1, 2).reshape(batch, length, WIDTH)
    x = norm(x + linear(seen, "seen"), "seen_norm")
    return norm(x + linear(F.gelu(linear(x, "wide")), "narrow"), "narrow_norm")


def _verdict(w: Weights, x: Tensor, passage: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Question and passage compared by their means, as the embedder was trained, and a soft maximum over the passage.

    A head on [CLS] alone did not leave chance in 8,000 pairs.
    """
    asked, read = _mean(x, mask - passage), _mean(x, passage)
    tokens = F.linear(x, w["token.weight"].float(), w["token.bias"].float())
    most = torch.logsumexp(2 * tokens[..., 1:] + ((passage - 1) * 1e4)[..., None], 1) / 2
    both = torch.cat([asked * read, (asked - read).abs(), asked, read], -1)
    hidden = torch.tanh(F.linear(both, w["compare.weight"].float(), w["compare.bias"].float()))
    verdict = F.linear(hidden, w["verdict.weight"].float(), w["verdict.bias"].float())
    cosine = (asked * read).mean(-1, keepdim=True)
    return verdict + w["cosine"].float() * cosine + 0.3 * most, tokens[..., 0]


def _mean(x: Tensor, mask: Tensor) -> Tensor:
    """The mean over the tokens of `mask`, of length sqrt(WIDTH)."""
    return F.normalize((x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True), dim=-1) * WIDTH**0.5
