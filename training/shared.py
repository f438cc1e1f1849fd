"""What workers share, and one step of the optimiser on it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

FASTER = {"cosine": 20.0, "compare": 4.0, "verdict": 4.0, "token": 4.0}
"""Heads start from nothing and step so many times farther."""
MOMENTUM, SQUARES = 0.9, 0.98
AVERAGE_EVERY, AVERAGE = 20, 0.02
"""Steps between additions to the averaged weights, and the share of each."""
Shapes = dict[str, torch.Size]


@dataclass(frozen=True)
class Shared:
    """The parameters, the optimiser's two moments, averaged parameters, and (steps, pairs, seconds)."""

    flat: Tensor
    first: Tensor
    second: Tensor
    average: Tensor
    count: Tensor

    def step(self, gradient: Tensor, rate: float, parts: list[tuple[slice, float]]) -> None:
        """Adam, with the gradient cut to length 1. The step must be counted already."""
        steps = float(self.count[0])
        scale = gradient.norm().clamp(min=1.0)
        for part, faster in parts:
            torch._fused_adamw_(  # what torch.optim calls: a third of the time of its parts
                *([vector[part]] for vector in (self.flat, gradient, self.first, self.second)),
                [],
                [torch.tensor(steps, device=gradient.device)],
                lr=rate * faster,
                beta1=MOMENTUM,
                beta2=SQUARES,
                weight_decay=0.0,
                eps=1e-8,
                amsgrad=False,
                maximize=False,
                grad_scale=scale,
            )
        if steps % AVERAGE_EVERY == 0:
            self.average.lerp_(self.flat, max(AVERAGE, AVERAGE_EVERY / steps))

    def save(self, folder: Path, shapes: Shapes) -> None:
        """`latest.pt` to go on from, and the averaged weights by themselves under the number of pairs."""
        averaged = {"average": self.average.half(), "count": self.count, "shapes": shapes}
        _save(folder / f"{int(self.count[1]):07d}.pt", averaged)
        _save(folder / "latest.pt", {**vars(self), "shapes": shapes})


def _save(path: Path, kept: dict[str, Tensor | Shapes]) -> None:
    part = path.with_suffix(".part")
    torch.save({name: one.cpu().clone() if isinstance(one, Tensor) else one for name, one in kept.items()}, part)
    part.replace(path)


def parts_of(shapes: Shapes) -> list[tuple[slice, float]]:
    """Neighbouring parameters that step equally far, and how much farther than the rate says."""
    parts: list[tuple[slice, float]] = []
    end = 0
    for name, shape in shapes.items():
        start, end = end, end + shape.numel()
        faster = FASTER.get(name.split(".")[0], 1.0)
        if parts and parts[-1][1] == faster:
            start = parts.pop()[0].start
        parts.append((slice(start, end), faster))
    return parts
