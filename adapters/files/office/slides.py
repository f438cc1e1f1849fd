"""The content of a slide: the order in which its shapes are read, and their paragraphs as blocks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from lxml import etree

from adapters.files.content import OutlineBuilder, ParsedFile
from adapters.files.office.docx_xml import formula_to_tex
from adapters.files.office.package import Relationship, local_name, parse_bounded_int, relationship_id
from adapters.files.office.runs import (
    FORMULA_RUN,
    SUBSCRIPT,
    SUPERSCRIPT,
    OfficeRun,
    add_list_entry,
    format_list_number,
    replace_symbol_chars,
    runs_links,
    runs_text,
)
from adapters.files.table_grid import Cell
from pipeline.values import BlockKind, Link

# --- In which order: by place, and a column's heading before its body -----------------------------

_MAX_TITLE_LENGTH = 80
_TALLER = 1.5
"""Ratio by which the body of a column is taller than its heading."""
_MAX_COLUMNS, _MAX_PANELS = 20, 200
_PAIR = 2
_HALF, _INSIDE = 0.5, 0.95
_ALIKE, _EVEN = 0.8, 0.9
"""Ratios of cards: the least width by the widest card, and the shortest way between their middles or left ends by the
longest."""
_MIN_PAIR_DISTANCE, _MIN_CARD_DISTANCE = 1.5, 2.2
"""Ratios of the distance between cards to the distance between the boxes of a card: for two boxes or indented ones, for
more."""


@dataclass(frozen=True)
class SlideShape:
    """A shape and its place, in the slide's units from the upper left."""

    shape: etree._Element
    x: int
    y: int
    width: int
    height: int
    is_panel: bool = False
    """True where it is drawn without a text, so that others may stand in it."""
    is_column_heading: bool = False
    """True where it is the heading of the column that follows it."""


def find_title_shape(
    shapes: Iterable[SlideShape], read_lines: Callable[[etree._Element], list[str]]
) -> etree._Element | None:
    """Return the title of a slide without a title placeholder: the shape above all others with one short line."""
    top = sorted((box for box in shapes if not box.is_panel), key=lambda box: box.y)[:2]
    first = top[0] if top else None
    if first is None or not first.height or len(top) == 1 or top[1].y < first.y + first.height // 2:
        return None
    texts = [line.strip() for line in read_lines(first.shape) if line.strip()]
    fits = len(texts) == 1 and len(texts[0]) <= _MAX_TITLE_LENGTH and any(map(str.isalpha, texts[0]))
    return first.shape if fits and texts[0][-1] not in ".,;:" else None


def sort_shapes(shapes: Iterable[SlideShape]) -> Iterator[SlideShape]:
    """Sort shapes from top to bottom and in a row from left to right; where boxes stand below others in columns, column
    by column. The shapes in one of several panels stay together."""
    shapes = list(shapes)
    panels = sorted((box for box in shapes if box.is_panel), key=lambda box: box.width * box.height)[:_MAX_PANELS]
    shapes = [box for box in shapes if not box.is_panel]
    by_panel: dict[int, list[SlideShape]] = defaultdict(list)
    for box in shapes:
        around = next((panel for panel in panels if _contains(panel, box)), None)
        by_panel[id(around and around.shape)].append(box)
    units = {
        id(panel.shape): by_panel[id(panel.shape)]
        for panel in panels
        if 1 < len(by_panel[id(panel.shape)]) < len(shapes)
    }
    if len(units) < _PAIR:
        yield from _order_by_rows(shapes)
        return
    inner = {id(box) for unit in units.values() for box in unit}
    outer = [panel for panel in panels if id(panel.shape) in units]
    for box in _order_by_rows([*outer, *(box for box in shapes if id(box) not in inner)]):
        yield from _order_by_rows(units[id(box.shape)]) if box.is_panel else (box,)


def _contains(panel: SlideShape, box: SlideShape) -> bool:
    """Return whether nearly all of `box` stands within `panel`."""
    across = min(panel.x + panel.width, box.x + box.width) - max(panel.x, box.x)
    down = min(panel.y + panel.height, box.y + box.height) - max(panel.y, box.y)
    return box.width > 0 and box.height > 0 and across >= _INSIDE * box.width and down >= _INSIDE * box.height


def _order_by_rows(boxes: Iterable[SlideShape]) -> Iterator[SlideShape]:
    rows: list[list[SlideShape]] = []
    for box in sorted(boxes, key=lambda box: (box.y, box.x)):
        first = rows[-1][0] if rows else None
        if first and box.y <= first.y + min(first.height, box.height) // 2:
            rows[-1].append(box)
        else:
            rows.append([box])
    rows = [sorted(row, key=lambda box: box.x) for row in rows]
    while rows:
        columns, taken = _group_columns(rows)
        headed = taken > 0 and _are_bodies(columns)
        del rows[: taken + 1]
        for column in columns:
            yield replace(column[0], is_column_heading=headed and len(column) > 1)
            yield from column[1:]


def _group_columns(rows: list[list[SlideShape]]) -> tuple[list[list[SlideShape]], int]:
    """Return the boxes of the first row, each with those of the rows below that stand in a column under it, and the
    number of these rows. Return each box of a table by itself."""
    columns = [[box] for box in rows[0]]
    between = min((right.x - left.x - left.width for left, right in pairwise(rows[0])), default=0)
    gaps: list[int] = []
    for row in rows[1:] if len(columns) <= _MAX_COLUMNS else ():
        if not (bodies := _match_columns(columns, row)):
            break
        down = max(body.y - columns[index][-1].y - columns[index][-1].height for index, body in bodies.items())
        if gaps and down > max(2 * max(gaps), between // 2):
            break
        gaps.append(down)
        for index, body in bodies.items():
            columns[index].append(body)
    if gaps and not _are_bodies(columns) and not _are_cards(columns, between / max(1, *gaps), len(gaps)):
        return [[box] for row in rows[: len(gaps) + 1] for box in row], len(gaps)
    return columns, len(gaps)


def _match_columns(columns: list[list[SlideShape]], row: list[SlideShape]) -> dict[int, SlideShape]:
    """Return the boxes of `row` by the column that they stand below; empty where one of them stands otherwise."""
    bodies: dict[int, SlideShape] = {}
    for box in row:
        above = [index for index, column in enumerate(columns) if _overlap(column[0], box) > _HALF]
        if len(above) != 1 or above[0] in bodies:
            return {}
        bodies[above[0]] = box
    return bodies


def _overlap(first: SlideShape, other: SlideShape) -> float:
    """Return the share of the narrower of two shapes that overlaps the other horizontally."""
    both = min(first.x + first.width, other.x + other.width) - max(first.x, other.x)
    return both / max(min(first.width, other.width), 1)


def _are_bodies(columns: list[list[SlideShape]]) -> bool:
    """Return whether the first boxes of the columns are far less tall than those below them."""
    pairs = [column[:2] for column in columns if len(column) > 1]
    return len(pairs) > 1 and all(body.height >= _TALLER * head.height for head, body in pairs)


def _are_cards(columns: list[list[SlideShape]], distance_ratio: float, lines: int) -> bool:
    """Return whether columns that are `apart` times as far from each other as the boxes in them are no rows of a
    table."""
    widths = [column[0].width for column in columns]
    even = any(
        len(steps) > 1 and min(steps) > _EVEN * max(steps)
        for share in (0, 0.5)
        if (
            steps := [
                right.x - left.x + share * (right.width - left.width) for left, right in pairwise(c[0] for c in columns)
            ]
        )
    )
    if min(widths) < _ALIKE * max(widths) and not (even and lines <= _PAIR):
        return False
    indented = all(box.x > column[0].x for column in columns for box in column[1:])
    if lines == 1 or indented:
        return distance_ratio >= _MIN_PAIR_DISTANCE
    if len(columns) == _PAIR and len(columns[0]) == len(columns[1]):
        return False  # what stands side by side in each row belongs together
    return distance_ratio >= _MIN_CARD_DISTANCE


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
"""End of a line without a mark that divides it from the next."""
_LEVELS = 9


def add_paragraphs(
    outline: OutlineBuilder,
    body: etree._Element,
    styles: Sequence[etree._Element],
    relations: Mapping[str, Relationship],
) -> None:
    """Append the text of a shape. `styles` may hold the marks of its levels, the nearest first."""
    styles = [*body.iterfind("{*}lstStyle"), *styles]
    above: list[int] = []
    """Levels of the entries that are open."""
    counts: dict[int, tuple[tuple[str, str], int]] = {}
    """Kind and start of the numbers, and the last number, by level."""
    for paragraph in body.iterfind("{*}p"):
        text, links = paragraph_text(paragraph, relations)
        if not text.strip():
            continue
        level, mark = _list_mark(paragraph, styles)
        while above and above[-1] >= level:
            above.pop()
        numbered = mark is not None and local_name(mark) == "buAutoNum"
        counts = {key: count for key, count in counts.items() if key < level + numbered}
        label = None if mark is None else ""
        if mark is not None and numbered:
            kind = mark.get("type", ""), mark.get("startAt", "")
            last_kind, last = counts.get(level, (kind, parse_bounded_int(kind[1]) - 1))
            last = last + 1 if last_kind == kind else parse_bounded_int(kind[1])
            counts[level] = kind, last
            label = _format_label(kind[0], last)
        add_list_entry(outline, text, label, len(above), links)
        if mark is not None:
            above.append(level)


def _format_label(kind: str, count: int) -> str:
    """Return the number of an entry as it is shown."""
    match = _NUMBERED.fullmatch(kind)
    name, case, around = match.groups() if match else ("", "", "")
    number = format_list_number(count, _SHAPES.get(f"{name}{case or ''}", ""))
    return _AROUND.get(around or "", "{}").format(number)


def paragraph_text(paragraph: etree._Element, relations: Mapping[str, Relationship]) -> tuple[str, list[Link]]:
    """Return the visible text of a paragraph, without struck runs, and the links in it."""
    runs = list(_read_runs(paragraph, relations))
    return runs_text(runs), runs_links(runs)


def content_to_cell(content: ParsedFile) -> Cell:
    """Return the blocks of a cell as one text, a line a paragraph. Entries of a list or rows of a table in it share a
    line."""
    text = ""
    for block in content.blocks:
        block_text = ", ".join(filter(None, block.cells)) if block.cells else block.text
        block_text = f"{block.number}. {block_text}" if block.number else block_text
        entry = bool(block.cells) or block.kind in {BlockKind.STEP, BlockKind.ITEM}
        between = "\n" if not entry else "; " if _OPEN.search(text) else " "
        text += f"{between if text else ''}{block_text}"
    links = tuple(link for block in content.blocks for link in block.links)
    code = tuple(block.text[start:end] for block in content.blocks for start, end in block.code)
    return Cell(text, links=links, code=code)


def _read_runs(paragraph: etree._Element, relations: Mapping[str, Relationship]) -> Iterator[OfficeRun]:
    for child in paragraph.iterchildren("*"):
        match local_name(child):
            case "AlternateContent":
                choice = child.find("{*}Choice")
                yield from _read_runs(child if choice is None else choice, relations)
            case "m":
                yield from (OfficeRun(formula_to_tex(formula), FORMULA_RUN) for formula in child)
            case "oMath" | "oMathPara":
                yield OfficeRun(formula_to_tex(child), FORMULA_RUN)
            case "br":
                yield OfficeRun("\n")
            case "r" | "fld":
                yield from _read_run(child, relations)


def _read_run(run: etree._Element, relations: Mapping[str, Relationship]) -> Iterator[OfficeRun]:
    text, look = run.findtext("{*}t") or "", run.find("{*}rPr")
    if look is None:
        yield OfficeRun(text.replace("\v", "\n"))
    elif look.get("strike", "noStrike") == "noStrike":
        if (font := look.find("{*}latin")) is not None:
            text = replace_symbol_chars(text, font.get("typeface"))
        if (font := look.find("{*}sym")) is not None:  # not that of the words around it
            face = font.get("typeface", "")
            text = _FOREIGN.sub(lambda sign: replace_symbol_chars(sign[0], face), text)
        baseline = look.get("baseline", "0").rstrip("%")
        shift = float(baseline) if baseline.lstrip("-").replace(".", "", 1).isdecimal() else 0
        link = look.find("{*}hlinkClick")
        relation = relations.get(relationship_id(link)) if link is not None else None
        url = relation.target if relation and relation.kind == "hyperlink" else ""
        yield OfficeRun(text.replace("\v", "\n"), SUPERSCRIPT if shift > 0 else SUBSCRIPT if shift < 0 else "", url)


def _list_mark(paragraph: etree._Element, styles: Sequence[etree._Element]) -> tuple[int, etree._Element | None]:
    """Return the level of a paragraph, and its bullet or number if it has one."""
    properties = paragraph.find("{*}pPr")
    level = min(parse_bounded_int(properties.get("lvl"), 0) if properties is not None else 0, _LEVELS - 1)
    for style in (properties, *(style.find(f"{{*}}lvl{level + 1}pPr") for style in styles)):
        for mark in style.iterchildren("*") if style is not None else ():
            if local_name(mark) in _MARKS:
                return level, mark if local_name(mark) != "buNone" else None
    return level, None
