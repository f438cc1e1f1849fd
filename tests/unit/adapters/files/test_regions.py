"""Which rows of a sheet are one table, what its header is, and what stands around it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from adapters.files.content import OutlineBuilder
from adapters.files.html.reader import read_html
from adapters.files.table_grid import Cell
from adapters.files.table_headers import GridRow, build_grid_row, count_header_rows
from adapters.files.table_regions import add_document_table, add_sheet_tables


def read(text: str, *, spaced: bool = False) -> list[str]:
    """Of lines with cells between bars: `= ` before a header, `- ` before a row."""
    outline, gap = OutlineBuilder(), False
    rows: list[GridRow] = []
    for number, line in enumerate(text.strip().split("/"), 1):
        texts: Sequence[str] = [cell.strip() for cell in line.split("|")]
        own = sum(1 << column for column, cell in enumerate(texts) if cell)
        if own:
            rows.append(GridRow(number, texts, own, follows_gap=gap))
        gap = not own
    add_sheet_tables(outline, rows, spaced=spaced)
    marks = {"header": "= ", "row": "- "}
    return [marks.get(block.kind.value, "") + block.text for block in outline.build().blocks]


@pytest.mark.parametrize(
    ("sheet", "right"),
    [
        ("A list / Name | Desk / Ada | 4 / Bo | 5", "A list / = Name | Desk / - Ada | 4 / - Bo | 5"),
        ("Name | 2025 | 2026 / Ada | 4 | 7", "= Name | 2025 | 2026 / - Ada | 4 | 7"),
        ("Team | 1 | 2 | 3 / Blue | Ada | Bo | Cy", "= Team | 1 | 2 | 3 / - Blue | Ada | Bo | Cy"),
        ("Room | 08:00 | 09:00 / Elm | Ada | Bo", "= Room | 08:00 | 09:00 / - Elm | Ada | Bo"),
        ("Ada | 2025 | 4 / Bo | 2026 | 5", "- Ada | 2025 | 4 / - Bo | 2026 | 5"),
        (
            "Key | Door / K1 | Gate / K2 | Loft / / Tool | Shelf / Saw | S3 / Vice | S7",
            "= Key | Door / - K1 | Gate / - K2 | Loft / = Tool | Shelf / - Saw | S3 / - Vice | S7",
        ),
        (
            "Key | Door | / K1 | Gate / K2 | Loft / / K3 | Gate / K4 | Yard",
            "= Key | Door / - K1 | Gate / - K2 | Loft / - K3 | Gate / - K4 | Yard",
        ),
        (
            "Name | Desk | | City | Rate / Ada | 4 | | Oslo | 9 / Bo | 5 | | Bern | 8",
            "= Name | Desk / - Ada | 4 / - Bo | 5 / = City | Rate / - Oslo | 9 / - Bern | 8",
        ),
        ("Site | | 2025 | 2026 / Kiel | | 4 | 5", "= Site |  | 2025 | 2026 / - Kiel |  | 4 | 5"),
        ("Part | Length / | mm / Rod | 12", "= Part | Length - mm / - Rod | 12"),
        (
            "| Early | | Late | / Day | From | To | From | To / Mon | 6 | 14 | 14 | 22",
            "= Day | Early - From | Early - To | Late - From | Late - To / - Mon | 6 | 14 | 14 | 22",
        ),
        (
            "Export / Made: | 2026-05-04 / Key | Door | Floor / K1 | Gate | 0",
            "Export / Made: 2026-05-04 / = Key | Door | Floor / - K1 | Gate | 0",
        ),
        (
            "Paint | Tins / White | 4 / Oil / Sort | Litres / Matt | 7",
            "= Paint | Tins / - White | 4 / Oil / = Sort | Litres / - Matt | 7",
        ),
        ("Land | Meals / Europe / Norway | 75", "= Land | Meals / - Europe |  / - Norway | 75"),
        ("Item | Price / Pen | 2 / / Without VAT", "= Item | Price / - Pen | 2 / Without VAT"),
        ("Item | Price / / Pen | 2 / Ink | 4", "= Item | Price / - Pen | 2 / - Ink | 4"),
        ("Street: | Kai 7 / Town: | Norrvik", "- Street: | Kai 7 / - Town: | Norrvik"),
        ("Only a remark", "Only a remark"),
        (
            "Early | | | Late / / A | B | | C | D / a | 1 | | c | 2",
            "Early / Late / = A | B / - a | 1 / = C | D / - c | 2",
        ),
    ],
)  # fmt: skip
def test_each_table_stands_under_its_own_header(sheet: str, right: str) -> None:
    assert read(sheet) == right.split(" / ")


def test_empty_lines_within_a_file_of_one_table_begin_no_other() -> None:
    sheet = "Word | Meaning / Luff | up / Lee | down / / Aft | back / Fore | front"
    assert read(sheet, spaced=True)[0::3] == ["= Word | Meaning", "- Aft | back"]
    assert read(sheet)[3] == "= Aft | back"


def test_rows_of_a_table_without_a_header_stand_under_no_other() -> None:
    html = (
        "<table><tr><th>Plan<th>Price<tr><td>Free<td>0</table><table><tr><td>Amara<td>Berlin<tr><td>Bo<td>Graz</table>"
    )
    blocks = read_html(html.encode()).blocks
    assert [(block.text, block.opens) for block in blocks[2:]] == [("Amara | Berlin", True), ("Bo | Graz", False)]


@pytest.mark.parametrize(
    ("texts", "marked", "depth"),
    [
        ("Owner | Amaka / Budget | 12,000 EUR / Start | 1 March 2027", None, 0),
        ("Owner | Amaka / Budget | 12,000 EUR / Start | 1 March 2027", 1, 1),
        ("Role | Place / Host | Kiel / Cook | Graz", None, 1),
        ("Role | Place / Host | Kiel / Cook | Graz", 0, 0),
        ("| Basic | Pro / Seats | few | many", 0, 1),
        ("1 | Sign the form / 2 | Send it", None, 0),
        ("SLA | service level agreement / PTO | paid time off", None, 0),
    ],
)
def test_a_header_is_what_is_marked_or_else_what_looks_like_one(texts: str, marked: int | None, depth: int) -> None:
    lines = [[Cell(text.strip()) for text in line.split("|")] for line in texts.split("/")]
    assert count_header_rows([build_grid_row(place, line) for place, line in enumerate(lines)], marked) == depth


def test_a_header_that_is_repeated_is_left_out_and_a_second_one_begins_anew() -> None:
    outline = OutlineBuilder()
    bold = "Room Rate Name Phone".split()
    words = [["Room", "Rate"], ["Fox", "40"], ["Room", "Rate"], ["Owl", "60"], ["Name", "Phone"], ["Ada", "101"]]
    add_document_table(outline, [[Cell(text, is_emphasized=text in bold) for text in row] for row in words])
    kinds = [(block.kind.value, block.text) for block in outline.build().blocks]
    assert kinds[:3] == [("header", "Room | Rate"), ("row", "Fox | 40"), ("row", "Owl | 60")]
    assert kinds[3:] == [("header", "Name | Phone"), ("row", "Ada | 101")]
