"""Which words of a text are ours and English: what a person who speaks another language must not meet."""

from __future__ import annotations

import re
from functools import cache

from babel.messages.pofile import read_po

from pipeline.translations import CATALOGUE_DIR, DOMAIN

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FIELD = re.compile(r"\{\w+\}|`[^`]*`|\*Answer this message\*")
"""What is no word of a sentence: fields, commands, and the one name that Slack cannot show in other languages."""


def left_in_english(shown: str, language: str, *foreign: str) -> set[str]:
    """Words of `shown` that our sentences have in English alone; not those of `foreign` (questions, documents)."""
    english, own = _ours(language)
    return _words(shown) & english - own - _words(" ".join(foreign))


@cache
def _ours(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of all our sentences in English, and in `language`."""
    with (CATALOGUE_DIR / language / "LC_MESSAGES" / f"{DOMAIN}.po").open("rb") as file:
        messages = [message for message in read_po(file, locale=language) if message.id]
    english, own = (
        frozenset(
            word for text in texts for form in ((text,) if isinstance(text, str) else text) for word in _words(form)
        )
        for texts in ([message.id for message in messages], [message.string for message in messages])
    )
    return english, own


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(_FIELD.sub(" ", text))}
