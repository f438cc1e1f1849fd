"""Source numbers as models write them, and where a sentence ends that carries them.

`[1]`, `[1, 2]`, `[1-3]`, `[Source 1]`, `【1】`, `[^1]`, `(source 1)` are all read."""

from __future__ import annotations

import re
from collections.abc import Container

from pipeline.words.text import sentence_spans

_WORD = r"(?:(?:sources?|passages?|documents?|docs?|refs?|quellen?|fuentes?)[.:]?\s{0,2})"
_ITEM = rf"{_WORD}?[#^]?\d{{1,3}}(?:\s{{0,2}}[-–—‐]\s{{0,2}}[#^]?\d{{1,3}})?"
_AND = r"(?:\s{0,2}(?:[,;&/、，；]|\b(?:and|und|et|y|e)\b)\s{0,2}|\s{1,2})"
_LIST = rf"{_ITEM}(?:{_AND}{_ITEM}){{0,20}}"
CITATION_MARK = (
    rf"(?:[\[［【〔]\s{{0,2}}{_LIST}\s{{0,2}}(?:†[^\]】\n]{{0,80}})?[\]］】〕](?:\([^()\s]{{0,300}}\))?"
    rf"|\(\s{{0,2}}{_WORD}{_LIST}\s{{0,2}}\))"
)
"""Pattern of one mark; it matches nothing longer than a few hundred characters and never backtracks far."""
_OPENERS = "[［【〔("

_FIND = re.compile(rf"(?P<code>`+[^`\n]*`+)|(?P<mark>\s{{0,2}}{CITATION_MARK})", re.IGNORECASE)
_RANGE = re.compile(r"(\d{1,3})(?:\s{0,2}[-–—‐]\s{0,2}[#^]?(\d{1,3}))?")
_LOOSE = re.compile(r"(?<!\s)\s++(?=[.,;:!?…。，！？)])")
_OWN = re.compile(r"(\w+)[^\w\[]{0,3}\[(\d{1,3})\]")
_WORD_LENGTH = 40
_LAST_WORD = re.compile(r"(\w+)[^\w\[]{0,3}\Z")
_MORE = re.compile(r"\s*[\w\[【]|,\s*\w")
_WIDEST = 20
"""A wider range than this is read as its two ends."""
PassageMark = tuple[str, int]
"""A word, in lower case, and the number in brackets behind it."""


def find_passage_marks(text: str) -> set[PassageMark]:
    """The marks that a passage has of its own, each with the word before it."""
    return {(found[1].lower(), int(found[2])) for found in _OWN.finditer(text)} if "[" in text else set()


def split_marks(text: str, own: Container[PassageMark] = ()) -> tuple[str, tuple[int, ...]]:
    """`text` without its marks, and the numbers they name in order of appearance; inline code is left alone. A mark
    that a passage has of its `own` is none, where more follows: it stays, in parentheses."""
    numbers: dict[int, None] = {}

    def take(match: re.Match[str]) -> str:
        if match["code"]:
            return match["code"]
        before = _LAST_WORD.search(text, max(0, match.start() - _WORD_LENGTH), match.start())
        found = _numbers(match["mark"])
        if before and len(found) == 1 and (before[1].lower(), found[0]) in own and _MORE.match(text, match.end()):
            return f" ({found[0]})"
        numbers.update(dict.fromkeys(_numbers(match["mark"])))
        return ""

    cleaned = _FIND.sub(take, text)
    if numbers:
        cleaned = _LOOSE.sub("", cleaned)
    return cleaned.strip(), tuple(numbers)


def parse_number_cell(cell: str) -> tuple[int, ...]:
    """The numbers of a cell in a column of sources, with or without brackets."""
    return tuple(dict.fromkeys(_numbers(cell)))


def _numbers(mark: str) -> list[int]:
    named = mark.split("](")[0].split("†")[0]
    found: list[int] = []
    for first, last in _RANGE.findall(named):
        low, high = int(first), int(last or first)
        found.extend(range(low, high + 1) if 0 <= high - low <= _WIDEST else (low, high))
    return found


_LONGEST = 2000
"""Characters after which a sentence without an end is ended."""
_ROOM = 1000
"""Characters beyond `_LONGEST` that settle whether an end before it is one."""
_CLOSERS = "\"'”’)*_»"
_STOP = re.compile(
    rf"(?P<marked>{CITATION_MARK}[.!?。！？])|(?<![.!?…])[.!?…]++[{re.escape(_CLOSERS)}]*+(?=\s)|[。！？]+[」』”’）]*",
    re.IGNORECASE,
)
_TAIL = 16
"""Characters before a full stop that tell whether it ends a sentence, it and what closes behind it included."""
_NAMED = 100
"""Characters that a mark may have behind the `†` in it, at least: a full stop among them may turn out to be its own."""
_UNCLOSED = 60
"""Characters behind an opening bracket within which a mark closes."""
_MARKS = re.compile(rf"(?:\s*{CITATION_MARK})*\s*", re.IGNORECASE)
_LEADING = re.compile(rf"\s*{CITATION_MARK}", re.IGNORECASE)


class SentenceEndFinder:
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
            marks = _MARKS.match(line, stop.end())
            end = stop.end() if leading or not marks else marks.end()
            unsure = end == len(line) or (line[end] in _OPENERS and not _closed(line[end : end + _UNCLOSED]))
            return None if unsure and not final else end
        return None


def _closed(piece: str) -> bool:
    return len(piece) == _UNCLOSED or any(character in piece for character in "]］】〕)")


def _breaks(tail: str) -> bool:
    """Whether a sentence ends behind `tail`: not behind `e.g.`"""
    plain = tail.rstrip(_CLOSERS)
    return sentence_spans(f"{plain} X")[-1][0] == len(plain) + 1


def strip_unbalanced_markup(text: str) -> str:
    """Without a quotation mark or bracket left over at the start, or emphasis that does not close."""
    text = text.replace("<br>", " ").lstrip("".join(_CLOSERS[:5]) + ".!?,;。！？ ")
    for token in ("**", "__", "`"):
        if text.count(token) % 2:
            text = text.replace(token, "")
    return " ".join(text.split())
