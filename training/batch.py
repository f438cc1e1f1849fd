"""Pairs as the tensors that the reader takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from training.data import Pair

START, SEPARATOR = 101, 102


@dataclass(frozen=True)
class Batch:
    ids: torch.Tensor
    passage: torch.Tensor
    mask: torch.Tensor
    sentence: torch.Tensor
    answer: torch.Tensor
    label: torch.Tensor
    about: torch.Tensor


def collate(pairs: Sequence[Pair], device: str = "cpu") -> Batch:
    """`passage` and `mask` are 1 for a token of the passage (with the last separator) and for any token."""
    shape = (len(pairs), max(map(len, pairs)))
    ids, passage, mask, sentence = (np.zeros(shape, np.int64) for _ in range(4))
    for row, pair in enumerate(pairs):
        first, length = len(pair.question) + 2, len(pair)
        ids[row, :length] = [START, *pair.question, SEPARATOR, *pair.passage, SEPARATOR]
        passage[row, first:length] = 1
        mask[row, :length] = 1
        sentence[row, first : length - 1] = pair.sentence
    one = [torch.tensor([getattr(pair, name) for pair in pairs]) for name in ("answer", "label", "about")]
    arrays = map(torch.from_numpy, (ids, passage, mask, sentence))
    return Batch(*(value.to(device) for value in (*arrays, *one)))
