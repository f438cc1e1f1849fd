"""Screening of documents: sentences that instruct the assistant that reads the document for a person.

Documentation is full of instructions to people (`Click Save`, `Tell the customer that ...`). An instruction to an
assistant has no single form; it shows in how many of its words and pairs of words are common in such instructions and
rare in other sentences. Each has a weight, fitted on instructions of our own and on real documents
(`bench/fit_orders.py`). The windows of a sentence are weighed and the heaviest counts, so that harmless words around an
instruction do not cover it. It also counts when nothing else in the document is on its topic."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise, repeat
from pathlib import Path

from pipeline.errors import Misconfigured
from pipeline.screen.messages import (
    ScreeningResult,
    decode_hidden_text,
    find_injection_signs,
    may_hold_sign,
    normalize_for_screening,
)
from pipeline.words.text import content_terms, sentence_spans, stem

# --- What a sentence is made of -------------------------------------------------------------------
# They are taken from windows, so that words around an order do not hide it.

WINDOW_WORDS = 30
"""Number of words of a window, with its punctuation."""
_MIN_CLAUSE_WORDS, _WINDOW_STEP = 10, 15
"""Minimum number of words between two clauses that start a window, and between the starts of other windows."""
_MIN_WINDOW_WORDS = 3
"""Minimum number of words of a window."""
_ADDRESS = re.compile(r"\W{0,8}(?:https?://|www\.|[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.(?:com|org|net|example)\b)")
_LINK_TARGET = re.compile(r"\]\([^\s)]*\)?")
"""The target of a Markdown link."""
_WORD = re.compile(r"[^\W\d_]{1,64}(?:'[a-z]{1,4})?|\d+|[:?!.,;\"]")
_MARKS = frozenset(':?!.,;"')
_MIN_STEMMED_LETTERS = 4
"""Minimum number of letters of a word that is stemmed."""
_CACHED_RUNS, _LONGEST_CACHED_RUN = 65_536, 40
"""Runs of characters without white space whose words are remembered, and characters from which those of one are not."""
Feature = str | tuple[str, str]
"""A stemmed word, mark or end of a window, or two of them in a row."""


def feature_windows(folded: str) -> Iterator[frozenset[str]]:
    """Yield the names of the features of each window of a normalized sentence: its stemmed words, punctuation and ends,
    and the pairs of them.

    Every address is `ADDRESS` and every number `NUMBER`; markup is dropped."""
    return (frozenset(map(_feature_name, _features(window))) for window in _windows(folded))


def _features(window: Sequence[str]) -> set[Feature]:
    return {*window, *pairwise(window)}


def _feature_name(feature: Feature) -> str:
    return feature if isinstance(feature, str) else " ".join(feature)


def _windows(folded: str) -> Iterator[Sequence[str]]:
    """Yield the words and marks of each window, with the ends of a clause and of the sentence."""
    tokens = _tokenize(folded)
    for start in _window_starts(tokens):
        window = tokens[start : start + WINDOW_WORDS]
        if start == 0 or tokens[start - 1] in _MARKS:
            window = ["^", *window]
        if start + WINDOW_WORDS >= len(tokens):
            window = [*window, "$"]
        yield window


def _window_starts(tokens: Sequence[str]) -> Iterator[int]:
    yield 0
    clause = 0
    for index in range(_MIN_CLAUSE_WORDS, len(tokens) - _MIN_WINDOW_WORDS + 1):
        if starts_clause := index >= clause + _MIN_CLAUSE_WORDS and tokens[index - 1] in _MARKS:
            clause = index
        if starts_clause or index % _WINDOW_STEP == 0:
            yield index


def _tokenize(folded: str) -> list[str]:
    """Return the words, each with the first mark behind it."""
    runs = _LINK_TARGET.sub(" ", folded).split()
    is_cacheable = len(max(runs, key=len, default="")) <= _LONGEST_CACHED_RUN
    words = chain.from_iterable(map(_cached_words if is_cacheable else _words_of_run, runs))
    # A mark is put in front, so that each word has one before it; of marks in a row the first stays.
    return [word for before, word in pairwise(['"', *words]) if word not in _MARKS or before not in _MARKS]


def _words_of_run(run: str) -> tuple[str, ...]:
    """Return the words and marks of characters without white space."""
    return ("ADDRESS",) if _ADDRESS.match(run) else tuple(map(_normalize_word, _WORD.findall(run)))


_cached_words = lru_cache(maxsize=_CACHED_RUNS)(_words_of_run)


def _normalize_word(word: str) -> str:
    if word.isdecimal():
        return "NUMBER"
    return stem(word) if len(word) >= _MIN_STEMMED_LETTERS else word


# --- Sentences that tell whoever reads a document for someone else what to say --------------------

WEIGHTS_FILE = Path(__file__).parent / "weights.json"
_MAX_CHARACTERS = 2_000_000
"""Maximum number of characters of a document that are read."""
_QUOTED = re.compile(r"(?<=[a-z,] )[\"“‘'][^\"”’'\n]{1,120}[\"”’'](?!\w)")
"""Quoted words inside a sentence: they are mentioned, and instruct nobody."""
_OVERRIDE_LOG_ODDS = 9.0
"""Log odds of text that `screen_message` refuses from a person, without `persona`: people read `you will act as ...`
too."""
FLAG_LOG_ODDS, REJECT_LOG_ODDS = 2.25, 0.7
"""Log odds from which a sentence, with the bonus for a foreign topic, flags its document; and from which a sentence by
itself is kept out of answers."""
_FOREIGN_BONUS, _MAX_FOREIGN_TERMS = 5.2, 40
"""Bonus log odds of a sentence on a topic foreign to its document, and the number of content words from which there is
none: a text of that length on something else is no instruction."""
_MIN_SENTENCE_TERMS, _MIN_DOCUMENT_TERMS = 3, 40
"""Minimum numbers of distinct content words of a sentence, and of a document, for the first to be foreign to the
second."""
_MAX_REASONS = 3
"""Maximum number of weighed reasons in a result."""


def screen_document(text: str) -> ScreeningResult:
    """Screen a document or a passage; `flag` means it holds instructions addressed to an assistant."""
    text = text[:_MAX_CHARACTERS]
    folded = f"{normalize_for_screening(text)}\n{decode_hidden_text(text)}".strip()
    odds, worst = max((_odds_in_document(folded, sentence), sentence) for sentence in [*_split_sentences(folded), ""])
    flag = odds >= FLAG_LOG_ODDS
    return ScreeningResult(
        score=1 / (1 + math.exp(FLAG_LOG_ODDS - odds)), flag=flag, reasons=_explain(worst) if flag else ()
    )


def is_assistant_instruction(sentence: str, passage: str = "") -> bool:
    """Tell whether a sentence of a document instructs an assistant, and so must never reach an answer.

    Lower odds suffice in a `passage` where nothing else is on its topic."""
    odds = _sentence_odds(sentence)
    if not passage or odds >= REJECT_LOG_ODDS or odds < FLAG_LOG_ODDS - _FOREIGN_BONUS:
        return odds >= REJECT_LOG_ODDS
    return odds + _foreign_bonus(normalize_for_screening(sentence), normalize_for_screening(passage)) >= FLAG_LOG_ODDS


def screening_features(text: str) -> list[frozenset[str]]:
    """Return the names of the features of each window of a sentence."""
    return list(feature_windows(_without_quotes(text)))


def _without_quotes(text: str) -> str:
    return _QUOTED.sub('""', normalize_for_screening(text))


def _split_sentences(folded: str) -> list[str]:
    return [folded[start:end] for start, end in sentence_spans(folded)]


@lru_cache(maxsize=16384)
def _sentence_odds(sentence: str) -> float:
    """Return the log odds of a sentence without its passage. Cached for repeated reads: 200 questions asked a second
    time read 7.7 sentences anew each with 1,024 entries, none so."""
    folded = normalize_for_screening(sentence)
    return max(map(_odds, {folded, " ".join(folded.split()), *decode_hidden_text(sentence).splitlines()}))


def _odds(folded: str) -> float:
    """Return the log odds that a normalized sentence is an instruction: those of its most suspicious window."""
    if _override_signs(folded):
        return _OVERRIDE_LOG_ODDS
    return max(map(_window_odds, _windows(_without_quotes(folded))))


def _window_odds(window: Sequence[str]) -> float:
    weights = _weights()
    return weights[""] + sum(map(weights.get, _features(window), repeat(0.0)))


def _odds_in_document(document: str, sentence: str) -> float:
    odds = _odds(sentence)
    return odds if odds < FLAG_LOG_ODDS - _FOREIGN_BONUS else odds + _foreign_bonus(sentence, document)


def _foreign_bonus(sentence: str, document: str) -> float:
    """Return the bonus for a sentence most words of which stand nowhere else in its document."""
    term_counts, document_counts = Counter(content_terms(sentence)), _count_terms(document)
    if not _MIN_SENTENCE_TERMS <= len(term_counts) < _MAX_FOREIGN_TERMS:
        return 0.0
    share = sum(document_counts.get(term, 0) <= times for term, times in term_counts.items()) / len(term_counts)
    return _FOREIGN_BONUS * min(1.0, len(document_counts) / _MIN_DOCUMENT_TERMS) * share**2


@lru_cache(maxsize=16)
def _count_terms(document: str) -> Mapping[str, int]:
    return Counter(content_terms(document))


def _override_signs(folded: str) -> list[str]:
    if not may_hold_sign(folded):
        return []
    return [name for name in find_injection_signs(_QUOTED.sub('""', folded)) if name != "persona"]


def _explain(folded: str) -> tuple[str, ...]:
    """Return the signs of a sentence and its heaviest features."""
    weights = _weights()
    heaviest = _features(max(_windows(_without_quotes(folded)), key=_window_odds))
    heavy = sorted(heaviest, key=lambda feature: (-weights.get(feature, 0.0), _feature_name(feature)))
    return (*_override_signs(folded), *map(_feature_name, heavy[:_MAX_REASONS]))


@lru_cache(maxsize=1)
def _weights() -> Mapping[Feature, float]:
    """Return the weight of each feature, and of every sentence as that of ""."""
    try:
        weights: Mapping[str, float] = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        problem = "the weights by which documents are screened cannot be read"
        raise Misconfigured(WEIGHTS_FILE.name, problem, what_to_do="Install Citewell again.") from error
    return {_feature(name): weight for name, weight in weights.items()}


def _feature(name: str) -> Feature:
    first, _, second = name.partition(" ")
    return (first, second) if second else first
