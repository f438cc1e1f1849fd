"""A page of HTML as a tree, and what its passes over it share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from lxml import etree

from adapters.files.decode import decode

Element = Any
"""One of lxml, whose stubs lack slices, `clear(keep_tail=True)` and that `itertext` gives text."""

BREAK = "\ufdd0"
"""Stands for a line end that the page shows, until its text is put together."""
NOTE, NOTE_END = "\ufdd1", "\ufdd2"
"""Around the words of a note, behind the text that calls it."""
BLOCKS = frozenset(
    """address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3
    h4 h5 h6 header hgroup hr html legend li main menu ol p pre search section summary table ul caption colgroup thead
    tbody tfoot tr td th""".split()
)
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_UNWRITTEN = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]")
_NOT_HELD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w-]{2,40})""", re.IGNORECASE)
_WIDER = {"iso-8859-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}
_WIDER |= {"shift_jis": "cp932", "euc-kr": "cp949", "ks_c_5601-1987": "cp949", "iso-8859-9": "cp1254"}
"""What browsers read under a narrower name."""
_HEAD = 4096


class Tree:
    """The tree of a page, or of a fragment of one, with its elements by their attributes."""

    def __init__(self, text: str) -> None:
        parser = etree.HTMLParser(
            encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, no_network=True, recover=True
        )
        root = etree.fromstring(_UNWRITTEN.sub("", text).encode(), parser) if text.strip() else None
        self.root = etree.Element("html") if root is None else root
        self.deep = any("depth" in error.message for error in parser.error_log)
        """Whether it is nested too deeply to be read to its end."""
        self.unread: list[str] = []
        """What was seen and could not be read."""
        self.notes: Any = None
        self.room = 4 * len(text) + 100_000
        """Characters that may still be looked at to tell what is mostly links."""
        self._having: dict[str, list[Element]] = {}
        for element in self.root.iter():
            for name in element.keys():  # noqa: SIM118 - iterating an element gives its children
                self._having.setdefault(str(name), []).append(element)
        self._classes: dict[str, list[Element]] = {}
        for element in self._having.get("class", ()):
            self._classes.setdefault(element.get("class"), []).append(element)

    def having(self, *names: str) -> list[Element]:
        """Elements that still have an attribute."""
        return [one for name in names for one in self._having.get(name, ()) if one.get(name) is not None]

    def give(self, element: Element, name: str, value: str) -> None:
        """Set an attribute."""
        element.set(name, value)
        self._having.setdefault(name, []).append(element)

    def where(self, name: str, value: str) -> list[Element]:
        return [one for one in self.having(name) if one.get(name) == value]

    def classed(self, pattern: re.Pattern[str]) -> list[Element]:
        """Elements whose class has what `pattern` finds, which is asked once for each class."""
        names = [name for name in self._classes if pattern.search(name.lower())]
        return [one for name in names for one in self._classes[name] if one.get("class") == name]

    def with_class(self, *parts: str) -> list[Element]:
        """Elements with one of `parts` in their class, however it goes on."""
        return self.classed(re.compile("|".join(parts)))

    def in_order(self, elements: Iterable[Element]) -> list[Element]:
        wanted = set(elements)
        return [one for one in self.root.iter(*{one.tag for one in wanted}) if one in wanted] if wanted else []


def written(content: bytes) -> str:
    """The characters of a page: UTF-8, else as it says itself, else as other text. Raises Refused as `decode`."""
    named = _DECLARED.search(content[:_HEAD])
    if named:
        try:
            content.decode("utf-8")
        except UnicodeDecodeError:
            name = named[1].decode().lower()
            try:
                return content.decode(_WIDER.get(name, name))
            except (LookupError, UnicodeDecodeError):
                pass
    return decode(content)


def gone(element: Element) -> None:
    """Take `element` out, and leave the text behind it. In its place, as moving that text takes its length in time."""
    element.clear(keep_tail=True)
    element.tag = "wbr"


def emptied(element: Element) -> None:
    """As `gone`, but a cell stays one."""
    cell = element.tag if element.tag in {"td", "th"} else ""
    gone(element)
    element.tag = cell or element.tag


def say(element: Element, text: str) -> None:
    """Put `text` in the place of `element`."""
    gone(element)
    element.tag, element.text = "span", allowed(text)


def allowed(text: str) -> str:
    """`text` without what a page can name by number and a tree cannot hold."""
    return _NOT_HELD.sub("", text)


def led(element: Element, text: str) -> None:
    """Put `text` before what `element` says."""
    element.text = allowed(text + (element.text or ""))


def paragraph(text: str, holder: Element) -> None:
    """Put a paragraph first into `holder`, whose own first words follow it."""
    made = etree.Element("p")
    made.text, made.tail, holder.text = allowed(text), holder.text, None
    holder.insert(0, made)


def holds(element: Element, size: int) -> bool:
    """Whether it says at least as many characters."""
    for text in element.itertext():
        size -= len(text) if not text.isspace() else 0
        if size <= 0:
            return True
    return False


def text_of(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def mostly_links(element: Element) -> bool:
    links = sum(len(text_of(link)) for link in element.iter("a"))
    return links > 0 and 2 * links >= len(text_of(element))


def classes(element: Element) -> str:
    return str(element.get("class") or "").lower()


def holding(root: Element, tags: Iterable[str] = BLOCKS) -> set[Element]:
    """The elements that hold one of `tags`, however deep; above a block only that block's own say so."""
    holders: set[Element] = set()
    for element in root.iter(*tags):
        parent = element.getparent()
        while parent is not None and parent not in holders:
            holders.add(parent)
            if parent.tag in BLOCKS:
                break
            parent = parent.getparent()
    return holders
