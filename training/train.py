"""Train the reader: python -m training.train OUT PAIRS... (see training/README.md).

Workers share the master weights (fp32) and step one after the other, without waiting for each other's gradients;
each computes in bf16. On a GPU there is one worker. A run that was stopped goes on from OUT/latest.pt with the same
command.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import time
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
import torch.multiprocessing as mp
import torch.nn.functional as F  # noqa: N812
from sklearn.metrics import roc_auc_score
from tokenizers import Tokenizer
from torch import Tensor

from training.data import Batch, Pair, batches, collate, read
from training.model import ABOUT, ANSWERS, FROZEN, Weights, forward, load_weights, views

TOKENS = 1500
"""Of a batch on a processor: about 15 pairs. Larger ones learned slower there."""
WARM_UP = 4_000
"""Pairs."""
FALL = 0.3
"""The last share of the pairs, over which the rate falls to a twentieth."""
FASTER = {"cosine": 20.0, "compare": 4.0, "verdict": 4.0, "token": 4.0}
"""Heads start from nothing and step so many times farther."""
SMOOTHING = 0.02
"""Labels are wrong that often, at least."""
MOMENTUM, SQUARES = 0.9, 0.98
AVERAGE_EVERY, AVERAGE = 20, 0.02
"""Steps between additions to the averaged weights, and the share of each."""


@dataclass(frozen=True)
class Shared:
    """What workers share: parameters, the optimiser's two moments, averaged parameters, and (steps, pairs, seconds)."""

    flat: Tensor
    first: Tensor
    second: Tensor
    average: Tensor
    count: Tensor

    def save(self, path: Path, shapes: dict[str, torch.Size], *, whole: bool) -> None:
        kept = {"average": self.average.half() if not whole else self.average, "count": self.count, "shapes": shapes}
        if whole:
            kept |= {"flat": self.flat, "first": self.first, "second": self.second}
        part = path.with_suffix(".part")
        torch.save({name: value.cpu().clone() if isinstance(value, Tensor) else value for name, value in kept.items()}, part)
        part.replace(path)


def loss(batch: Batch, verdict: Tensor, tokens: Tensor) -> tuple[Tensor, list[float]]:
    """Summed over the batch; with the mean of each part for the log."""

    def right(column: int, label: Tensor, known: Tensor) -> Tensor:
        soft = label[known] * (1 - 2 * SMOOTHING) + SMOOTHING
        return F.binary_cross_entropy_with_logits(verdict[known, column], soft, reduction="sum")

    every, known = torch.ones_like(batch.label, dtype=torch.bool), batch.about >= 0
    answers, about = right(ANSWERS, batch.label, every), right(ABOUT, batch.about, known)
    pointed = batch.answer > 0
    which = verdict.new_zeros(())
    if pointed.any():
        scores = sentence_scores(tokens[pointed], batch.sentence[pointed])
        which = F.cross_entropy(scores, batch.answer[pointed], reduction="sum")
    means = [answers / len(every), about / max(1, int(known.sum())), which / max(1, int(pointed.sum()))]
    return answers + (about + which) / 2, [float(mean.detach()) for mean in means]


def sentence_scores(tokens: Tensor, sentence: Tensor) -> Tensor:
    """The mean of its tokens for each sentence; column 0 is no sentence."""
    size = (len(tokens), int(sentence.max()) + 1)
    total = tokens.new_zeros(size).scatter_add_(1, sentence, tokens)
    count = tokens.new_zeros(size).scatter_add_(1, sentence, torch.ones_like(tokens))
    scores = (total / count.clamp(min=1)).masked_fill(count == 0, -1e4)
    scores[:, 0] = -1e4
    return scores


def adam(shared: Shared, step: Tensor, part: slice, steps: float, rate: float, scale: Tensor) -> None:
    """One step of Adam on a part of the parameters; the gradient is divided by `scale`."""
    vectors = [[vector[part]] for vector in (shared.flat, step, shared.first, shared.second)]
    torch._fused_adamw_(  # noqa: SLF001 - a third of the time of its parts, and what torch.optim calls
        *vectors,
        [],
        [torch.tensor(float(steps), device=step.device)],
        lr=rate,
        beta1=MOMENTUM,
        beta2=SQUARES,
        weight_decay=0.0,
        eps=1e-8,
        amsgrad=False,
        maximize=False,
        grad_scale=scale,
    )


def _parts(shapes: dict[str, torch.Size]) -> list[tuple[slice, float]]:
    """Neighbouring parameters that step equally far."""
    parts: list[tuple[slice, float]] = []
    end = 0
    for name, shape in shapes.items():
        start, end = end, end + shape.numel()
        faster = FASTER.get(name.split(".")[0], 1.0)
        if parts and parts[-1][1] == faster:
            start = parts.pop()[0].start
        parts.append((slice(start, end), faster))
    return parts


def rate_at(chosen: argparse.Namespace, pairs: float) -> float:
    left = (1 - pairs / chosen.pairs) / FALL
    return chosen.rate * min(1.0, (pairs + 1) / WARM_UP) * min(1.0, max(0.05, left))


def work(rank: int, chosen: argparse.Namespace, shared: Shared, frozen: Weights, shapes: dict, pool: list, lock) -> None:
    torch.set_num_threads(1)
    train, held = pool
    draw = random.Random(f"{chosen.seed} {rank} {int(shared.count[1])}")
    ready = batches(train, chosen.tokens, draw)
    parts = _parts(shapes)
    gradient = torch.zeros_like(shared.flat, dtype=torch.bfloat16)
    log = (chosen.out / f"log{rank}.txt").open("a")
    recent: list[list[float]] = []
    since = time.time()
    while shared.count[1] < chosen.pairs:
        leaves = {name: value.requires_grad_() for name, value in views(shared.flat.bfloat16(), shapes).items()}
        gradient.zero_()
        for name, value in views(gradient, shapes).items():
            leaves[name].grad = value
        batch = collate(next(ready), chosen.device)
        total, means = loss(batch, *forward(leaves | frozen, batch.ids, batch.passage, batch.mask))
        total.backward()
        step = gradient.float()
        scale = step.norm().clamp(min=1.0)
        with lock, torch.no_grad():
            shared.count.add_(torch.tensor([1.0, len(batch.label), 0.0], dtype=torch.float64))
            steps, pairs = shared.count[:2].tolist()
            rate = rate_at(chosen, pairs)
            for part, faster in parts:
                adam(shared, step, part, steps, rate * faster, scale)
            if steps % AVERAGE_EVERY == 0:
                shared.average.lerp_(shared.flat, max(AVERAGE, AVERAGE_EVERY / steps))
        recent.append(means)
        if len(recent) == 50:
            named = " ".join(f"{name} {x:.3f}" for name, x in zip(("answers", "about", "which"), np.mean(recent, 0), strict=True))
            print(f"{int(pairs)} pairs, rate {rate:.1e}, {named}, {time.process_time():.0f} s", file=log, flush=True)
            recent = []
        if rank == 0 and pairs // chosen.every > chosen.saved // chosen.every:
            chosen.saved = pairs
            with lock:
                shared.count[2].add_(time.time() - since)
                shared.save(chosen.out / "latest.pt", shapes, whole=True)
                shared.save(chosen.out / f"{int(pairs):07d}.pt", shapes, whole=False)
            since = time.time()
            figures = curve(views(shared.average.bfloat16(), shapes) | frozen, held)
            line = f"{int(pairs)} {shared.count[2]:.0f} s {figures}"
            with (chosen.out / "curve.txt").open("a") as out:
                print(line, file=out)


@torch.no_grad()
def curve(weights: Weights, held: list[Pair]) -> str:
    """AUROC of ANSWERS on pairs held aside, whole and by kind of wrong passage, and how often the right sentence is first."""
    verdicts, first = [], []
    for start in range(0, len(held), 16):
        batch = collate(held[start : start + 16], weights["words"].device)
        verdict, tokens = forward(weights, batch.ids, batch.passage, batch.mask)
        verdicts.append(verdict[:, ANSWERS])
        pointed = batch.answer > 0
        if pointed.any():
            best = sentence_scores(tokens[pointed], batch.sentence[pointed]).argmax(1)
            first.append((best == batch.answer[pointed]).float())
    score, label = torch.cat(verdicts).cpu().numpy(), np.array([pair.label for pair in held])
    sources = np.array([pair.source for pair in held])
    rows = {"all": label >= 0}
    for source in sorted(set(sources)):
        if source.endswith(("-neg", "-imp")):
            rows[source] = (sources == source) | (sources == source.rsplit("-", 1)[0] + "-pos")
    found = [f"{name} {roc_auc_score(label[of], score[of]):.3f}" for name, of in rows.items() if 0 < label[of].mean() < 1]
    return " ".join([*found, f"sentence {torch.cat(first).mean():.3f}"])


def start(chosen: argparse.Namespace) -> tuple[Shared, Weights, dict[str, torch.Size]]:
    weights = load_weights(chosen.model, chosen.seed)
    shapes = {name: value.shape for name, value in weights.items() if name not in FROZEN}
    flat = torch.cat([weights[name].flatten() for name in shapes])
    kept = {"flat": flat, "average": flat.clone(), "first": torch.zeros_like(flat), "second": torch.zeros_like(flat)}
    kept["count"] = torch.zeros(3, dtype=torch.float64)
    latest = chosen.out / "latest.pt"
    if latest.exists():
        saved = torch.load(latest)
        kept = {name: saved[name] for name in kept}
    elif chosen.start:
        kept["flat"] = torch.load(chosen.start)["average"].float()
        kept["average"] = kept["flat"].clone()
    count = kept.pop("count").clone().share_memory_()
    shared = Shared(**{name: value.to(chosen.device).clone().share_memory_() for name, value in kept.items()}, count=count)
    return shared, {name: weights[name].bfloat16().to(chosen.device) for name in FROZEN}, shapes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="folder of checkpoints, logs and curve.txt")
    parser.add_argument("data", type=Path, nargs="+", help="labelled pairs, *.jsonl.gz")
    parser.add_argument("--pairs", type=int, default=450_000, help="to train on in all, with repetition")
    parser.add_argument("--every", type=int, default=20_000, help="pairs between checkpoints")
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--tokens", type=int, default=TOKENS, help="of a batch; 12,000 suit a GPU, with --rate 3e-4")
    parser.add_argument("--device", default="cpu", help="cpu, or cuda with one worker")
    parser.add_argument("--model", type=Path, default=Path("adapters/models/minilm"), help="what training begins with")
    parser.add_argument("--start", type=Path, help="checkpoint whose averaged weights a new run begins with")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    tokenizer = Tokenizer.from_file(str(chosen.model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    pool = read(chosen.data, tokenizer)
    shared, frozen, shapes = start(chosen)
    chosen.saved = int(shared.count[1])
    print(f"{len(pool[0])} pairs, {len(pool[1])} held aside, {chosen.saved} of {chosen.pairs} done", flush=True)
    context = mp.get_context("fork")
    given = (chosen, shared, frozen, shapes, pool, context.Lock())
    if chosen.device == "cpu":
        workers = [context.Process(target=work, args=(rank, *given)) for rank in range(chosen.workers)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    else:
        work(0, *given)
    shared.save(chosen.out / "latest.pt", shapes, whole=True)
    shared.save(chosen.out / f"{int(shared.count[1]):07d}.pt", shapes, whole=False)


if __name__ == "__main__":
    main()
