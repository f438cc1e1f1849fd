"""The paragraphs of a shape -> blocks: bullets as items, numbers as steps, the rest as prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from lxml import etree

from adapters.files.office.docx_math import tex
from adapters.files.office.elements import local, number, reference
from adapters.files.office.labels import add_entry, written
from adapters.files.office.package import Relation
from adapters.files.office.runs import FORMULA, LOWERED, RAISED, Run, links_of, text_of
from adapters.files.office.symbols import plain
from adapters.files.outline import Content, Outline
from adapters.files.tables import Cell
from pipeline.values import BlockKind, Link

_MARKS = frozenset({"buNone", "buChar", "buBlip", "buAutoNum"})
_NUMBERED = re.compile(r"(alpha|roman|circle)(Lc|Uc)?.*?(ParenBoth|ParenR|Period)?")
_SHAPES = {
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
    "circle": "decimalEnclosedCircle",
}
_AROUND = {"ParenBoth": "({})", "ParenR": "{})", "Period": "{}."}
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_OPEN = re.compile(r"[\w)%]\s*\Z")
"""The end of a line without a mark that divides it from the next."""
_LEVELS = 9


def add_paragraphs(
    outline: Outline,
    body: etree._Element,
    styles: Sequence[etree._Element],
    relations: Mapping[str, Relation],
) -> None:
    """Append the text of a shape. `styles`: where the marks of its levels may stand, the nearest first."""
    styles = [*body.iterfind("{*}lstStyle"), *styles]
    above: list[int] = []
    """Levels of the entries that are open."""
    counts: dict[int, tuple[tuple[str, str], int]] = {}
    """By level: the kind and the start of its numbers, and the last one."""
    for paragraph in body.iterfind("{*}p"):
        text, links = paragraph_text(paragraph, relations)
        if not text.strip():
            continue
        level, mark = _mark(paragraph, styles)
        while above and above[-1] >= level:
            above.pop()
        numbered = mark is not None and local(mark) == "buAutoNum"
        counts = {key: count for key, count in counts.items() if key < level + numbered}
        label = None if mark is None else ""
        if mark is not None and numbered:
            kind = mark.get("type", ""), mark.get("startAt", "")
            known, last = counts.get(level, (kind, number(kind[1]) - 1))
            last = last + 1 if known == kind else number(kind[1])
            counts[level] = kind, last
            label = _label(kind[0], last)
        add_entry(outline, text, label, len(above), links)
        if mark is not None:
            above.append(level)


def _label(kind: str, count: int) -> str:
    """The number of an entry as it is shown."""
    found = _NUMBERED.fullmatch(kind)
    name, case, around = found.groups() if found else ("", "", "")
    said = written(count, _SHAPES.get(f"{name}{case or ''}", ""))
    return _AROUND.get(around or "", "{}").format(said)


def paragraph_text(paragraph: etree._Element, relations: Mapping[str, Relation]) -> tuple[str, list[Link]]:
    """What is shown of a paragraph, without what is struck, and the links in it."""
    runs = list(_runs(paragraph, relations))
    return text_of(runs), links_of(runs)


def in_cell(content: Content) -> Cell:
    """All that was read of a cell, a line a paragraph; an entry of a list or a row of a table in it goes on in one."""
    text = ""
    for block in content.blocks:
        said = ", ".join(filter(None, block.cells)) if block.cells else block.text
        said = f"{block.number}. {said}" if block.number else said
        entry = bool(block.cells) or block.kind in {BlockKind.STEP, BlockKind.ITEM}
        between = "\n" if not entry else "; " if _OPEN.search(text) else " "
        text += f"{between if text else ''}{said}"
    links = tuple(link for block in content.blocks for link in block.links)
    code = tuple(block.text[start:end] for block in content.blocks for start, end in block.code)
    return Cell(text, links=links, code=code)


def _runs(paragraph: etree._Element, relations: Mapping[str, Relation]) -> Iterator[Run]:
    for child in paragraph.iterchildren("*"):
        match local(child):
            case "AlternateContent":
                choice = child.find("{*}Choice")
                yield from _runs(child if choice is None else choice, relations)
            case "m":
                yield from (Run(tex(formula), FORMULA) for formula in child)
            case "oMath" | "oMathPara":
                yield Run(tex(child), FORMULA)
            case "br":
                yield Run("\n")
            case "r" | "fld":
                yield from _run(child, relations)


def _run(run: etree._Element, relations: Mapping[str, Relation]) -> Iterator[Run]:
    text, look = run.findtext("{*}t") or "", run.find("{*}rPr")
    if look is None:
        yield Run(text.replace("\v", "\n"))
    elif look.get("strike", "noStrike") == "noStrike":
        if (font := look.find("{*}latin")) is not None:
            text = plain(text, font.get("typeface"))
        if (font := look.find("{*}sym")) is not None:  # not that of the words around it
            face = font.get("typeface", "")
            text = _FOREIGN.sub(lambda sign: plain(sign[0], face), text)
        baseline = look.get("baseline", "0").rstrip("%")
        shift = float(baseline) if baseline.lstrip("-").replace(".", "", 1).isdecimal() else 0
        link = look.find("{*}hlinkClick")
        found = relations.get(reference(link)) if link is not None else None
        url = found.target if found and found.kind == "hyperlink" else ""
        yield Run(text.replace("\v", "\n"), RAISED if shift > 0 else LOWERED if shift < 0 else "", url)


def _mark(paragraph: etree._Element, styles: Sequence[etree._Element]) -> tuple[int, etree._Element | None]:
    """The level of a paragraph, and its bullet or number if it has one."""
    here = paragraph.find("{*}pPr")
    level = min(number(here.get("lvl"), 0) if here is not None else 0, _LEVELS - 1)
    for style in (here, *(style.find(f"{{*}}lvl{level + 1}pPr") for style in styles)):
        for mark in style.iterchildren("*") if style is not None else ():
            if local(mark) in _MARKS:
                return level, mark if local(mark) != "buNone" else None
    return level, None
