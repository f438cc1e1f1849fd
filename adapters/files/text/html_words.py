"""The words of a line of HTML, with what its links lead to and what is code in it."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urljoin

from lxml import etree

from adapters.files.inline import noted
from adapters.files.text.html_tree import BLOCKS, BREAK, NOTE, NOTE_END, Element
from pipeline.values import Link

_CODE = ("code", "kbd", "samp", "tt")
MARKED = ("a", *_CODE)
_NOTE = re.compile(f"{NOTE}([^{NOTE_END}]*){NOTE_END}")
_MEANT = frozenset({*MARKED, "ol", "a"})
"""Elements that say something themselves."""
_BETWEEN = {"td": ",", "th": ",", "tr": ";", "li": ";", "dd": ";"}
"""What stands between such parts of a cell."""
_ENDS = ",;:.!?"
_SENTENCE = 400
"""Characters before a note that tell where its sentence ends."""


class Shape(NamedTuple):
    """What is known of a page before its words are read."""

    base: str
    """The address that its links are relative to."""
    holders: set[Element]
    """The elements that hold blocks."""
    marked: set[Element]
    """Those that hold links or code."""


class Words:
    """Text that is shown on one line, as it is collected."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._parts: list[str] = []
        self.links: list[Link] = []
        self.code: list[str] = []

    def say(self, text: str | None) -> None:
        if text:
            self._parts.append(text)

    def add(self, element: Element) -> None:
        """What `element` says; blocks in it stand apart."""
        while len(element) == 1 and element.tag not in _MEANT:
            inner = element[0]
            if (element.text or "").strip() or (inner.tail or "").strip():
                break
            element = inner
        if not len(element):
            self.say(element.text)
            if element.tag in MARKED:
                self._mark(element)
            return
        if element in self._shape.holders:
            self._apart(element)
        else:
            self._parts.extend(element.itertext())
        if element.tag in MARKED or element in self._shape.marked or element in self._shape.holders:
            for marked in element.iter(*MARKED):
                self._mark(marked)

    @property
    def text(self) -> str:
        text = " ".join("".join(self._parts).split()) if self._parts else ""
        if NOTE in text:
            text = with_notes(text)
        return text.replace(BREAK, "\n") if BREAK in text else text

    def _mark(self, element: Element) -> None:
        if element.tag in _CODE:
            self.code.append(_plain(element))
        elif (url := element.get("href")) is not None:
            self.links.append(Link(text=_plain(element), url=_resolved(self._shape.base, url)))

    def _apart(self, element: Element) -> None:
        """The text of `element` with the blocks in it apart: cells of a table by a comma, rows and entries of a list by
        a semicolon, steps with their numbers."""
        for event, inner in etree.iterwalk(element, events=("start", "end")):
            block = inner is not element and inner.tag in BLOCKS
            if event == "end":
                if block:
                    self._between(inner.tag if _goes_on(inner) else "")
                self.say(inner.tail if inner is not element else None)
                continue
            if block:
                self.say(" ")
                if inner.tag == "li" and (parent := inner.getparent()).tag == "ol":
                    self.say(f"{parent.index(inner) + 1}. ")
            self.say(inner.text)

    def _between(self, tag: str) -> None:
        mark = _BETWEEN.get(tag, "")
        while mark and self._parts and not self._parts[-1].strip():
            self._parts.pop()
        if mark and self._parts:
            self._parts[-1] = self._parts[-1].rstrip()
            empty = self._parts[-1][-1] in _ENDS
            mark = mark if not empty else " ," if mark == "," else ""
        self._parts.append(f"{mark} ")


def _goes_on(block: Element) -> bool:
    """Whether another cell, row or entry follows."""
    following = block.getnext()
    if following is None and block.tag == "tr" and block.getparent().tag in {"thead", "tbody"}:
        following = block.getparent().getnext()
    return following is not None and following.tag != "caption"


def with_notes(text: str) -> str:
    """`text` with each note within its sentence."""
    parts: list[str] = []
    before = ""
    for place, piece in enumerate(_NOTE.split(text)):
        if place % 2:
            parts.append(before[:-_SENTENCE])
            before = noted(before[-_SENTENCE:], piece)
        else:
            before += piece
    return "".join([*parts, before])


def _plain(element: Element) -> str:
    text = "".join(element.itertext()) if len(element) else element.text or ""
    return _NOTE.sub("", text).replace(BREAK, " ") if NOTE in text or BREAK in text else text


def _resolved(base: str, url: str) -> str:
    if not base:
        return url.strip()
    try:
        return urljoin(base, url.strip())
    except ValueError:
        return ""
