"""Our own texts in the languages we speak: English in the code, the others in gettext catalogues beside it."""

from __future__ import annotations

import gettext
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, NewType

LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español", "ja": "日本語"}
"""Languages we speak, by their own names; all but English have a catalogue."""
CATALOGUE_DIR = Path(__file__).parent / "locale"
DOMAIN = "citewell"

TranslatableText = NewType("TranslatableText", str)
"""An English text of ours, by which the catalogues know it. `make words` finds it by this name."""


class PluralText(NamedTuple):
    """A text that depends on `{number}`."""

    one: str
    many: str


@dataclass(frozen=True)
class Translator:
    """Translates our texts to one of LANGUAGES: `words(wording.BUSY)`."""

    language: str = "en"

    def __call__(self, message: TranslatableText, **fields: Any) -> str:
        """Return `message` in this language, with its `{fields}` filled in."""
        return _catalogue(self.language).gettext(message).format(**fields)

    def pluralize(self, plural: PluralText, number: int, **fields: Any) -> str:
        """Return the form of `plural` that `number` takes in this language."""
        return _catalogue(self.language).ngettext(*plural, number).format(number=number, **fields)


ENGLISH_TRANSLATOR = Translator()


@lru_cache(maxsize=len(LANGUAGES))
def _catalogue(language: str) -> gettext.NullTranslations:
    if language == ENGLISH_TRANSLATOR.language:
        return gettext.NullTranslations()
    return gettext.translation(DOMAIN, CATALOGUE_DIR, [language])
