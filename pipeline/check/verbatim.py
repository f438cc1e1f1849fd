"""The search for a claim's words in a passage, after normalization, and for the parts that it leaves out there."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import compress
from typing import NamedTuple

from pipeline.values import BlockKind, Chunk, RetrievedChunk
from pipeline.words.facts import PartialDate, Quantity, find_figures
from pipeline.words.text import distinct_terms, sentence_spans

# --- Words as they are compared -------------------------------------------------------------------

_CHARACTERS = str.maketrans(dict.fromkeys("‘’ʼ′`´", "'") | dict.fromkeys("‐‑‒–—−", "-") | dict.fromkeys("“”„«»″", '"'))
_TOKEN = re.compile(
    r"(?P<word>[^\W_]+(?:[._'@][^\W_]+)*)|(?P<sign>[^\w\s.,;:!…\-*\"'()\[\]{}|$€£¥%¿¡。、，；：！？「」『』])"
)
_MINUS = re.compile(r"(?:^|[\s(])-$")
_NEGATED = re.compile(r"(.+)n't$")
_CONTRACTIONS = {"'re": "are", "'ve": "have", "'ll": "will", "'m": "am"}
_IS_CONTRACTIONS = frozenset("it's that's there's what's he's she's who's here's where's".split())
_EXPANSIONS = {"can't": "can not", "cannot": "can not", "won't": "will not", "&": "and"}
_PERIODS = frozenset("minute hour day week month quarter year".split())
_QUALIFIED = re.compile(r"\b(?:working|business|calendar|full|consecutive|us)\b")


class NormalizedWord(NamedTuple):
    """One word in its normalized form, and its offsets."""

    word: str
    start: int
    end: int


@lru_cache(maxsize=2048)
def normalize_words(text: str) -> tuple[NormalizedWord, ...]:
    """Return the words of `text` in normalized form, numbers and dates as values, without punctuation that has no
    meaning by itself."""
    plain = text.translate(_CHARACTERS)
    figures = sorted(find_figures(plain), key=lambda fact: fact.start)
    words: list[NormalizedWord] = []
    end = 0
    for fact in figures:
        if fact.start < end:
            continue
        words.extend(_split_words(plain, end, fact.start))
        words.extend(_figure_words(fact, plain))
        end = fact.end
    words.extend(_split_words(plain, end, len(plain)))
    return tuple(_normalize_rates(words))


def _figure_words(fact: Quantity | PartialDate, text: str) -> Iterator[NormalizedWord]:
    if isinstance(fact, Quantity):
        if _MINUS.search(text[: fact.start]):
            yield NormalizedWord("-", fact.start - 1, fact.start)
        for word in _QUALIFIED.findall(text[fact.start : fact.end].lower()):
            yield NormalizedWord(word, fact.start, fact.end)
        # A figure that is not a plain number has no amount: NaN.
        value = f"{fact.value} {fact.unit} {fact.amount}".removesuffix("  nan")
        yield NormalizedWord(f"{value} {fact.alternatives or ''}".strip(), fact.start, fact.end)
    else:
        yield NormalizedWord(fact.key, fact.start, fact.end)


def _split_words(text: str, start: int, end: int) -> Iterator[NormalizedWord]:
    for match in _TOKEN.finditer(text, start, end):
        for word in _expand_word(match.group()).split():
            yield NormalizedWord(word, match.start(), match.end())


@lru_cache(maxsize=16384)
def _expand_word(word: str) -> str:
    word = unicodedata.normalize("NFKC", word).casefold()
    if word in _EXPANSIONS:
        return _EXPANSIONS[word]
    if word in _IS_CONTRACTIONS:
        return f"{word[:-2]} is"
    if match := _NEGATED.match(word):
        return f"{match[1]} not"
    for short, long in _CONTRACTIONS.items():
        if word.endswith(short):
            return f"{word.removesuffix(short)} {long}"
    return word


def _normalize_rates(words: Sequence[NormalizedWord]) -> Iterator[NormalizedWord]:
    """Yield the words with `per month` for `/month` and `a month`."""
    for index, word in enumerate(words):
        following = words[index + 1].word if index + 1 < len(words) else ""
        yield word._replace(word="per") if word.word in ("/", "a", "an") and following in _PERIODS else word


# --- Where a claim stands -------------------------------------------------------------------------

QUALIFYING_WORDS = frozenset(
    """no not never none nor neither cannot without if unless except excluding excluded exception only until till when
    where while after before during whether provided assuming subject pending although though but or instead rather
    than otherwise as that which who whom whose in on at by for from of to with within per under over between about
    against towards must should shall may might can could would will need needs required requires all any each every
    some most few many several both half once twice""".split()
)
"""Words that make a part of a sentence a condition, a negation, a quantity or a limit: a claim may not leave out such a
part. They are the closed classes of English (negators, conjunctions, prepositions, modals, quantifiers), not a list to
be extended by cases."""
CONNECTIVES = frozenset(
    "additionally also and finally furthermore hence however moreover so then therefore thus".split()
)
"""Words that may be left out before a comma at the beginning: any other beginning limits the rest."""
MIN_CLAIM_WORDS = 3
"""Minimum number of words of a part of a sentence that stands for itself."""
_BOUNDARY = re.compile(r"[,;:()\[\]]|\s[-\u2013\u2014]+\s")
_ELLIPSIS = re.compile(r"…|\.{3}")
_MAX_GAPS = 2
"""Maximum number of parts of one sentence that a claim may leave out between its words."""


class PassageSpan(NamedTuple):
    """A range of characters of a passage in which a claim stands."""

    passage: RetrievedChunk
    start: int
    end: int


class _Unit(NamedTuple):
    text: str
    start: int
    """Offset of the unit in the passage."""

    @property
    def words(self) -> tuple[NormalizedWord, ...]:
        return normalize_words(self.text)


def _sentences(chunk: Chunk) -> tuple[_Unit, ...]:
    """Return the sentences of a passage: an item may have several."""
    return _split_units(chunk.text, tuple((unit.start, unit.end, unit.kind is BlockKind.CODE) for unit in chunk.units))


@lru_cache(maxsize=1024)
def _split_units(text: str, units: tuple[tuple[int, int, bool], ...]) -> tuple[_Unit, ...]:
    sentences = []
    for begin, stop, code in units:
        for start, end in [(0, stop - begin)] if code else sentence_spans(text[begin:stop]):
            sentences.append(_Unit(text[begin + start : begin + end], begin + start))
    return tuple(sentences)


def _are_unrelated(first: str, second: str) -> bool:
    """Tell whether two texts share too few words for one to stand in the other, however numbers and contractions are
    written. It is decided without normalizing them."""
    first_terms, second_terms = distinct_terms(first), distinct_terms(second)
    return len(first_terms & second_terms) * 2 < min(len(first_terms), len(second_terms))


def find_verbatim(claim: str, passages: Sequence[RetrievedChunk]) -> list[PassageSpan]:
    """Find the places that say all of the claim: units in a row that are the claim, or one unit that says more, where
    the claim leaves out nothing that could change its meaning."""
    if exact := _find_exact(claim, passages):
        return exact
    wanted = [word.word for word in normalize_words(claim)]
    if not wanted:
        return []
    return [
        PassageSpan(passage, start, end)
        for passage in passages
        for start, end in _find_within(claim, wanted, _sentences(passage.chunk))
    ]


def _find_within(claim: str, wanted: list[str], units: Sequence[_Unit]) -> Iterator[tuple[int, int]]:
    near = [not _are_unrelated(claim, unit.text) for unit in units]
    if any(near):
        yield from _find_runs(wanted, units, near)
        yield from _find_shortened(wanted, units, near)


def _find_exact(claim: str, passages: Sequence[RetrievedChunk]) -> list[PassageSpan]:
    """Find the units that equal the claim to the letter: all sentences of an extract, found without normalizing a
    word."""
    return [
        PassageSpan(passage, unit.start, unit.end)
        for passage in passages
        for unit in passage.chunk.units
        if passage.chunk.unit_text(unit) == claim
    ]


def find_phrase(words: str, text: str) -> tuple[int, int] | None:
    """Return the range in which `text` has these words in a row; None where it does not, or there are none."""
    if _are_unrelated(words, text):
        return None
    wanted, text_words = [word.word for word in normalize_words(words)], normalize_words(text)
    for place in range(len(text_words) - len(wanted) + 1) if wanted else ():
        if [word.word for word in text_words[place : place + len(wanted)]] == wanted:
            return text_words[place].start, text_words[place + len(wanted) - 1].end
    return None


def find_quote(words: str, passages: Sequence[RetrievedChunk]) -> list[list[PassageSpan]]:
    """Find these words, in a row or with `…` between them.

    Returns the places in each passage that has them all, or whose table row has them when it is spelled out; failing
    that the places in the passages that have them together."""
    parts = [part for part in _ELLIPSIS.split(words) if normalize_words(part)]
    by_passage = [[_find_place(part, passage) for part in parts] for passage in passages]
    complete = [[place for place in places if place] for places in by_passage if parts and all(places)]
    if complete or not parts:
        return complete
    together = [next((place for place in places if place), None) for places in zip(*by_passage, strict=True)]
    return [[place for place in together if place]] if all(together) else []


def _find_place(words: str, passage: RetrievedChunk) -> PassageSpan | None:
    chunk = passage.chunk
    if span := find_phrase(words, chunk.text):
        return PassageSpan(passage, *span)
    rows = (
        chunk.units[place]
        for place, unit in enumerate(chunk.units)
        if unit.kind is BlockKind.ROW and find_phrase(words, chunk.readable_row(place))
    )
    row = next(rows, None)
    return PassageSpan(passage, row.start, row.end) if row else None


def find_code(claim: str, passages: Sequence[RetrievedChunk]) -> list[PassageSpan]:
    """Find the places with exactly these lines of code, white space at their ends and blank lines aside."""
    claim_lines = _code_lines(claim)
    spans = []
    for passage in passages:
        for unit in passage.chunk.units:
            lines = _code_lines(passage.chunk.unit_text(unit)) if unit.kind is BlockKind.CODE else []
            if claim_lines and any(
                lines[start : start + len(claim_lines)] == claim_lines for start in range(len(lines))
            ):
                spans.append(PassageSpan(passage, unit.start, unit.end))
    return spans


def _code_lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.split("\n") if line.strip()]


def _find_runs(wanted: list[str], units: Sequence[_Unit], near: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Yield runs of units that are the claim and nothing else; those that are not `near` cannot be a part of it."""
    for first, unit in enumerate(units):
        if not near[first] or not unit.words or unit.words[0].word != wanted[0]:
            continue
        words: list[str] = []
        for last in range(first, len(units)):
            words += [word.word for word in units[last].words]
            if words == wanted and units[last].words:
                yield unit.start, units[last].start + len(units[last].text)
                break
            if len(words) >= len(wanted):
                break


def _find_shortened(wanted: list[str], units: Sequence[_Unit], near: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Yield units of which the claim leaves out only parts without a condition; those that are not `near` are
    skipped."""
    if len(wanted) < MIN_CLAIM_WORDS:
        return
    for unit in compress(units, near):
        if len(wanted) < len(unit.words) and _rest_matches(wanted, unit, 0, 0, _MAX_GAPS):
            yield unit.start, unit.start + len(unit.text)


def _rest_matches(wanted: Sequence[str], unit: _Unit, claim_index: int, unit_index: int, gaps_left: int) -> bool:
    """Tell whether the rest of the claim is the rest of the unit from `unit_index` on, but for omittable parts."""
    words = unit.words
    for begin in range(unit_index, len(words)):
        if words[begin].word != wanted[claim_index] or (
            begin > unit_index and not (gaps_left and _is_omittable(unit, unit_index, begin))
        ):
            continue
        remaining = gaps_left - (begin > unit_index > 0)
        end, matched = begin, claim_index
        while end < len(words) and matched < len(wanted) and words[end].word == wanted[matched]:
            end, matched = end + 1, matched + 1
        if matched == len(wanted) and (end == len(words) or _is_omittable(unit, end, len(words))):
            return True
        if end > begin and matched < len(wanted) and remaining and _rest_matches(wanted, unit, matched, end, remaining):
            return True
    return False


def _is_omittable(unit: _Unit, start: int, end: int) -> bool:
    """Tell whether some words of a unit stand between punctuation and carry no condition, negation or quantity."""
    words = unit.words
    before = unit.text[words[start - 1].end : words[start].start] if start else ""
    after = unit.text[words[end - 1].end : words[end].start] if end < len(words) else ""
    left_out = [word.word for word in words[start:end]]
    if not start:
        return set(left_out) <= CONNECTIVES
    closed = end == len(words) or _BOUNDARY.search(after)
    bears = any(word in QUALIFYING_WORDS or any(map(str.isdigit, word)) for word in left_out)
    return bool(_BOUNDARY.search(before) and closed) and not bears
