"""The text of a paragraph of Word, with what changes its meaning: notes, raised and struck runs, symbols, formulas."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from adapters.files.inline import lowered, noted, raised
from adapters.files.office.docx_math import tex
from adapters.files.office.docx_styles import Marks, Styles
from adapters.files.office.docx_symbols import plain, symbol
from adapters.files.office.docx_xml import ALTERNATE, VALUE, Element, below, children, chosen, number, q, switch, value
from adapters.files.office.package import Package

_PARAGRAPH, _RUN, _TEXT, _PROPERTIES = map(q, "w:p w:r w:t w:rPr".split())
_SYMBOL, _RUBY, _FIELD, _KIND = map(q, "w:sym w:ruby w:fldChar w:fldCharType".split())
_SAID = {q("w:tab"): "\t", q("w:ptab"): "\t", q("w:br"): "\n", q("w:cr"): "\n", q("w:noBreakHyphen"): "\u2011"}
_FORMULAS = frozenset(map(q, ("m:oMath", "m:oMathPara")))
_NOTES = {
    q("w:footnoteReference"): ("footnotes", q("w:footnote")),
    q("w:endnoteReference"): ("endnotes", q("w:endnote")),
}
_OWN_MARK = q("w:customMarkFollows")
_DRAWN = frozenset(map(q, "w:drawing w:pict w:object".split()))
_BOXES = frozenset(map(q, "w:txbxContent c:chart dgm:relIds".split()))
_PICTURE, _EMBEDDED, _EMBED = q("a:blip"), q("o:OLEObject"), q("r:embed")
_CODE = re.compile(r"[0-9A-Fa-f]{1,5}")
_MONO = re.compile(r"courier|consolas|mono|menlo|monaco|lucida console|typewriter|source code|cascadia", re.IGNORECASE)
NOTE = "note"
_TAIL = 300
"""Characters before a note that its place is decided by."""


@dataclass
class Line:
    """A paragraph as it reads."""

    pieces: list[tuple[str, list[str]]] = field(default_factory=list)
    """How each run stands (`^`, `_`, a note, or as the line does), and its text."""
    boxes: list[Element] = field(default_factory=list)
    """What is drawn beside it and has text: boxes, charts, diagrams."""
    instructions: list[bool] = field(default_factory=list)
    """Of each field that is open: whether its instructions go on, which nobody sees."""
    mono: bool = False
    """Whether all of it is set as code is."""
    said: bool = False
    """Whether it has text yet."""
    _formula: bool = False
    """Whether a formula is the last of it."""

    def add(self, text: str, script: str = "") -> None:
        self._formula = False
        if self.pieces and self.pieces[-1][0] == script != NOTE:
            self.pieces[-1][1].append(text)
        else:
            self.pieces.append((script, [text]))

    def formula(self, text: str) -> None:
        """Add a formula, apart from another one."""
        self.add(f" {text}" if self._formula else text)
        self._formula = True

    def field(self, mark: Element) -> None:
        """A mark that begins, divides or ends a field; a box to tick or a list to choose from is shown."""
        match mark.get(_KIND):
            case "begin":
                self.instructions.append(True)
                self.add(_form(below(mark, "w:ffData")))
            case "separate" if self.instructions:
                self.instructions[-1] = False
            case "end" if self.instructions:
                self.instructions.pop()

    @property
    def text(self) -> str:
        """The whole, notes in their own words."""
        return self.upon()

    @property
    def notes(self) -> list[str]:
        return ["".join(text) for script, text in self.pieces if script == NOTE]

    def upon(self, *, notes: bool = True) -> str:
        """As `text`, with notes or without."""
        said: list[str] = [""]
        for script, parts in self.pieces:
            text = "".join(parts)
            if script == NOTE and notes:
                tail = said.pop()
                said += (tail[:-_TAIL], noted(tail[-_TAIL:], text))
            elif script == "^":
                said.append(raised(text, said[-1]))
            elif script != NOTE:
                said.append(lowered(text) if script else text)
        return "".join(said)


class Inline:
    """Reads the paragraphs of one document."""

    def __init__(self, package: Package, part: str, styles: Styles, unread: Callable[[str], None]) -> None:
        self._package = package
        self._styles = styles
        self._unread = unread
        self.relations = package.relations(part)
        self._notes = {tag: self._read_notes(part, tag) for tag in _NOTES}

    def line(self, paragraph: Element, around: Marks, line: Line | None = None) -> Line:
        """`around`: the marks of the paragraph's style."""
        line = line or Line()
        for child in children(paragraph):
            if child.tag == _RUN:
                self._run(child, around, line)
            elif child.tag in _FORMULAS:
                line.formula(tex(child))
        return line

    def _run(self, run: Element, around: Marks, line: Line) -> None:
        marks = self._styles.marks(run.find(_PROPERTIES), around)
        if marks.hidden or marks.struck:
            return
        called = False
        for child in children(run):
            tag = str(child.tag)
            if tag == _FIELD:
                line.field(child)
            elif any(line.instructions):
                continue
            elif tag == _TEXT:
                text = "" if called else (child.text or "").replace("\n", " ")
                line.add(plain(text, marks.font), marks.script or "")
                if text.strip():
                    line.mono = (line.mono or not line.said) and bool(marks.font and _MONO.search(marks.font))
                    line.said = True
            elif tag in _SAID:
                line.add(_SAID[tag])
            elif tag == _SYMBOL:
                line.add(_symbol(child))
            elif tag in _NOTES:
                called = child.get(_OWN_MARK) is not None
                self._note(tag, child.get(q("w:id"), ""), line)
            elif tag == _RUBY:
                for part, form in (("w:rubyBase", "{}"), ("w:rt", "({})")):
                    found = below(child, part)
                    line.add(form.format("" if found is None else self.line(found, around).text))
            elif tag in _DRAWN:
                line.boxes.extend(self._drawn(child))
            elif tag in _FORMULAS:
                line.formula(tex(child))

    def _read_notes(self, part: str, tag: str) -> dict[str, Element]:
        kind, note = _NOTES[tag]
        roots = (self._package.xml(name) for name in self._package.of_kind(part, kind))
        return {one.get(q("w:id"), ""): one for root in roots if root is not None for one in root.iterchildren(note)}

    def _note(self, tag: str, name: str, line: Line) -> None:
        """A note calls no other one, whatever it claims: its element is out while it is read."""
        notes = self._notes[tag]
        note = notes.pop(name, None)
        if note is None:
            self._unread(f"note {name}: missing")
            return
        paragraphs = (self.line(one, self._styles.of(below(one, "w:pPr")).marks) for one in note.iter(_PARAGRAPH))
        line.add(" ".join(one.text for one in paragraphs), NOTE)
        notes[name] = note

    def _drawn(self, element: Element) -> Iterator[Element]:
        """What has text in a drawing; says what is missing or that no reader knows."""
        for child in element:
            if child.tag in _BOXES:
                yield child
            elif child.tag == ALTERNATE:
                yield from self._drawn(chosen(child))
            elif child.tag == _EMBEDDED:
                self._unread(f"an embedded object ({child.get('ProgID', 'unknown')})")
            else:
                picture = self.relations.get(child.get(_EMBED, "")) if child.tag == _PICTURE else None
                if picture and not picture.outside and not self._package.has(picture.target):
                    self._unread(f"{picture.target}: missing")
                yield from self._drawn(child)


def _symbol(element: Element) -> str:
    code = element.get(q("w:char"), "")
    return symbol(int(code, 16), element.get(q("w:font"))) if _CODE.fullmatch(code) else ""


def _form(data: Element | None) -> str:
    """What a field of a form shows."""
    if (box := below(data, "w:checkBox")) is not None:
        ticked = switch(box, "w:checked")
        return "☒" if ticked or (ticked is None and switch(box, "w:default")) else "☐"
    if (choice := below(data, "w:ddList")) is not None:
        entries = [one.get(VALUE, "") for one in choice.iterchildren(q("w:listEntry"))]
        place = number(value(choice, "w:result") or value(choice, "w:default"))
        return entries[place] if 0 <= place < len(entries) else ""
    return ""
