"""Screening what a person writes to the bot."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from pipeline.screen.ciphers import deciphered
from pipeline.screen.concepts import row, tokens
from pipeline.screen.decoders import decoded
from pipeline.screen.signals import CONCEPT_SIGNALS, COUNTED, NOT_MEANT, RAW_SIGNALS
from pipeline.screen.views import fold, hidden, unescape, unleeted, unspaced
from pipeline.screen.weights import BIAS, DECLINE, FLAG, WEIGHTS
from pipeline.values import Value

_LONGEST = 20_000
"""Characters that are read, half of them from the end; a question may have far fewer."""
_MOST = 3
"""Occurrences up to which a counted signal grows, by their square root."""
_REPEATED = (8, 0.3)
"""Times, and share of all words, from which one word is a repetition attack."""


class Screening(Value):
    """What the screen found. `score` lies between 0 and 1; `decline` implies `flag`."""

    score: float
    flag: bool
    """Worth logging; answered under the output rules."""
    decline: bool
    """Refused."""
    reasons: tuple[str, ...] = ()
    """The signals found, strongest first."""


def screen(text: str) -> Screening:
    """Screen what a person wrote to the bot."""
    found = signals(text)
    strength = BIAS + sum(WEIGHTS[name] * value for name, value in found.items())
    score = 1 / (1 + math.exp(-strength))
    reasons = tuple(sorted(found, key=lambda name: -WEIGHTS[name] * found[name]))
    return Screening(score=score, flag=score >= FLAG, decline=score >= DECLINE, reasons=reasons)


def signals(text: str) -> dict[str, float]:
    """The signals of `text` and how strong each is; those of its views count as its own."""
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}\n{text[-_LONGEST // 2 :]}"
    plain = "\n" + fold(unescape(text))
    words = tokens(plain)
    found = {name: 1.0 for name, pattern in RAW_SIGNALS.items() if pattern.search(plain)}
    if _repeats(words):
        found["repeated"] = 1.0
    rows = row(words)
    for kind, view in views(text, plain, words):
        rows += row(tokens(view))
        if kind:
            found[kind] = 1.0
    rows = NOT_MEANT.sub("", rows)
    found |= {name: 1.0 for name, pattern in CONCEPT_SIGNALS.items() if pattern.search(rows)}
    for name in COUNTED & found.keys():
        found[name] = math.sqrt(min(_MOST, len(CONCEPT_SIGNALS[name].findall(rows))))
    return found


def views(text: str, plain: str, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(the signal that the disguise is by itself, or "", the folded text behind it)."""
    yield from (("", view) for view in unleeted(plain))
    yield from (("spaced", view) for view in unspaced(plain))
    yield from (("encoded", view) for view in deciphered(plain, words))
    yield from (("encoded", fold(view)) for view in decoded(text))
    if invisible := hidden(text):
        yield "encoded", fold(invisible)


def _repeats(words: Sequence[str]) -> bool:
    times, share = _REPEATED
    most = max((count for word, count in Counter(words).items() if word[0].isalnum()), default=0)
    return most >= max(times, share * len(words))
