"""Screening documents: sentences that tell whoever reads the document for someone else what to say.

Documentation is full of orders to people (`Click Save`, `Tell the customer that ...`). What gives an instruction to an
assistant away is not one form of words, but how many of its words and pairs of words stand in such instructions and how
few in other sentences: each has a weight, fitted on orders of our own and on real documents (`bench/fit_orders.py`).
Windows of a sentence are weighed and the heaviest counts, so that harmless words around an order do not cover it.
That nothing else in the document is about it counts too.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from pipeline.errors import Misconfigured
from pipeline.screen.messages import ScreeningResult, decode_hidden_text, find_injection_signs, normalize_for_screening
from pipeline.words.text import content_terms, sentence_spans, stem

# --- What a sentence is made of -------------------------------------------------------------------
# They are taken from windows, so that words around an order do not hide it.

WINDOW_WORDS = 30
"""Words of a window, its marks among them."""
_CLAUSE, _STEP = 10, 15
"""Words from one clause that a window starts with to the next, and between the starts of other windows."""
_FEWEST_WORDS = 3
"""Words that a window has at least."""
_ADDRESS = re.compile(r"\W{0,8}(?:https?://|www\.|[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.(?:com|org|net|example)\b)")
_TARGET = re.compile(r"\]\([^\s)]*\)?")
"""Where a link leads."""
_WORD = re.compile(r"[^\W\d_]{1,64}(?:'[a-z]{1,4})?|\d+|[:?!.,;\"]")
_MARKS = frozenset(':?!.,;"')
_STEMMED = 4
"""Letters from which a word is stemmed."""


def feature_windows(folded: str) -> Iterator[frozenset[str]]:
    """For each window of a folded sentence: its words, stemmed, with its punctuation and its ends, and the pairs of
    them.

    An address is `ADDRESS` and a number `NUMBER`, whichever it is; markup is nothing."""
    said = _words_of(folded)
    for start in _starts(said):
        words = said[start : start + WINDOW_WORDS]
        if start == 0 or said[start - 1] in _MARKS:
            words = ["^", *words]
        if start + WINDOW_WORDS >= len(said):
            words = [*words, "$"]
        yield frozenset(words).union(f"{one} {two}" for one, two in pairwise(words))


def _starts(said: Sequence[str]) -> Iterator[int]:
    clause = 0
    for place in range(max(1, len(said) - _FEWEST_WORDS + 1)):
        if begins := place >= clause + _CLAUSE and said[place - 1] in _MARKS:
            clause = place
        if begins or place % _STEP == 0:
            yield place


def _words_of(folded: str) -> list[str]:
    """The words, and each mark that stands behind one."""
    words = list[str]()
    for part in _TARGET.sub(" ", folded).split():
        words += ["ADDRESS"] if _ADDRESS.match(part) else map(_plain, _WORD.findall(part))
    return [word for before, word in pairwise(['"', *words]) if word not in _MARKS or before not in _MARKS]


def _plain(word: str) -> str:
    if word.isdecimal():
        return "NUMBER"
    return stem(word) if len(word) >= _STEMMED else word


# --- Sentences that tell whoever reads a document for someone else what to say --------------------

WEIGHTS_FILE = Path(__file__).parent / "weights.json"
_LONGEST = 2_000_000
"""Characters of a document that are read."""
_MENTIONED = re.compile(r"(?<=[a-z,] )[\"“‘'][^\"”’'\n]{1,120}[\"”’'](?!\w)")
"""Words in quotation marks behind others: they are spoken of, and what they say is nobody's order."""
_OVERRIDES = 9.0
"""Log odds of what `screen` refuses when a person writes it; `you will act as ...` is said to people too."""
FLAG_LOG_ODDS, REJECT_LOG_ODDS = 2.25, 0.7
"""Log odds from which a sentence, with what it has to do with its document, flags that; and from which it is not said
whatever stands around it."""
_FOREIGN, _LONG = 5.2, 40
"""Log odds of a sentence that has nothing to do with its document, and the content words from which it tells nothing:
who writes that much of something else writes no order."""
_FEWEST, _PASSAGE = 3, 40
"""Distinct content words that a sentence must have, and a document, for the one to be told foreign to the other."""
_NAMED = 3
"""Reasons that are told."""


def screen_document(text: str) -> ScreeningResult:
    """Screen a document or a passage; `flag` means it holds instructions addressed to an assistant."""
    text = text[:_LONGEST]
    folded = f"{normalize_for_screening(text)}\n{decode_hidden_text(text)}".strip()
    odds, worst = max((_odds_in(folded, one), one) for one in [*_said(folded), ""])
    flag = odds >= FLAG_LOG_ODDS
    return ScreeningResult(
        score=1 / (1 + math.exp(FLAG_LOG_ODDS - odds)), flag=flag, reasons=_reasons(worst) if flag else ()
    )


def is_assistant_instruction(sentence: str, passage: str = "") -> bool:
    """Whether a sentence of a document tells its reader machine what to do, and so must never reach an answer.

    In the `passage` that it stands in, less is needed where nothing else there is about it."""
    odds = _by_itself(sentence)
    if odds >= REJECT_LOG_ODDS or odds < FLAG_LOG_ODDS - _FOREIGN:
        return odds >= REJECT_LOG_ODDS
    return odds + _foreign(normalize_for_screening(sentence), normalize_for_screening(passage)) >= FLAG_LOG_ODDS


def screening_features(text: str) -> list[frozenset[str]]:
    """What a sentence is weighed by, for each window of it."""
    return list(feature_windows(_MENTIONED.sub('""', normalize_for_screening(text))))


def _said(folded: str) -> list[str]:
    return [folded[start:end] for start, end in sentence_spans(folded)]


@lru_cache(maxsize=16384)
def _by_itself(sentence: str) -> float:
    """Kept for what is read again: 200 questions asked a second time read 7.7 sentences anew each with 1,024, none
    so."""
    folded = normalize_for_screening(sentence)
    return max(map(_odds, {folded, " ".join(folded.split()), *decode_hidden_text(sentence).splitlines()}))


def _odds(folded: str) -> float:
    """The log odds that a folded sentence is an order: those of the window that is most like one."""
    if _overrides(folded):
        return _OVERRIDES
    return max(map(_worth, screening_features(folded)))


def _worth(window: frozenset[str]) -> float:
    weights = _weights()
    return weights[""] + sum(weights.get(gram, 0.0) for gram in window)


def _odds_in(document: str, sentence: str) -> float:
    odds = _odds(sentence)
    return odds if odds < FLAG_LOG_ODDS - _FOREIGN else odds + _foreign(sentence, document)


def _foreign(sentence: str, document: str) -> float:
    """What it adds that most words of a sentence stand nowhere else in its document."""
    own, counts = Counter(content_terms(sentence)), _counted(document)
    if not _FEWEST <= len(own) < _LONG:
        return 0.0
    share = sum(counts.get(term, 0) <= times for term, times in own.items()) / len(own)
    return _FOREIGN * min(1.0, len(counts) / _PASSAGE) * share**2


@lru_cache(maxsize=16)
def _counted(document: str) -> Mapping[str, int]:
    return Counter(content_terms(document))


def _overrides(folded: str) -> list[str]:
    return [name for name in find_injection_signs(_MENTIONED.sub('""', folded)) if name != "persona"]


def _reasons(folded: str) -> tuple[str, ...]:
    """The signs found and what weighs most."""
    weights = _weights()
    heaviest = max(screening_features(folded), key=_worth)
    heavy = sorted(heaviest, key=lambda gram: (-weights.get(gram, 0.0), gram))
    return (*_overrides(folded), *heavy[:_NAMED])


@lru_cache(maxsize=1)
def _weights() -> Mapping[str, float]:
    try:
        found: Mapping[str, float] = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    except (OSError, ValueError) as failed:
        problem = "the weights by which documents are screened cannot be read"
        raise Misconfigured(WEIGHTS_FILE.name, problem, what_to_do="Install Citewell again.") from failed
    return found
