"""Styles of OpenDocument: how text looks, as far as that changes what it says, and the numbers of lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from adapters.files.office.elements import attribute, local, number
from adapters.files.office.labels import TICKS, written
from adapters.files.office.runs import LOWERED, RAISED
from adapters.files.office.symbols import plain

OUTLINE = "Outline"
"""The list style of the numbers of headings."""
_MOST_STYLES = 20
"""Styles that a style may stand on."""
_MOST_LEVELS = 10
"""Levels of a list whose numbers are shown together."""
_BULLET = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}bullet-char"
_WRITTEN = {
    "i": "lowerRoman",
    "I": "upperRoman",
    "a": "lowerLetter",
    "A": "upperLetter",
    "①": "decimalEnclosedCircle",
    "一": "chineseCounting",
}


class Look(NamedTuple):
    script: str = ""
    """RAISED or LOWERED."""
    gone: bool | None = None
    """Struck or hidden; None where nothing is said."""
    font: str = ""


PLAIN = Look()


class Styles:
    def __init__(self) -> None:
        self._styles: dict[tuple[str, str], etree._Element] = {}
        self._looks: dict[tuple[str, str], Look] = {}

    def learn(self, part: etree._Element | None) -> None:
        """Know the styles in `part`."""
        self._looks.clear()
        for style in () if part is None else part.iter("{*}style", "{*}list-style", "{*}outline-style"):
            name = OUTLINE if local(style) == "outline-style" else attribute(style, "name")
            self._styles[attribute(style, "family") or "list", name] = style

    def chain(self, family: str, name: str) -> Iterator[etree._Element]:
        """A style, and those that it stands on."""
        for _ in range(_MOST_STYLES):
            style = self._styles.get((family, name))
            if style is None:
                return
            yield style
            name = attribute(style, "parent-style-name")

    def names(self, paragraph: etree._Element) -> set[str]:
        """The styles of a paragraph."""
        own = attribute(paragraph, "style-name")
        return {own, *(attribute(style, "name") for style in self.chain("paragraph", own))}

    def said(self, family: str, name: str, *properties: str) -> str:
        """The first of these properties that the style, or one that it stands on, says; empty where none does."""
        for style in self.chain(family, name):
            for held in style.iterchildren("{*}*"):
                if local(held).endswith("-properties"):
                    for wanted in properties:
                        if found := attribute(held, wanted):
                            return found
        return ""

    def look(self, family: str, name: str | None, above: Look) -> Look:
        """How text of that style looks within other text."""
        if not name:
            return above
        if (family, name) not in self._looks:
            self._looks[family, name] = self._look(family, name)
        own = self._looks[family, name]
        return Look(own.script or above.script, above.gone if own.gone is None else own.gone, own.font or above.font)

    def _look(self, family: str, name: str) -> Look:
        place = self.said(family, name, "text-position")
        script = "" if place.startswith("0") or not place else LOWERED if place.startswith(("sub", "-")) else RAISED
        struck = self.said(family, name, "text-line-through-style", "text-line-through-type")
        hidden = self.said(family, name, "display") == "none"
        return Look(script, hidden or (struck != "none" if struck else None), self.said(family, name, "font-name"))

    def label(self, style: str, level: int, counts: dict[int, int]) -> str | None:
        """Count an entry of a list, and say the number shown before it: none before a bullet, None where nothing at all
        is shown."""
        marks = {number(attribute(mark, "level")): mark for mark in self._styles.get(("list", style), ())}
        mark = marks.get(level)
        if mark is None:
            return ""
        if local(mark) not in {"list-level-style-number", "outline-level-style"}:
            fonts = (attribute(one, "font-name") for one in mark)
            bullet = plain(mark.get(_BULLET, "-"), next(filter(None, fonts), ""))
            return bullet if bullet in TICKS else None if bullet.isspace() else ""
        if not attribute(mark, "num-format"):
            return attribute(mark, "num-prefix").strip() or None
        counts[level] = counts.get(level, number(attribute(mark, "start-value")) - 1) + 1
        for below in [one for one in counts if one > level]:
            del counts[below]
        first = level - number(attribute(mark, "display-levels"), most=_MOST_LEVELS) + 1
        shapes = {one: attribute(marks[one], "num-format") for one in range(first, level + 1) if one in marks}
        numbers = [written(counts.get(one, 1), _WRITTEN.get(shape[0], "")) for one, shape in shapes.items() if shape]
        return f"{attribute(mark, 'num-prefix')}{'.'.join(numbers)}{attribute(mark, 'num-suffix')}".strip()
