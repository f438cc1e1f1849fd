"""What the reader is trained to say, and how well it says it of pairs held aside."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from sklearn.metrics import roc_auc_score
from torch import Tensor

from training.batch import Batch, collate
from training.data import Pair
from training.model import ABOUT, ANSWERS, Weights, forward

SMOOTHING = 0.02
"""Labels are wrong that often, at least."""
PARTS = ("answers", "about", "sentence")


def loss(batch: Batch, verdict: Tensor, tokens: Tensor) -> tuple[Tensor, list[float]]:
    """Summed over the batch; with the mean of each of PARTS."""

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


@torch.no_grad()
def measured(weights: Weights, held: list[Pair]) -> str:
    """AUROC of ANSWERS, of all and by kind of wrong passage, and how often the right sentence is first."""
    verdicts: list[Tensor] = []
    first: list[Tensor] = []
    for start in range(0, len(held), 16):
        batch = collate(held[start : start + 16], str(weights["words"].device))
        verdict, tokens = forward(weights, batch.ids, batch.passage, batch.mask)
        verdicts.append(verdict[:, ANSWERS])
        pointed = batch.answer > 0
        if pointed.any():
            best = sentence_scores(tokens[pointed], batch.sentence[pointed]).argmax(1)
            first.append((best == batch.answer[pointed]).float())
    score, label = torch.cat(verdicts).float().cpu().numpy(), np.array([pair.label for pair in held])
    sources = np.array([pair.source for pair in held])
    rows = {"all": label >= 0}
    for source in sorted(set(sources)):
        if source.endswith(("-neg", "-imp")):
            rows[source] = (sources == source) | (sources == source.rsplit("-", 1)[0] + "-pos")
    known = {name: of for name, of in rows.items() if 0 < label[of].mean() < 1 and of.sum() >= 50}
    found = [f"{name} {roc_auc_score(label[of], score[of]):.3f}" for name, of in known.items()]
    return " ".join([*found, f"sentence {torch.cat(first).mean():.3f}"])
