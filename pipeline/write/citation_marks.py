"""Source numbers in the marks that models write, and the end of a sentence that carries them.

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
_SPACE_BEFORE_STOP = re.compile(r"(?<!\s)\s++(?=[.,;:!?…。，！？)])")
_PASSAGE_MARK = re.compile(r"(\w+)[^\w\[]{0,3}\[(\d{1,3})\]")
_WORD_LENGTH = 40
_LAST_WORD = re.compile(r"(\w+)[^\w\[]{0,3}\Z")
_FOLLOWING_TEXT = re.compile(r"\s*[\w\[【]|,\s*\w")
_MAX_RANGE = 20
"""Width above which a range is read as its two ends."""
PassageMark = tuple[str, int]
"""A word, in lower case, and the number in brackets behind it."""


def find_passage_marks(text: str) -> set[PassageMark]:
    """Return the marks that a passage has of its own, each with the word before it."""
    return {(match[1].lower(), int(match[2])) for match in _PASSAGE_MARK.finditer(text)} if "[" in text else set()


def split_marks(text: str, passage_marks: Container[PassageMark] = ()) -> tuple[str, tuple[int, ...]]:
    """Return `text` without its marks, and the numbers in them in order of appearance.

    Inline code is left alone. A mark that a passage has of its `own` is no citation where more text follows: it stays,
    in parentheses."""
    numbers: dict[int, None] = {}

    def take(match: re.Match[str]) -> str:
        if match["code"]:
            return match["code"]
        preceding = _LAST_WORD.search(text, max(0, match.start() - _WORD_LENGTH), match.start())
        marked = _parse_numbers(match["mark"])
        if (
            preceding
            and len(marked) == 1
            and (preceding[1].lower(), marked[0]) in passage_marks
            and _FOLLOWING_TEXT.match(text, match.end())
        ):
            return f" ({marked[0]})"
        numbers.update(dict.fromkeys(_parse_numbers(match["mark"])))
        return ""

    cleaned = _FIND.sub(take, text)
    if numbers:
        cleaned = _SPACE_BEFORE_STOP.sub("", cleaned)
    return cleaned.strip(), tuple(numbers)


def parse_number_cell(cell: str) -> tuple[int, ...]:
    """Return the numbers of a cell in a column of sources, with or without brackets."""
    return tuple(dict.fromkeys(_parse_numbers(cell)))


def _parse_numbers(mark: str) -> list[int]:
    body = mark.split("](")[0].split("†")[0]
    numbers: list[int] = []
    for first, last in _RANGE.findall(body):
        start, stop = int(first), int(last or first)
        numbers.extend(range(start, stop + 1) if 0 <= stop - start <= _MAX_RANGE else (start, stop))
    return numbers


_MAX_SENTENCE = 2000
"""Maximum length in characters of a sentence without an end."""
_LOOKAHEAD = 1000
"""Characters beyond `_MAX_SENTENCE` that are awaited to settle whether a full stop before it is an end."""
_CLOSERS = "\"'”’)*_»"
_STOP = re.compile(
    rf"(?P<marked>{CITATION_MARK}[.!?。！？])|(?<![.!?…])[.!?…]++[{re.escape(_CLOSERS)}]*+(?=\s)|[。！？]+[」』”’）]*",
    re.IGNORECASE,
)
_TAIL = 16
"""Characters up to a full stop and its closing marks by which it is judged."""
_MARK_NAME = 100
"""Minimum number of characters of a mark behind the `†` in it: a full stop among them may turn out to be its own."""
_MARK_REACH = 60
"""Characters behind an opening bracket within which a mark closes."""
_MARKS = re.compile(rf"(?:\s*{CITATION_MARK})*\s*", re.IGNORECASE)
_LEADING = re.compile(rf"\s*{CITATION_MARK}", re.IGNORECASE)


class SentenceEndFinder:
    """A finder of the end of the first sentence of a growing line; it judges no full stop twice."""

    def __init__(self) -> None:
        self._judged = 0
        """Offset before which no sentence ends."""

    def find(self, line: str, *, final: bool) -> int | None:
        """Return the end of the sentence, its marks included; None while it is undecided.

        `line` begins as it did at the call before. With `final` the line is complete, and None means that it is one
        sentence."""
        end = self._find_end(line, final=final)
        if len(line) > _MAX_SENTENCE + _LOOKAHEAD and (end is None or end > _MAX_SENTENCE):
            return max(line.rfind(" ", 1, _MAX_SENTENCE), 0) or _MAX_SENTENCE
        return end

    def _find_end(self, line: str, *, final: bool) -> int | None:
        leading = _LEADING.match(line)
        for stop in _STOP.finditer(line, max(self._judged, leading.end() if leading else 0)):
            if stop["marked"]:
                return stop.end()
            if line[stop.start()] not in "。！？" and not _ends_sentence(line[max(0, stop.end() - _TAIL) : stop.end()]):
                if "†" not in line[max(0, stop.start() - _MARK_NAME) : stop.start()]:
                    self._judged = stop.end()
                continue
            marks = _MARKS.match(line, stop.end())
            end = stop.end() if leading or not marks else marks.end()
            unsure = end == len(line) or (line[end] in _OPENERS and not _is_closed(line[end : end + _MARK_REACH]))
            return None if unsure and not final else end
        return None


def _is_closed(piece: str) -> bool:
    return len(piece) == _MARK_REACH or any(character in piece for character in "]］】〕)")


def _ends_sentence(tail: str) -> bool:
    """Tell whether a sentence ends behind `tail`: not behind `e.g.`"""
    plain = tail.rstrip(_CLOSERS)
    return sentence_spans(f"{plain} X")[-1][0] == len(plain) + 1


def strip_unbalanced_markup(text: str) -> str:
    """Return the text without an unmatched quotation mark or bracket at the start, or emphasis that does not close."""
    text = text.replace("<br>", " ").lstrip("".join(_CLOSERS[:5]) + ".!?,;。！？ ")
    for token in ("**", "__", "`"):
        if text.count(token) % 2:
            text = text.replace(token, "")
    return " ".join(text.split())
