"""Read passages with a checkpoint: the numbers of each, and of its sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from training.batch import collate
from training.data import Pair
from training.loss import sentence_scores
from training.model import ABOUT, ANSWERS, FROZEN, Weights, forward, load_weights, views

WINDOW = 90
"""Tokens of a passage that are read: what the reader was trained on at most."""
QUESTION = 48
Span = tuple[int, int]


@dataclass(frozen=True)
class Item:
    """Neighbouring sentences of a passage, to be read for a question."""

    question: str
    text: str
    spans: Sequence[Span]


@dataclass(frozen=True)
class Reading:
    """Logits: the window answers, it is about what is asked, each of its sentences answers."""

    answers: float
    about: float
    sentences: tuple[float, ...]


def load_checkpoint(folder: Path, checkpoint: Path) -> Weights:
    """The averaged weights of `checkpoint` with the embeddings of `folder`, in bf16."""
    saved, first = torch.load(checkpoint), load_weights(folder, seed=0)
    frozen = {name: first[name].bfloat16() for name in FROZEN}
    return views(saved["average"].float().bfloat16(), saved["shapes"]) | frozen


def window(tokenizer: Tokenizer, text: str, spans: Sequence[Span], best: int) -> tuple[int, int]:
    """The first of `spans`, and the one after the last, that are read: around the `best` one, WINDOW tokens at most."""
    sizes = [len(tokenizer.encode(text[start:end], add_special_tokens=False).ids) for start, end in spans]
    first, last, total = best, best + 1, sizes[best]
    while True:
        after = sizes[last] if last < len(spans) else WINDOW
        before = sizes[first - 1] if first else WINDOW
        size, forwards = (before, False) if last - best > best - first and before + total <= WINDOW else (after, True)
        if total + size > WINDOW:
            size, forwards = before, False
        if total + size > WINDOW:
            return first, last
        first, last = (first, last + 1) if forwards else (first - 1, last)
        total += size


@torch.no_grad()
def read(weights: Weights, tokenizer: Tokenizer, items: Sequence[Item]) -> list[Reading]:
    pairs = [_pair(tokenizer, item) for item in items]
    order = sorted(range(len(pairs)), key=lambda number: len(pairs[number]))
    found: dict[int, Reading] = {}
    for start in range(0, len(order), 16):
        numbers = order[start : start + 16]
        batch = collate([pairs[number] for number in numbers])
        verdict, tokens = forward(weights, batch.ids, batch.passage, batch.mask)
        scores = sentence_scores(tokens, batch.sentence)
        for row, number in enumerate(numbers):
            some = scores[row, 1 : len(items[number].spans) + 1]
            found[number] = Reading(float(verdict[row, ANSWERS]), float(verdict[row, ABOUT]), tuple(some.tolist()))
    return [found[number] for number in range(len(items))]


def _pair(tokenizer: Tokenizer, item: Item) -> Pair:
    begin = item.spans[0][0]
    question = tokenizer.encode(item.question, add_special_tokens=False).ids[:QUESTION]
    passage = tokenizer.encode(item.text[begin : item.spans[-1][1]], add_special_tokens=False)
    starts = [start - begin for start, _ in item.spans]
    numbers = np.searchsorted(starts, [offset[0] for offset in passage.offsets], side="right").clip(1, 255)
    ids = np.array(passage.ids, np.int32)[:200]
    return Pair(np.array(question, np.int32), ids, numbers.astype(np.uint8)[:200], 0, 0, 0.0, 0.0, "")
