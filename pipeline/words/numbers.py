"""Numbers in text: in words of eight languages, and in figures with either decimal sign."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from text_to_num import alpha2digit, find_numbers

from pipeline.words.language import FUNCTION_WORDS

_DANISH = frozenset(
    "af at den der det dig du eller er for fra han har hun i ikke jeg kan med og om på som til var vi".split()
)
_FUNCTION_WORDS = {"en": FUNCTION_WORDS["en"]} | FUNCTION_WORDS | {"da": _DANISH}
NUMBER_LANGUAGES = tuple(_FUNCTION_WORDS)
"""Languages with known number words."""
_JOINERS = frozenset(("", *"and point und komma et virgule y coma e vírgula virgola en og".split()))
"""Words inside a number: `two hundred and fifty`."""
_BLANK = " \t\u00a0-"
_MAX_GAP = 12
"""Maximum number of characters between two words of one number."""
_SIGNS = ".,;:!?()[]{}\"'*|–—’“”„…"
_SPACES = re.compile("['’\u00a0\u202f\u2009]")
_GROUPS = re.compile(r"[1-9][0-9]{0,2}(?:([.,])[0-9]{3})(?:\1[0-9]{3})*")
_SEPARATOR = " . "
_MAX_CACHED = 100_000
"""Maximum number of cached words."""


class SpelledNumber(NamedTuple):
    """A number in words."""

    value: float
    ordinal: bool
    start: int
    end: int


class _SpokenWord:
    """A word in the form that the library takes."""

    def __init__(self, word: str) -> None:
        self._word = word

    def text(self) -> str:
        return self._word

    def nt_separated(self, previous: _SpokenWord) -> bool:
        return False

    def not_a_number_part(self) -> bool:
        return False


class _Vocabulary:
    """A cache of the languages in which each word is a number."""

    def __init__(self) -> None:
        self._numbers: dict[str, frozenset[str]] = {}
        self._plain: set[str] = set()

    def numbers(self, words: Set[str]) -> dict[str, frozenset[str]]:
        """Return the words that are numbers, with their languages; `hundreds` and `the ones` are none."""
        candidates = words - self._plain
        if new := candidates - self._numbers.keys():
            self._learn(new)
            candidates -= self._plain
        return {word: self._numbers.get(word, frozenset()) for word in candidates}

    def _learn(self, words: Iterable[str]) -> None:
        """Look all words up at once in each language: the start of a text takes the library longest."""
        if len(self._plain) > _MAX_CACHED:
            self._plain.clear()
        new = [word for word in words if len(word) > 1 and word.isalpha()]
        converted = {
            language: alpha2digit(_SEPARATOR.join(new), language, threshold=0).split(_SEPARATOR)
            for language in NUMBER_LANGUAGES
        }
        for place, word in enumerate(new):
            spoken = frozenset(
                language for language in NUMBER_LANGUAGES if any(map(str.isdigit, converted[language][place]))
            )
            if spoken := spoken - {"en"} if word.endswith("s") else spoken:
                self._numbers[word] = spoken
        self._plain.update(word for word in words if word not in self._numbers)


_VOCABULARY = _Vocabulary()


@lru_cache(maxsize=2048)
def distinct_words(text: str) -> frozenset[str]:
    """Return the words of a text in lower case."""
    return frozenset([word.strip(_SIGNS) for word in text.replace("-", " ").replace("/", " ").split()])


@lru_cache(maxsize=2048)
def find_spelled_numbers(text: str) -> tuple[SpelledNumber, ...]:
    """Return the numbers in words of a text in lower case, in the language of its function words."""
    words = distinct_words(text)
    numbers = _VOCABULARY.numbers(words)
    language = guess_number_language(words, frozenset().union(*numbers.values())) if numbers else ""
    number_words = [word for word, languages in numbers.items() if language in languages]
    return (
        tuple(chain.from_iterable(_read_numbers(text, run, language) for run in _find_runs(text, number_words)))
        if number_words
        else ()
    )


def _read_numbers(text: str, run: Sequence[tuple[int, int]], language: str) -> Iterator[SpelledNumber]:
    """Yield the numbers of a run; `a thousand` is one, `a few thousand` is none."""
    for number in find_numbers([_SpokenWord(text[start:end]) for start, end in run], language, 0):
        start = run[number.start][0]
        alone = number.end - number.start == 1 and number.value >= 100
        if not (alone and language == "en" and text[start - 2 : start] != "a "):
            yield SpelledNumber(number.value, number.is_ordinal, start, run[number.end - 1][1])


def _find_runs(text: str, numbers: Iterable[str]) -> list[list[tuple[int, int]]]:
    """Return the runs of number words, with the words that may stand inside a number."""
    runs: list[list[tuple[int, int]]] = []
    for start, end in sorted(place for word in numbers for place in _find_word(text, word)):
        between = text[runs[-1][-1][1] : start] if runs else ""
        if runs and len(between) <= _MAX_GAP and between.strip(_BLANK) in _JOINERS:
            if joint := between.strip(_BLANK):
                at = text.index(joint, runs[-1][-1][1])
                runs[-1].append((at, at + len(joint)))
            runs[-1].append((start, end))
        else:
            runs.append([(start, end)])
    return runs


def _find_word(text: str, word: str) -> Iterator[tuple[int, int]]:
    """Yield the spans where a word stands by itself."""
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            yield start, end
        start = text.find(word, end)


@lru_cache(maxsize=65536)
def is_number_word(word: str) -> bool:
    """Tell whether a word by itself is a number in English, and no ordinal."""
    return not word.endswith("s") and alpha2digit(word, "en", threshold=0).isdigit()


def guess_number_language(words: Set[str], preferred: Set[str] = frozenset()) -> str:
    """Return the language with the most function words; of several, English or one of `preferred`."""
    return max(
        NUMBER_LANGUAGES,
        key=lambda language: (len(words & _FUNCTION_WORDS[language]), language == "en", language in preferred),
    )


def parse_figure(digits: str, text: str, *, money: bool) -> float | None:
    """Parse a number in figures: `1,200`, `1.200,50`, `4,20`. Return None for `1.2.3` and `9:30`.

    `1.200` is twelve hundred where it is money, which nobody writes with three decimals, or in a language with a
    decimal comma."""
    if digits.isdigit():
        return float(digits)
    digits = _SPACES.sub("", digits)
    signs = [sign for sign in digits if not sign.isdigit()]
    if not signs:
        return float(digits)
    if ":" in signs:
        return None
    integer_part, last, decimals = digits.rpartition(signs[-1])
    if len(set(signs)) == 2:
        return (
            float(f"{re.sub('[.,]', '', integer_part)}.{decimals}")
            if last not in integer_part and _GROUPS.fullmatch(integer_part)
            else None
        )
    grouped = bool(_GROUPS.fullmatch(digits))
    if grouped and (last == "," or len(signs) > 1 or money or guess_number_language(distinct_words(text)) != "en"):
        return float(digits.replace(last, ""))
    if len(signs) > 1 or (last == "," and len(decimals) > 2):
        return None
    return float(f"{integer_part}.{decimals}")


def match_whole_words(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield matches that do not begin inside a word or a number."""
    for match in pattern.finditer(text):
        before = text[max(0, match.start() - 2) : match.start()]
        if not (before[-1:].isalnum() or (before[-1:] in ".,:" and before[:1].isdigit())):
            yield match
