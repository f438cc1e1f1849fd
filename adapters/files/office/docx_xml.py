"""WordprocessingML as its readers see it: without what only wraps, is deleted, or is there twice."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

from lxml import etree

Element: TypeAlias = etree._Element  # noqa: SLF001 the one name that lxml has for it
_SPACES = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "cx": "http://schemas.microsoft.com/office/drawing/2014/chartex",
    "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
}
OFF = frozenset({"0", "false", "off", "none"})
_LONGEST_NUMBER = 9


@cache
def q(name: str) -> str:
    """`w:p` as lxml writes it."""
    space, _, local = name.partition(":")
    return f"{{{_SPACES[space]}}}{local}"


VALUE, ALTERNATE = q("w:val"), q("mc:AlternateContent")
_WRAPS = frozenset(map(q, "w:sdt w:sdtContent w:customXml w:smartTag w:ins w:moveTo w:fldSimple w:dir w:bdo".split()))
_GONE = frozenset(map(q, "w:del w:moveFrom".split()))


def children(element: Element) -> Iterator[Element]:
    """The children, those of content controls and insertions among them; of alternatives one; nothing that was
    deleted or moved away."""
    ahead = [iter(element)]
    while ahead:
        child = next(ahead[-1], None)
        if child is None:
            ahead.pop()
        elif child.tag in _WRAPS:
            ahead.append(iter(child))
        elif child.tag == ALTERNATE:
            ahead.append(iter(chosen(child)))
        elif child.tag not in _GONE:
            yield child


def chosen(alternate: Element) -> Element:
    """The first alternative that holds something."""
    return next((one for one in alternate if len(one)), alternate)


@cache
def _path(path: str) -> str:
    return "/".join(map(q, path.split("/")))


def value(parent: Element | None, path: str) -> str | None:
    """What `w:val` of a descendant says, by its path such as `w:pPr/w:pStyle`."""
    found = below(parent, path)
    return None if found is None else found.get(VALUE)


def below(parent: Element | None, path: str) -> Element | None:
    """The first descendant at `path`."""
    return None if parent is None else parent.find(_path(path))


def switch(properties: Element | None, name: str) -> bool | None:
    """Whether a property is on; None where nothing is said."""
    found = below(properties, name)
    return None if found is None else found.get(VALUE, "1").lower() not in OFF


def number(text: str | None, otherwise: int = 0) -> int:
    """What a file says is a number."""
    text = (text or "").strip()
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() and len(digits) <= _LONGEST_NUMBER else otherwise
