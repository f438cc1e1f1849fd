"""Makes the cases of slides, OpenDocument, e-books, mails and records: `python -m tests.fidelity.made.decks`.

Needs python-pptx and openpyxl, and on PATH LibreOffice (soffice) and pandoc."""

from __future__ import annotations

import io
import json
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from functools import partial
from pathlib import Path

from openpyxl import Workbook
from openpyxl.comments import Comment
from pptx import Presentation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml import parse_xml
from pptx.util import Inches

CASES = Path(__file__).parents[1] / "cases"
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'


def case(name: str) -> Path:
    path = CASES / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def converted(content: bytes, suffix: str, to: str) -> bytes:
    """By LibreOffice."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, f"file{suffix}")
        source.write_bytes(content)
        command = ["soffice", f"-env:UserInstallation=file://{folder}/home", "--headless", "--convert-to", to]
        subprocess.run([*command, "--outdir", folder, str(source)], check=True, capture_output=True)
        made = Path(folder, f"file.{to.partition(':')[0]}").read_bytes()
        return smaller(made) if made.startswith(b"PK") else made


def pandoc(text: str, to: str, *more: str, read: str = "markdown") -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, f"file.{to}")
        command = ["pandoc", "-f", read, "-t", to, *more, "-o", str(target)]
        subprocess.run(command, input=text.encode(), check=True)
        return target.read_bytes()


def deck(fill: Callable[[object], object]) -> bytes:
    made = Presentation()
    made.core_properties.title = ""
    fill(made)
    out = io.BytesIO()
    made.save(out)
    return smaller(out.getvalue())


def smaller(content: bytes) -> bytes:
    """Without thumbnails, printers and the like."""
    out = io.BytesIO()
    left_out = ("docProps/thumb", "ppt/printer", "Thumbnails", "ObjectReplacements", "Configurations2")
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", compresslevel=9) as new:
        for name in old.namelist():
            if not name.startswith(left_out):
                part = re.sub(rb"<Relationship [^>]*(?:thumbnail|printerSettings)[^>]*/>", b"", old.read(name))
                new.writestr(name, part, zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED)
    return out.getvalue()


def slide(made, layout: int, title: str = ""):
    added = made.slides.add_slide(made.slide_layouts[layout])
    if title:
        added.shapes.title.text = title
    return added


def box(shapes, text: str, left: float, top: float, width: float = 3, height: float = 0.5):
    added = shapes.add_textbox(Inches(left), Inches(top), Inches(width), Inches(height))
    added.text_frame.text = text
    return added


def paragraphs(shape, xml: str) -> None:
    """Replace a shape's text with paragraphs of DrawingML."""
    body = shape.text_frame._txBody
    for old in body.findall("{http://schemas.openxmlformats.org/drawingml/2006/main}p"):
        body.remove(old)
    for one in parse_xml(f"<a:x {A} {R}>{xml}</a:x>"):
        body.append(one)


def bullets(made) -> None:
    one = slide(made, 1, "Opening the shop")
    paragraphs(
        one.placeholders[1],
        '<a:p><a:r><a:t>Before nine</a:t></a:r></a:p><a:p><a:pPr lvl="1"/><a:r><a:t>Lights</a:t></a:r></a:p>'
        '<a:p><a:pPr lvl="2"/><a:r><a:t>also in the store room</a:t></a:r></a:p>'
        '<a:p><a:pPr lvl="1"/><a:r><a:t>Till</a:t></a:r></a:p><a:p><a:r><a:t>At nine: the door</a:t></a:r></a:p>'
        "<a:p/><a:p><a:pPr><a:buNone/></a:pPr><a:r><a:t>Ask the manager </a:t></a:r><a:br/><a:r><a:t>if in doubt.</a:t>"
        "</a:r></a:p>",
    )
    two = slide(made, 1, "Closing the shop")
    paragraphs(
        two.placeholders[1],
        '<a:p><a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr><a:r><a:t>Count the till</a:t></a:r></a:p>'
        '<a:p><a:pPr lvl="1"><a:buAutoNum type="alphaLcParenR"/></a:pPr><a:r><a:t>notes</a:t></a:r></a:p>'
        '<a:p><a:pPr lvl="1"><a:buAutoNum type="alphaLcParenR"/></a:pPr><a:r><a:t>coins</a:t></a:r></a:p>'
        '<a:p><a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr><a:r><a:t>Lock the safe</a:t></a:r></a:p>',
    )
    three = slide(made, 5, "Deliveries")
    shape = box(three.shapes, "x", 1, 2)
    paragraphs(
        shape,
        '<a:p><a:pPr><a:buAutoNum type="arabicPeriod" startAt="4"/></a:pPr><a:r><a:t>Sign the slip</a:t></a:r></a:p>'
        '<a:p><a:pPr><a:buAutoNum type="arabicPeriod" startAt="4"/></a:pPr><a:r><a:t>File it</a:t></a:r></a:p>',
    )
    box(three.shapes, "Drivers wait in the yard.", 1, 4)


def inline(made) -> None:
    one = slide(made, 5, "Filter prices")
    paragraphs(
        box(one.shapes, "x", 1, 2),
        '<a:p><a:r><a:t>The filter holds 10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>6</a:t></a:r><a:r><a:t> cells of CO'
        '</a:t></a:r><a:r><a:rPr baseline="-25000"/><a:t>2</a:t></a:r><a:r><a:t>.</a:t></a:r></a:p>'
        '<a:p><a:r><a:t>It costs </a:t></a:r><a:r><a:rPr strike="sngStrike"/><a:t>18 EUR</a:t></a:r><a:r><a:t> 16 EUR.</a:t>'
        '</a:r></a:p><a:p><a:r><a:rPr strike="sngStrike"/><a:t>Orders by fax.</a:t></a:r></a:p>'
        '<a:p><a:r><a:t>Valid until </a:t></a:r><a:fld id="{5B0D9F0C-0000-4000-8000-000000000001}" type="datetime1"><a:t>'
        "1 March 2026</a:t></a:fld><a:r><a:t>.</a:t></a:r></a:p>",
    )


def places(made) -> None:
    """Boxes that were drawn in another order than they stand, a group, a hidden box, a hidden slide."""
    one = slide(made, 5, "Who sits where")
    box(one.shapes, "Third floor: sales", 1, 5)
    box(one.shapes, "First floor: reception", 1, 2)
    group = one.shapes.add_group_shape()
    box(group.shapes, "Second floor, left: design", 1, 3.5)
    box(group.shapes, "Second floor, right: finance", 5, 3.5)
    hidden = box(one.shapes, "Fourth floor: empty", 1, 6)
    hidden._element.nvSpPr.cNvPr.set("hidden", "1")
    two = slide(made, 5, "Old plan")
    two._element.set("show", "0")
    box(two.shapes, "First floor: sales", 1, 2)
    three = made.slides.add_slide(made.slide_layouts[6])
    box(three.shapes, "The canteen is in the yard.", 1, 2)
    three.notes_slide.notes_text_frame.text = "It opens in May.\nBring cash."


def comparison(made) -> None:
    one = slide(made, 4, "Two tariffs")
    for index, text in ((1, "Basic"), (2, "12 EUR a month\nMail support"), (3, "Premium"), (4, "30 EUR a month")):
        one.placeholders[index].text = text
    two = slide(made, 3, "Moving")
    two.placeholders[1].text = "Old office\nuntil 30 June"
    two.placeholders[2].text = "New office\nfrom 1 July"


def cards(made) -> None:
    one = slide(made, 5, "Three sites")
    for place, (head, body) in enumerate((("Lund", "40 people"), ("Porto", "25 people"), ("Graz", "12 people"))):
        box(one.shapes, head, 0.5 + 3 * place, 2, 2.5, 0.5)
        box(one.shapes, body, 0.5 + 3 * place, 2.6, 2.5, 2)


def tables(made) -> None:
    one = slide(made, 5, "Stock")
    table = one.shapes.add_table(4, 3, Inches(1), Inches(2), Inches(6), Inches(2)).table
    for place, text in enumerate("Site|Item|Count|Lund|Cable|12||Hub|7|Porto|Cable|".split("|")):
        table.cell(place // 3, place % 3).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    two = slide(made, 5, "Limits")
    table = two.shapes.add_table(4, 3, Inches(1), Inches(2), Inches(6), Inches(2)).table
    for place, text in enumerate("Plan|Limit|||Seats|Disk|Small|5|10 GB|Large|50|".split("|")):
        table.cell(place // 3, place % 3).text = text
    table.cell(0, 0).merge(table.cell(1, 0))
    table.cell(0, 1).merge(table.cell(0, 2))
    three = slide(made, 5, "Opening hours")
    table = three.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(6), Inches(2)).table
    table.first_row = False
    for place, text in enumerate("Monday|9 to 17|Friday|9 to 12".split("|")):
        table.cell(place // 2, place % 2).text = text


def charts(made, *, bare: bool = False) -> None:
    area = Inches(1), Inches(2), Inches(6), Inches(4)
    one = slide(made, 5, "Tickets")
    data = CategoryChartData()
    data.categories = ["Billing", "Login"]
    data.add_series("April", (310, 125.5))
    data.add_series("May", (280, None))
    chart = one.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *area, data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Tickets by kind"
    chart.category_axis.has_title = True
    chart.category_axis.axis_title.text_frame.text = "Kind"
    two = slide(made, 5, "Share")
    data = CategoryChartData(number_format="0.0%")
    data.categories = ["Phone", "Mail"]
    data.add_series("Share", (0.255, 0.745))
    two.shapes.add_chart(XL_CHART_TYPE.PIE, *area, data)
    three = slide(made, 5, "Quarters")
    data = CategoryChartData()
    for year in ("2025", "2026"):
        group = data.add_category(year)
        group.add_sub_category("first half")
        group.add_sub_category("second half")
    data.add_series("Orders", (10, 12, 15, 17))
    three.shapes.add_chart(XL_CHART_TYPE.LINE, *area, data)
    if bare:
        return
    four = slide(made, 5, "Load")
    points = XyChartData()
    series = points.add_series("Pump A")
    series.add_data_point(1, 2.5)
    series.add_data_point(2, 4)
    four.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, *area, points)


def links(made) -> None:
    one = slide(made, 5, "Forms")
    shape = box(one.shapes, "", 1, 2)
    for text, url in (("Book a room with ", ""), ("the room form", "https://rooms.example/form"), (".", "")):
        run = shape.text_frame.paragraphs[0].add_run()
        run.text = text
        if url:
            run.hyperlink.address = url


def replaced(
    content: bytes, changes: dict[str, Callable[[bytes], bytes]], more: dict[str, bytes] | None = None
) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, changes.get(name, bytes)(old.read(name)))
        for name, part in (more or {}).items():
            new.writestr(name, part)
    return out.getvalue()


def with_shapes(shapes: str, more: dict[str, bytes] | None = None, relations: str = "") -> bytes:
    """A slide titled `Plan` with shapes by hand."""
    made = deck(lambda made: slide(made, 5, "Plan"))
    rels = "ppt/slides/_rels/slide1.xml.rels"
    return replaced(
        made,
        {
            "ppt/slides/slide1.xml": lambda xml: xml.replace(b"</p:spTree>", shapes.encode() + b"</p:spTree>"),
            rels: lambda xml: xml.replace(b"</Relationships>", relations.encode() + b"</Relationships>"),
        },
        more,
    )


def hand_box(paragraph: str) -> str:
    return (
        '<p:sp><p:nvSpPr><p:cNvPr id="2" name="Box"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off '
        'x="914400" y="2000000"/><a:ext cx="5000000" cy="600000"/></a:xfrm></p:spPr><p:txBody><a:bodyPr/>'
        f"{paragraph}</p:txBody></p:sp>"
    )


def alternate() -> bytes:
    formula = (
        '<a:p><a:r><a:t>The rate is </a:t></a:r><a14:m xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main">'
        '<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:f><m:num><m:r><m:t>3</m:t></m:r>'
        "</m:num><m:den><m:r><m:t>4</m:t></m:r></m:den></m:f></m:oMath></a14:m><a:r><a:t> of the price.</a:t></a:r></a:p>"
    )
    blank = hand_box("<a:p><a:r><a:t> </a:t></a:r></a:p>")
    mc = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    return with_shapes(
        f'<mc:AlternateContent {mc}><mc:Choice Requires="a14" xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/'
        f'main">{hand_box(formula)}</mc:Choice><mc:Fallback>{blank}</mc:Fallback></mc:AlternateContent>'
    )


def smart_art() -> bytes:
    dgm = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
    points = [
        ("0", "doc", ""),
        ("3", "node", "Pay"),
        ("1", "node", "Order"),
        ("2", "node", "by mail"),
        ("9", "pres", ""),
    ]
    listed = "".join(
        f'<dgm:pt modelId="{key}" type="{kind}"><dgm:t><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for key, kind, text in points
    )
    ties = [("0", "3", 1), ("0", "1", 0), ("1", "2", 0)]
    drawn = "".join(
        f'<dgm:cxn modelId="c{place}" srcId="{above}" destId="{below}" srcOrd="{order}" destOrd="0"/>'
        for place, (above, below, order) in enumerate(ties)
    )
    data = f'<dgm:dataModel xmlns:dgm="{dgm}" {A}><dgm:ptLst>{listed}</dgm:ptLst><dgm:cxnLst>{drawn}</dgm:cxnLst></dgm:dataModel>'
    frame = (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="Diagram"/><p:cNvGraphicFramePr/><p:nvPr/>'
        '</p:nvGraphicFramePr><p:xfrm><a:off x="0" y="2000000"/><a:ext cx="100" cy="100"/></p:xfrm><a:graphic>'
        f'<a:graphicData uri="{dgm}"><dgm:relIds xmlns:dgm="{dgm}" {R} r:dm="rId90"/></a:graphicData></a:graphic>'
        "</p:graphicFrame>"
    )
    relation = (
        '<Relationship Id="rId90" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData" '
        'Target="../diagrams/data1.xml"/>'
    )
    return with_shapes(frame, {"ppt/diagrams/data1.xml": data.encode()}, relation)


def broken() -> bytes:
    made = deck(lambda made: [slide(made, 5, title) for title in ("Before", "Broken", "After")])
    return replaced(made, {"ppt/slides/slide2.xml": lambda xml: xml[:300]})


def show(made) -> None:
    box(slide(made, 5, "Welcome").shapes, "Badges are at the desk.", 1, 2)


SLIDES_MD = """\
# Visitors

- Sign in at the desk
    - with a photo card
- Wear the badge

::: notes
Badges expire at six.
:::

# Parking

:::: columns
::: column
Cars use the yard.
:::
::: column
Bikes use the shed.
:::
::::

# Fees

| Kind | Fee |
|------|----:|
| Car  |   4 |
| Van  |     |

1. Pay at the desk
2. Keep the slip
"""
TEXT_MD = """\
---
title: House rules
---

# Kitchen

The fridge is cleaned on Friday.[^1] Use H~2~O filters of 10^6^ pores, for ~~9~~ 8 EUR.

- plates
    - large
    - small
- cups

[^1]: In August on Monday.

## Waste

1. Paper
2. Glass

| Bin  | Day    | Time |
|------|--------|------|
| Blue | Monday |      |
| Grey |        | 8:00 |

# Doors

Run the tool:

    lock --all  "front door"
    lock --list

See [the plan](https://plan.example/doors).
"""
TEXT_HTML = """<html><head><title>Lab rules</title></head><body><h1>Access</h1><p>Doors open at <s>8:00</s> 9:00. The hall
holds 10<sup>2</sup> people; mind the CO<sub>2</sub> alarm.</p><h2>Keys</h2><ul><li>front door<ul><li>copy at the
desk</li></ul></li><li>store</li></ul><ol><li>Sign</li><li>Take the key</li></ol>
<table border="1"><thead><tr><th rowspan="2">Room</th><th colspan="2">Limit</th></tr><tr><th>People</th><th>Hours</th></tr>
</thead><tr><td rowspan="2">A1</td><td>12</td><td>8</td></tr><tr><td>15</td><td></td></tr></table>
<pre>scan --room A1\n     --all</pre><p>Ask <a href="https://lab.example/help">the desk</a>.</p></body></html>"""


def book(fill: Callable[[Workbook], None]) -> bytes:
    made = Workbook()
    fill(made)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def rates(made: Workbook) -> None:
    sheet = made.active
    sheet.title = "Rates"
    for row in [
        ("Code", "Fee", "Share", "From"),
        ("00421", 1250.5, 0.125, 45809),
        ("00422", None, 0.5, 45810),
        ("x", 1, 1, 1),
    ]:
        sheet.append(row)
    for cell in sheet["B"][1:]:
        cell.number_format = '#,##0.00 "EUR"'
    for cell in sheet["C"][1:]:
        cell.number_format = "0.0%"
    for cell in sheet["D"][1:]:
        cell.number_format = "yyyy-mm-dd"
    sheet.row_dimensions[4].hidden = True
    sheet["B2"].comment = Comment("Without tax", "desk")
    more = made.create_sheet("Seats")
    for row in [("Plan", "Limit", None), (None, "Seats", "Disk"), ("Small", 5, "10 GB"), ("Large", 50, None)]:
        more.append(row)
    more.merge_cells("B1:C1")
    more.merge_cells("A1:A2")
    more.column_dimensions["C"].hidden = False
    secret = made.create_sheet("Old")
    secret.append(("Plan", "Fee"))
    secret.sheet_state = "hidden"


def hidden_columns(made: Workbook) -> None:
    sheet = made.active
    sheet.title = "Staff"
    for row in [("Name", "Badge", "Floor"), ("Ada", "771", "2"), ("Bo", "772", "3")]:
        sheet.append(row)
    sheet.column_dimensions["B"].hidden = True


def mail(
    html: str = "", attach: tuple[tuple[str, bytes], ...] = (), subject: str = "Lift repair on Thursday"
) -> EmailMessage:
    made = EmailMessage()
    made["Subject"] = subject
    made["From"] = "House desk <desk@house.example>"
    made["To"] = "all@house.example"
    made["Date"] = "Mon, 02 Mar 2026 09:15:00 +0100"
    made.set_content(
        "Hello,\n\nthe north lift is closed on Thursday from 8:00 to 12:00.\n\n- use the south lift\n- or the stairs\n"
    )
    if html:
        made.add_alternative(html, subtype="html")
    for name, content in attach:
        made.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return made


NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Pump report\n", "\n", "Readings of *May*."]},
        {"cell_type": "markdown", "metadata": {}, "source": "## Load"},
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {},
            "source": ["rows = load('may')\n", "\n", "print(len(rows))"],
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ["31 rows\n"]}],
        },
        {
            "cell_type": "code",
            "execution_count": 2,
            "metadata": {},
            "source": "rows.head()",
            "outputs": [
                {
                    "output_type": "execute_result",
                    "execution_count": 2,
                    "metadata": {},
                    "data": {
                        "text/html": "<table><thead><tr><th></th><th>pump</th><th>load</th></tr></thead>\n\n<tbody><tr><th>0</th>"
                        "<td>A</td><td>12.50</td></tr><tr><th>1</th><td>B</td><td></td></tr></tbody></table>",
                        "text/plain": "  pump load\n0 A 12.50",
                    },
                }
            ],
        },
        {
            "cell_type": "code",
            "execution_count": 3,
            "metadata": {},
            "source": "plot(rows)",
            "outputs": [
                {"output_type": "display_data", "metadata": {}, "data": {"image/png": "AAAA", "text/plain": "<Figure>"}}
            ],
        },
    ],
}
SETTINGS_YAML = """\
# how the pumps run
title: Pump settings
country: no
version: 1.20
pumps:
  - name: North
    limit: 007
    off: 2026-01-05
  - name: South
    limit: 12
alarm:
  levels: [low, high]
  mail:
    to: desk@house.example
    text: |
      The pump stopped.
      Call the desk.
---
second: yes
"""
RECORDS = {
    "title": "Price list",
    "currency": "EUR",
    "valid": True,
    "rows": [{"item": "Filter", "price": 1.50, "code": "0012"}, {"item": "Hose", "code": "0013", "price": None}],
    "contact": {"desk": {"phone": "ext. 120", "hours": ["8:00", "17:00"]}},
}


def write_slides() -> None:
    for name, fill in {
        "lists/shop": bullets, "inline/prices": inline, "places/floors": places, "columns/tariffs": comparison,
        "columns/sites": cards, "tables/stock": tables, "charts/tickets": charts, "links/forms": links,
    }.items():  # fmt: skip
        case(f"pptx/{name}.pptx").write_bytes(deck(fill))
    case("pptx/alternate/rate.pptx").write_bytes(alternate())
    case("pptx/diagram/order.pptx").write_bytes(smart_art())
    case("pptx/broken/middle.pptx").write_bytes(broken())
    case("pptx/kinds/welcome.ppsx").write_bytes(
        replaced(deck(show), {"[Content_Types].xml": lambda xml: xml.replace(b"presentation.main", b"slideshow.main")})
    )
    case("pptx/pandoc/visitors.pptx").write_bytes(smaller(pandoc(SLIDES_MD, "pptx")))
    for name, fill in {"lists": bullets, "tables": tables, "columns": comparison, "places": places}.items():
        odp = converted(deck(fill), ".pptx", "odp")
        case(f"odp/{name}/slides.odp").write_bytes(odp)
        case(f"pptx/impress/{name}.pptx").write_bytes(converted(odp, ".odp", "pptx"))
    case("odp/charts/tickets.odp").write_bytes(converted(deck(partial(charts, bare=True)), ".pptx", "odp"))
    case("pptx/cards/plans.pptx").write_bytes(deck(panels))
    case("odp/cards/plans.odp").write_bytes(converted(deck(panels), ".pptx", "odp"))
    case("odp/pandoc/visitors.odp").write_bytes(converted(pandoc(SLIDES_MD, "pptx"), ".pptx", "odp"))


def write_texts() -> None:
    case("odt/pandoc/rules.odt").write_bytes(pandoc(TEXT_MD, "odt"))
    case("odt/writer/lab.odt").write_bytes(converted(TEXT_HTML.encode(), ".html", "odt:writer8"))
    case("odt/writer/rules.odt").write_bytes(converted(pandoc(TEXT_MD, "docx"), ".docx", "odt"))
    formula = "# Dose\n\nTake $\\frac{3}{4}$ of a tablet, or $x^2$ of it.\n"
    case("odt/formula/dose.odt").write_bytes(pandoc(formula, "odt"))
    for kind, name in ("numbers", "contract"), ("tables", "numbered-rows"):
        docx = case(f"docx/{kind}/{name}.docx").read_bytes()
        case(f"odt/{kind}/{name}.odt").write_bytes(converted(docx, ".docx", "odt"))
    contract = case("docx/numbers/contract.docx").read_bytes()
    case("odt/numbers/contract.fodt").write_bytes(converted(contract, ".docx", "fodt"))
    case("ods/calc/rates.ods").write_bytes(converted(book(rates), ".xlsx", "ods"))
    case("ods/calc/staff.ods").write_bytes(converted(book(hidden_columns), ".xlsx", "ods"))
    case("ods/csv/phones.ods").write_bytes(converted(b"Name,Desk,Mobile\nAda,,0171\nBo,12,\n", ".csv", "ods"))
    case("epub/pandoc/rules.epub").write_bytes(pandoc(TEXT_MD, "epub"))
    case("epub/chapters/book.epub").write_bytes(
        pandoc(TEXT_MD.replace("title: House rules", "title: Rules of the house"), "epub2")
    )
    case("epub/notes/house.epub").write_bytes(book_with_notes())
    case("epub/html/lab.epub").write_bytes(pandoc(TEXT_HTML, "epub", read="html"))


def write_data() -> None:
    page = "<html><body><p>The <b>north lift</b> is closed on Thursday.</p><table><tr><th>Lift</th><th>Closed</th></tr><tr><td>North</td><td>8 to 12</td></tr></table></body></html>"
    case("eml/plain/lift.eml").write_bytes(mail().as_bytes())
    case("eml/html/lift.eml").write_bytes(mail(page).as_bytes())
    held = (
        ("floors.csv", b"Floor,Lift\n1,south\n2,north\n"),
        ("plan.md", b"# Plan\n\nStairs are open.\n"),
        ("photo.raw", b"\0\1"),
    )
    case("eml/attached/lift.eml").write_bytes(mail(attach=held).as_bytes())
    outer = mail(subject="Fwd: Lift repair")
    outer.add_attachment(mail(page))
    case("eml/forwarded/lift.eml").write_bytes(outer.as_bytes())
    latin = "Subject: =?iso-8859-1?Q?T=FCr_3?=\nFrom: desk@house.example\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nDie T=FCr 3 schlie=DFt um 18:00 =\nUhr.\n"
    case("eml/encoded/door.eml").write_bytes(latin.encode())
    case("eml/parts/steps.eml").write_bytes(PARTS.encode())
    thread = EmailMessage()
    thread["Subject"] = "Re: Leave"
    thread["From"] = "Ann <ann@house.example>"
    thread.set_content(THREAD)
    case("eml/thread/leave.eml").write_bytes(thread.as_bytes())
    meeting = mail(subject="Invitation: Fire drill")
    meeting.add_alternative(DRILL, subtype="calendar")
    case("eml/invitation/drill.eml").write_bytes(meeting.as_bytes())
    case("ics/events/drill.ics").write_bytes(DRILL.encode())
    case("ipynb/outputs/rates.ipynb").write_text(json.dumps(OUTPUTS, indent=1))
    case("json/several/plans.json").write_text('{"plan": "Basic", "seats": 3}\n{"plan": "Pro", "seats": null}\n')
    case("ipynb/cells/pumps.ipynb").write_text(json.dumps(NOTEBOOK, indent=1))
    case("json/records/prices.json").write_text(json.dumps(RECORDS, indent=1))
    case("json/list/rooms.json").write_text(
        '[{"room": "A1", "seats": 4}, {"room": "B2", "seats": null, "note": "dark"}]'
    )
    case("json/broken/settings.json").write_text('{\n  // with a comment\n  "limit": 5\n}\n')
    case("yaml/settings/pumps.yaml").write_text(SETTINGS_YAML)
    case("yaml/tags/stack.yaml").write_text(
        "base: &base\n  size: 3\nnorth:\n  <<: *base\n  site: !Ref Lund\nempty:\nlist: []\n"
    )


def panels(made) -> None:
    one = made.slides.add_slide(made.slide_layouts[5])
    one.shapes.title.text = "Plans"
    for place, (name, price, seats) in enumerate([("Basic", "10 EUR", "3"), ("Pro", "40 EUR", "20")]):
        left = Inches(0.5 + 4.5 * place)
        one.shapes.add_shape(1, left, Inches(1.8), Inches(4), Inches(3))
        for line, text in enumerate([name, price, f"{seats} seats"]):
            area = left + Inches(0.2), Inches(2 + 0.9 * line), Inches(3.6), Inches(0.7)
            one.shapes.add_textbox(*area).text_frame.text = text
    two = made.slides.add_slide(made.slide_layouts[6])
    two.shapes.add_textbox(Inches(1), Inches(0.5), Inches(8), Inches(0.8)).text_frame.text = "Opening hours"
    for row, (day, hours) in enumerate([("Monday", "9 to 17"), ("Tuesday", "closed"), ("Friday", "8 to 12")]):
        for left, text in (1, day), (5.5, hours):
            area = Inches(left), Inches(2 + row), Inches(3.5), Inches(0.6)
            two.shapes.add_textbox(*area).text_frame.text = text


def book_with_notes() -> bytes:
    """Notes in a file of their own, as publishers set them; by the specification, by hand."""
    page = '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>{}</body></html>'
    parts = {
        "leave": '<h1>Leave</h1><p>Everybody gets 30 days<a epub:type="noteref" href="notes.xhtml#a">1</a>. Trainees<sup>'
        '<a id="r" href="notes.xhtml#b">2</a></sup> get 24.</p>',
        "notes": '<h1>Notes</h1><ol><li epub:type="endnote" id="a"><p>25 in the first year.</p></li></ol>'
        '<p><a id="b" href="leave.xhtml#r">2</a> Since 2025.</p>',
    }
    kind = "application/xhtml+xml"
    items = "".join(f'<item id="{name}" href="{name}.xhtml" media-type="{kind}"/>' for name in parts)
    spine = "".join(f'<itemref idref="{name}"/>' for name in parts)
    about = '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Leave in short</dc:title></metadata>'
    made = f'<package xmlns="http://www.idpf.org/2007/opf" version="3.0">{about}<manifest>{items}</manifest><spine>{spine}</spine></package>'
    root = "urn:oasis:names:tc:opendocument:xmlns:container"
    container = f'<container xmlns="{root}"><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        file.writestr("META-INF/container.xml", container)
        file.writestr("book.opf", made)
        for name, body in parts.items():
            file.writestr(f"{name}.xhtml", page.format(body))
    return out.getvalue()


PARTS = """From: Amara <amara@house.example>
Subject: Mounting
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain; charset=us-ascii

First screw the plate at 12 Nm.
--b
Content-Type: image/png; name=plate.png
Content-ID: <plate>
Content-Disposition: inline

--b
Content-Type: text/plain; charset=utf-8; format=flowed

Then fix the cover at 5 Nm, and wait until the lamp is green \nagain.
--b
Content-Type: application/pkcs7-signature; name=smime.p7s

--b--
"""
THREAD = """Hi Ben,

yes, it is 30 days.

Regards
Ann
--\x20
Ann Smith | People team

On Mon, 3 Mar 2025 at 10:00, Ben wrote:
> Hi Ann,
>
> is it 14 days?
>> On Friday, Cara wrote:
>> - ask Ann
>> - or Ben
"""
DRILL = """BEGIN:VCALENDAR
METHOD:REQUEST
BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:STANDARD
DTSTART:19701025T030000
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
SUMMARY:Fire drill\\, north wing
DTSTART;TZID=Europe/Berlin:20260312T140000
DTEND;TZID=Europe/Berlin:20260312T143000
LOCATION:Court
ORGANIZER;CN=Dagny Vik:mailto:dagny@house.example
ATTENDEE;ROLE=REQ-PARTICIPANT;CN="Emeka, A.":mailto:emeka@house.example
ATTENDEE:mailto:bo@house.example
DESCRIPTION:Leave by the stairs.\\nLifts stop\x20
 at once.
BEGIN:VALARM
DESCRIPTION:Reminder
END:VALARM
END:VEVENT
END:VCALENDAR
"""


def output(**data: str) -> dict[str, object]:
    shown = {
        {"html": "text/html", "latex": "text/latex", "plain": "text/plain"}.get(key, key): value
        for key, value in data.items()
    }
    return {"output_type": "display_data", "metadata": {}, "data": shown}


OUTPUTS = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
    "cells": [
        {
            "cell_type": "code",
            "source": "show()",
            "outputs": [
                output(html="<p>The rate is <b>4.5 %</b>.</p><script>draw(1)</script>", plain="<HTML object>"),
                output(latex="$\\displaystyle r^{2}$", plain="r**2"),
                {"output_type": "error", "ename": "ValueError", "evalue": "no rate for 2031", "traceback": ["..."]},
                output(**{"image/png": "iVBORw0KGgo=", "plain": "<Figure size 640x480>"}),
            ],
        }
    ],
}


if __name__ == "__main__":
    write_slides()
    write_texts()
    write_data()
