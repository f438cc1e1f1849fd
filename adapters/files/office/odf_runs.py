"""The text of paragraphs of OpenDocument: notes, links, formulas, fields; what is struck or hidden is left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from adapters.files.html.words import formula_text
from adapters.files.office.package import Package, attribute, local, number
from adapters.files.office.runs import FORMULA, LOWERED, NOTE, RAISED, TICKS, Run, plain, text_of, written

# --- Styles: how text looks, as far as that changes what it says, and the numbers of lists --------

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


# --- The text of paragraphs -----------------------------------------------------------------------

TEXT_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}style-name"
UNSEEN = frozenset(
    """tracked-changes annotation annotation-end table-of-content alphabetical-index illustration-index table-index
    object-index user-index bibliography sequence-decls variable-decls user-field-decls forms note hidden-text
    hidden-paragraph ruby-text desc title event-listeners custom-shape""".split()
)
_SPACE = {"tab": "\t", "line-break": "\n"}
_MOST_SPACES = 100


class OdfRuns:
    """Reads the paragraphs of `document`."""

    def __init__(self, package: Package | None, document: etree._Element | None) -> None:
        self.styles = Styles()
        self.base = PLAIN
        """How text looks where nothing is said."""
        self._package = package
        self._in_note = False
        self._forms = _forms_of(document)
        self.styles.learn(package.xml("styles.xml") if package else None)
        self.styles.learn(document)

    def of(self, paragraph: etree._Element) -> Iterator[Run]:
        """Those of a paragraph; struck and hidden text is left out."""
        if not any(attribute(one, "is-hidden") == "true" for one in paragraph.iterchildren("{*}hidden-paragraph")):
            yield from self._inner(paragraph, self.styles.look("paragraph", paragraph.get(TEXT_STYLE), self.base), "")

    def lines(self, element: etree._Element) -> list[str]:
        """The paragraphs in `element` that say something."""
        paragraphs = [element] if local(element) in {"p", "h"} else element.iter("{*}p", "{*}h")
        return [text for one in paragraphs if (text := " ".join(text_of(self.of(one)).split()))]

    def words(self, element: etree._Element) -> str:
        """All text in `element` on one line."""
        return " ".join(self.lines(element))

    def embedded(self, frame: etree._Element) -> etree._Element | None:
        """What is embedded in a frame, where it can be read."""
        held = frame.find("{*}object")
        part = "" if held is None else attribute(held, "href").removeprefix("./").rstrip("/")
        return self._package.xml(f"{part}/content.xml") if part and self._package else held

    def formula(self, frame: etree._Element) -> str:
        """The formula that a frame holds, if it holds one."""
        inner = self.embedded(frame)
        found = None if inner is None else next(inner.iter("{*}math"), None)
        return "" if found is None else formula_text(found)

    def _inner(self, parent: etree._Element, look: Look, url: str) -> Iterator[Run]:
        if parent.text and not look.gone:
            yield Run(plain(parent.text, look.font), look.script, url)
        for child in parent.iterchildren("*"):
            match local(child):
                case "a":
                    yield from self._inner(child, look, attribute(child, "href"))
                case "span":
                    yield from self._inner(child, self.styles.look("text", child.get(TEXT_STYLE), look), url)
                case "frame" | "note" | "s" | "tab" | "line-break" | "control" | "fieldmark" as name:
                    if not look.gone:
                        yield self._said(child, name, look, url)
                case name if name not in UNSEEN:
                    yield from self._inner(child, look, url)
                    if reading := child.findtext("{*}ruby-text") if name == "ruby" else "":
                        yield Run(f" ({reading})")
            if child.tail and not look.gone:
                yield Run(plain(child.tail, look.font), look.script, url)

    def _said(self, element: etree._Element, name: str, look: Look, url: str) -> Run:
        """What stands in a text and is no run of it."""
        match name:
            case "frame":
                return Run(self.formula(element), FORMULA)
            case "note":
                body = None if self._in_note else element.find("{*}note-body")
                if body is None:  # also of a note in a note, whose paragraphs are the outer one's
                    return Run("")
                self._in_note = True
                try:
                    return Run(self.words(body), NOTE)
                finally:  # one that is broken takes no other note with it
                    self._in_note = False
            case "control":
                return Run(_said_by(self._forms.get(attribute(element, "control"))), look.script, url)
            case "fieldmark":
                return Run(_chosen(element), look.script, url)
            case "s":
                return Run(" " * min(number(attribute(element, "c")), _MOST_SPACES), look.script, url)
            case _:
                return Run(_SPACE[name], look.script, url)


def _forms_of(document: etree._Element | None) -> dict[str, etree._Element]:
    """The controls that a document defines, by id."""
    forms = () if document is None else document.iter("{*}forms")
    return {attribute(one, "id"): one for form in forms for one in form.iter("*")}


def _said_by(control: etree._Element | None) -> str:
    """What a control says."""
    if control is None:
        return ""
    if local(control) in {"checkbox", "radio"}:
        state = attribute(control, "current-state") or attribute(control, "state")
        on = state == "checked" or attribute(control, "current-selected") == "true"
        return f"{'☒' if on else '☐'} {attribute(control, 'label')}"
    entries = [attribute(one, "label") for one in control.iter("{*}option") if attribute(one, "current-selected")]
    return ", ".join(entries) or attribute(control, "current-value") or attribute(control, "value")


def _chosen(mark: etree._Element) -> str:
    """What is ticked or chosen in a form field of Word."""
    given = [(attribute(one, "name"), attribute(one, "value")) for one in mark.iterchildren("{*}param")]
    kind = attribute(mark, "type").rpartition(".")[2]
    if kind == "FORMCHECKBOX":
        return "☒" if ("Checkbox_Checked", "true") in given else "☐"
    entries = [value for name, value in given if name == "Dropdown_ListEntry"]
    place = next((number(value, 0) for name, value in given if name == "Dropdown_Selected"), 0)
    return entries[place] if kind == "FORMDROPDOWN" and place < len(entries) else ""
