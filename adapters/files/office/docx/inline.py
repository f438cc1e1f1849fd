"""The text of a Word paragraph, with the runs that change its meaning: notes, raised and struck text, symbols,
formulas."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from adapters.files.office.docx.styles import DocxStyles, RunProperties
from adapters.files.office.docx_xml import (
    VAL_ATTRIBUTE,
    XmlElement,
    choose_alternate,
    find_descendant,
    find_value,
    formula_to_tex,
    parse_xml_int,
    qname,
    tex_fraction,
    toggle_value,
    visible_children,
)
from adapters.files.office.package import OfficePackage, local_name
from adapters.files.office.runs import (
    CODE_RUN,
    FORMULA_RUN,
    NOTE_RUN,
    SUBSCRIPT,
    SUPERSCRIPT,
    OfficeRun,
    replace_symbol_chars,
    runs_code,
    runs_links,
    runs_text,
    symbol_char,
)
from pipeline.values import Link

_CHARACTER_ELEMENTS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011"}
_SIGN = re.compile(
    r'\s*SYMBOL\s+(0x[0-9a-f]{1,4}|[1-9]\d{,4})\b(?:.*?\\f\s*"?([^"\\]+)"?)?.*', re.IGNORECASE | re.DOTALL
)
"""Field `SYMBOL` with the code of a character and a font."""
_BUTTON = re.compile(r"\s*(?:MACRO|GOTO)BUTTON\s+\S+\s+(.*)", re.IGNORECASE | re.DOTALL)
_FRACTION = re.compile(r"\s*EQ\s+\\f\s*\(([^,;()]*)[,;]([^,;()]*)\)\s*", re.IGNORECASE)
_MOVED = re.compile(r"\s*EQ\s+\\s\s*\\(up|do)\s*\d*\s*\(([^()]*)\)\s*", re.IGNORECASE)
_HEX = re.compile(r"[0-9A-Fa-f]{1,5}")
_MONO = re.compile(r"courier|consolas|mono|menlo|monaco|lucida console|typewriter|source code|cascadia", re.IGNORECASE)


@dataclass
class DocxLine:
    """A paragraph as it is read."""

    runs: list[OfficeRun] = field(default_factory=list)
    drawings: list[XmlElement] = field(default_factory=list)
    """Drawings beside it that have text: boxes, charts, diagrams."""
    fields: list[list[str] | None] = field(default_factory=list)
    """Hidden instructions of each open field; None where its result has begun."""
    size: int = 0
    """Size of its smallest letters, in half points, where all of it is bold."""

    def add(self, text: str, kind: str = "", url: str = "") -> None:
        self.runs.append(OfficeRun(text, kind, url))

    def handle_field_mark(self, mark: XmlElement) -> None:
        """Handle a mark that begins, divides or ends a field. Add the text that a field without a result shows."""
        match mark.get(qname("w:fldCharType")):
            case "begin":
                self.fields.append([])
                self.add(_form_value(find_descendant(mark, "w:ffData")))
            case "separate" if self.fields:
                self.fields[-1] = None
            case "end" if self.fields:
                instructions = self.fields.pop()
                self.add(*_field_result("".join(instructions or ())))

    def text(self, *, notes: bool = True) -> str:
        if len(self.runs) == 1 and not self.runs[0].kind:  # as most paragraphs are
            return self.runs[0].text
        return runs_text(self.runs, notes=notes)

    @property
    def links(self) -> list[Link]:
        return runs_links(self.runs)

    @property
    def code(self) -> list[str]:
        return runs_code(self.runs)

    @property
    def notes(self) -> list[str]:
        return [run.text for run in self.runs if run.kind == NOTE_RUN]

    @property
    def is_code(self) -> bool:
        """True where all of it is code."""
        return {run.kind for run in self.runs if run.text.strip()} == {CODE_RUN}


class DocxInlineReader:
    """A reader of the paragraphs of one document."""

    def __init__(self, package: OfficePackage, part: str, styles: DocxStyles, on_unread: Callable[[str], None]) -> None:
        self._package = package
        self._styles = styles
        self._unread = on_unread
        self._font = styles.style_for(None).marks.font
        self.relations = package.relationships(part)
        self._in_note = False
        self._notes = {kind: self._read_notes(part, kind) for kind in ("footnote", "endnote")}

    def read_line(self, paragraph: XmlElement, properties: RunProperties) -> DocxLine:
        """Read a paragraph. `properties` are those of the paragraph's style."""
        line = DocxLine()
        self._read_children(line, paragraph, properties)
        return line

    def _read_children(self, line: DocxLine, parent: XmlElement, around: RunProperties) -> None:
        for child in visible_children(parent):
            match local_name(child):
                case "r":
                    self._read_run(child, around, line)
                case "hyperlink":
                    target = self.relations.get(child.get(qname("r:id"), ""))
                    start = len(line.runs)
                    self._read_children(line, child, around)
                    if target and target.is_external:
                        line.runs[start:] = [run._replace(url=target.target) for run in line.runs[start:]]
                case "oMath" | "oMathPara":
                    line.add(formula_to_tex(child), FORMULA_RUN)

    def _read_run(self, run: XmlElement, around: RunProperties, line: DocxLine) -> None:
        marks = self._styles.run_properties(find_descendant(run, "w:rPr"), around)
        called, unseen = False, marks.hidden or marks.struck
        for child in visible_children(run):
            name = local_name(child)
            if name == "fldChar":
                line.handle_field_mark(child)
                continue
            if name == "instrText" and line.fields and line.fields[-1] is not None:
                line.fields[-1].append(child.text or "")
            if unseen or any(field is not None for field in line.fields):
                continue
            match name:
                case "t" if not called:
                    self._add_text((child.text or "").replace("\n", " "), marks, line)
                case "tab" | "ptab" | "br" | "cr" | "noBreakHyphen":
                    line.add(_CHARACTER_ELEMENTS[name])
                case "sym":
                    code = child.get(qname("w:char"), "")
                    line.add(
                        symbol_char(int(code, 16), child.get(qname("w:font"), "Symbol")) if _HEX.fullmatch(code) else ""
                    )
                case "footnoteReference" | "endnoteReference":
                    called = child.get(qname("w:customMarkFollows")) is not None
                    self._add_note(name.removesuffix("Reference"), child.get(qname("w:id"), ""), line)
                case "ruby":
                    for part, form in (("w:rubyBase", "{}"), ("w:rt", "({})")):
                        element = find_descendant(child, part)
                        line.add(form.format("" if element is None else self.read_line(element, around).text()))
                case "drawing" | "pict" | "object":
                    for path in child.iter(qname("v:textpath")):
                        line.add(f"\n{path.get('string', '')}\n")
                    line.drawings.extend(self._readable_parts(child))
                case "oMath" | "oMathPara":
                    line.add(formula_to_tex(child), FORMULA_RUN)

    def _add_text(self, text: str, marks: RunProperties, line: DocxLine) -> None:
        """Add text. Text in the font of a typewriter is code where the rest is set in another font."""
        if text.strip():
            size = (marks.size or self._styles.size) if marks.bold else 0
            line.size = min(line.size, size) if line.runs else size
        code = marks.font and marks.font != self._font and _MONO.search(marks.font)
        line.add(replace_symbol_chars(text, marks.font), marks.script or (CODE_RUN if code else ""))

    def _read_notes(self, part: str, kind: str) -> dict[str, XmlElement]:
        root = self._package.related_xml(part, f"{kind}s")
        return (
            {}
            if root is None
            else {note.get(qname("w:id"), ""): note for note in root.iterchildren(qname(f"w:{kind}"))}
        )

    def _add_note(self, kind: str, name: str, line: DocxLine) -> None:
        """Add a note. A note in a note is ignored, whatever the file claims."""
        if self._in_note:
            return
        note = self._notes[kind].get(name)
        if note is None:
            self._unread(f"note {name}: missing")
            return
        self._in_note = True
        try:
            paragraphs = [
                self.read_line(paragraph, self._styles.style_for(find_descendant(paragraph, "w:pPr")).marks)
                for paragraph in note.iter(qname("w:p"))
            ]
        finally:  # one that is broken takes no other note with it
            self._in_note = False
        line.add(" ".join(paragraph.text() for paragraph in paragraphs), NOTE_RUN)

    def _readable_parts(self, element: XmlElement) -> Iterator[XmlElement]:
        """Yield the parts of a drawing that have text. Note parts that are missing or that no reader knows."""
        for child in element:
            match local_name(child):
                case "txbxContent" | "chart" | "relIds":
                    yield child
                    continue
                case "AlternateContent":
                    child = choose_alternate(child)
                case "OLEObject":
                    self._unread(f"an embedded object ({child.get('ProgID', 'unknown')})")
                case "blip":
                    picture = self.relations.get(child.get(qname("r:embed"), ""))
                    if picture and not picture.is_external and not self._package.has(picture.target):
                        self._unread(f"a picture is missing ({picture.target})")
            yield from self._readable_parts(child)


def _form_value(data: XmlElement | None) -> str:
    """Return the value that a form field shows."""
    if (box := find_descendant(data, "w:checkBox")) is not None:
        ticked = toggle_value(box, "w:checked")
        return "☒" if ticked or (ticked is None and toggle_value(box, "w:default")) else "☐"
    if (choice := find_descendant(data, "w:ddList")) is not None:
        entries = [entry.get(VAL_ATTRIBUTE, "") for entry in choice.iterchildren(qname("w:listEntry"))]
        index = parse_xml_int(find_value(choice, "w:result") or find_value(choice, "w:default"))
        return entries[index] if 0 <= index < len(entries) else ""
    return ""


def _field_result(instructions: str) -> tuple[str, str]:
    """Return the text that a field without a result shows, and its kind: a sign, a button, a fraction, a raised or
    lowered text."""
    if match := _SIGN.fullmatch(instructions):
        return symbol_char(int(match[1], 0), (match[2] or "").strip() or "Symbol"), ""
    if match := _BUTTON.fullmatch(instructions):
        return match[1].strip(), ""
    if match := _FRACTION.fullmatch(instructions):
        return tex_fraction(match[1].strip(), match[2].strip()), FORMULA_RUN
    if match := _MOVED.fullmatch(instructions):
        return match[2], SUPERSCRIPT if match[1].lower() == "up" else SUBSCRIPT
    return "", ""
