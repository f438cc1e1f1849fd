"""Words of a question that no document holds: which are slips of what documents hold, or other forms of it.

In English the embedder knows which words there are. Of another language nobody here does: of 500 words of real pages in
German and Spanish that a library lacks, 77 were read as another that it has (`armas` as `ramas`), and `wann` as `wenn`
in every other question. Read as here about six are; for that, fewer slips are mended than 333 of 395 made by chance.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache

import Stemmer

from pipeline import ports
from pipeline.errors import CitewellError
from pipeline.find.rank import Ranker
from pipeline.read.asked import CODE
from pipeline.values import Correction
from pipeline.words.language import SMALL_WORDS, told
from pipeline.words.text import words

LONG = 8
"""Letters from which a word with one letter more, less or other is hardly a word of its own."""
_STEMMERS = {"de": "german", "fr": "french", "es": "spanish"}


async def understood(
    ranker: Ranker, tokenizer: ports.Tokenizer | None, query: str, missing: Sequence[str]
) -> tuple[Correction, ...]:
    """Of the words `missing` those that seem to be slips, and codes that documents write in another way. A word that is
    one token of `tokenizer` is none."""
    codes = [code for code in CODE.findall(query) if not set(words(code)).isdisjoint(missing)]
    if coded := codes and await ranker.similar([code.lower() for code in codes]):
        written = {code.lower(): coded[code.lower()][0] for code in codes if code.lower() in coded}
        capitals = {code.lower() for code in codes if code.isupper()}
        return tuple(Correction(word=one, meant=to.upper() if one in capitals else to) for one, to in written.items())
    language = told(query)
    small = SMALL_WORDS.get(language, frozenset())
    strange = [word for word in missing if word.isalpha() and len(word) > 3 and word not in small]
    if not strange:
        return ()
    found = await ranker.similar(strange)
    if language not in ("", "en"):
        found = {word: likely for word, near in found.items() if (likely := meant(word, near, language))}
    if found and tokenizer:
        with suppress(CitewellError):
            found = {word: near for word, near in found.items() if await asyncio.to_thread(tokenizer.count, word) > 1}
    return tuple(
        Correction(word=word, meant=near[0], others=tuple(near[1:]), form=is_form(word, near[0], language))
        for word, near in found.items()
    )


def meant(word: str, near: Sequence[str], language: str) -> list[str]:
    """Of the words `near` to one in `language`, not English, those that it stands for, best first: forms of the same
    word, or the nearest one where two letters are exchanged or a long word has one slip behind its first letter."""
    forms = [one for one in near if is_form(word, one, language)]
    return forms or [one for one in near[:1] if _slipped(word, one)]


def is_form(word: str, other: str, language: str) -> bool:
    """Whether both are forms of the same word: `Gletschern`, `Gletscher`."""
    return language in _STEMMERS and _stem(word, language) == _stem(other, language)


@lru_cache(maxsize=8192)
def _stem(word: str, language: str) -> str:
    return str(Stemmer.Stemmer(_STEMMERS[language]).stemWord(word))


def _slipped(word: str, other: str) -> bool:
    start = _alike(word, other)
    end = _alike(word[start:][::-1], other[start:][::-1])
    left, right = word[start : len(word) - end], other[start : len(other) - end]
    exchanged = len(left) == 2 and left == right[::-1]
    return start > 0 and (exchanged or (max(len(left), len(right)) == 1 and len(word) >= LONG))


def _alike(one: str, other: str) -> int:
    """How many letters both begin with."""
    different = (place for place, (left, right) in enumerate(zip(one, other, strict=False)) if left != right)
    return next(different, min(len(one), len(other)))
