"""The form of a question, by which a message without an address is told from a remark.

The figures are of tests/quality/overheard.jsonl, 200 asides and 100 questions without a mention, both halves.
"""

from __future__ import annotations

from pipeline.read.asked import read
from pipeline.words.text import sentences, words

_INTERROGATIVES = tuple(
    "what how when where who whom whose why which wer was wo wann wie warum welche welcher welches".split()
)
_OPENS = 2
"""Words at the beginning of a sentence of which one asks: `by when`, `for how long`."""
_SHORTEST = 4
"""Letters of an interrogative that is known with one missing or two exchanged: with `wich` and `waht` 97 questions of
100 are seen to be some, without 92."""


def questions(text: str) -> bool:
    """Whether a sentence of `text` has the form of a question: its mark, or a verb or an interrogative in front."""
    return any(_questions(text[start:end]) for start, end in sentences(text))


def _questions(sentence: str) -> bool:
    opening = [word.lower() for word in words(sentence)[:_OPENS]]
    return (
        sentence.rstrip(" )\"”'").endswith(("?", "？", "؟"))
        or read(sentence).whether
        or any(_meant(word, one) for word in opening for one in _INTERROGATIVES)
    )


def _meant(word: str, interrogative: str) -> bool:
    """Whether `word` is `interrogative`, written right, without one letter but the first, or with two exchanged."""
    if word == interrogative or len(interrogative) < _SHORTEST:
        return word == interrogative
    if len(word) == len(interrogative) - 1:
        return any(interrogative[:n] + interrogative[n + 1 :] == word for n in range(1, len(interrogative)))
    exchanged = sum(a != b for a, b in zip(word, interrogative, strict=False)) == 2
    return exchanged and len(word) == len(interrogative) and sorted(word) == sorted(interrogative)
