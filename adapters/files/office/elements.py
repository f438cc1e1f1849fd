"""Elements and attributes by their names alone: their namespaces differ between editions of a format."""

from __future__ import annotations

from lxml import etree


def local(element: etree._Element) -> str:
    """The name of an element; empty for what is none, such as an entity."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: etree._Element, name: str) -> str:
    """An attribute; empty where there is none."""
    return next((str(value) for key, value in element.items() if str(key).rpartition("}")[2] == name), "")


def reference(element: etree._Element, name: str = "id") -> str:
    """The id of a relation that `element` names, beside which an id of its own may stand."""
    return next((str(value) for key, value in element.items() if str(key).endswith(f"}}{name}")), "")


def number(given: str | None, otherwise: int = 1, *, most: int = 1_000_000) -> int:
    """A count that an attribute claims, at most `most`."""
    return min(int(given), most) if given and given.isdecimal() and len(given) < 10 else otherwise
