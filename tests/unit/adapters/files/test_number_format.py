"""Numbers of a workbook are shown as LibreOffice shows them; number_formats.json is what that makes of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adapters.files.office.number_format import BUILT_IN_FORMATS, parse_number_format

SHOWN = json.loads(Path(__file__).with_name("number_formats.json").read_text(encoding="utf-8"))
APART = {
    ("General", 1 / 3): "0.333333333",  # Excel has eleven characters
    ("General", 1e20): "1E+20",
    ("0%", 1.255): "126%",
    ("# ?/2", 2.25): "2 1/2",
    ('"fixed"', -5): "-fixed",
    ("[$-407]#,##0.00", 1234.5): "1,234.50",  # Excel changes names for a locale, and no points and commas
    ("m/d/yy h:mm", 46142.5229282407): "4/30/26 12:33",  # written as the built-in format 22, which has four figures
    ("h:mm A/P", 0.75): "6:00 P",
    ("[$-F400]h:mm:ss\\ AM/PM", 0.75): "6:00:00 PM",
    ("[$-en-US]mmmm d, yyyy", 46142): "April 30, 2026",  # LibreOffice 7.4 knows no names of locales
    ("[$-de-DE]d. mmmm yyyy", 46142): "30. April 2026",
}
"""Where we show something else, and what."""


def shown(code: str, value: float | str, *, from_1904: bool = False) -> str:
    form = parse_number_format(code)
    text = form.format_text(value) if isinstance(value, str) else form.format_value(value, from_1904=from_1904)
    return " ".join(text.split())


@pytest.mark.parametrize(("code", "value", "right"), SHOWN, ids=lambda value: str(value))
def test_a_number_is_shown_as_libreoffice_shows_it(code: str, value: float | str, right: str) -> None:
    assert shown(code, value) == APART.get((code, value), " ".join(right.split()))


def test_of_all_formats_but_a_few_are_shown_otherwise() -> None:
    formats = {code for code, _, _ in SHOWN}
    assert len(formats) >= 300
    assert len(APART) <= 0.05 * len(formats)


@pytest.mark.parametrize(
    ("code", "value", "right"),
    [
        ("[$-411]aaaa", 46142, "木曜日"),
        ("[$-ja-JP]mmmm", 46142, "4月"),
        ("[$-xx-QQ]mmmm", 46142, "April"),
        ("h:mm:ss.00%", 0.5, "12:00:00.00%"),
        ("yyyy-mm-dd", 1, "1900-01-01"),
        ("yyyy-mm-dd", 59, "1900-02-28"),
        ("yyyy-mm-dd", 60, "1900-02-29"),
        ("yyyy-mm-dd", 61, "1900-03-01"),
        ("yyyy-mm-dd", 2958465, "9999-12-31"),
        ("yyyy-mm-dd", 2958466, "2958466"),
        ("yyyy-mm-dd", -1, "-1"),
        ("yyyy-mm-dd", 1e300, "1E+300"),
        ("dddd", 61, "Thursday"),
    ],
)
def test_days_begin_in_1900_with_one_that_never_was(code: str, value: float, right: str) -> None:
    assert shown(code, value) == right


def test_days_of_a_workbook_that_counts_from_1904_are_four_years_later() -> None:
    assert shown("yyyy-mm-dd", 44680, from_1904=True) == shown("yyyy-mm-dd", 46142) == "2026-04-30"


@pytest.mark.parametrize(
    "code",
    ["", ";", ";;;;;;", "[", "[$", "[h",
     '"', "\\", "_", "*", "E+", "0E+", "/", "?/", "/?", "0/0/0", "0.0.0", "@@", "[>]0",
     "[>x]0", "[h][m][s]", "mmmmmm", "yyyyyyyyy", "0" * 400, "#," * 200, "?/" + "?" * 200, "0." + "0" * 300 + "E+0",
     "General General", "[$-zz]d", "[$-]0", "AM/PM", "s.s.0", "ss.0000000000000", "0,,,,,,,,,,,,,,,,,,,,,,,",
     "%%%%%%%%%0"],
)  # fmt: skip
@pytest.mark.parametrize("value", [0.0, -0.0, 1.5, -1e-300, 1e300, 2958465.99999999, float("1e15")])
def test_no_format_raises_or_grows(code: str, value: float) -> None:
    assert len(shown(code, value)) < 2_000
    shown(code, "text")


def test_formats_that_have_only_a_number_are_understood() -> None:
    assert shown(BUILT_IN_FORMATS[14], 46142) == "4/30/2026"
    assert shown(BUILT_IN_FORMATS[46], 1.25) == "30:00:00"
    assert shown(BUILT_IN_FORMATS[44], -1234.5) == "$(1,234.50)"
