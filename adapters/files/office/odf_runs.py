"""The text of paragraphs of OpenDocument: notes, links, formulas, fields. Struck and hidden text is left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from adapters.files.html.inline_text import formula_text
from adapters.files.office.package import OfficePackage, local_attribute, local_name, parse_bounded_int
from adapters.files.office.runs import (
    FORMULA_RUN,
    NOTE_RUN,
    SUBSCRIPT,
    SUPERSCRIPT,
    TICK_MARKS,
    OfficeRun,
    format_list_number,
    replace_symbol_chars,
    runs_text,
)

# --- Styles: how text looks, as far as that changes what it says, and the numbers of lists --------

OUTLINE_STYLE = "Outline"
"""The list style of the numbers of headings."""
_MAX_STYLES = 20
"""Styles that a style may be based on."""
_MAX_LEVELS = 10
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


class OdfTextStyle(NamedTuple):
    script: str = ""
    """SUPERSCRIPT or SUBSCRIPT, empty on the line."""
    is_hidden: bool | None = None
    """True where struck or hidden; None where nothing sets it."""
    font: str = ""


PLAIN_STYLE = OdfTextStyle()


class OdfStyles:
    def __init__(self) -> None:
        self._styles: dict[tuple[str, str], etree._Element] = {}
        self._looks: dict[tuple[str, str], OdfTextStyle] = {}

    def add_styles(self, part: etree._Element | None) -> None:
        """Add the styles in `part`."""
        self._looks.clear()
        for style in () if part is None else part.iter("{*}style", "{*}list-style", "{*}outline-style"):
            name = OUTLINE_STYLE if local_name(style) == "outline-style" else local_attribute(style, "name")
            self._styles[local_attribute(style, "family") or "list", name] = style

    def style_chain(self, family: str, name: str) -> Iterator[etree._Element]:
        """Yield a style, and those that it is based on."""
        for _ in range(_MAX_STYLES):
            style = self._styles.get((family, name))
            if style is None:
                return
            yield style
            name = local_attribute(style, "parent-style-name")

    def style_names(self, paragraph: etree._Element) -> set[str]:
        """Return the styles of a paragraph."""
        own = local_attribute(paragraph, "style-name")
        return {own, *(local_attribute(style, "name") for style in self.style_chain("paragraph", own))}

    def property_value(self, family: str, name: str, *properties: str) -> str:
        """Return the first of these properties that the style, or one that it is based on, sets; empty where none
        does."""
        for style in self.style_chain(family, name):
            for element in style.iterchildren("{*}*"):
                if local_name(element).endswith("-properties"):
                    for key in properties:
                        if value := local_attribute(element, key):
                            return value
        return ""

    def text_style(self, family: str, name: str | None, above: OdfTextStyle) -> OdfTextStyle:
        """Return the style of text with that name inside other text."""
        if not name:
            return above
        if (family, name) not in self._looks:
            self._looks[family, name] = self._read_text_style(family, name)
        own = self._looks[family, name]
        return OdfTextStyle(
            own.script or above.script,
            above.is_hidden if own.is_hidden is None else own.is_hidden,
            own.font or above.font,
        )

    def _read_text_style(self, family: str, name: str) -> OdfTextStyle:
        position = self.property_value(family, name, "text-position")
        script = (
            ""
            if position.startswith("0") or not position
            else SUBSCRIPT
            if position.startswith(("sub", "-"))
            else SUPERSCRIPT
        )
        struck = self.property_value(family, name, "text-line-through-style", "text-line-through-type")
        is_hidden = self.property_value(family, name, "display") == "none"
        return OdfTextStyle(
            script, is_hidden or (struck != "none" if struck else None), self.property_value(family, name, "font-name")
        )

    def next_label(self, style: str, level: int, counts: dict[int, int]) -> str | None:
        """Count an entry of a list. Return the number shown before it: empty for a bullet, None where nothing is
        shown."""
        marks = {
            parse_bounded_int(local_attribute(mark, "level")): mark for mark in self._styles.get(("list", style), ())
        }
        mark = marks.get(level)
        if mark is None:
            return ""
        if local_name(mark) not in {"list-level-style-number", "outline-level-style"}:
            fonts = (local_attribute(child, "font-name") for child in mark)
            bullet = replace_symbol_chars(mark.get(_BULLET, "-"), next(filter(None, fonts), ""))
            return bullet if bullet in TICK_MARKS else None if bullet.isspace() else ""
        if not local_attribute(mark, "num-format"):
            return local_attribute(mark, "num-prefix").strip() or None
        counts[level] = counts.get(level, parse_bounded_int(local_attribute(mark, "start-value")) - 1) + 1
        for below in [other for other in counts if other > level]:
            del counts[below]
        first = level - parse_bounded_int(local_attribute(mark, "display-levels"), maximum=_MAX_LEVELS) + 1
        formats = {
            number: local_attribute(marks[number], "num-format")
            for number in range(first, level + 1)
            if number in marks
        }
        numbers = [
            format_list_number(counts.get(number, 1), _WRITTEN.get(format_code[0], ""))
            for number, format_code in formats.items()
            if format_code
        ]
        return f"{local_attribute(mark, 'num-prefix')}{'.'.join(numbers)}{local_attribute(mark, 'num-suffix')}".strip()


# --- The text of paragraphs -----------------------------------------------------------------------

TEXT_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}style-name"
HIDDEN_ELEMENTS = frozenset(
    """tracked-changes annotation annotation-end table-of-content alphabetical-index illustration-index table-index
    object-index user-index bibliography sequence-decls variable-decls user-field-decls forms note hidden-text
    hidden-paragraph ruby-text desc title event-listeners custom-shape""".split()
)
_SPACE = {"tab": "\t", "line-break": "\n"}
_MAX_SPACES = 100


class OdfRunReader:
    """A reader of the paragraphs of `document`."""

    def __init__(self, package: OfficePackage | None, document: etree._Element | None) -> None:
        self.styles = OdfStyles()
        self.base = PLAIN_STYLE
        """Style of text that sets none."""
        self._package = package
        self._in_note = False
        self._forms = _form_controls(document)
        self.styles.add_styles(package.xml("styles.xml") if package else None)
        self.styles.add_styles(document)

    def read_runs(self, paragraph: etree._Element) -> Iterator[OfficeRun]:
        """Yield the runs of a paragraph without struck and hidden text."""
        if not any(
            local_attribute(child, "is-hidden") == "true" for child in paragraph.iterchildren("{*}hidden-paragraph")
        ):
            yield from self._read_children(
                paragraph, self.styles.text_style("paragraph", paragraph.get(TEXT_STYLE), self.base), ""
            )

    def paragraph_texts(self, element: etree._Element) -> list[str]:
        """Return the texts of the paragraphs in `element`, without empty ones."""
        paragraphs = [element] if local_name(element) in {"p", "h"} else element.iter("{*}p", "{*}h")
        return [text for paragraph in paragraphs if (text := " ".join(runs_text(self.read_runs(paragraph)).split()))]

    def element_text(self, element: etree._Element) -> str:
        """Return all text in `element` on one line."""
        return " ".join(self.paragraph_texts(element))

    def embedded_object(self, frame: etree._Element) -> etree._Element | None:
        """Return the object embedded in a frame, where it can be read."""
        embedded = frame.find("{*}object")
        part = "" if embedded is None else local_attribute(embedded, "href").removeprefix("./").rstrip("/")
        return self._package.xml(f"{part}/content.xml") if part and self._package else embedded

    def formula(self, frame: etree._Element) -> str:
        """Return the formula that a frame holds, if it holds one."""
        content = self.embedded_object(frame)
        math = None if content is None else next(content.iter("{*}math"), None)
        return "" if math is None else formula_text(math)

    def _read_children(self, parent: etree._Element, look: OdfTextStyle, url: str) -> Iterator[OfficeRun]:
        if parent.text and not look.is_hidden:
            yield OfficeRun(replace_symbol_chars(parent.text, look.font), look.script, url)
        for child in parent.iterchildren("*"):
            match local_name(child):
                case "a":
                    yield from self._read_children(child, look, local_attribute(child, "href"))
                case "span":
                    yield from self._read_children(
                        child, self.styles.text_style("text", child.get(TEXT_STYLE), look), url
                    )
                case "frame" | "note" | "s" | "tab" | "line-break" | "control" | "fieldmark" as name:
                    if not look.is_hidden:
                        yield self._element_run(child, name, look, url)
                case name if name not in HIDDEN_ELEMENTS:
                    yield from self._read_children(child, look, url)
                    if reading := child.findtext("{*}ruby-text") if name == "ruby" else "":
                        yield OfficeRun(f" ({reading})")
            if child.tail and not look.is_hidden:
                yield OfficeRun(replace_symbol_chars(child.tail, look.font), look.script, url)

    def _element_run(self, element: etree._Element, name: str, look: OdfTextStyle, url: str) -> OfficeRun:
        """Return the run for an element that is no text itself."""
        match name:
            case "frame":
                return OfficeRun(self.formula(element), FORMULA_RUN)
            case "note":
                body = None if self._in_note else element.find("{*}note-body")
                if body is None:  # also of a note in a note, whose paragraphs are the outer one's
                    return OfficeRun("")
                self._in_note = True
                try:
                    return OfficeRun(self.element_text(body), NOTE_RUN)
                finally:  # one that is broken takes no other note with it
                    self._in_note = False
            case "control":
                return OfficeRun(_control_value(self._forms.get(local_attribute(element, "control"))), look.script, url)
            case "fieldmark":
                return OfficeRun(_word_field_value(element), look.script, url)
            case "s":
                return OfficeRun(
                    " " * min(parse_bounded_int(local_attribute(element, "c")), _MAX_SPACES), look.script, url
                )
            case _:
                return OfficeRun(_SPACE[name], look.script, url)


def _form_controls(document: etree._Element | None) -> dict[str, etree._Element]:
    """Return the controls that a document defines, by id."""
    forms = () if document is None else document.iter("{*}forms")
    return {local_attribute(control, "id"): control for form in forms for control in form.iter("*")}


def _control_value(control: etree._Element | None) -> str:
    """Return the value that a control shows."""
    if control is None:
        return ""
    if local_name(control) in {"checkbox", "radio"}:
        state = local_attribute(control, "current-state") or local_attribute(control, "state")
        on = state == "checked" or local_attribute(control, "current-selected") == "true"
        return f"{'☒' if on else '☐'} {local_attribute(control, 'label')}"
    entries = [
        local_attribute(option, "label")
        for option in control.iter("{*}option")
        if local_attribute(option, "current-selected")
    ]
    return ", ".join(entries) or local_attribute(control, "current-value") or local_attribute(control, "value")


def _word_field_value(mark: etree._Element) -> str:
    """Return the ticked or chosen value of a form field of Word."""
    parameters = [
        (local_attribute(parameter, "name"), local_attribute(parameter, "value"))
        for parameter in mark.iterchildren("{*}param")
    ]
    kind = local_attribute(mark, "type").rpartition(".")[2]
    if kind == "FORMCHECKBOX":
        return "☒" if ("Checkbox_Checked", "true") in parameters else "☐"
    entries = [value for name, value in parameters if name == "Dropdown_ListEntry"]
    index = next((parse_bounded_int(value, 0) for name, value in parameters if name == "Dropdown_Selected"), 0)
    return entries[index] if kind == "FORMDROPDOWN" and index < len(entries) else ""
