"""The text behind cheap disguises; stored text is never changed."""

from __future__ import annotations

import base64
import re
import unicodedata

_REGION_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e007a]{2,6}\U000e007f")
"""The flag of a part of a country (England, Scotland): the one honest use of tag characters."""
_TAGS = re.compile("[\U000e0020-\U000e007e]+")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e01ef]+"
)
"""Controls, soft hyphen, fillers, zero-width and bidirectional marks, tags, variation selectors."""
_STACKED = re.compile(r"([^\w\s\x00-\x7f]{30})[^\w\s\x00-\x7f]+")
"""More marks on a letter than Unicode's Stream-Safe Text Format (UAX 15) allows: putting them into their canonical
order takes time quadratic in how many follow each other."""
_HALF_WIDTH = {0xFF9E: None, 0xFF9F: None}
"""Voicing marks, which are combining marks only once they are normalised."""
_MARKS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f]+")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")


def fold(text: str) -> str:
    """Lower case without invisible characters and accents; compatibility forms made plain."""
    if text.isascii():
        return text.lower()
    text = _STACKED.sub(r"\1", _INVISIBLE.sub("", text).translate(_HALF_WIDTH))
    return _MARKS.sub("", unicodedata.normalize("NFKD", text)).lower().replace("’", "'")


def hidden(text: str) -> str:
    """Folded, a line each: what is written in tag characters, and the readable texts in base64."""
    found = []
    if not text.isascii():
        runs = _TAGS.findall(_REGION_FLAG.sub("", text))
        found.append("".join(chr(ord(tag) - 0xE0000) for run in runs for tag in run))
    found += (_decoded(run) for run in _BASE64.findall(text))
    return "\n".join(fold(line) for line in found if line)


def _decoded(run: str) -> str:
    run = run.rstrip("=")
    try:
        plain = base64.b64decode(run + "=" * (-len(run) % 4)).decode("utf-8")
    except ValueError:
        return ""
    return plain if plain.isprintable() else ""
