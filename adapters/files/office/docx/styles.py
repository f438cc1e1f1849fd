"""Styles of a Word document: what a paragraph is, and which runs are hidden, struck, raised or lowered."""

from __future__ import annotations

import re
from functools import reduce
from typing import NamedTuple

from adapters.files.office.docx_xml import OFF, VALUE, Element, below, number, q, value
from adapters.files.office.package import local
from adapters.files.office.runs import LOWERED, RAISED

_HEADING = re.compile(r"heading ?([1-9])")
_CODE = re.compile(
    r"(?:source ?)?code(?: ?block)?|html ?preformatted|preformatted(?: text)?|verbatim|macro text|listing|code listing"
)
_LISTED = re.compile(r"list ?(bullet|number) ?([1-9])?")
_MOST_ANCESTORS = 10
_MARKING = frozenset("vanish strike dstrike vertAlign position rFonts b sz".split())
_MOVED = 4
"""Half points that a raised or lowered run is moved by at least."""
_SMALLEST = 20
_SCRIPTS = {"superscript": RAISED, "subscript": LOWERED}


class Marks(NamedTuple):
    """None where nothing is said."""

    hidden: bool | None = None
    struck: bool | None = None
    script: str | None = None
    """RAISED or LOWERED, empty on the line."""
    font: str | None = None
    bold: bool | None = None
    size: int | None = None
    """In half points."""

    def over(self, under: Marks) -> Marks:
        """These, and what they leave open as in `under`."""
        if under is _NONE or self is _NONE:
            return under if self is _NONE else self
        return Marks._make(there if here is None else here for here, there in zip(self, under, strict=True))


_NONE = Marks()


class Style(NamedTuple):
    """A paragraph style with all that it is based on."""

    title: bool = False
    level: int = 0
    """Of a heading, by its name."""
    outline: int = 0
    """The same, by what it says of outlines."""
    code: bool = False
    listed: str = ""
    """`bullet` or `number` where its name makes it an entry of a list."""
    depth: int = 0
    """Of that entry."""
    list_id: str = ""
    list_level: int | None = None
    ids: tuple[str, ...] = ()
    """Its id and those of the styles that it is based on."""
    indent: int | None = None
    marks: Marks = _NONE


class Styles:
    def __init__(self, root: Element | None) -> None:
        self._elements: dict[str, Element] = {}
        self._default = ""
        for style in () if root is None else root.iterchildren(q("w:style")):
            self._elements[style.get(q("w:styleId"), "")] = style
            if style.get(q("w:type")) == "paragraph" and style.get(q("w:default")) in {"1", "true", "on"}:
                self._default = style.get(q("w:styleId"), "")
        self._known: dict[str, Style] = {}
        size = number(value(below(root, "w:docDefaults/w:rPrDefault/w:rPr"), "w:sz"), _SMALLEST)
        self.size = self.of(None).marks.size or size
        """Of the letters of text."""

    def of(self, properties: Element | None) -> Style:
        """That of a paragraph with these properties."""
        return self._named(value(properties, "w:pStyle") or self._default)

    def marks(self, properties: Element | None, around: Marks) -> Marks:
        """Those of a run with these properties in a paragraph with those marks."""
        if properties is None:
            return around
        name = value(properties, "w:rStyle")
        return _marks(properties).over(self._named(name).marks if name else _NONE).over(around)

    def numbering(self, name: str) -> str:
        """The list that a numbering style names."""
        return value(self._elements.get(name), "w:pPr/w:numPr/w:numId") or ""

    def _named(self, name: str) -> Style:
        if name not in self._known:
            self._known[name] = self._read(name)
        return self._known[name]

    def _read(self, name: str) -> Style:
        chain: list[Element] = []
        above = name
        while above in self._elements and len(chain) < _MOST_ANCESTORS:
            chain.append(self._elements[above])
            above = value(chain[-1], "w:basedOn") or ""

        def said(path: str) -> str | None:
            return next((found for style in chain if (found := value(style, path)) is not None), None)

        names = [(value(style, "w:name") or "").lower() for style in chain] or [name.lower()]
        listed = next(filter(None, map(_LISTED.fullmatch, names)), None)
        level = said("w:pPr/w:numPr/w:ilvl")
        return Style(
            title="title" in names,
            level=next((int(found[1]) for found in map(_HEADING.fullmatch, names) if found), 0),
            outline=outline_level(said("w:pPr/w:outlineLvl")),
            code=any(map(_CODE.fullmatch, names)),
            listed=listed[1] if listed else "",
            depth=int(listed[2] or 1) - 1 if listed else 0,
            list_id=said("w:pPr/w:numPr/w:numId") or "",
            list_level=number(level) if level else None,
            ids=tuple(style.get(q("w:styleId"), "") for style in chain),
            indent=next((far for one in chain if (far := indent(one.find(q("w:pPr")))) is not None), None),
            marks=reduce(Marks.over, (_marks(style.find(q("w:rPr"))) for style in chain), _NONE),
        )


def outline_level(said: str | None) -> int:
    """1 to 9, or 0 for text: Word counts from 0, and 9 is text."""
    return found + 1 if 0 <= (found := number(said, 9)) < 9 else 0


def indent(properties: Element | None) -> int | None:
    """How far from the margin a paragraph stands, in twentieths of a point; None where nothing is said."""
    found = below(properties, "w:ind")
    said = None if found is None else found.get(q("w:left"), found.get(q("w:start")))
    return None if said is None else number(said)


def _marks(properties: Element | None) -> Marks:
    said = {} if properties is None else {local(one): one.get(VALUE, "1") for one in properties}
    if said.keys().isdisjoint(_MARKING):
        return _NONE

    def on(name: str) -> bool | None:
        return said[name].lower() not in OFF if name in said else None

    script = _SCRIPTS.get(said["vertAlign"], "") if "vertAlign" in said else None
    moved = number(said.get("position")) if script is None else 0
    if abs(moved) >= _MOVED or (moved and "sz" in said):  # LibreOffice's way is a smaller font beside it
        script = RAISED if moved > 0 else LOWERED
    struck, twice = on("strike"), on("dstrike")
    return Marks(
        hidden=on("vanish"),
        struck=struck if twice is None else struck or twice,
        script=script,
        font=font(properties) if "rFonts" in said else None,
        bold=on("b"),
        size=number(said["sz"]) if "sz" in said else None,
    )


def font(properties: Element | None) -> str | None:
    """The name of the font of a run; None where nothing is said."""
    found = below(properties, "w:rFonts")
    return None if found is None else found.get(q("w:ascii"), found.get(q("w:hAnsi")))
