"""Makes the workbooks and CSV files of tests/fidelity/cases.

Needs LibreOffice (`soffice` on PATH), openpyxl and XlsxWriter: python tests/fidelity/made/sheets.py
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import subprocess
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import xlsxwriter
from openpyxl.comments import Comment
from openpyxl.styles import Font

CASES = Path(__file__).parents[1] / "cases"
DAY = dt.datetime(2026, 4, 30)  # noqa: DTZ001 - days of a workbook have no zone


def place(name: str) -> Path:
    path = CASES / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


# --- XlsxWriter


def written(name: str) -> Any:
    return xlsxwriter.Workbook(str(place(f"xlsx/{name}.xlsx")), {"default_date_format": "dd.mm.yyyy"})


def rows(sheet: Any, lines: list[list[Any]], top: int = 0, left: int = 0) -> None:
    for number, line in enumerate(lines, top):
        for column, value in enumerate(line, left):
            if value is not None:
                sheet.write(number, column, value)


def by_xlsxwriter() -> None:
    book = written("number-format/tariffs")
    sheet = book.add_worksheet("Tariffs")
    rows(sheet, [["Item", "Price", "Discount", "Valid from", "Hours", "Code", "Change"]])
    codes = ["@", "#,##0.00 [$€-407]", "0.0%", "d mmm yyyy", "[h]:mm", "000-000", "+0.0;-0.0;0"]
    formats = [book.add_format({"num_format": code}) for code in codes]
    for number, line in enumerate(
        [
            ["Ferry", 1234.5, 0.075, 46142, 1.5, 42007, 2.5],
            ["Bus", 8, 0, 46143, 0.25, 7, -1],
            ["Walk", 0, 1, 46144, 0, 0, 0],
        ],
        1,
    ):
        for column, value in enumerate(line):
            sheet.write(number, column, value, formats[column])
    book.close()

    book = written("number-format/sections")
    sheet = book.add_worksheet("Readings")
    rows(sheet, [["Sensor", "Level", "State", "Ratio", "Size"]])
    codes = [
        '0.0" bar";-0.0" bar";"empty"',
        '[=1]"on";[=0]"off";General',
        "# ?/?",
        '[>=1000000]0.0,,"M";[>=1000]0.0,"k";0',
    ]
    formats = [None, *(book.add_format({"num_format": code}) for code in codes)]
    for number, line in enumerate(
        [["North", 2.5, 1, 1.5, 2500], ["South", 0, 0, 0.25, 12], ["Deck", -0.5, 1, 3, 7200000]], 1
    ):
        for column, value in enumerate(line):
            sheet.write(number, column, value, formats[column])
    book.close()

    book = written("merged/plan")
    sheet = book.add_worksheet("Plan")
    sheet.merge_range("A1:E1", "Cleaning plan of the boat house")
    sheet.merge_range("A3:A4", "Room")
    sheet.merge_range("B3:C3", "Week 1")
    sheet.merge_range("D3:E3", "Week 2")
    rows(sheet, [["Who", "When", "Who", "When"]], 3, 1)
    sheet.merge_range("A5:A6", "Workshop")
    rows(sheet, [["Imke", "Monday", "Jorn", "Tuesday"], ["Jorn", "Friday", "Imke", "Friday"]], 4, 1)
    rows(sheet, [["Loft", "Lena", "Sunday"]], 6)
    sheet.merge_range("D7:E7", "closed")
    book.close()

    book = written("tables/beside")
    sheet = book.add_worksheet("Harbour")
    rows(sheet, [["Berth", "Length", "Boat"], ["A1", 12, "Heron"], ["A2", 9, "Tern"], ["A3", 14, None]])
    rows(sheet, [["Tool", "Shelf"], ["Saw", "S3"], ["Vice", "S7"]], 0, 4)
    book.close()

    book = written("tables/below-with-titles")
    sheet = book.add_worksheet("Opening")
    rows(
        sheet, [["Summer hours"], ["Day", "Opens", "Closes"], ["Monday", "8:00", "20:00"], ["Sunday", "10:00", "16:00"]]
    )
    rows(sheet, [["Contacts"], ["Role", "Name"], ["Master", "Imke"], ["Deputy", "Jorn"]], 5)
    rows(sheet, [["Ring twice outside of opening hours."]], 10)
    book.close()

    book = written("tables/without-space")
    sheet = book.add_worksheet("Stock")
    rows(
        sheet, [["Paint"], ["Colour", "Litres"], ["White", 12], ["Blue", 4], ["Varnish"], ["Sort", "Tins"], ["Matt", 7]]
    )
    book.close()

    book = written("tables/empty-row-inside")
    sheet = book.add_worksheet("Boats")
    bold = book.add_format({"bold": True})
    sheet.write_row(0, 0, ["Boat", "Owner", "Place"], bold)
    rows(sheet, [["Heron", "Imke", "Pier"], ["Tern", "Jorn", "Yard"]], 1)
    rows(sheet, [["Gull", "Lena", "Yard"], ["Knot", "Ole", "Pier"]], 4)
    book.close()

    book = written("header/months")
    sheet = book.add_worksheet("Rain")
    month = book.add_format({"num_format": "mmm yy"})
    sheet.write(0, 0, "Station")
    for column, serial in enumerate([46023, 46054, 46082], 1):
        sheet.write(0, column, serial, month)
    rows(sheet, [["Quay", 81, 60.5, 44], ["Hill", 90, 71, 52.5]], 1)
    book.close()

    book = written("header/years-in-two-rows")
    sheet = book.add_worksheet("Members")
    rows(sheet, [[None, 2025, None, 2026, None], ["Group", "Adults", "Youth", "Adults", "Youth"]])
    rows(sheet, [["Rowers", 41, 12, 44, 15], ["Sailors", 28, 9, 27, 11]], 2)
    book.close()

    book = written("header/none")
    sheet = book.add_worksheet("Address")
    rows(sheet, [["Street:", "Kai 7"], ["Town:", "Norrvik"], ["Phone:", "4410"]])
    book.close()

    book = written("hidden/parts")
    sheet = book.add_worksheet("Shown")
    rows(sheet, [["Key", "Draft", "Value"], ["Tide", "old", "low"], ["Wind", "old", "west"], ["Swell", "old", "none"]])
    sheet.set_column("B:B", None, None, {"hidden": True})
    sheet.set_row(2, None, None, {"hidden": True})
    secret = book.add_worksheet("Kept back")
    rows(secret, [["Key", "Value"], ["Code", 1234]])
    secret.hide()
    deep = book.add_worksheet("Kept back more")
    deep.write(0, 0, "Nobody reads this")
    deep.very_hidden()
    book.close()

    book = written("formula/never-calculated")
    sheet = book.add_worksheet("Order")
    rows(sheet, [["Item", "Pieces", "Each", "Sum"], ["Rope", 3, 12.5], ["Cleat", 8, 4]])
    sheet.write_formula("D2", "=B2*C2")
    sheet.write_formula("D3", "=B3*C3")
    sheet.write_formula("D4", "=SUM(D2:D3)", None, 69.5)
    book.close()

    book = written("formula/errors-and-truth")
    sheet = book.add_worksheet("Checks")
    rows(sheet, [["Check", "Result"]])
    for number, (name, formula, value) in enumerate(
        [("Lookup", "=NA()", "#N/A"), ("Share", "=1/0", "#DIV/0!"), ("Text", '="a"&"b"', "ab")], 1
    ):
        sheet.write(number, 0, name)
        sheet.write_formula(number, 1, formula, None, value)
    sheet.write(4, 0, "Ready")
    sheet.write_boolean(4, 1, True)
    book.close()

    book = written("note/notes")
    sheet = book.add_worksheet("Fees")
    rows(sheet, [["Berth", "Fee"], ["Small", 120], ["Large", 260]])
    sheet.write_comment("B2", "Half of it for members under 18")
    sheet.write_comment("A3", "From 10 m on", {"author": "Harbour office"})
    book.close()

    book = written("text/rich")
    sheet = book.add_worksheet("Units")
    up, down, out = (
        book.add_format({key: value})
        for key, value in [("font_script", 1), ("font_script", 2), ("font_strikeout", True)]
    )
    rows(
        sheet,
        [
            ["Name", "Says"],
            ["Bound", None],
            ["Gas", None],
            ["Term", None],
            ["Bars", "either | or"],
            ["Lines", "first\nsecond"],
        ],
    )
    sheet.write_rich_string("B2", "at most 10", up, "6", " cells")
    sheet.write_rich_string("B3", "CO", down, "2", " below 800 ppm")
    sheet.write_rich_string("B4", out, "14 days ", "30 days")
    sheet.write("A7", "Old term", out)
    sheet.write("B7", "7 days", out)
    book.close()

    book = written("drawing/box-and-chart")
    sheet = book.add_worksheet("Depth")
    rows(sheet, [["Berth", "Metres"], ["A1", 2.5], ["A2", 3]])
    sheet.insert_textbox("D2", "Depths are at low water.\nSoundings of May.")
    chart = book.add_chart({"type": "column"})
    chart.add_series({"name": "=Depth!$B$1", "categories": "=Depth!$A$2:$A$3", "values": "=Depth!$B$2:$B$3"})
    chart.set_title({"name": "Depth by berth"})
    sheet.insert_chart("D8", chart)
    book.close()

    book = written("drawing/chart-sheet")
    data = book.add_worksheet("Figures")
    rows(data, [["Year", "Boats"], ["2025", 41], ["2026", 44]])
    data.hide()
    chart = book.add_chart({"type": "line"})
    points = {"name": "Boats", "categories": "=Figures!$A$2:$A$3", "values": "=Figures!$B$2:$B$3"}
    chart.add_series({**points, "categories_data": ["2025", "2026"], "values_data": [41, 44]})
    chart.set_title({"name": "Boats in the yard"})
    shown = book.add_chartsheet("Growth")
    shown.set_chart(chart)
    shown.activate()
    book.close()

    book = written("text/listed-table")
    sheet = book.add_worksheet("Keys")
    sheet.add_table(
        "B3:D5",
        {
            "columns": [{"header": "Key"}, {"header": "Door"}, {"header": "Holder"}],
            "data": [["K1", "Gate", "Imke"], ["K2", "Loft", "Jorn"]],
        },
    )
    sheet.write("B1", "Keys of the boat house")
    book.close()


# --- openpyxl


def by_openpyxl() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Loans"
    for line in [["Item", "Lent", "At", "For"], ["Trailer", DAY.date(), dt.time(9, 5), dt.timedelta(hours=30)]]:
        sheet.append(line)
    sheet["B2"].number_format = "dd/mm/yyyy"
    sheet["A2"].comment = Comment("Needs a licence", "Yard")
    book.properties.title = "What is lent"
    book.save(place("xlsx/number-format/loans.xlsx"))

    book = openpyxl.Workbook()
    book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    sheet = book.active
    sheet.title = "Dates"
    sheet.append(["Event", "Day"])
    sheet.append(["Launch", DAY])
    sheet["B2"].number_format = "yyyy-mm-dd"
    book.save(place("xlsx/number-format/from-1904.xlsx"))

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Crew"
    for line in [
        ["Watch", "Port", "Starboard"],
        ["First", None, "Ole"],
        ["Second", "Lena", None],
        [None, "Imke", "Jorn"],
    ]:
        sheet.append(line)
    sheet.append([])
    sheet.append(["Total", "2", "2"])
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    book.save(place("xlsx/tables/empty-cells.xlsx"))


# --- LibreOffice

FODS = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0"
 xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"
 office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>
%s
</office:spreadsheet></office:body></office:document>"""


LAYOUTS: dict[str, list[list[Any]]] = {
    "labels/boat": [["Boat", "Petrel"], ["Built", dt.date(1998, 5, 2)], ["Berths", 6], ["Draught", "1.4 m"], ["Insured", "yes"]],
    "labels/above-a-table": [
        ["Report", "Moorings"], ["Month", "May 2026"], ["By", "Imke"], [], ["Mooring", "Fee", "Length"], ["North", 40, 9], ["South", 35, 12],
    ],
    "labels/above-without-space": [
        ["Report", "Fuel"], ["Until", "31 May 2026"], ["Tank", "Litres", "Price"], ["Pier", 900, 1.85], ["Yard", 300, 1.79],
    ],
    "tables/beside-and-lower": [
        ["Crew", "Watch"], ["Lena", 1], ["Ole", 2], ["Jorn", 1, None, "Watch", "Hours"], ["Imke", 2, None, 1, 4], [None, None, None, 2, 6],
    ],
    "tables/same-header-again": [
        ["Tours 2025"], ["Isle", "Spring", "Summer"], ["Hallig", 3, 9], ["Tours 2026"], ["Isle", "Spring", "Summer"], ["Hallig", 4, 8],
    ],
    "header/roster": [[None, *(DAY.date() + dt.timedelta(days=n) for n in (1, 2, 3))], ["Lena", "on", None, "on"], ["Ole", None, "on", "on"]],
    "header/shares": [["Stay", "0%", "10%", "25%"], ["a night", "no", "member", "crew"], ["a week", "guest", "member", "crew"]],
}  # fmt: skip
"""Sheets of one kind each, as people lay them out."""


def by_openpyxl_layouts() -> None:
    for name, lines in LAYOUTS.items():
        book = openpyxl.Workbook()
        for line in lines:
            book.active.append(line)
        book.save(place(f"xlsx/{name}.xlsx"))


def cell(text: str, more: str = "", inside: str = "") -> str:
    return f"<table:table-cell office:value-type='string' {more}>{inside}<text:p>{text}</text:p></table:table-cell>"


def figure(formula: str) -> str:
    return f"<table:table-cell office:value-type='float' table:formula='of:={formula}'/>"


def row(*cells: str, more: str = "") -> str:
    return f"<table:table-row {more}>{''.join(cells)}</table:table-row>"


def table(name: str, *lines: str, more: str = "") -> str:
    return f"<table:table table:name='{name}' {more}>{''.join(lines)}</table:table>"


def converted(source: str, content: str, form: str, to: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{to.stem}.{source}"
        file.write_text(content, encoding="utf-8")
        command = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", form]
        command += ["--infilter=calc_HTML_WebQuery"] * (source == "html")
        subprocess.run([*command, "--outdir", f"{folder}/out", str(file)], check=True, timeout=180, capture_output=True)
        to.write_bytes((Path(folder) / "out" / to.name).read_bytes())


def by_libreoffice() -> None:
    covered = "<table:covered-table-cell/>"
    merged = table(
        "Fees",
        row(
            cell("Class", "table:number-rows-spanned='2'"),
            cell("Member", "table:number-columns-spanned='2'"),
            covered,
            cell("Guest"),
        ),
        row(covered, cell("Day"), cell("Year"), cell("Day")),
        row(cell("Dinghy"), figure("2+3"), figure("10*9"), figure("8")),
        row(cell("Yacht"), figure("7"), figure("100+50"), figure("12.5")),
    )
    converted("fods", FODS % merged, "xlsx", place("xlsx/merged/fees.xlsx"))
    note = "<office:annotation><dc:creator>Yard</dc:creator><text:p>Ask first</text:p></office:annotation>"
    noted = table(
        "Crane",
        row(cell("Load"), cell("Who may")),
        row(cell("to 2 t"), cell("everybody")),
        row(cell("to 8 t"), cell("the yard", inside=note)),
        row(cell("over 8 t"), cell("nobody"), more="table:visibility='collapse'"),
    )
    converted("fods", FODS % noted, "xlsx", place("xlsx/note/crane.xlsx"))
    page = (
        "<table><tr><th colspan=2>Sluice</th></tr><tr><td>Opens</td><td>06:30</td></tr><tr><td>Width</td><td>7.20</td></tr></table>"
        "<p></p><table><tr><th>Bridge</th><th>Clear height</th></tr><tr><td>North</td><td>3.10</td></tr><tr><td>Mill</td><td>2.90</td></tr></table>"
    )
    converted("html", f"<html><body>{page}</body></html>", "xlsx", place("xlsx/tables/from-a-page.xlsx"))
    plain = "Pier,Depth,Rings\nEast,2.5,4\nWest,3.25,\n"
    for separator, name in ((59, "semicolons"), (9, "tabs")):
        converted(
            "csv", plain, f"csv:Text - txt - csv (StarCalc):{separator},34,76,1", place(f"csv/dialect/{name}.csv")
        )
    converted("csv", plain, "csv:Text - txt - csv (StarCalc):44,34,ANSI,1", place("csv/dialect/commas.csv"))


# --- by hand

TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/>'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>'
)


def package(
    name: str,
    sheet: str,
    *,
    strings: str = "",
    strict: bool = False,
    extra: str = "",
    more: dict[str, str] | None = None,
) -> None:
    base = "http://purl.oclc.org/ooxml" if strict else "http://schemas.openxmlformats.org"
    main = f"{base}/spreadsheetml/main" if strict else f"{base}/spreadsheetml/2006/main"
    to = f"{base}/officeDocument/relationships" if strict else f"{base}/officeDocument/2006/relationships"
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    links = "http://schemas.openxmlformats.org/package/2006/relationships"
    parts = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": f'<Relationships xmlns="{links}"><Relationship Id="r1" Type="{to}/officeDocument" Target="/xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{to}"><sheets><sheet name="Log" sheetId="1" r:id="r1"/></sheets>{extra}</workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{links}"><Relationship Id="r1" Type="{to}/worksheet" Target="worksheets/log.xml"/>'
        f'<Relationship Id="r2" Type="{to}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
        "xl/worksheets/log.xml": f'<worksheet xmlns="{main}" xmlns:r="{to}">{sheet}</worksheet>',
        "xl/sharedStrings.xml": f'<sst xmlns="{main}">{strings}</sst>',
        **(more or {}),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in parts.items():
            archive.writestr(zipfile.ZipInfo(path, (2026, 1, 1, 0, 0, 0)), head + text)
    place(f"xlsx/{name}.xlsx").write_bytes(out.getvalue())


def shared(*places: int) -> str:
    return "".join(f'<c t="s"><v>{one}</v></c>' for one in places)


def by_hand() -> None:
    words = "".join(f"<si><t>{word}</t></si>" for word in ["Buoy", "Light", "B1", "red"])
    struck = "<si><r><rPr><strike/></rPr><t>two </t></r><r><t>three flashes</t></r></si>"
    ruby = "<si><t>東京</t><rPh sb='0' eb='2'><t>トウキョウ</t></rPh></si>"
    package(
        "strict/strict",
        f"<sheetData><row r='1'>{shared(0, 1)}</row><row r='2'>{shared(2, 4)}</row><row r='3'>{shared(5, 3)}</row></sheetData>",
        strings=words + struck + ruby,
        strict=True,
    )
    package(
        "text/inline-without-references",
        "<sheetData><row><c t='inlineStr'><is><t>Mark</t></is></c><c t='inlineStr'><is><r><t>Depth in m</t></r><r>"
        "<rPr><vertAlign val='superscript'/></rPr><t>1</t></r></is></c></row><row><c t='str'><v>M_x0031_</v></c>"
        "<c><v>2.5</v></c></row><row><c t='b'><v>0</v></c><c t='e'><v>#REF!</v></c></row></sheetData>",
    )
    package(
        "formula/shared-and-external",
        "<sheetData><row r='1'><c r='A1' t='inlineStr'><is><t>Tide</t></is></c><c r='B1' t='inlineStr'><is><t>Level</t></is></c></row>"
        "<row r='2'><c r='A2' t='inlineStr'><is><t>High</t></is></c><c r='B2'><f t='shared' ref='B2:B3' si='0'>[1]Sea!B2*2</f><v>4.2</v></c></row>"
        "<row r='3'><c r='A3' t='inlineStr'><is><t>Low</t></is></c><c r='B3'><f t='shared' si='0'/><v>0.4</v></c></row>"
        "<row r='4'><c r='A4' t='inlineStr'><is><t>Mean</t></is></c><c r='B4'><f>AVERAGE(B2:B3)</f></c></row></sheetData>",
        extra="<externalReferences><externalReference r:id='gone'/></externalReferences>",
    )
    package(
        "merged/empty-and-beyond",
        "<sheetData><row r='1'><c r='A1' t='inlineStr'><is><t>Pier</t></is></c><c r='B1' t='inlineStr'><is><t>Rule</t></is></c></row>"
        "<row r='2'><c r='A2' t='inlineStr'><is><t>East</t></is></c><c r='B2' t='inlineStr'><is><t>No swimming</t></is></c></row>"
        "<row r='3'><c r='A3' t='inlineStr'><is><t>West</t></is></c></row></sheetData><mergeCells><mergeCell ref='B2:B3'/>"
        "<mergeCell ref='D1:XFD1048576'/><mergeCell ref='nonsense'/></mergeCells>",
    )
    main, threads = (
        "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
        "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments",
    )
    package(
        "note/thread",
        "<sheetData><row r='1'><c r='A1' t='inlineStr'><is><t>Slip</t></is></c><c r='B1' t='inlineStr'><is><t>Width</t></is></c></row>"
        "<row r='2'><c r='A2' t='inlineStr'><is><t>North</t></is></c><c r='B2'><v>4</v></c></row></sheetData>",
        more={
            "xl/worksheets/_rels/log.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments" Target="../comments1.xml"/>'
            '<Relationship Id="r2" Type="http://schemas.microsoft.com/office/2017/10/relationships/threadedComment" Target="../threads/t1.xml"/></Relationships>',
            "xl/comments1.xml": f"<comments xmlns='{main}'><authors><author>tc=1</author></authors><commentList><comment ref='B2' authorId='0'><text><t>"
            "[Threaded comment]\n\nYour version of Excel allows you to read this threaded comment.\n\nComment:\n    At high water</t></text></comment></commentList></comments>",
            "xl/threads/t1.xml": f"<ThreadedComments xmlns='{threads}'><threadedComment ref='B2' personId='p' id='1'><text>At high water</text></threadedComment>"
            "<threadedComment ref='B2' personId='p' id='2' parentId='1'><text>3 at low water</text></threadedComment></ThreadedComments>",
        },
    )


def by_python() -> None:
    with place("csv/dialect/quoted-line-ends.csv").open("w", newline="", encoding="utf-8") as out:
        lines = [["Fault", "Cure"], ["Pump stops", 'Press "reset",\nthen wait'], ["No light", "Fuse 3 | fuse 4"]]
        csv.writer(out, lineterminator="\r\n").writerows(lines)
    with place("csv/dialect/table.tsv").open("w", newline="", encoding="utf-8") as out:
        csv.writer(out, csv.excel_tab).writerows([["Sail", "Area, m2"], ["Main", "24,5"], ["Jib", "11,0"]])


TEXTS: dict[str, bytes] = {
    "csv/dialect/lists-inside.csv": b"no;name;tags\n1;Rope;['thin', 'red']\n2;Chain;['heavy', 'grey']\n",
    "csv/dialect/blanks-before-quotes.csv": b'Port, Remark, Code\nHarlingen, "lock, then left", 8861\nNes, "by ferry", 9163\n',
    "csv/dialect/never-closed.csv": b'Sail,Note\nJib,"patched\nGenoa,new\nMain,3" seam\n',
    "csv/dialect/kept-as-text.csv": b'Key,Door\n="0042",Shed\n="0007",Loft\n',
    "csv/preamble/remarks.csv": b"# from the harbour office\n# fees, per night\nLength,Fee\n8,12\n12,18\n",
    "csv/header/units.csv": b"Hour,Wind,Rain\nh,kn,%\n6,12,40\n9,15,10\n",
    "csv/encoding/cyrillic.csv": "Причал;Цена\nСеверный;сорок\nЮжный;тридцать пять\n".encode("cp1251"),
    "csv/encoding/polish.csv": "Przystań;Opłata\nGdańsk;czterdzieści złotych\nŚwinoujście;pięć złotych\n".encode("cp1250"),
    "csv/encoding/japanese.csv": "桟橋,料金\n北桟橋,四千円\n南桟橋,三千円\n".encode("cp932"),
    "csv/dialect/pipes.csv": b"Knot|Use\nBowline|a loop; it holds\nHitch|a post, a ring\n",
    "csv/dialect/named.csv": b"sep=;\r\nGate;Code, old\r\nEast;11,4\r\n",
    "csv/dialect/apostrophes.csv": b"Sign,Means\nCaptain's flag,he's aboard\nNo flag,he isn't\n",
    "csv/preamble/export.csv": b"Export of the key list,,\nCreated: 2026-05-04,,\n,,\nKey,Door,Holder\nK1,Gate,Imke\nK2,Loft,Jorn\n",
    "csv/preamble/straight.csv": b"Key list 2026\nOwner;Harbour office;\nKey;Door;Floor\nK1;Gate;0\nK2;Loft;3\n",
    "csv/header/years.csv": b"Group,2024,2025,2026\nRowers,41,44,48\nSailors,28,27,30\n",
    "csv/header/two-rows.csv": b",Summer,,Winter,\nDay,Opens,Closes,Opens,Closes\nMonday,8:00,20:00,9:00,17:00\nSunday,10:00,16:00,,\n",
    "csv/header/none.csv": b"2026-01-01,closed\n2026-01-06,open\n",
    "csv/header/one-column.csv": b"Rule\nNo open fire, not even a small one\nDogs on a lead, please\n",
    "csv/ragged/ragged.csv": b"Boat,Owner,Berth,Note\nHeron,Imke\nTern,,A2,\nGull,Ole,A3,sold,in May\n",
    "csv/ragged/empty-columns.csv": b",Mon,Tue,\nEarly,,Ole,\nLate,Lena,,\n",
    "csv/encoding/utf-16.csv": "Größe;Länge\nKlüver;4,5 m\n".encode("utf-16"),
    "csv/encoding/windows.csv": "Name;Größe\nFähre;groß\n".encode("cp1252"),
    "csv/encoding/utf-8-mark.csv": "\ufeffOrt,Höhe\nDüne,12\n".encode(),
    "csv/preamble/two-tables.csv": b"Pier,Depth\nEast,2.5\nWest,3.1\n\nTool,Shelf,Holder\nSaw,S3,Ole\nVice,S7,Lena\n",
}  # fmt: skip


def main() -> None:
    by_xlsxwriter()
    by_openpyxl()
    by_openpyxl_layouts()
    by_libreoffice()
    by_hand()
    by_python()
    for name, content in TEXTS.items():
        place(name).write_bytes(content)


if __name__ == "__main__":
    main()
