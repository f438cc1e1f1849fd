"""The text of a paragraph of Word, with what changes its meaning: notes, raised and struck runs, symbols, formulas."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from adapters.files.office.docx.styles import Marks, Styles
from adapters.files.office.docx_xml import (
    VALUE,
    Element,
    below,
    children,
    chosen,
    fraction,
    number,
    q,
    switch,
    tex,
    value,
)
from adapters.files.office.package import Package, local
from adapters.files.office.runs import (
    CODE,
    FORMULA,
    LOWERED,
    NOTE,
    RAISED,
    Run,
    code_of,
    links_of,
    plain,
    symbol,
    text_of,
)
from pipeline.values import Link

_SAID = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011"}
_SIGN = re.compile(
    r'\s*SYMBOL\s+(0x[0-9a-f]{1,4}|[1-9]\d{,4})\b(?:.*?\\f\s*"?([^"\\]+)"?)?.*', re.IGNORECASE | re.DOTALL
)
_BUTTON = re.compile(r"\s*(?:MACRO|GOTO)BUTTON\s+\S+\s+(.*)", re.IGNORECASE | re.DOTALL)
_FRACTION = re.compile(r"\s*EQ\s+\\f\s*\(([^,;()]*)[,;]([^,;()]*)\)\s*", re.IGNORECASE)
_MOVED = re.compile(r"\s*EQ\s+\\s\s*\\(up|do)\s*\d*\s*\(([^()]*)\)\s*", re.IGNORECASE)
_HEX = re.compile(r"[0-9A-Fa-f]{1,5}")
_MONO = re.compile(r"courier|consolas|mono|menlo|monaco|lucida console|typewriter|source code|cascadia", re.IGNORECASE)


@dataclass
class Line:
    """A paragraph as it reads."""

    runs: list[Run] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    """What is drawn beside it and has text: boxes, charts, diagrams."""
    fields: list[list[str] | None] = field(default_factory=list)
    """Of each that is open its instructions, which nobody sees; None where its result has begun."""
    size: int = 0
    """Of its smallest letters, in half points, where all of it is bold."""

    def add(self, text: str, kind: str = "", url: str = "") -> None:
        self.runs.append(Run(text, kind, url))

    def mark(self, mark: Element) -> None:
        """A mark that begins, divides or ends a field; what one without a result shows is added."""
        match mark.get(q("w:fldCharType")):
            case "begin":
                self.fields.append([])
                self.add(_form(below(mark, "w:ffData")))
            case "separate" if self.fields:
                self.fields[-1] = None
            case "end" if self.fields:
                instructions = self.fields.pop()
                self.add(*_shown("".join(instructions or ())))

    def text(self, *, notes: bool = True) -> str:
        if len(self.runs) == 1 and not self.runs[0].kind:  # as most paragraphs are
            return self.runs[0].text
        return text_of(self.runs, notes=notes)

    @property
    def links(self) -> list[Link]:
        return links_of(self.runs)

    @property
    def code(self) -> list[str]:
        return code_of(self.runs)

    @property
    def notes(self) -> list[str]:
        return [run.text for run in self.runs if run.kind == NOTE]

    @property
    def mono(self) -> bool:
        """Whether all of it is code."""
        return {run.kind for run in self.runs if run.text.strip()} == {CODE}


class Inline:
    """Reads the paragraphs of one document."""

    def __init__(self, package: Package, part: str, styles: Styles, unread: Callable[[str], None]) -> None:
        self._package = package
        self._styles = styles
        self._unread = unread
        self._font = styles.of(None).marks.font
        self.relations = package.relations(part)
        self._in_note = False
        self._notes = {kind: self._read_notes(part, kind) for kind in ("footnote", "endnote")}

    def line(self, paragraph: Element, around: Marks) -> Line:
        """`around`: the marks of the paragraph's style."""
        line = Line()
        self._fill(line, paragraph, around)
        return line

    def _fill(self, line: Line, parent: Element, around: Marks) -> None:
        for child in children(parent):
            match local(child):
                case "r":
                    self._run(child, around, line)
                case "hyperlink":
                    target = self.relations.get(child.get(q("r:id"), ""))
                    start = len(line.runs)
                    self._fill(line, child, around)
                    if target and target.outside:
                        line.runs[start:] = [run._replace(url=target.target) for run in line.runs[start:]]
                case "oMath" | "oMathPara":
                    line.add(tex(child), FORMULA)

    def _run(self, run: Element, around: Marks, line: Line) -> None:
        marks = self._styles.marks(below(run, "w:rPr"), around)
        called, unseen = False, marks.hidden or marks.struck
        for child in children(run):
            name = local(child)
            if name == "fldChar":
                line.mark(child)
                continue
            if name == "instrText" and line.fields and line.fields[-1] is not None:
                line.fields[-1].append(child.text or "")
            if unseen or any(field is not None for field in line.fields):
                continue
            match name:
                case "t" if not called:
                    self._text((child.text or "").replace("\n", " "), marks, line)
                case "tab" | "ptab" | "br" | "cr" | "noBreakHyphen":
                    line.add(_SAID[name])
                case "sym":
                    code = child.get(q("w:char"), "")
                    line.add(symbol(int(code, 16), child.get(q("w:font"), "Symbol")) if _HEX.fullmatch(code) else "")
                case "footnoteReference" | "endnoteReference":
                    called = child.get(q("w:customMarkFollows")) is not None
                    self._note(name.removesuffix("Reference"), child.get(q("w:id"), ""), line)
                case "ruby":
                    for part, form in (("w:rubyBase", "{}"), ("w:rt", "({})")):
                        found = below(child, part)
                        line.add(form.format("" if found is None else self.line(found, around).text()))
                case "drawing" | "pict" | "object":
                    for path in child.iter(q("v:textpath")):
                        line.add(f"\n{path.get('string', '')}\n")
                    line.boxes.extend(self._drawn(child))
                case "oMath" | "oMathPara":
                    line.add(tex(child), FORMULA)

    def _text(self, text: str, marks: Marks, line: Line) -> None:
        """Code is what is set in the font of a typewriter, in a text that is set in another."""
        if text.strip():
            size = (marks.size or self._styles.size) if marks.bold else 0
            line.size = min(line.size, size) if line.runs else size
        code = marks.font and marks.font != self._font and _MONO.search(marks.font)
        line.add(plain(text, marks.font), marks.script or (CODE if code else ""))

    def _read_notes(self, part: str, kind: str) -> dict[str, Element]:
        root = self._package.related(part, f"{kind}s")
        return {} if root is None else {one.get(q("w:id"), ""): one for one in root.iterchildren(q(f"w:{kind}"))}

    def _note(self, kind: str, name: str, line: Line) -> None:
        """A note calls no other one, whatever it claims."""
        if self._in_note:
            return
        note = self._notes[kind].get(name)
        if note is None:
            self._unread(f"note {name}: missing")
            return
        self._in_note = True
        try:
            paragraphs = [self.line(one, self._styles.of(below(one, "w:pPr")).marks) for one in note.iter(q("w:p"))]
        finally:  # one that is broken takes no other note with it
            self._in_note = False
        line.add(" ".join(one.text() for one in paragraphs), NOTE)

    def _drawn(self, element: Element) -> Iterator[Element]:
        """What has text in a drawing; says what is missing or that no reader knows."""
        for child in element:
            match local(child):
                case "txbxContent" | "chart" | "relIds":
                    yield child
                    continue
                case "AlternateContent":
                    child = chosen(child)
                case "OLEObject":
                    self._unread(f"an embedded object ({child.get('ProgID', 'unknown')})")
                case "blip":
                    picture = self.relations.get(child.get(q("r:embed"), ""))
                    if picture and not picture.outside and not self._package.has(picture.target):
                        self._unread(f"a picture is missing ({picture.target})")
            yield from self._drawn(child)


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
        return fraction(found[1].strip(), found[2].strip()), FORMULA
    if found := _MOVED.fullmatch(instructions):
        return found[2], RAISED if found[1].lower() == "up" else LOWERED
    return "", ""
