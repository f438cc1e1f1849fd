"""Train the reader: python -m training.train OUT PAIRS... (see training/README.md).

Workers share the master weights (fp32) and step one after the other, without waiting for each other's gradients;
each computes in bf16. On a GPU there is one worker. A run that was stopped goes on from OUT/latest.pt with the same
command.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from contextlib import AbstractContextManager
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
import torch.multiprocessing as mp

from training.batch import collate
from training.data import Pair, batches, load_tokenizer, read
from training.loss import PARTS, loss, measured
from training.model import FROZEN, Weights, forward, load_weights, views
from training.shared import Shapes, Shared, parts_of

TOKENS = 1500
"""Of a batch on a processor: about 15 pairs. Larger ones learned slower there."""
WARM_UP = 4_000
"""Pairs."""
FALL = 0.3
"""The last share of the pairs, over which the rate falls to a twentieth."""
LOGGED = 50
"""Batches of one worker between lines of its log."""


def rate_at(chosen: argparse.Namespace, pairs: float) -> float:
    left = (1 - pairs / chosen.pairs) / FALL
    return float(chosen.rate * min(1.0, (pairs + 1) / WARM_UP) * min(1.0, max(0.05, left)))


class Worker:
    """Takes batches and steps until `chosen.pairs` are read by all workers together; the first one keeps the books."""

    def __init__(self, rank: int, chosen: argparse.Namespace, shared: Shared, frozen: Weights, shapes: Shapes) -> None:
        torch.set_num_threads(1)
        self._rank, self._chosen, self._shared, self._frozen, self._shapes = rank, chosen, shared, frozen, shapes
        self._gradient = torch.zeros_like(shared.flat, dtype=torch.bfloat16)
        self._parts = parts_of(shapes)
        self._recent: list[list[float]] = []
        self._saved = shared.count[1].item()
        self._since = time.time()

    def work(self, train: list[Pair], held: list[Pair], lock: AbstractContextManager[object]) -> None:
        chosen, shared = self._chosen, self._shared
        draw = random.Random(f"{chosen.seed} {self._rank} {int(self._saved)}")
        ready = batches(train, chosen.tokens, draw)
        while (pairs := shared.count[1].item()) < chosen.pairs:
            some = next(ready)
            gradient = self._learn(some)
            with lock, torch.no_grad():
                shared.count.add_(torch.tensor([1.0, len(some), 0.0], dtype=torch.float64))
                shared.step(gradient, rate_at(chosen, pairs), self._parts)
            self._log(pairs)
            if self._rank == 0 and pairs // chosen.every > self._saved // chosen.every:
                self._saved = pairs
                self._keep(held, lock)

    def _learn(self, some: list[Pair]) -> torch.Tensor:
        leaves = views(self._shared.flat.bfloat16(), self._shapes)
        self._gradient.zero_()
        for name, value in views(self._gradient, self._shapes).items():
            leaves[name].requires_grad_().grad = value
        batch = collate(some, self._chosen.device)
        total, means = loss(batch, *forward(leaves | self._frozen, batch.ids, batch.passage, batch.mask))
        total.backward()
        self._recent.append(means)
        return self._gradient.float()

    def _log(self, pairs: float) -> None:
        if len(self._recent) == LOGGED:
            named = zip(PARTS, np.mean(self._recent, 0), strict=True)
            told = ", ".join(f"{name} {value:.3f}" for name, value in named)
            with (self._chosen.out / f"log{self._rank}.txt").open("a") as log:
                print(f"{int(pairs)} pairs, {told}, {time.process_time():.0f} s of the processor", file=log)
            self._recent = []

    def _keep(self, held: list[Pair], lock: AbstractContextManager[object]) -> None:
        """Save, and add a line to the learning curve."""
        shared = self._shared
        with lock:
            shared.count[2].add_(time.time() - self._since)
            shared.save(self._chosen.out, self._shapes)
        self._since = time.time()
        told = measured(views(shared.average.bfloat16(), self._shapes) | self._frozen, held)
        with (self._chosen.out / "curve.txt").open("a") as curve:
            print(f"{int(shared.count[1])} pairs, {shared.count[2]:.0f} s: {told}", file=curve)


def start(chosen: argparse.Namespace) -> tuple[Shared, Weights, Shapes]:
    weights = load_weights(chosen.model, chosen.seed, chosen.layers)
    shapes = {name: value.shape for name, value in weights.items() if name not in FROZEN}
    flat = torch.cat([weights[name].flatten() for name in shapes])
    if chosen.start:
        flat = torch.load(chosen.start)["average"].float()
    kept = {"flat": flat, "first": torch.zeros_like(flat), "second": torch.zeros_like(flat), "average": flat}
    count = torch.zeros(3, dtype=torch.float64)
    latest = chosen.out / "latest.pt"
    if latest.exists():
        saved = torch.load(latest)
        kept, count = {name: saved[name] for name in kept}, saved["count"]
    vectors = {name: value.to(chosen.device).clone().share_memory_() for name, value in kept.items()}
    frozen = {name: weights[name].bfloat16().to(chosen.device) for name in FROZEN}
    return Shared(**vectors, count=count.share_memory_()), frozen, shapes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="folder of checkpoints, logs and curve.txt")
    parser.add_argument("data", type=Path, nargs="+", help="labelled pairs, *.jsonl.gz")
    parser.add_argument("--pairs", type=int, default=450_000, help="to train on in all, with repetition")
    parser.add_argument("--every", type=int, default=20_000, help="pairs between checkpoints")
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--tokens", type=int, default=TOKENS, help="of a batch")
    parser.add_argument("--device", default="cpu", help="cpu, or cuda with one worker")
    parser.add_argument("--model", type=Path, default=Path("adapters/models/minilm"), help="what training begins with")
    parser.add_argument("--layers", type=int, default=6, help="of the embedder, from the first one on")
    parser.add_argument("--start", type=Path, help="checkpoint whose averaged weights a new run begins with")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    train, held = read(chosen.data, load_tokenizer(chosen.model))
    shared, frozen, shapes = start(chosen)
    print(f"{len(train)} pairs, {len(held)} held aside, {int(shared.count[1])} of {chosen.pairs} done", flush=True)
    context = mp.get_context("fork")
    lock = context.Lock()
    given = (chosen, shared, frozen, shapes)
    if chosen.device == "cpu":
        workers = [
            context.Process(target=_run, args=(rank, given, train, held, lock)) for rank in range(chosen.workers)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    else:
        _run(0, given, train, held, lock)
    shared.save(chosen.out, shapes)


def _run(rank: int, given: tuple, train: list[Pair], held: list[Pair], lock: AbstractContextManager[object]) -> None:
    Worker(rank, *given).work(train, held, lock)


if __name__ == "__main__":
    main()
