"""The text behind its disguises.

Stored text is never changed: views are what the screen reads. Each is made only where something in the text asks
for it, in time linear in the text.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from typing import Literal
from urllib.parse import unquote

from pipeline.screen.confusables import folding

_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_MARKS = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u093c\u094d\u0951-\u0954"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\u3099\u309a\ufe20-\ufe2f]+"
)
"""Combining marks: what is stacked on letters to disguise them."""
_HALF_WIDTH = {0xFF9E: 0x3099, 0xFF9F: 0x309A}
"""Voicing marks, which are combining marks only once they are normalised."""
_STACKED = re.compile(r"[^\w\s\x00-\x7f]{32,}")
_HIGHEST = 30
"""Combining marks on one letter that are read; Unicode's Stream-Safe Text Format (UAX 15) allows no more. Putting marks
into their canonical order takes time quadratic in how many follow each other."""
_REGION_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e007a]{2,6}\U000e007f")
"""The flag of a part of a country (England, Scotland): the one honest use of tag characters."""
_TAGS = re.compile("[\U000e0020-\U000e007e]{4,}")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_DIGITS = re.compile(r"&#0*+(?=\d)|(?<=&#)\d{8,}")
"""What a numeric HTML entity has beyond its value, and a value that no character has."""
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
_LEET = str.maketrans("013457@$!+€|", "oieastasitei")
_ONE_AS_L = str.maketrans("1|", "ll")
_MIXED = re.compile(r"[a-z][0-9@$!+€|]+[a-z]|(?<!\w)[0-9@$!|]{1,32}[a-z]{2}")
_LEET_WORDS = 2
"""Words with digits in them from which they may stand for letters."""
_SPACED = re.compile(r"(?<!\w)\w(?:[^\w\n]{1,6}\w(?!\w)){6,}")
_WIDE_GAP = re.compile(r"[^\w\n]{3,}")


def fold(text: str) -> str:
    """Lower case without invisible characters, marks or lookalikes; compatibility forms made plain."""
    if text.isascii():
        return text.lower()
    capitals = _plain(_normal("NFKC", text.translate(_HALF_WIDTH)))
    return _plain(_MARKS.sub("", _normal("NFD", capitals)).lower())


def _normal(form: Literal["NFKC", "NFD"], text: str) -> str:
    return unicodedata.normalize(form, _STACKED.sub(_lowered, text))


def _lowered(run: re.Match[str]) -> str:
    """`run` with at most `_HIGHEST` marks on each character."""
    kept: list[str] = []
    height = 0
    for character in run.group():
        marked = unicodedata.combining(unicodedata.normalize("NFKD", character)[0])
        height = height + 1 if marked else 0
        if height <= _HIGHEST:
            kept.append(character)
    return "".join(kept)


def _plain(text: str) -> str:
    return _FOREIGN.sub(lambda run: run.group().translate(folding()), text)


def unescape(text: str) -> str:
    """HTML entities, percent-encoding and backslash escapes resolved."""
    if "&" in text:
        text = html.unescape(_DIGITS.sub(_short_reference, text))
    if "%" in text:
        text = unquote(text)
    if "\\" in text:
        text = _ESCAPED.sub(lambda found: chr(int(found.group(1) or found.group(2), 16)), text)
    return text


def _short_reference(found: re.Match[str]) -> str:
    return "&#" if found.group().startswith("&") else "9999999"


def hidden(text: str) -> str:
    """What is written in tag characters or in variation selectors, which no reader sees."""
    if text.isascii():
        return ""
    runs = _TAGS.findall(_REGION_FLAG.sub("", text))
    tagged = "".join(chr(ord(c) - 0xE0000) for run in runs for c in run)
    selected = b"".join(bytes(map(_selected_byte, run)) for run in _SELECTORS.findall(text))
    return f"{tagged} {selected.decode('utf-8', 'ignore')}".strip()


def _selected_byte(selector: str) -> int:
    code = ord(selector)
    return code - 0xFE00 if code < 0xE0000 else code - 0xE0100 + 16


def unleeted(folded: str) -> Iterator[str]:
    """Digits and signs inside words read as the letters they resemble; `1` both as i and as l."""
    if len(_MIXED.findall(folded)) >= _LEET_WORDS:
        yield folded.translate(_LEET)
        if "1" in folded or "|" in folded:
            yield folded.translate(_ONE_AS_L).translate(_LEET)


def unspaced(folded: str) -> Iterator[str]:
    """Runs of single letters pulled together; wider gaps, where there are any, stay word ends."""
    for run in _SPACED.findall(folded):
        yield " ".join(re.sub(r"\W+", "", word) for word in _WIDE_GAP.split(run))
