"""What stands on a slide: the order in which its shapes are read, and their paragraphs as blocks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from lxml import etree

from adapters.files.office.docx_xml import tex
from adapters.files.office.package import Relation, local, number, reference
from adapters.files.office.runs import FORMULA, LOWERED, RAISED, Run, add_entry, links_of, plain, text_of, written
from adapters.files.outline import Content, Outline
from adapters.files.tables import Cell
from pipeline.values import BlockKind, Link

# --- In which order: by place, and a column's heading before its body -----------------------------

_LONGEST_TITLE = 80
_TALLER = 1.5
"""So much taller than what stands above it is the body of a column."""
_MOST_COLUMNS, _MOST_PANELS = 20, 200
_PAIR = 2
_HALF, _INSIDE = 0.5, 0.95
_ALIKE, _EVEN = 0.8, 0.9
"""Of the widest card at least the width of the others, of the longest way between their
middles or left ends that of the others."""
_NEAR, _APART = 1.5, 2.2
"""So much farther than the boxes of a card from each other stand cards: of two boxes or indented ones, of more."""


@dataclass(frozen=True)
class Box:
    """A shape and where it stands, in the slide's units from above left."""

    shape: etree._Element
    x: int
    y: int
    width: int
    height: int
    panel: bool = False
    """Whether it is drawn without a text, so that others may stand in it."""
    heads: bool = False
    """Whether it is the heading of the column that follows it."""


def titled(boxes: Iterable[Box], lines: Callable[[etree._Element], list[str]]) -> etree._Element | None:
    """Of a slide without a title the shape that stands above all others and says one short line."""
    top = sorted((box for box in boxes if not box.panel), key=lambda box: box.y)[:2]
    first = top[0] if top else None
    if first is None or not first.height or len(top) == 1 or top[1].y < first.y + first.height // 2:
        return None
    said = [line.strip() for line in lines(first.shape) if line.strip()]
    fits = len(said) == 1 and len(said[0]) <= _LONGEST_TITLE and any(map(str.isalpha, said[0]))
    return first.shape if fits and said[0][-1] not in ".,;:" else None


def in_order(boxes: Iterable[Box]) -> Iterator[Box]:
    """From above to below and in a row from left to right; where boxes stand below others in columns, one column after
    the other. What stands within one of several panels stays together."""
    boxes = list(boxes)
    panels = sorted((box for box in boxes if box.panel), key=lambda box: box.width * box.height)[:_MOST_PANELS]
    boxes = [box for box in boxes if not box.panel]
    held: dict[int, list[Box]] = defaultdict(list)
    for box in boxes:
        around = next((panel for panel in panels if _holds(panel, box)), None)
        held[id(around and around.shape)].append(box)
    units = {id(panel.shape): held[id(panel.shape)] for panel in panels if 1 < len(held[id(panel.shape)]) < len(boxes)}
    if len(units) < _PAIR:
        yield from _in_rows(boxes)
        return
    inner = {id(box) for unit in units.values() for box in unit}
    outer = [panel for panel in panels if id(panel.shape) in units]
    for box in _in_rows([*outer, *(box for box in boxes if id(box) not in inner)]):
        yield from _in_rows(units[id(box.shape)]) if box.panel else (box,)


def _holds(panel: Box, box: Box) -> bool:
    """Whether all but a hair of `box` stands within `panel`."""
    across = min(panel.x + panel.width, box.x + box.width) - max(panel.x, box.x)
    down = min(panel.y + panel.height, box.y + box.height) - max(panel.y, box.y)
    return box.width > 0 and box.height > 0 and across >= _INSIDE * box.width and down >= _INSIDE * box.height


def _in_rows(boxes: Iterable[Box]) -> Iterator[Box]:
    rows: list[list[Box]] = []
    for box in sorted(boxes, key=lambda box: (box.y, box.x)):
        first = rows[-1][0] if rows else None
        if first and box.y <= first.y + min(first.height, box.height) // 2:
            rows[-1].append(box)
        else:
            rows.append([box])
    rows = [sorted(row, key=lambda box: box.x) for row in rows]
    while rows:
        columns, taken = _columns(rows)
        headed = taken > 0 and _are_bodies(columns)
        del rows[: taken + 1]
        for column in columns:
            yield replace(column[0], heads=headed and len(column) > 1)
            yield from column[1:]


def _columns(rows: list[list[Box]]) -> tuple[list[list[Box]], int]:
    """The boxes of the first row, each with those of the rows below it that stand in a column under it, and how many
    rows these are; of a table each box by itself."""
    columns = [[box] for box in rows[0]]
    between = min((right.x - left.x - left.width for left, right in pairwise(rows[0])), default=0)
    gaps: list[int] = []
    for row in rows[1:] if len(columns) <= _MOST_COLUMNS else ():
        if not (bodies := _below(columns, row)):
            break
        down = max(body.y - columns[place][-1].y - columns[place][-1].height for place, body in bodies.items())
        if gaps and down > max(2 * max(gaps), between // 2):
            break
        gaps.append(down)
        for place, body in bodies.items():
            columns[place].append(body)
    if gaps and not _are_bodies(columns) and not _are_cards(columns, between / max(1, *gaps), len(gaps)):
        return [[box] for row in rows[: len(gaps) + 1] for box in row], len(gaps)
    return columns, len(gaps)


def _below(columns: list[list[Box]], row: list[Box]) -> dict[int, Box]:
    """What of `row` stands below which of the columns; empty where some of it stands otherwise."""
    found: dict[int, Box] = {}
    for box in row:
        above = [place for place, column in enumerate(columns) if _shared(column[0], box) > _HALF]
        if len(above) != 1 or above[0] in found:
            return {}
        found[above[0]] = box
    return found


def _shared(one: Box, other: Box) -> float:
    """How much of the narrower of two stands above the other."""
    both = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    return both / max(min(one.width, other.width), 1)


def _are_bodies(columns: list[list[Box]]) -> bool:
    """Whether what stands first in the columns is far less tall than what stands below it."""
    pairs = [column[:2] for column in columns if len(column) > 1]
    return len(pairs) > 1 and all(body.height >= _TALLER * head.height for head, body in pairs)


def _are_cards(columns: list[list[Box]], apart: float, lines: int) -> bool:
    """Whether columns that stand so much farther apart than the boxes in them are no rows of a table."""
    widths = [column[0].width for column in columns]
    even = any(
        len(steps) > 1 and min(steps) > _EVEN * max(steps)
        for share in (0, 0.5)
        if (steps := [two.x - one.x + share * (two.width - one.width) for one, two in pairwise(c[0] for c in columns)])
    )
    if min(widths) < _ALIKE * max(widths) and not (even and lines <= _PAIR):
        return False
    indented = all(box.x > column[0].x for column in columns for box in column[1:])
    if lines == 1 or indented:
        return apart >= _NEAR
    if len(columns) == _PAIR and len(columns[0]) == len(columns[1]):
        return False  # what stands side by side in each row belongs together
    return apart >= _APART


# --- Paragraphs: bullets as items, numbers as steps, the rest as prose ----------------------------

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
