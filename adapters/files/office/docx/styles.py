"""Styles of a Word document: the kind of a paragraph, and the runs that are hidden, struck, raised or lowered."""

from __future__ import annotations

import re
from functools import reduce
from typing import NamedTuple

from adapters.files.office.docx_xml import (
    OFF_VALUES,
    VAL_ATTRIBUTE,
    XmlElement,
    find_descendant,
    find_value,
    parse_xml_int,
    qname,
)
from adapters.files.office.package import local_name
from adapters.files.office.runs import SUBSCRIPT, SUPERSCRIPT

_HEADING = re.compile(r"heading ?([1-9])")
_CODE = re.compile(
    r"(?:source ?)?code(?: ?block)?|html ?preformatted|preformatted(?: text)?|verbatim|macro text|listing|code listing"
)
_LISTED = re.compile(r"list ?(bullet|number) ?([1-9])?")
_MAX_ANCESTORS = 10
_MARKING = frozenset("vanish strike dstrike vertAlign position rFonts b sz".split())
_MOVED = 4
"""Half points by which a raised or lowered run is moved at least."""
_DEFAULT_SIZE = 20
_SCRIPTS = {"superscript": SUPERSCRIPT, "subscript": SUBSCRIPT}


class RunProperties(NamedTuple):
    """Properties of a run; each is None where nothing sets it."""

    hidden: bool | None = None
    struck: bool | None = None
    script: str | None = None
    """SUPERSCRIPT or SUBSCRIPT, empty on the line."""
    font: str | None = None
    bold: bool | None = None
    size: int | None = None
    """Size in half points."""

    def with_defaults(self, defaults: RunProperties) -> RunProperties:
        """Return these properties, with those of `defaults` where they are None."""
        if defaults is _NONE or self is _NONE:
            return defaults if self is _NONE else self
        return RunProperties._make(default if own is None else own for own, default in zip(self, defaults, strict=True))


_NONE = RunProperties()


class DocxStyle(NamedTuple):
    """A paragraph style with all that it is based on."""

    is_title: bool = False
    heading_level: int = 0
    """Level of a heading, by the style's name."""
    outline_level: int = 0
    """Level of a heading, by the style's outline level."""
    code: bool = False
    list_kind: str = ""
    """`bullet` or `number` where its name makes it an entry of a list."""
    list_depth: int = 0
    """Depth of that entry."""
    list_id: str = ""
    list_level: int | None = None
    ids: tuple[str, ...] = ()
    """Ids of the style and of those that it is based on."""
    indent: int | None = None
    marks: RunProperties = _NONE


class DocxStyles:
    def __init__(self, root: XmlElement | None) -> None:
        self._elements: dict[str, XmlElement] = {}
        self._default = ""
        for style in () if root is None else root.iterchildren(qname("w:style")):
            self._elements[style.get(qname("w:styleId"), "")] = style
            if style.get(qname("w:type")) == "paragraph" and style.get(qname("w:default")) in {"1", "true", "on"}:
                self._default = style.get(qname("w:styleId"), "")
        self._styles: dict[str, DocxStyle] = {}
        size = parse_xml_int(
            find_value(find_descendant(root, "w:docDefaults/w:rPrDefault/w:rPr"), "w:sz"), _DEFAULT_SIZE
        )
        self.size = self.style_for(None).marks.size or size
        """Size of the letters of text, in half points."""

    def style_for(self, properties: XmlElement | None) -> DocxStyle:
        """Return the style of a paragraph with these properties."""
        return self._style_named(find_value(properties, "w:pStyle") or self._default)

    def run_properties(self, properties: XmlElement | None, inherited: RunProperties) -> RunProperties:
        """Return the properties of a run with these properties in a paragraph with the properties `inherited`."""
        if properties is None:
            return inherited
        name = find_value(properties, "w:rStyle")
        return (
            _read_properties(properties)
            .with_defaults(self._style_named(name).marks if name else _NONE)
            .with_defaults(inherited)
        )

    def list_id_of(self, name: str) -> str:
        """Return the list that a numbering style names."""
        return find_value(self._elements.get(name), "w:pPr/w:numPr/w:numId") or ""

    def _style_named(self, name: str) -> DocxStyle:
        if name not in self._styles:
            self._styles[name] = self._read_style(name)
        return self._styles[name]

    def _read_style(self, name: str) -> DocxStyle:
        chain: list[XmlElement] = []
        above = name
        while above in self._elements and len(chain) < _MAX_ANCESTORS:
            chain.append(self._elements[above])
            above = find_value(chain[-1], "w:basedOn") or ""

        def said(path: str) -> str | None:
            return next((value for style in chain if (value := find_value(style, path)) is not None), None)

        names = [(find_value(style, "w:name") or "").lower() for style in chain] or [name.lower()]
        list_match = next(filter(None, map(_LISTED.fullmatch, names)), None)
        level = said("w:pPr/w:numPr/w:ilvl")
        return DocxStyle(
            is_title="title" in names,
            heading_level=next((int(match[1]) for match in map(_HEADING.fullmatch, names) if match), 0),
            outline_level=parse_outline_level(said("w:pPr/w:outlineLvl")),
            code=any(map(_CODE.fullmatch, names)),
            list_kind=list_match[1] if list_match else "",
            list_depth=int(list_match[2] or 1) - 1 if list_match else 0,
            list_id=said("w:pPr/w:numPr/w:numId") or "",
            list_level=parse_xml_int(level) if level else None,
            ids=tuple(style.get(qname("w:styleId"), "") for style in chain),
            indent=next(
                (twips for element in chain if (twips := indent_twips(element.find(qname("w:pPr")))) is not None), None
            ),
            marks=reduce(
                RunProperties.with_defaults, (_read_properties(style.find(qname("w:rPr"))) for style in chain), _NONE
            ),
        )


def parse_outline_level(text: str | None) -> int:
    """Return 1 to 9, or 0 for text. Word counts from 0, and 9 is text."""
    return level + 1 if 0 <= (level := parse_xml_int(text, 9)) < 9 else 0


def indent_twips(properties: XmlElement | None) -> int | None:
    """Return the indent of a paragraph in twentieths of a point; None where it gives none."""
    indent = find_descendant(properties, "w:ind")
    value = None if indent is None else indent.get(qname("w:left"), indent.get(qname("w:start")))
    return None if value is None else parse_xml_int(value)


def _read_properties(properties: XmlElement | None) -> RunProperties:
    values = (
        {} if properties is None else {local_name(element): element.get(VAL_ATTRIBUTE, "1") for element in properties}
    )
    if values.keys().isdisjoint(_MARKING):
        return _NONE

    def on(name: str) -> bool | None:
        return values[name].lower() not in OFF_VALUES if name in values else None

    script = _SCRIPTS.get(values["vertAlign"], "") if "vertAlign" in values else None
    moved = parse_xml_int(values.get("position")) if script is None else 0
    if abs(moved) >= _MOVED or (moved and "sz" in values):  # LibreOffice's way is a smaller font beside it
        script = SUPERSCRIPT if moved > 0 else SUBSCRIPT
    struck, twice = on("strike"), on("dstrike")
    return RunProperties(
        hidden=on("vanish"),
        struck=struck if twice is None else struck or twice,
        script=script,
        font=font_name(properties) if "rFonts" in values else None,
        bold=on("b"),
        size=parse_xml_int(values["sz"]) if "sz" in values else None,
    )


def font_name(properties: XmlElement | None) -> str | None:
    """Return the font of a run; None where it gives none."""
    fonts = find_descendant(properties, "w:rFonts")
    return None if fonts is None else fonts.get(qname("w:ascii"), fonts.get(qname("w:hAnsi")))
