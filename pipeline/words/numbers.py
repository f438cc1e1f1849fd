"""Numbers as people write them: in words of eight languages, and in figures with either decimal sign."""

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
_SMALL = {"en": FUNCTION_WORDS["en"]} | FUNCTION_WORDS | {"da": _DANISH}
NUMBER_LANGUAGES = tuple(_SMALL)
"""Languages whose number words are known."""
_INSIDE = frozenset(("", *"and point und komma et virgule y coma e vírgula virgola en og".split()))
"""What stands inside of a number: `two hundred and fifty`."""
_BLANK = " \t\u00a0-"
_LONGEST = 12
"""Characters between two words of one number."""
_SIGNS = ".,;:!?()[]{}\"'*|–—’“”„…"
_SPACES = re.compile("['’\u00a0\u202f\u2009]")
_GROUPS = re.compile(r"[1-9][0-9]{0,2}(?:([.,])[0-9]{3})(?:\1[0-9]{3})*")
_APART = " . "
_MOST = 100_000
"""Words that are remembered."""


class SpelledNumber(NamedTuple):
    """A number in words."""

    value: float
    ordinal: bool
    start: int
    end: int


class _Spoken:
    """A word as the library asks for it."""

    def __init__(self, word: str) -> None:
        self._word = word

    def text(self) -> str:
        return self._word

    def nt_separated(self, previous: _Spoken) -> bool:
        return False

    def not_a_number_part(self) -> bool:
        return False


class _Vocabulary:
    """Which words are numbers in which languages, as far as they were looked at."""

    def __init__(self) -> None:
        self._numbers: dict[str, frozenset[str]] = {}
        self._plain: set[str] = set()

    def numbers(self, words: Set[str]) -> dict[str, frozenset[str]]:
        """Those of the words that are numbers; `hundreds` and `the ones` are none."""
        found = words - self._plain
        if new := found - self._numbers.keys():
            self._learn(new)
            found -= self._plain
        return {word: self._numbers.get(word, frozenset()) for word in found}

    def _learn(self, words: Iterable[str]) -> None:
        """Reads all of them at once in each language: beginning to read one takes the library longest."""
        if len(self._plain) > _MOST:
            self._plain.clear()
        new = [word for word in words if len(word) > 1 and word.isalpha()]
        read = {
            language: alpha2digit(_APART.join(new), language, threshold=0).split(_APART)
            for language in NUMBER_LANGUAGES
        }
        for place, word in enumerate(new):
            spoken = frozenset(
                language for language in NUMBER_LANGUAGES if any(map(str.isdigit, read[language][place]))
            )
            if spoken := spoken - {"en"} if word.endswith("s") else spoken:
                self._numbers[word] = spoken
        self._plain.update(word for word in words if word not in self._numbers)


_VOCABULARY = _Vocabulary()


@lru_cache(maxsize=2048)
def distinct_words(text: str) -> frozenset[str]:
    """The words of a text in lower case."""
    return frozenset([word.strip(_SIGNS) for word in text.replace("-", " ").replace("/", " ").split()])


@lru_cache(maxsize=2048)
def find_spelled_numbers(text: str) -> tuple[SpelledNumber, ...]:
    """The numbers in words of a text in lower case, in the language that its small words tell."""
    words = distinct_words(text)
    numbers = _VOCABULARY.numbers(words)
    language = guess_number_language(words, frozenset().union(*numbers.values())) if numbers else ""
    here = [word for word, languages in numbers.items() if language in languages]
    return tuple(chain.from_iterable(_read(text, run, language) for run in _runs(text, here))) if here else ()


def _read(text: str, run: Sequence[tuple[int, int]], language: str) -> Iterator[SpelledNumber]:
    """The numbers of a run; `a thousand` is one, `a few thousand` is none."""
    for found in find_numbers([_Spoken(text[start:end]) for start, end in run], language, 0):
        start = run[found.start][0]
        alone = found.end - found.start == 1 and found.value >= 100
        if not (alone and language == "en" and text[start - 2 : start] != "a "):
            yield SpelledNumber(found.value, found.is_ordinal, start, run[found.end - 1][1])


def _runs(text: str, numbers: Iterable[str]) -> list[list[tuple[int, int]]]:
    """Where the words of numbers stand in a row, with what may stand inside of a number."""
    runs: list[list[tuple[int, int]]] = []
    for start, end in sorted(place for word in numbers for place in _places(text, word)):
        between = text[runs[-1][-1][1] : start] if runs else ""
        if runs and len(between) <= _LONGEST and between.strip(_BLANK) in _INSIDE:
            if joint := between.strip(_BLANK):
                at = text.index(joint, runs[-1][-1][1])
                runs[-1].append((at, at + len(joint)))
            runs[-1].append((start, end))
        else:
            runs.append([(start, end)])
    return runs


def _places(text: str, word: str) -> Iterator[tuple[int, int]]:
    """Where a word stands by itself."""
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            yield start, end
        start = text.find(word, end)


@lru_cache(maxsize=65536)
def is_number_word(word: str) -> bool:
    """Whether a word by itself is a number in English, and no ordinal."""
    return not word.endswith("s") and alpha2digit(word, "en", threshold=0).isdigit()


def guess_number_language(words: Set[str], rather: Set[str] = frozenset()) -> str:
    """The language of which most small words are there; where several have as many, English or one of `rather`."""
    return max(
        NUMBER_LANGUAGES, key=lambda language: (len(words & _SMALL[language]), language == "en", language in rather)
    )


def parse_figure(digits: str, text: str, *, money: bool) -> float | None:
    """What figures of a text are worth: `1,200`, `1.200,50`, `4,20`; none for `1.2.3` and `9:30`.

    `1.200` is twelve hundred where it is money, of which nobody writes three decimals, or in a language that writes
    the comma before decimals."""
    if digits.isdigit():
        return float(digits)
    digits = _SPACES.sub("", digits)
    signs = [sign for sign in digits if not sign.isdigit()]
    if not signs:
        return float(digits)
    if ":" in signs:
        return None
    whole, last, rest = digits.rpartition(signs[-1])
    if len(set(signs)) == 2:
        return float(f"{re.sub('[.,]', '', whole)}.{rest}") if last not in whole and _GROUPS.fullmatch(whole) else None
    grouped = bool(_GROUPS.fullmatch(digits))
    if grouped and (last == "," or len(signs) > 1 or money or guess_number_language(distinct_words(text)) != "en"):
        return float(digits.replace(last, ""))
    if len(signs) > 1 or (last == "," and len(rest) > 2):
        return None
    return float(f"{whole}.{rest}")


def match_whole_words(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Matches that do not begin inside a word or a number."""
    for match in pattern.finditer(text):
        before = text[max(0, match.start() - 2) : match.start()]
        if not (before[-1:].isalnum() or (before[-1:] in ".,:" and before[:1].isdigit())):
            yield match
