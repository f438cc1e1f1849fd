"""The paragraphs of a shape -> blocks: bullets as items, numbers as steps, the rest as prose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from lxml import etree

from adapters.files.inline import lowered, noted, raised
from adapters.files.office.docx_lists import written
from adapters.files.office.docx_math import tex
from adapters.files.office.docx_symbols import symbol
from adapters.files.office.elements import local, number, reference
from adapters.files.office.package import Relation
from adapters.files.outline import Content, Outline
from pipeline.values import BlockKind, Link

_MARKS = frozenset({"buNone", "buChar", "buBlip", "buAutoNum"})
_LETTERS = re.compile(r"(alpha|roman)(Lc|Uc)(\w+)")
_WAYS, _CASES, _ENDS = (
    {"alpha": "Letter", "roman": "Roman"},
    {"Lc": "lower", "Uc": "upper"},
    {"Period": ".", "ParenR": ")"},
)
_SIGNS = frozenset({"Symbol", "Wingdings", "Wingdings 2", "Wingdings 3", "Webdings"})
"""Fonts whose letters are signs."""
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
    counts: dict[int, int] = {}
    types: dict[int, tuple[str, str]] = {}
    for paragraph in body.iterfind("{*}p"):
        text, links = paragraph_text(paragraph, relations)
        if not text.strip():
            continue
        level, mark = _mark(paragraph, styles)
        while above and above[-1] >= level:
            above.pop()
        steps = mark is not None and local(mark) == "buAutoNum"
        counts = {key: count for key, count in counts.items() if key < level or (key == level and steps)}
        kind, count = BlockKind.PROSE if mark is None else BlockKind.ITEM, 0
        if mark is not None and steps:
            if types.get(level) != (kind_now := (mark.get("type", ""), mark.get("startAt", ""))):
                types[level] = kind_now
                counts.pop(level, None)
            count = counts[level] = counts.get(level, number(mark.get("startAt")) - 1) + 1
            if label := _label(mark, count):
                text, count = f"{label} {text}", 0
            else:
                kind = BlockKind.STEP
        outline.add(kind, text, depth=len(above), number=count, links=links)
        if mark is not None:
            above.append(level)


def _label(mark: etree._Element, count: int) -> str:
    """The number of an entry where it is shown in letters or circles; empty for one in figures."""
    kind = mark.get("type", "")
    if kind.startswith("circle"):
        return written(count, "decimalEnclosedCircle")
    found = _LETTERS.match(kind)
    if not found:
        return ""
    said = written(count, f"{_CASES[found[2]]}{_WAYS[found[1]]}")
    return f"({said})" if found[3] == "ParenBoth" else f"{said}{_ENDS.get(found[3], '')}"


def paragraph_text(paragraph: etree._Element, relations: Mapping[str, Relation]) -> tuple[str, list[Link]]:
    """What is shown of a paragraph, and the links in it."""
    return shown((*_look(run), _said(run), _address(run, relations)) for run in _runs(paragraph))


Piece = tuple[int, bool, str, str]
"""A run: raised (1), lowered (-1), a NOTE or a FORMULA, whether it is struck, what it says, where it leads."""
NOTE, FORMULA = 9, 8


def in_cell(content: Content) -> tuple[str, tuple[Link, ...]]:
    """All that was read of a cell, a line a paragraph, and its links; of a list or a table in it one line."""
    lines: list[str] = []
    listed = False
    for block in content.blocks:
        said = ", ".join(filter(None, block.cells)) if block.cells else block.text
        said = f"{block.number}. {said}" if block.kind is BlockKind.STEP else said
        before, listed = listed, bool(block.cells) or block.kind in {BlockKind.STEP, BlockKind.ITEM}
        if before and listed:
            lines[-1] += f"; {said}"
        else:
            lines.append(said)
    return "\n".join(lines), tuple(link for block in content.blocks for link in block.links)


def shown(pieces: Iterable[Piece]) -> tuple[str, list[Link]]:
    """Runs as one text and the links in it; what is struck is left out."""
    merged: list[Piece] = []
    for baseline, struck, said, url in pieces:  # programs cut words anywhere
        if merged and (*merged[-1][:2], merged[-1][3]) == (baseline, struck, url):
            said = merged.pop()[2] + said
        merged.append((baseline, struck, said, url))
    text = ""
    links: list[Link] = []
    for baseline, struck, said, url in merged:
        if baseline == NOTE:
            text = noted(text, said)
        elif baseline == FORMULA:
            text += f"{' ' if text[-1:].isdigit() and said[:1].isdigit() else ''}{said}"
        elif not struck:
            text += raised(said, text) if baseline > 0 else lowered(said) if baseline < 0 else said
            links += [Link(text=said, url=url)] if url else []
    return text, links


def _runs(paragraph: etree._Element) -> Iterable[etree._Element]:
    for child in paragraph.iterchildren("*"):
        if local(child) == "AlternateContent":
            choice = child.find("{*}Choice")
            yield from _runs(child if choice is None else choice)
        elif local(child) not in {"pPr", "endParaRPr"}:
            yield child


def _said(run: etree._Element) -> str:
    match local(run):
        case "br":
            return "\n"
        case "m" | "oMath" | "oMathPara":
            return "".join(map(tex, run if local(run) == "m" else (run,)))
        case _:
            text = (run.findtext("{*}t") or "").replace("\v", "\n")
            for name, known in ("latin", str.isprintable), ("sym", _is_sign):
                font = run.find(f"{{*}}rPr/{{*}}{name}")
                if font is not None and (face := font.get("typeface", "")) in _SIGNS:
                    text = "".join(symbol(ord(one), face) if known(one) else one for one in text)
            return text


def _is_sign(character: str) -> bool:
    """Whether the font for signs is used for it, and not that of the words around it."""
    return not character.isascii()


def _look(run: etree._Element) -> tuple[int, bool]:
    """Whether it stands raised (above 0) or lowered or is a FORMULA, and whether it is struck."""
    if local(run) in {"m", "oMath", "oMathPara"}:
        return FORMULA, False
    style = run.find("{*}rPr")
    if style is None:
        return 0, False
    baseline = style.get("baseline", "0").rstrip("%")
    shift = float(baseline) if baseline.lstrip("-").replace(".", "", 1).isdecimal() else 0
    return (shift > 0) - (shift < 0), style.get("strike", "noStrike") != "noStrike"


def _address(run: etree._Element, relations: Mapping[str, Relation]) -> str:
    link = run.find("{*}rPr/{*}hlinkClick")
    found = relations.get(reference(link)) if link is not None else None
    return found.target if found and found.kind == "hyperlink" else ""


def _mark(paragraph: etree._Element, styles: Sequence[etree._Element]) -> tuple[int, etree._Element | None]:
    """The level of a paragraph, and its bullet or number if it has one."""
    here = paragraph.find("{*}pPr")
    level = min(number(here.get("lvl"), 0) if here is not None else 0, _LEVELS - 1)
    for style in (here, *(style.find(f"{{*}}lvl{level + 1}pPr") for style in styles)):
        for mark in style.iterchildren("*") if style is not None else ():
            if local(mark) in _MARKS:
                return level, mark if local(mark) != "buNone" else None
    return level, None
