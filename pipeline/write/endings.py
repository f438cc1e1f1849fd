"""Where a sentence of a model's text ends, told as early as it is certain, and how it is tidied."""

from __future__ import annotations

import re
import unicodedata

from pipeline.text import sentences
from pipeline.write.marks import MARK, OPENERS

_LONGEST = 2000
"""Characters after which a sentence without an end is ended."""
_ROOM = 1000
"""Characters beyond `_LONGEST` that settle whether an end before it is one."""
_CLOSERS = "\"'”’)*_»"
_STOP = re.compile(
    rf"(?P<marked>{MARK}[.!?。！？])|(?<![.!?…])[.!?…]++[{re.escape(_CLOSERS)}]*+(?=\s)|[。！？]+[」』”’）]*",
    re.IGNORECASE,
)
_TAIL = 16
"""Characters before a full stop that tell whether it ends a sentence, it and what closes behind it included."""
_NAMED = 100
"""Characters that a mark may have behind the `†` in it, at least: a full stop among them may turn out to be its own."""
_MARKS = re.compile(rf"(?:\s*{MARK})*\s*", re.IGNORECASE)
_LEADING = re.compile(rf"\s*{MARK}", re.IGNORECASE)


class Ending:
    """Finds where the first sentence of a line ends while the line grows; no full stop is judged twice."""

    def __init__(self) -> None:
        self._passed = 0
        """Before this, nothing ends a sentence."""

    def find(self, line: str, *, final: bool) -> int | None:
        """The end, its marks included; None when that cannot be said yet. `line` begins as it did the last time.

        `final` says that the line is whole: then None means that it is one sentence."""
        end = self._natural(line, final=final)
        if len(line) > _LONGEST + _ROOM and (end is None or end > _LONGEST):
            return max(line.rfind(" ", 1, _LONGEST), 0) or _LONGEST
        return end

    def _natural(self, line: str, *, final: bool) -> int | None:
        leading = _LEADING.match(line)
        for stop in _STOP.finditer(line, max(self._passed, leading.end() if leading else 0)):
            if stop["marked"]:
                return stop.end()
            if line[stop.start()] not in "。！？" and not _breaks(line[max(0, stop.end() - _TAIL) : stop.end()]):
                if "†" not in line[max(0, stop.start() - _NAMED) : stop.start()]:
                    self._passed = stop.end()
                continue
            end = stop.end() if leading else _marks_end(line, stop.end())
            unsure = end == len(line) or (line[end] in OPENERS and not _closed(line[end : end + 60]))
            return None if unsure and not final else end
        return None


def _marks_end(line: str, start: int) -> int:
    found = _MARKS.match(line, start)
    return found.end() if found else start


def _closed(piece: str) -> bool:
    return len(piece) == 60 or any(character in piece for character in "]］】〕)")


def _breaks(tail: str) -> bool:
    """Whether a sentence ends behind `tail`: not behind `e.g.`"""
    return sentences(f"{tail} X")[-1][0] == len(tail) + 1


def clean(text: str) -> str:
    """Without control characters, direction marks and the like; joiners inside words and emoji stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c for c in text if c in "\n\t\u200c\u200d" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co")
    )


def tidy(text: str) -> str:
    """Without a quotation mark or bracket left over at the start, or emphasis that does not close."""
    text = text.replace("<br>", " ").lstrip("".join(_CLOSERS[:5]) + ".!?,;。！？ ")
    for token in ("**", "__", "`"):
        if text.count(token) % 2:
            text = text.replace(token, "")
    return " ".join(text.split())
