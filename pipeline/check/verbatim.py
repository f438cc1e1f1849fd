"""Where a claim stands in a passage, word for word as words are compared; and what it leaves out there."""

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
_PIECE = re.compile(
    r"(?P<word>[^\W_]+(?:[._'@][^\W_]+)*)|(?P<sign>[^\w\s.,;:!…\-*\"'()\[\]{}|$€£¥%¿¡。、，；：！？「」『』])"
)
_MINUS = re.compile(r"(?:^|[\s(])-$")
_NOT = re.compile(r"(.+)n't$")
_SHORT = {"'re": "are", "'ve": "have", "'ll": "will", "'m": "am"}
_IS = frozenset("it's that's there's what's he's she's who's here's where's".split())
_WHOLE = {"can't": "can not", "cannot": "can not", "won't": "will not", "&": "and"}
_TIMES = frozenset("minute hour day week month quarter year".split())
_QUALIFIED = re.compile(r"\b(?:working|business|calendar|full|consecutive|us)\b")


class NormalizedWord(NamedTuple):
    """One word as it is compared, and where it stands."""

    word: str
    start: int
    end: int


@lru_cache(maxsize=2048)
def normalize_words(text: str) -> tuple[NormalizedWord, ...]:
    """The words of `text`, numbers and dates as values; marks that say nothing by themselves are left out."""
    plain = text.translate(_CHARACTERS)
    taken = sorted(find_figures(plain), key=lambda fact: fact.start)
    found: list[NormalizedWord] = []
    place = 0
    for fact in taken:
        if fact.start < place:
            continue
        found.extend(_words(plain, place, fact.start))
        found.extend(_figure(fact, plain))
        place = fact.end
    found.extend(_words(plain, place, len(plain)))
    return tuple(_rates(found))


def _figure(fact: Quantity | PartialDate, text: str) -> Iterator[NormalizedWord]:
    if isinstance(fact, Quantity):
        if _MINUS.search(text[: fact.start]):
            yield NormalizedWord("-", fact.start - 1, fact.start)
        for word in _QUALIFIED.findall(text[fact.start : fact.end].lower()):
            yield NormalizedWord(word, fact.start, fact.end)
        told = f"{fact.value} {fact.unit} {fact.amount}".removesuffix("  nan")
        yield NormalizedWord(f"{told} {fact.alternatives or ''}".strip(), fact.start, fact.end)
    else:
        yield NormalizedWord(fact.key, fact.start, fact.end)


def _words(text: str, start: int, end: int) -> Iterator[NormalizedWord]:
    for match in _PIECE.finditer(text, start, end):
        for word in _plain(match.group()).split():
            yield NormalizedWord(word, match.start(), match.end())


@lru_cache(maxsize=16384)
def _plain(word: str) -> str:
    word = unicodedata.normalize("NFKC", word).casefold()
    if word in _WHOLE:
        return _WHOLE[word]
    if word in _IS:
        return f"{word[:-2]} is"
    if found := _NOT.match(word):
        return f"{found[1]} not"
    for short, long in _SHORT.items():
        if word.endswith(short):
            return f"{word.removesuffix(short)} {long}"
    return word


def _rates(found: Sequence[NormalizedWord]) -> Iterator[NormalizedWord]:
    """`/month` and `a month` are `per month`."""
    for place, one in enumerate(found):
        after = found[place + 1].word if place + 1 < len(found) else ""
        yield one._replace(word="per") if one.word in ("/", "a", "an") and after in _TIMES else one


# --- Where a claim stands -------------------------------------------------------------------------

QUALIFYING_WORDS = frozenset(
    """no not never none nor neither cannot without if unless except excluding excluded exception only until till when
    where while after before during whether provided assuming subject pending although though but or instead rather
    than otherwise as that which who whom whose in on at by for from of to with within per under over between about
    against towards must should shall may might can could would will need needs required requires all any each every
    some most few many several both half once twice""".split()
)
"""Words that make what they stand in a condition, a negation, a quantity or a limit: a part of a sentence with one of
them is not left out. They are the closed classes of English (negators, conjunctions, prepositions, modals,
quantifiers), not a list to be extended by cases."""
CONNECTIVES = frozenset(
    "additionally also and finally furthermore hence however moreover so then therefore thus".split()
)
"""Words that may be left out before a comma at the beginning: any other beginning says what the rest holds for."""
MIN_CLAIM_WORDS = 3
"""Words that a part of a sentence must have to stand for itself."""
_EDGE = re.compile(r"[,;:()\[\]]|\s[-\u2013\u2014]+\s")
_LEFT_OUT = re.compile(r"…|\.{3}")
_GAPS = 2
"""So many parts between its words may be left out of one sentence."""


class PassageSpan(NamedTuple):
    """Where a claim stands: characters of the passage."""

    passage: RetrievedChunk
    start: int
    end: int


class _Unit(NamedTuple):
    text: str
    start: int
    """Where it begins in the passage."""

    @property
    def words(self) -> tuple[NormalizedWord, ...]:
        return normalize_words(self.text)


def _units(chunk: Chunk) -> tuple[_Unit, ...]:
    """The sentences of a passage: an item may have several."""
    return _split(chunk.text, tuple((unit.start, unit.end, unit.kind is BlockKind.CODE) for unit in chunk.units))


@lru_cache(maxsize=1024)
def _split(text: str, units: tuple[tuple[int, int, bool], ...]) -> tuple[_Unit, ...]:
    found = []
    for begin, stop, code in units:
        for start, end in [(0, stop - begin)] if code else sentence_spans(text[begin:stop]):
            found.append(_Unit(text[begin + start : begin + end], begin + start))
    return tuple(found)


def _apart(one: str, other: str) -> bool:
    """Whether so many of the words of the shorter text are not in the longer one that neither stands in the other,
    however its numbers and contractions are written: told without folding them."""
    mine, theirs = distinct_terms(one), distinct_terms(other)
    return len(mine & theirs) * 2 < min(len(mine), len(theirs))


def find_verbatim(claim: str, passages: Sequence[RetrievedChunk]) -> list[PassageSpan]:
    """The places that say all of the claim: units in a row that are the claim, or one unit that says more, of which
    nothing is left out that could turn it."""
    if exact := _exactly(claim, passages):
        return exact
    wanted = [one.word for one in normalize_words(claim)]
    if not wanted:
        return []
    return [
        PassageSpan(passage, start, end)
        for passage in passages
        for start, end in _within(claim, wanted, _units(passage.chunk))
    ]


def _within(claim: str, wanted: list[str], units: Sequence[_Unit]) -> Iterator[tuple[int, int]]:
    near = [not _apart(claim, unit.text) for unit in units]
    if any(near):
        yield from _whole(wanted, units, near)
        yield from _parts(wanted, units, near)


def _exactly(claim: str, passages: Sequence[RetrievedChunk]) -> list[PassageSpan]:
    """The units that are the claim to the letter: all that an extract says, found without folding a word."""
    return [
        PassageSpan(passage, unit.start, unit.end)
        for passage in passages
        for unit in passage.chunk.units
        if passage.chunk.unit_text(unit) == claim
    ]


def find_phrase(words: str, text: str) -> tuple[int, int] | None:
    """Where `text` has these words in a row; None where it does not, or there are none."""
    if _apart(words, text):
        return None
    wanted, found = [one.word for one in normalize_words(words)], normalize_words(text)
    for place in range(len(found) - len(wanted) + 1) if wanted else ():
        if [one.word for one in found[place : place + len(wanted)]] == wanted:
            return found[place].start, found[place + len(wanted) - 1].end
    return None


def find_quote(words: str, passages: Sequence[RetrievedChunk]) -> list[list[PassageSpan]]:
    """Where these words stand, in a row or with `…` between them: for each passage that has them all, or whose table
    row has them when it is spelled out, the places; failing that those of the passages that have them together."""
    parts = [part for part in _LEFT_OUT.split(words) if normalize_words(part)]
    each = [[_place(part, passage) for part in parts] for passage in passages]
    whole = [[place for place in places if place] for places in each if parts and all(places)]
    if whole or not parts:
        return whole
    together = [next((place for place in places if place), None) for places in zip(*each, strict=True)]
    return [[place for place in together if place]] if all(together) else []


def _place(words: str, passage: RetrievedChunk) -> PassageSpan | None:
    chunk = passage.chunk
    if found := find_phrase(words, chunk.text):
        return PassageSpan(passage, *found)
    rows = (
        chunk.units[place]
        for place, unit in enumerate(chunk.units)
        if unit.kind is BlockKind.ROW and find_phrase(words, chunk.readable_row(place))
    )
    row = next(rows, None)
    return PassageSpan(passage, row.start, row.end) if row else None


def find_code(claim: str, passages: Sequence[RetrievedChunk]) -> list[PassageSpan]:
    """The places where lines of code stand exactly, white space at their ends and blank lines aside."""
    wanted = _lines(claim)
    found = []
    for passage in passages:
        for unit in passage.chunk.units:
            have = _lines(passage.chunk.unit_text(unit)) if unit.kind is BlockKind.CODE else []
            if wanted and any(have[at : at + len(wanted)] == wanted for at in range(len(have))):
                found.append(PassageSpan(passage, unit.start, unit.end))
    return found


def _lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.split("\n") if line.strip()]


def _whole(wanted: list[str], units: Sequence[_Unit], near: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Units in a row that are the claim and nothing else; those that are not `near` cannot be a part of it."""
    for first, unit in enumerate(units):
        if not near[first] or not unit.words or unit.words[0].word != wanted[0]:
            continue
        said: list[str] = []
        for last in range(first, len(units)):
            said += [one.word for one in units[last].words]
            if said == wanted and units[last].words:
                yield unit.start, units[last].start + len(units[last].text)
                break
            if len(said) >= len(wanted):
                break


def _parts(wanted: list[str], units: Sequence[_Unit], near: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Units of which the claim leaves something out that bears nothing; those that are not `near` are none."""
    if len(wanted) < MIN_CLAIM_WORDS:
        return
    for unit in compress(units, near):
        if len(wanted) < len(unit.words) and _fits(wanted, unit, 0, 0, _GAPS):
            yield unit.start, unit.start + len(unit.text)


def _fits(wanted: Sequence[str], unit: _Unit, said: int, place: int, gaps: int) -> bool:
    """Whether the rest of the claim is the rest of the unit but for what may be left out from `place` on."""
    words = unit.words
    for begin in range(place, len(words)):
        if words[begin].word != wanted[said] or (begin > place and not (gaps and _spare(unit, place, begin))):
            continue
        left = gaps - (begin > place > 0)
        end, done = begin, said
        while end < len(words) and done < len(wanted) and words[end].word == wanted[done]:
            end, done = end + 1, done + 1
        if done == len(wanted) and (end == len(words) or _spare(unit, end, len(words))):
            return True
        if end > begin and done < len(wanted) and left and _fits(wanted, unit, done, end, left):
            return True
    return False


def _spare(unit: _Unit, start: int, end: int) -> bool:
    """Whether some words of a unit stand between marks and bear no condition, negation or quantity."""
    words = unit.words
    before = unit.text[words[start - 1].end : words[start].start] if start else ""
    after = unit.text[words[end - 1].end : words[end].start] if end < len(words) else ""
    left_out = [one.word for one in words[start:end]]
    if not start:
        return set(left_out) <= CONNECTIVES
    closed = end == len(words) or _EDGE.search(after)
    bears = any(word in QUALIFYING_WORDS or any(map(str.isdigit, word)) for word in left_out)
    return bool(_EDGE.search(before) and closed) and not bears
