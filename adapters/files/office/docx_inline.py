"""The text of a paragraph of Word, with what changes its meaning: notes, raised and struck runs, symbols, formulas."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from adapters.files.inline import lowered, noted, raised
from adapters.files.office.docx_math import fraction, tex
from adapters.files.office.docx_styles import Marks, Styles
from adapters.files.office.docx_symbols import plain, symbol
from adapters.files.office.docx_xml import ALTERNATE, VALUE, Element, below, children, chosen, number, q, switch, value
from adapters.files.office.package import Package
from pipeline.values import Link

_PARAGRAPH, _RUN, _TEXT, _PROPERTIES = map(q, "w:p w:r w:t w:rPr".split())
_SYMBOL, _RUBY, _FIELD, _KIND, _INSTRUCTIONS = map(q, "w:sym w:ruby w:fldChar w:fldCharType w:instrText".split())
_SAID = {q("w:tab"): "\t", q("w:ptab"): "\t", q("w:br"): "\n", q("w:cr"): "\n", q("w:noBreakHyphen"): "\u2011"}
_FORMULAS = frozenset(map(q, ("m:oMath", "m:oMathPara")))
_NOTES = {
    q("w:footnoteReference"): ("footnotes", q("w:footnote")),
    q("w:endnoteReference"): ("endnotes", q("w:endnote")),
}
_OWN_MARK = q("w:customMarkFollows")
_DRAWN = frozenset(map(q, "w:drawing w:pict w:object".split()))
_BOXES = frozenset(map(q, "w:txbxContent c:chart cx:chart dgm:relIds".split()))
_PICTURE, _EMBEDDED, _EMBED = q("a:blip"), q("o:OLEObject"), q("r:embed")
_LINK, _ID, _WORD_ART = q("w:hyperlink"), q("r:id"), q("v:textpath")
_SIGN = re.compile(
    r'\s*SYMBOL\s+(0x[0-9a-f]{1,4}|[1-9]\d{,4})\b(?:.*?\\f\s*"?([^"\\]+)"?)?.*', re.IGNORECASE | re.DOTALL
)
_BUTTON = re.compile(r"\s*(?:MACRO|GOTO)BUTTON\s+\S+\s+(.*)", re.IGNORECASE | re.DOTALL)
_FRACTION = re.compile(r"\s*EQ\s+\\f\s*\(([^,;()]*)[,;]([^,;()]*)\)\s*", re.IGNORECASE)
_MOVED = re.compile(r"\s*EQ\s+\\s\s*\\(up|do)\s*\d*\s*\(([^()]*)\)\s*", re.IGNORECASE)
_HEX = re.compile(r"[0-9A-Fa-f]{1,5}")
_MONO = re.compile(r"courier|consolas|mono|menlo|monaco|lucida console|typewriter|source code|cascadia", re.IGNORECASE)
_NOTE, _FORMULA, _CODE = "note", "formula", "code"
_TAIL = 300
"""Characters before a note that its place is decided by."""


@dataclass
class Line:
    """A paragraph as it reads."""

    pieces: list[tuple[str, str]] = field(default_factory=list)
    """What each is (raised, lowered, a note, a formula, code, or plain), and its text."""
    boxes: list[Element] = field(default_factory=list)
    """What is drawn beside it and has text: boxes, charts, diagrams."""
    fields: list[list[str] | None] = field(default_factory=list)
    """Of each that is open its instructions, which nobody sees; None where its result has begun."""
    links: list[Link] = field(default_factory=list)
    size: int = 0
    """Of its smallest letters, in half points, where all of it is bold."""

    def add(self, text: str, kind: str = "") -> None:
        self.pieces.append((kind, text))

    def mark(self, mark: Element) -> None:
        """A mark that begins, divides or ends a field; what one without a result shows is added."""
        match mark.get(_KIND):
            case "begin":
                self.fields.append([])
                self.add(_form(below(mark, "w:ffData")))
            case "separate" if self.fields:
                self.fields[-1] = None
            case "end" if self.fields:
                instructions = self.fields.pop()
                self.add(*_shown("".join(instructions or ())))

    def upon(self, *, notes: bool = True) -> str:
        """The whole, with notes in their own words or without; formulas are apart from each other."""
        said: list[str] = [""]
        before = ""
        for kind, group in groupby(self.pieces, key=itemgetter(0)):
            texts = [text for _, text in group]
            if kind == _NOTE:
                for text in texts if notes else ():
                    tail = said.pop()
                    said += (tail[:-_TAIL], noted(tail[-_TAIL:], text))
            elif kind == "^":
                said.append(raised("".join(texts), said[-1]))
            elif kind == "_":
                said.append(lowered("".join(texts)))
            else:
                text = (" " if kind == _FORMULA else "").join(texts)
                meet = text[:1].isdigit() and said[-1][-1:].isdigit()
                apart = meet and (_FORMULA in {kind, before} or before == "^")  # 2 1/2 is not 21/2
                said.append(" " * apart + text)
            before = kind
        return "".join(said)

    @property
    def notes(self) -> list[str]:
        return [text for kind, text in self.pieces if kind == _NOTE]

    @property
    def code(self) -> list[str]:
        """What of it is set as code is, in order."""
        kinds = groupby(self.pieces, key=itemgetter(0))
        return ["".join(text for _, text in group) for kind, group in kinds if kind == _CODE]

    @property
    def mono(self) -> bool:
        """Whether all of it is code."""
        kinds = {kind for kind, text in self.pieces if text.strip()}
        return kinds == {_CODE}


class Inline:
    """Reads the paragraphs of one document."""

    def __init__(self, package: Package, part: str, styles: Styles, unread: Callable[[str], None]) -> None:
        self._package = package
        self._styles = styles
        self._unread = unread
        self._font = styles.of(None).marks.font
        self.relations = package.relations(part)
        self._notes = {tag: self._read_notes(part, tag) for tag in _NOTES}

    def line(self, paragraph: Element, around: Marks, line: Line | None = None) -> Line:
        """`around`: the marks of the paragraph's style."""
        line = line or Line()
        for child in children(paragraph):
            if child.tag == _RUN:
                self._run(child, around, line)
            elif child.tag == _LINK:
                self._link(child, around, line)
            elif child.tag in _FORMULAS:
                line.add(tex(child), _FORMULA)
        return line

    def _link(self, link: Element, around: Marks, line: Line) -> None:
        inner = self.line(link, around, Line(fields=line.fields))
        target = self.relations.get(link.get(_ID, ""))
        if target and target.outside:
            line.links.append(Link(text=inner.upon(notes=False), url=target.target))
        line.pieces += inner.pieces
        line.boxes += inner.boxes

    def _run(self, run: Element, around: Marks, line: Line) -> None:
        marks = self._styles.marks(run.find(_PROPERTIES), around)
        called, unseen = False, marks.hidden or marks.struck
        for child in children(run):
            tag = str(child.tag)
            if tag == _FIELD:
                line.mark(child)
            elif tag == _INSTRUCTIONS and line.fields and line.fields[-1] is not None:
                line.fields[-1].append(child.text or "")
            elif unseen or any(field is not None for field in line.fields):
                continue
            elif tag == _TEXT:
                text = "" if called else (child.text or "").replace("\n", " ")
                if text.strip():
                    size = (marks.size or self._styles.size) if marks.bold else 0
                    line.size = min(line.size, size) if line.pieces else size
                line.add(plain(text, marks.font), marks.script or (_CODE if self._is_code(marks.font) else ""))
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
                    line.add(form.format("" if found is None else self.line(found, around).upon()))
            elif tag in _DRAWN:
                for path in child.iter(_WORD_ART):
                    line.add(f"\n{path.get('string', '')}\n")
                line.boxes.extend(self._drawn(child))
            elif tag in _FORMULAS:
                line.add(tex(child), _FORMULA)

    def _is_code(self, font: str | None) -> bool:
        """Whether a font says that something is code: one of a typewriter, in a text that is set in another."""
        return bool(font and font != self._font and _MONO.search(font))

    def _read_notes(self, part: str, tag: str) -> dict[str, Element]:
        kind, note = _NOTES[tag]
        root = self._package.related(part, kind)
        return {} if root is None else {one.get(q("w:id"), ""): one for one in root.iterchildren(note)}

    def _note(self, tag: str, name: str, line: Line) -> None:
        """A note calls no other one, whatever it claims: its element is out while it is read."""
        notes = self._notes[tag]
        note = notes.pop(name, None)
        if note is None:
            self._unread(f"note {name}: missing")
            return
        paragraphs = (self.line(one, self._styles.of(below(one, "w:pPr")).marks) for one in note.iter(_PARAGRAPH))
        line.add(" ".join(one.upon() for one in paragraphs), _NOTE)
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
    return symbol(int(code, 16), element.get(q("w:font"))) if _HEX.fullmatch(code) else ""


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


def _shown(instructions: str) -> tuple[str, str]:
    """What a field without a result shows, and what it is: a sign, a button, a fraction, a raised or lowered text."""
    if found := _SIGN.fullmatch(instructions):
        return symbol(int(found[1], 0), (found[2] or "").strip() or "Symbol"), ""
    if found := _BUTTON.fullmatch(instructions):
        return found[1].strip(), ""
    if found := _FRACTION.fullmatch(instructions):
        return fraction(found[1].strip(), found[2].strip()), _FORMULA
    if found := _MOVED.fullmatch(instructions):
        return found[2], "^" if found[1].lower() == "up" else "_"
    return "", ""
