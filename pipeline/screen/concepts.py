"""Text as a row of concepts, and patterns over it.

`Ignore all previous instructions` becomes the row `IGNORE ALL PREVIOUS RULES`, and so does its German or Spanish
form: one pattern, `IGNORE ~3 PREVIOUS ~3 RULES`, covers them, and matching it costs the same however many words
stand behind a concept.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence
from functools import cache

from pipeline.screen.lexicon import CONCEPTS, MARKERS, PHRASES
from pipeline.screen.views import fold

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[.!?;:\n|。！？]+")
_BREAK = "|"
_CODES = dict(zip(CONCEPTS, string.ascii_letters + string.digits, strict=False))
_LONG = 14
"""Letters from which an unknown word may be several written together."""
_MISSPELT = 6
"""Letters from which a marker is also known with a letter left out or two swapped."""


@cache
def _vocabulary() -> dict[str, str]:
    """Folded word -> the codes of its concepts, slips in the telling words included."""
    known: dict[str, str] = {}
    for concept, listed in CONCEPTS.items():
        for word in set(fold(listed).split()):
            known[word] = known.get(word, "") + _CODES[concept]
    for word in MARKERS.split():
        for slip in _slips(word):
            known.setdefault(slip, known.get(word, ""))
    return known


def _slips(word: str) -> Iterator[str]:
    if len(word) >= _MISSPELT:
        for i in range(1, len(word)):
            yield word[:i] + word[i + 1 :]
            yield word[: i - 1] + word[i] + word[i - 1] + word[i + 1 :]


@cache
def _phrases() -> tuple[re.Pattern[str], dict[str, str]]:
    words = {fold(phrase): word for phrase, word in PHRASES.items()}
    return re.compile("|".join(sorted(map(re.escape, words), key=len, reverse=True))), words


@cache
def _marker() -> re.Pattern[str]:
    return re.compile("|".join(sorted(MARKERS.split(), key=len, reverse=True)))


def tokens(folded: str) -> list[str]:
    """Words and sentence breaks of a folded text; telling words that are written together are taken apart."""
    phrase, words = _phrases()
    found = _TOKEN.findall(phrase.sub(lambda match: f" {words[match.group()]} ", folded))
    if all(len(word) < _LONG for word in found):
        return found
    known = _vocabulary()
    return [
        part
        for word in found
        for part in (_marker().sub(r" \g<0> ", word).split() if len(word) >= _LONG and word not in known else (word,))
    ]


def row(words: Sequence[str]) -> str:
    """The concepts of each word, a space after each; a sentence break is a token of its own."""
    known = _vocabulary().get
    codes = [known(word, "") if word[0].isalnum() else _BREAK for word in words]
    return f"{_BREAK} {' '.join(codes)} {_BREAK} "


def pattern(*alternatives: str) -> re.Pattern[str]:
    """Compile patterns such as `^ IGNORE ~4 PREVIOUS/ALL ~3 RULES`.

    A name is a word of that concept, `/` between names means either, `~4` allows up to four words between within
    the sentence, `~4-YOU` as many that are not of that concept, `^` is where a sentence begins, `$` where it ends."""
    return re.compile("|".join(map(_compile, alternatives)))


def _compile(alternative: str) -> str:
    built = ""
    for part in alternative.split():
        if part in "^$":
            built += r"\| "
        elif part.startswith("~"):
            most, _, barred = part[1:].partition("-")
            built += rf"(?:[^ |{_codes(barred)}]* ){{0,{most}}}"
        else:
            built += f"{'[^ |]*' if built else ''}[{_codes(part)}][^ |]* "
    return built


def _codes(names: str) -> str:
    return "".join(_CODES[name] for name in names.split("/") if name)
