"""Does a claim mix two sentences that are built alike?

`Staff in Berlin get 28 days of leave` and `Staff in Paris get 25 days of leave` do not make `Staff in Paris get 28 days
of leave`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from pipeline.check.facts import Date, Quantity, figures, lowered
from pipeline.check.figures import figure_names
from pipeline.check.ground import Ground, Said, Vocabulary, content, read, split
from pipeline.check.negation import bound
from pipeline.phrases import word_pattern
from pipeline.text import WORD

_LIKELY = 50
"""So many sentences that have words of a claim are looked at."""
_NEAREST = 7
"""So many of those that have the most are compared with the first of them."""
_FRAME = 2
"""So many words of the claim both sentences have at least."""
_SHARED = 0.3
"""Share of their words that two sentences have in common when they are built alike."""
_SLOT = 3
"""So many words may stand in the place of others."""
_LONGEST = 40
"""Words and figures of a sentence; longer ones are not held side by side."""
_OPENING = word_pattern(r"""
    in|at|on|for|from|with|by|under|until|since|after|before|during|as|to|if|when|where|while|once|unless
""")
"""Begins what the next part of a sentence is said of: `If the light is green`."""


@dataclass(frozen=True, slots=True)
class _Token:
    """A word or figure in its place."""

    start: int
    name: str
    kind: str
    """What it could be exchanged for: a name, a figure of the same unit; empty for other words."""
    amount: float = float("nan")
    bound: int = 0


class _Line:
    """The words and figures of a sentence or of a part of a claim, in order."""

    def __init__(self, text: str) -> None:
        lower = lowered(text)
        numbers = [_figure(one, lower) for one in figures(text)]
        words = [_Token(word.start, word.term, "name" if word.name else "") for word in read(text).words]
        self.tokens = sorted((*numbers, *words), key=lambda token: token.start)
        self._bounds: dict[object, set[int]] = {}
        for number in numbers:
            for key in (number.name, (number.kind, number.amount)):
                self._bounds.setdefault(key, set()).add(number.bound)
        self._vocabulary = Vocabulary(word.name for word in words)

    def has(self, token: _Token) -> bool:
        """Whether it has this word or figure; a lower limit is not the upper one."""
        if not token.kind.startswith("figure"):
            return token.name in self._vocabulary
        bounds = self._bounds.get(token.name) or self._bounds.get((token.kind, token.amount)) or ()
        return any(token.bound * other >= 0 for other in bounds)

    def without(self, other: _Line) -> list[_Token]:
        """What `other` does not have."""
        return [token for token in self.tokens if not other.has(token)]


def _figure(fact: Quantity | Date, lower: str) -> _Token:
    if isinstance(fact, Date):
        return _Token(fact.start, fact.name, "figure date")
    return _Token(fact.start, fact.value, f"figure {fact.unit}", fact.amount, bound(lower, fact.start))


@lru_cache(maxsize=4096)
def _line(text: str) -> _Line:
    return _Line(text)


def crossed(said: Said, grounds: Sequence[Ground]) -> str:
    """Why the claim joins what two sentences built alike say of two things; empty when it does not.

    Each of the two has something of the claim that the other has not, and in its place has something else than the
    claim; and no sentence has both."""
    nearest = _nearest(said, grounds)
    others = [sentence for sentence in nearest[1:] if _comparable(said, nearest[0], sentence)]
    if not others:
        return ""
    whole, parts = _line(said.text), [_line(part) for part in _parts(said.text)]
    one, near = _line(nearest[0]), [_line(sentence) for sentence in nearest]
    for other in map(_line, others):
        mixes = [_mixes(part, one, other, near) for part in parts]
        exchanged = len(mixes) > 1 and all(mixes)
        if exchanged or (any(mixes) and _mixes(whole, one, other, near)):
            return "it joins what the passage says of two things"
    return ""


def _nearest(said: Said, grounds: Sequence[Ground]) -> list[str]:
    """The sentences that have at least half of the claim's words, those with the most words and figures first."""
    above = _above(grounds)
    counts = Counter(
        (number, place) for number, ground in enumerate(grounds) for term in said.terms for place in ground.where(term)
    )
    found = [(count, above[key[0]] + grounds[key[0]].sentence(key[1])) for key, count in counts.most_common(_LIKELY)]
    most = {sentence: count for count, sentence in reversed(found) if 2 * count >= len(said.terms)}
    if len(most) < 2:
        return []
    ours = figure_names(said.text)
    ranked = sorted(most, key=lambda sentence: (-most[sentence] - len(ours & figure_names(sentence)), sentence))
    return ranked[:_NEAREST]


def _above(grounds: Sequence[Ground]) -> list[str]:
    """What stands above each source (title, headings), without the words that stand above all of them."""
    words = [WORD.findall(ground.around) for ground in grounds]
    shared = set(words[0]).intersection(*words)
    return ["".join(f"{word} " for word in found if word not in shared) for found in words]


def _comparable(said: Said, one: str, other: str) -> bool:
    """Whether two sentences are built alike, and the claim has something of each that the other has not."""
    mine, theirs = set(content(one)), set(content(other))
    if 2 * len(mine & theirs) < _SHARED * (len(mine) + len(theirs)):
        return False
    numbers, others = figure_names(one), figure_names(other)
    ours, figures_said = said.vocabulary, figure_names(said.text)
    return all(
        bool(found & figures_said) or any(term in ours for term in words)
        for words, found in ((mine - theirs, numbers - others), (theirs - mine, others - numbers))
    )


def _parts(text: str) -> list[str]:
    """The parts of a claim; what opens it, or has hardly a word of its own, goes with the next."""
    found: list[str] = []
    waiting = ""
    for part in split(text):
        waiting = f"{waiting} {part}".strip()
        if len(_line(part).tokens) >= _FRAME and not _OPENING.match(part.lstrip()):
            found.append(waiting)
            waiting = ""
    return [*found, waiting] if waiting else found


def _mixes(claim: _Line, one: _Line, other: _Line, near: Sequence[_Line]) -> bool:
    mine, theirs = one.without(other), other.without(one)
    taken, left = _halves(mine, claim)
    added, missing = _halves(theirs, claim)
    if not (taken and left and added and missing):
        return False
    both = [token for token in claim.tokens if one.has(token) and other.has(token)]
    loose = [token for token in claim.tokens if not (one.has(token) or other.has(token))]
    if len(both) < max(_FRAME, len(loose)):
        return False
    if any(all(map(third.has, (*taken, *added))) for third in near):
        return False
    return (_alike(left, added) and _alike(taken, missing)) or _aligned(claim, one, other)


def _halves(tokens: Iterable[_Token], claim: _Line) -> tuple[list[_Token], list[_Token]]:
    """What the claim has of the tokens, and what it has not."""
    has: list[_Token] = []
    lacks: list[_Token] = []
    for token in tokens:
        (has if claim.has(token) else lacks).append(token)
    return has, lacks


def _alike(some: Sequence[_Token], others: Sequence[_Token]) -> bool:
    """Whether one of each is a name, or a figure of the same unit."""
    return bool({token.kind for token in some if token.kind} & {token.kind for token in others})


def _aligned(claim: _Line, one: _Line, other: _Line) -> bool:
    """Whether of the places in which the sentences differ, side by side, the claim has one's words in one place and the
    other's in another."""
    if max(len(one.tokens), len(other.tokens)) > _LONGEST:
        return False
    sides = set()
    matcher = SequenceMatcher(None, _names(one), _names(other), autojunk=False)
    for tag, first, last, start, end in matcher.get_opcodes():
        if tag != "replace" or max(last - first, end - start) > _SLOT:
            continue
        mine = any(claim.has(token) for token in one.tokens[first:last] if not other.has(token))
        theirs = any(claim.has(token) for token in other.tokens[start:end] if not one.has(token))
        if mine != theirs:
            sides.add(mine)
    return len(sides) == 2


def _names(line: _Line) -> list[tuple[str, int]]:
    return [(token.name, token.bound) for token in line.tokens]
