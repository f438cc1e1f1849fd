"""An HTML page as a tree, and the helpers that the passes over it share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from lxml import etree

from adapters.files.decode import decode_text

HtmlElement = Any
"""Element of lxml, whose stubs lack slices, `clear(keep_tail=True)` and the text that `itertext` gives."""

LINE_BREAK = "\ufdd0"
"""Placeholder for a visible line end, until the text is put together."""
NOTE_START, NOTE_END = "\ufdd1", "\ufdd2"
"""Marks around the words of a note, behind the text that calls it."""
BLOCK_TAGS = frozenset(
    """address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3
    h4 h5 h6 header hgroup hr html legend li main menu ol p pre search section summary table ul caption colgroup thead
    tbody tfoot tr td th""".split()
)
HEADING_TAGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_REMOVED_CHARACTERS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]")
_INVALID_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w-]{2,40})""", re.IGNORECASE)
_WIDER_ENCODINGS = {
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
}
_WIDER_ENCODINGS |= {"shift_jis": "cp932", "euc-kr": "cp949", "ks_c_5601-1987": "cp949", "iso-8859-9": "cp1254"}
"""Encodings that browsers use under a narrower name."""
_HEAD = 4096


class HtmlTree:
    """The tree of a page, or of a fragment of one, with its elements by their attributes."""

    def __init__(self, text: str) -> None:
        parser = etree.HTMLParser(
            encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, no_network=True, recover=True
        )
        root = etree.fromstring(_REMOVED_CHARACTERS.sub("", text).encode(), parser) if text.strip() else None
        self.root = etree.Element("html") if root is None else root
        self.is_too_deep = any("depth" in error.message for error in parser.error_log)
        """True where it is nested too deeply to be read to its end."""
        self.unread: list[str] = []
        """Parts that were seen and could not be read."""
        self.notes: Any = None
        self.room = 4 * len(text) + 100_000
        """Characters that may still be examined to find out which parts are mostly links."""
        self._having: dict[str, list[HtmlElement]] = {}
        for element in self.root.iter():
            for name in element.keys():  # noqa: SIM118 - iterating an element gives its children
                self._having.setdefault(str(name), []).append(element)
        self._classes: dict[str, list[HtmlElement]] = {}
        for element in self._having.get("class", ()):
            self._classes.setdefault(element.get("class"), []).append(element)

    def with_attribute(self, *names: str) -> list[HtmlElement]:
        """Return the elements that still have one of the attributes."""
        return [element for name in names for element in self._having.get(name, ()) if element.get(name) is not None]

    def set_attribute(self, element: HtmlElement, name: str, value: str) -> None:
        """Set an attribute and index the element by it."""
        element.set(name, value)
        self._having.setdefault(name, []).append(element)

    def with_attribute_value(self, name: str, value: str) -> list[HtmlElement]:
        return [element for element in self.with_attribute(name) if element.get(name) == value]

    def with_class_matching(self, pattern: re.Pattern[str]) -> list[HtmlElement]:
        """Return the elements whose class matches `pattern`, which is searched once for each class."""
        names = [name for name in self._classes if pattern.search(name.lower())]
        return [element for name in names for element in self._classes[name] if element.get("class") == name]

    def with_class_containing(self, *parts: str) -> list[HtmlElement]:
        """Return the elements whose class contains one of `parts`."""
        return self.with_class_matching(re.compile("|".join(parts)))

    def in_document_order(self, elements: Iterable[HtmlElement]) -> list[HtmlElement]:
        wanted = set(elements)
        return (
            [element for element in self.root.iter(*{element.tag for element in wanted}) if element in wanted]
            if wanted
            else []
        )


def decode_html(content: bytes) -> str:
    """Decode a page: as UTF-8, else by its own declaration, else like other text. Raises Refused like `decode_text`."""
    declared = _DECLARED.search(content[:_HEAD])
    if declared:
        try:
            content.decode("utf-8")
        except UnicodeDecodeError:
            name = declared[1].decode().lower()
            try:
                return content.decode(_WIDER_ENCODINGS.get(name, name))
            except (LookupError, UnicodeDecodeError):
                pass
    return decode_text(content)


def remove_element(element: HtmlElement) -> None:
    """Remove `element`, and keep the text behind it. It is emptied in place, as moving that text takes time by its
    length."""
    element.clear(keep_tail=True)
    element.tag = "wbr"


def clear_element(element: HtmlElement) -> None:
    """Remove `element` like `remove_element`, but keep a cell as an empty cell."""
    cell = element.tag if element.tag in {"td", "th"} else ""
    remove_element(element)
    element.tag = cell or element.tag


def replace_with_text(element: HtmlElement, text: str) -> None:
    """Put `text` in the place of `element`."""
    remove_element(element)
    element.tag, element.text = "span", strip_invalid_chars(text)


def strip_invalid_chars(text: str) -> str:
    """Return `text` without characters that a page can name by number and a tree cannot hold."""
    return _INVALID_CHARACTERS.sub("", text)


def prepend_text(element: HtmlElement, text: str) -> None:
    """Put `text` before the text of `element`."""
    element.text = strip_invalid_chars(text + (element.text or ""))


def prepend_paragraph(text: str, holder: HtmlElement) -> None:
    """Put a paragraph first into `holder`, whose own first words follow it."""
    made = etree.Element("p")
    made.text, made.tail, holder.text = strip_invalid_chars(text), holder.text, None
    holder.insert(0, made)


def has_min_length(element: HtmlElement, size: int) -> bool:
    """Return whether the element holds at least `size` characters."""
    for text in element.itertext():
        size -= len(text) if not text.isspace() else 0
        if size <= 0:
            return True
    return False


def element_text(element: HtmlElement) -> str:
    return " ".join("".join(element.itertext()).split())


def is_mostly_links(element: HtmlElement) -> bool:
    links = sum(len(element_text(link)) for link in element.iter("a"))
    return links > 0 and 2 * links >= len(element_text(element))


def class_names(element: HtmlElement) -> str:
    return str(element.get("class") or "").lower()


def elements_containing(root: HtmlElement, tags: Iterable[str] = BLOCK_TAGS) -> set[HtmlElement]:
    """Return the elements that contain one of `tags` at any depth. Above a block only that block's own tags count."""
    holders: set[HtmlElement] = set()
    for element in root.iter(*tags):
        parent = element.getparent()
        while parent is not None and parent not in holders:
            holders.add(parent)
            if parent.tag in BLOCK_TAGS:
                break
            parent = parent.getparent()
    return holders
