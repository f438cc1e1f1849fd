"""Which rows of a sheet are one table, what its header is, and what stands around it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from adapters.files.headers import Row
from adapters.files.outline import Outline
from adapters.files.regions import tables


def read(text: str, *, spaced: bool = False) -> list[str]:
    """Of lines with cells between bars: `= ` before a header, `- ` before a row."""
    outline, gap = Outline(), False
    rows: list[Row] = []
    for number, line in enumerate(text.strip().split("/"), 1):
        texts: Sequence[str] = [cell.strip() for cell in line.split("|")]
        own = sum(1 << column for column, cell in enumerate(texts) if cell)
        if own:
            rows.append(Row(number, texts, own, gap=gap))
        gap = not own
    tables(outline, rows, spaced=spaced)
    marks = {"header": "= ", "row": "- "}
    return [marks.get(block.kind.value, "") + block.text for block in outline.content().blocks]


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
