"""Labelled pairs as tokens, and how they are varied and put together."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from pipeline.text import sentences, terms

LONGEST = 200
"""Tokens of question and passage; longer pairs are left out."""
HELD_ASIDE = 100
"""One passage in so many is kept for the learning curve."""
OTHER_SUBJECT = 0.05
"""Share of pairs whose passage is exchanged for any other."""
WITHOUT_ANSWER = 0.15
"""Share of answering pairs that lose the sentence that answers, and as many that lose another one."""
SEEN = (40, 60, 90)
"""Tokens a passage is cut down to, around the sentence that answers: shorter pairs teach as much in less time. Where
that is not known, and in a wrong passage, around the sentence most like the question: a passage left whole, or cut
anywhere, could be told by its length or its words alone."""
TIMES = {"squad2-imp": 4}
"""Sources that are read more often: few pairs that teach what others do not."""
Tokens = NDArray[np.int32]


@dataclass(frozen=True)
class Pair:
    """A question and a passage. `sentence` numbers the passage's tokens from 1; `answer` is the sentence that answers,
    0 where none does or it is not known, and `nearest` the one with most words of the question."""

    question: Tokens
    passage: Tokens
    sentence: NDArray[np.uint8]
    answer: int
    nearest: int
    label: float
    about: float
    source: str

    def __len__(self) -> int:
        return len(self.question) + len(self.passage) + 3


def load_tokenizer(folder: Path) -> Tokenizer:
    """That of the embedder, for texts of any length."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def read(paths: Sequence[Path], tokenizer: Tokenizer) -> tuple[list[Pair], list[Pair]]:
    """Pairs to train on and pairs held aside, which share no passage. Lines: see training/README.md."""
    rows: list[dict[str, Any]] = []
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows += (row for row in map(json.loads, lines) if row["task"] == "question")
    asked = _encoded(tokenizer, (row["text"] for row in rows))
    told = _encoded(tokenizer, (row["passage"] for row in rows))
    train: list[Pair] = []
    held: list[Pair] = []
    draw = random.Random(0)
    for row in rows:
        pair = _pair(row, asked[row["text"]].ids, told[row["passage"]])
        if len(pair) <= LONGEST and len(pair.passage) and pair.sentence[-1] < 255:
            if _held(row["passage"]):
                held.append(crop(pair, draw))
            else:
                train.extend([pair] * TIMES.get(pair.source, 1))
    return train, held


def _encoded(tokenizer: Tokenizer, texts: Iterable[str]) -> dict[str, Encoding]:
    unique = list(dict.fromkeys(texts))
    return dict(zip(unique, tokenizer.encode_batch(unique, add_special_tokens=False), strict=True))


def _held(passage: str) -> bool:
    digest = hashlib.sha256(passage.strip()[:100].encode()).digest()
    return int.from_bytes(digest[:4], "big") % HELD_ASIDE == 0


def _pair(row: dict[str, Any], question: list[int], passage: Encoding) -> Pair:
    begins, words = _sentences(row["passage"])
    numbers = np.searchsorted(begins, [start for start, _ in passage.offsets], side="right").clip(1, 255)
    wanted = set(terms(row["text"]))
    nearest = max(range(len(words)), key=lambda number: len(wanted & words[number]), default=0) + 1
    answer = 0
    if row["evidence"] and len(begins) > 1:
        answer = int(np.searchsorted(begins, sum(row["evidence"]) // 2, side="right"))
    label, about, source = float(row["label"]), float(row["about"]), row["source"]
    ids = np.array(passage.ids, np.int32)
    return Pair(np.array(question, np.int32), ids, numbers.astype(np.uint8), answer, nearest, label, about, source)


@lru_cache(maxsize=100_000)
def _sentences(passage: str) -> tuple[list[int], list[frozenset[str]]]:
    """Where each begins, and its terms."""
    spans = sentences(passage)
    return [start for start, _ in spans], [frozenset(terms(passage[start:end])) for start, end in spans]


def batches(pairs: list[Pair], tokens: int, draw: random.Random) -> Iterator[list[Pair]]:
    """Without end: pairs of about the same length, `tokens` with padding, changed by `vary` and `crop`."""
    order = list(range(len(pairs)))
    while True:
        draw.shuffle(order)
        for start in range(0, len(order), 1200):
            varied = (crop(vary(pairs, pairs[number], draw), draw) for number in order[start : start + 1200])
            some = sorted(varied, key=len)
            ready: list[list[Pair]] = [[]]
            for pair in some:
                if len(pair) * (len(ready[-1]) + 1) > tokens:
                    ready.append([])
                ready[-1].append(pair)
            draw.shuffle(ready)
            yield from (batch for batch in ready if batch)


def vary(pairs: list[Pair], pair: Pair, draw: random.Random) -> Pair:
    """The pair, or one with another passage, or without a sentence of its passage."""
    luck = draw.random()
    if luck < OTHER_SUBJECT:
        other = draw.choice(pairs)
        if len(pair.question) + len(other.passage) + 3 > LONGEST:
            return pair
        return replace(other, question=pair.question, answer=0, label=0.0, about=0.0, source="other")
    last = int(pair.sentence[-1])
    if not pair.answer or last < 3 or luck >= OTHER_SUBJECT + 2 * WITHOUT_ANSWER:
        return pair
    if luck < OTHER_SUBJECT + WITHOUT_ANSWER:
        return replace(_without(pair, pair.answer), answer=0, label=0.0, source="without")
    return _without(pair, draw.choice([number for number in range(1, last + 1) if number != pair.answer]))


def _without(pair: Pair, number: int) -> Pair:
    kept = pair.sentence != number
    return replace(pair, passage=pair.passage[kept], sentence=pair.sentence[kept])


def crop(pair: Pair, draw: random.Random) -> Pair:
    """Neighbouring sentences around the one that answers, or is nearest."""
    most = draw.choice(SEEN)
    if len(pair.passage) <= most:
        return pair
    sizes = np.bincount(pair.sentence)
    around = pair.answer or pair.nearest
    first = last = min(set(pair.sentence.tolist()), key=lambda number: abs(number - around))
    total = sizes[first]
    while first > 1 or last < len(sizes) - 1:
        before = first > 1 and (last == len(sizes) - 1 or draw.random() < 0.5)
        total += sizes[first - 1 if before else last + 1]
        if total > most:
            break
        first, last = (first - 1, last) if before else (first, last + 1)
    kept = (pair.sentence >= first) & (pair.sentence <= last)
    return replace(pair, passage=pair.passage[kept], sentence=pair.sentence[kept])
