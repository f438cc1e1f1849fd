"""Questions that mean the same, put together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pipeline.find.scale import Scale
from pipeline.ports import Vectors
from pipeline.words.text import terms

SAME = 0.75
"""The least cosine with a group's first question, as in sentence-transformers' `community_detection`. Of pairs of
squad2 about one passage, this joins .71 of those with the same answer and .10 of those with different ones."""
COMPARED = 80
"""So many of the heaviest are compared by meaning; the rest by their words alone."""


def by_words(questions: Sequence[str], weights: Sequence[int]) -> list[list[int]]:
    """Positions of questions of the same words in whatever order, the heaviest group first."""
    groups: dict[frozenset[str], list[int]] = {}
    for position in sorted(range(len(questions)), key=lambda position: -weights[position]):
        words = frozenset(terms(questions[position])) or frozenset({questions[position]})
        groups.setdefault(words, []).append(position)
    return sorted(groups.values(), key=lambda group: -_weight(group, weights))


def by_meaning(groups: Sequence[list[int]], weights: Sequence[int], vectors: Vectors, scale: Scale) -> list[list[int]]:
    """The heaviest of `groups`, of whose first questions these are the vectors, compared on `scale`, joined where they
    mean the same; the others follow. Of each the most central question stands first."""
    compared = groups[: len(vectors)]
    joined = _joined(compared, scale.among(vectors), [_weight(group, weights) for group in compared])
    return sorted([*joined, *groups[len(vectors) :]], key=lambda group: -_weight(group, weights))


def _weight(group: Sequence[int], weights: Sequence[int]) -> int:
    return sum(weights[position] for position in group)


def _joined(groups: Sequence[list[int]], alike: Vectors, weights: Sequence[int]) -> list[list[int]]:
    """Each group with those of what follows that mean the same; `alike` has the cosines of all with all."""
    free = np.ones(len(groups), bool)
    joined = []
    for first in range(len(groups)):
        if free[first]:
            members = np.flatnonzero(free & (alike[first] >= SAME))
            free[members] = False
            held = np.asarray(weights)[members]
            order = np.argsort(-(alike[np.ix_(members, members)] @ held), kind="stable")
            joined.append([position for member in members[order] for position in groups[int(member)]])
    return joined
