"""What the product found for development questions, read with a checkpoint."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from training.data import load_tokenizer
from training.reading import Item, Reading, load_checkpoint, read, window

FOLDS = 5
MOST = 5
"""Passages read."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One question, the passages found for it, and what the reader makes of each."""

    name: str
    found: Row
    windows: Sequence[tuple[int, int]]
    """The units of each passage that were read."""
    readings: Sequence[Reading]

    @property
    def row(self) -> Row:
        return self.found["row"]

    @property
    def fold(self) -> int:
        return int(hashlib.sha256(self.row["group"].encode()).hexdigest(), 16) % FOLDS

    @property
    def answerable(self) -> bool:
        return self.row["answerability"] == "ANSWERABLE"

    def numbers(self) -> list[float]:
        """What the reader adds to the signals: its best passage, the product's first, and the best about-score."""
        answers = [one.answers for one in self.readings] or [-5.0]
        about = [one.about for one in self.readings] or [-5.0]
        first = self.readings[0].answers if self.readings else -5.0
        return [max(answers), first, max(about)]


def cases(folder: Path, checkpoint: Path, paths: Sequence[Path]) -> list[Case]:
    tokenizer, weights = load_tokenizer(folder), load_checkpoint(folder, checkpoint)
    made: list[Case] = []
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = list(map(json.loads, lines))
        items, places = [], []
        for row in rows:
            row["passages"] = [one for one in row["passages"] if any(unit[3] for unit in one["units"])][:MOST]
            places.append([_window(tokenizer, passage) for passage in row["passages"]])
            items += [_item(row, one, place) for one, place in zip(row["passages"], places[-1], strict=True)]
        readings = iter(read(weights, tokenizer, items))
        name = path.name.split(".")[0]
        made += [
            Case(name, row, place, [next(readings) for _ in place]) for row, place in zip(rows, places, strict=True)
        ]
    return made


def _window(tokenizer: Any, passage: Row) -> tuple[int, int]:
    units = passage["units"]
    best = max((number for number, unit in enumerate(units) if unit[3]), key=lambda number: units[number][4])
    return window(tokenizer, passage["text"], [(unit[0], unit[1]) for unit in units], best)


def _item(row: Row, passage: Row, place: tuple[int, int]) -> Item:
    spans = [(unit[0], unit[1]) for unit in passage["units"][place[0] : place[1]]]
    return Item(row["question"], passage["text"], spans)
