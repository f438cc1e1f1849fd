"""Makes the PDF cases: `python tests/fidelity/made/pdf.py`, with ReportLab, WeasyPrint, Typst, openpyxl, pypdf (pip) and
soffice, chromium, pdflatex, pdftoppm and tesseract on the PATH. Only what is not there yet is made."""

from __future__ import annotations

import io
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import typst
import weasyprint
from openpyxl import Workbook
from openpyxl.styles import Alignment
from reportlab.lib.colors import Color, black, lightgrey
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    ListFlowable,
    ListItem,
    PageBreak,
    Paragraph,
    Preformatted,
    SimpleDocTemplate,
    Spacer,
    Table,
)

CASES = Path(__file__).parents[1] / "cases" / "pdf"
CSS = """@page { size: 150mm 200mm; margin: 15mm }
body { font: 10pt DejaVu Sans, sans-serif } h1 { font-size: 16pt } h2 { font-size: 13pt }
table { border-collapse: collapse; margin: 8pt 0 } th, td { padding: 2pt 5pt; text-align: left; vertical-align: top }
.grid th, .grid td { border: 1px solid #333 } .lines th, .lines td { border-bottom: 1px solid #999 }
.zebra th { background: #ccc } .zebra tbody tr:nth-child(odd) { background: #eee } pre, code { font-family: DejaVu Sans Mono }"""


def page(body: str, css: str = "", lang: str = "en") -> str:
    return f'<html lang="{lang}"><head><meta charset="utf-8"><style>{CSS}{css}</style></head><body>{body}</body></html>'


def rows(*lines: str, kind: str = "grid") -> str:
    head, *rest = (line.split("|") for line in lines)
    top = "".join(f"<th>{cell.strip()}</th>" for cell in head)
    below = "".join("<tr>" + "".join(f"<td>{cell.strip()}</td>" for cell in row) + "</tr>" for row in rest)
    return f'<table class="{kind}"><thead><tr>{top}</tr></thead><tbody>{below}</tbody></table>'


SHIFTS = (
    "Day | Early | Late | Night",
    "Friday | Dagny | | Emeka",
    "Saturday | | Ines | Tomas",
    "Sunday | Ravi | Lena |",
)
FARES = (
    "Way | What is paid | By whom",
    "Train | Second class on all routes, first class on journeys of more than four hours | The department",
    "Taxi | Only at night or with heavy luggage | The traveller, paid back within two weeks",
    "Ferry | With a cabin | The department",
)
SPANS = """<table class="{0}"><thead><tr><th rowspan="2">Plan</th><th colspan="2">Limit</th><th rowspan="2">Price</th></tr>
<tr><th>Seats</th><th>Storage</th></tr></thead><tbody><tr><td>Basic</td><td>5</td><td>10 GB</td><td>9 EUR</td></tr>
<tr><td>Team</td><td>25</td><td>100 GB</td><td>29 EUR</td></tr></tbody></table>"""
STOCK = ("No | Part | Stock", *(f"{n} | Bracket {chr(64 + n % 26)} | {n * 7 % 50}" for n in range(1, 61)))
INTRO = "<p>The list holds until the end of the year and is kept by the front office.</p>"
LISTS = """<h1>First day</h1><p>Bring along:</p><ul><li>Badge<ul><li>from floor 2, where the desk is open from eight in the
morning until noon on every working day</li><li>not by mail</li></ul></li><li>Laptop</li></ul><p>Then:</p>
<ol><li>Sign the form.</li><li>Meet the team:<ul><li>in the kitchen</li></ul></li><li>Have lunch.</li></ol>
<p>That is all for the first day.</p>"""
CODE = """<h1>Cleaning up</h1><p>Run this every week:</p><pre>def clean(folder):
    for file in folder.iterdir():
        if file.suffix == ".tmp":
            file.unlink()

    return folder</pre><p>The command <code>make clean</code> does the same.</p>"""
TWO = (
    "<h1>Garden rules</h1>"
    '<div style="columns: 2; column-gap: 8mm">'
    + "".join(
        f"<p>{text}</p>"
        for text in (
            "The garden is open from sunrise to sunset, and whoever comes last closes the gate behind the shed.",
            "Water is taken from the barrel first. Only when it is empty may the tap be used, and never at noon.",
            "Tools hang on the wall of the shed in the order of their numbers, and are cleaned before they go back.",
            "Compost is turned in March and in October by two people who have put their names on the list.",
        )
    )
    + "</div><p>Questions go to the keeper of the keys, who is there on Mondays.</p>"
)
MARKS = """<h1>Archive</h1><p>Part-time staff earn 1½ days a month. The archive holds 10<sup>6</sup> records on 40 m² of
floor.</p><p>The air may hold 0.1 % CO<sub>2</sub>, on the 1<sup>st</sup> floor 800 ppm.</p>"""
ARABIC = """<h1>قواعد الإجازة</h1><p>يحصل كل موظف على 30 يوما من الإجازة في السنة.</p><p>يجب تقديم الطلب قبل 14 يوما من
البداية.</p>"""
HEBREW = "<h1>כללי המשרד</h1><p>המשרד פתוח משעה 8:00 עד 17:00.</p><p>לכל עובד יש 24 ימי חופשה בשנה.</p>"
LEADERS = """<h1>Canteen</h1><p>Prices hold from May.</p><p>Espresso ................ 1.40 EUR<br>Soup of the day ............ 4.20 EUR</p>"""
HYPHENS = """<h1>Desk rules</h1><div style="width: 38mm; hyphens: auto"><p>The administration is responsible for long-term
reservations and for the self-service counter; representatives of every department coordinate check-in times, and
well-being appointments are communicated electronically.</p></div>"""
HEADS = "".join(
    f'<h2 style="break-before: page">{name}</h2><p>{text}</p>'
    for name, text in (
        ("Arrival", "Guests come through the north door and sign the book."),
        ("Stay", "Rooms are cleaned between ten and noon."),
        ("Leaving", "Keys are dropped into the red box."),
    )
)
RUNNING = '@page { @top-left { content: "Guest house"; font-size: 8pt } @bottom-center { content: "Page " counter(page) " of " counter(pages); font-size: 8pt } }'
LIKE = "".join(
    f'<p style="break-before: page">Room {n}</p><p>Beds: {n + 1}</p><p>{text}</p><p>Price: {n * 20 + 9} EUR</p>'
    for n, text in enumerate(("It looks onto the yard.", "It has a balcony.", "It is the quietest one."), 1)
)
FOOT = """<h1>Leave</h1><p>Everybody gets 30 days<span class="n">In the first year 25.</span> of leave a year.</p>
<p>Unused days end in March.<span class="n">Unless the team leader agrees.</span></p>"""
FOOT_CSS = (
    ".n { float: footnote; font-size: 8pt } ::footnote-call { font-size: 7pt; vertical-align: super; line-height: 1 }"
)

STRUCK = "<h1>Fees</h1><p>The fee is <s>14 EUR</s> 30 EUR a month.</p><p>It is paid <u>in advance</u>.</p>"
SOFT = """<p style="width: 40mm">Verwaltungs&shy;angelegen&shy;heiten und Donau&shy;dampf&shy;schiff der Nord- und Südseite
sowie E-Mail-Adressen</p>"""
LONG = "Because it is needed for the next step of the work. " * 6
CUT = ("What | Why", *(f"Step {n} | {LONG}" for n in range(1, 9)))
GUESTS = "<h1>Guests</h1><p>Table 1: Guests by year</p>" + rows(
    "Season | 2023 | 2024 | 2025", "Spring | 100 | 110 | 120", "Autumn | 40 | | 39", kind="plain"
)
LISTED = """<h1>Lists</h1><table class="plain"><tr><th>A<th>B<th>C<tr><td>1<td>x<td>y<tr><td>2<td>x<td>y</table>
<h2>Second</h2><table class="plain"><tr><th>Name<th>Town<tr><td>Ana<td>Oslo<tr><td>Ben<td>Rome</table>"""
HOURS = """<div dir="rtl"><h1>ساعات العمل</h1><table class="grid"><tr><th>اليوم<th>من<th>إلى<tr><td>الأحد<td>8:00<td>17:00
<tr><td>الاثنين<td><td>16:00</table></div>"""
CARDS = """<h1>Offices</h1><p>Orders are taken in each of the three offices, in person or by telephone.</p>
<div class="cards"><div><b>Graz</b><br>Hauptplatz 1<br>Mon–Fri 8–16</div><div><b>Linz</b><br>Donaustr. 5<br>Mon–Thu 9–15</div>
<div><b>Wien</b><br>Ring 7<br>by appointment</div></div>"""
CARD_CSS = ".cards { display: flex } .cards div { width: 33% }"
PLAN = (
    "<h1>Rooms</h1>"
    + INTRO
    + rows(
        "No. | Room | Beds",
        *(f"{n} | {name} | {n % 3 + 1}" for n, name in enumerate("Heron Egret Crane".split() * 9, 1)),
        kind="lines",
    )
)
PLAN_CSS = """thead { display: table-row-group } @page { @top-left { content: "House plan 7" }
@bottom-right { content: "Page " counter(page) " of " counter(pages) } }"""
NOTED = rows(
    "Article | Description | Single | Pallet",
    "A-1 | Hex bolt | 2.51 | 4,389.00",
    "A-2 | Angle bracket with slotted holes for quick <br>adjustment | 6.27<sup>1</sup> | 56.43",
    "A-3 | Rubber foot | 0.84 | 588.00",
    kind="plain",
)
NARROW = """<div style="width: 48mm; text-align: justify"><p>The allowance covers meals on every day of travel. Long-term
assignments of more than three months are handled by an operation between the local subsidiary and the
internationally recognised documentation requirements of the administrative responsibilities.</p></div>"""
WEASYPRINT = {
    "tables/over-pages-no-header": page(PLAN, PLAN_CSS),
    "tables/raised-figure": page("<h1>Prices</h1>" + NOTED),
    "tables/totals": page(
        "<h1>Invoice 77</h1>"
        + rows("Item | Hours | Amount", "Consulting | 12.5 | 1,500.00", "Travel | 1 | 318.40", kind="none").replace(
            "</tbody>",
            "".join(
                f'<tr><td></td><td style="text-align:right">{name}</td><td>{amount}</td></tr>'
                for name, amount in (("Net", "1,818.40"), ("VAT", "307.29"), ("Total", "2,125.69"))
            )
            + "</tbody>",
        )
        + "<p>Please pay within 30 days.</p>"
    ),
    "tables/bullets-in-cells": page(
        "<h1>Fruit</h1>"
        + rows(
            "Fruit | Price | Why",
            "Banana | 1.34 | <ul><li>has a wrapper</li><li>is bright</li></ul>",
            "Orange | 2.10 | <ul><li>cures scurvy</li><li>tastes well</li></ul>",
            kind="none",
        ),
        "ul { margin: 0; padding-left: 12pt } td { padding-top: 6pt }",
    ),
    "right-to-left/brackets": page('<div dir="rtl"><p>הכלל חל לפי סעיף 7(ב), עד סוף השנה (כולל).</p></div>', lang="he"),
    "struck/sentence": page(STRUCK),
    "hyphens/soft": page(SOFT, lang="de"),
    "tables/row-over-pages": page("<h1>Log</h1>" + rows(*CUT)),
    "tables/years": page(GUESTS),
    "tables/two": page(LISTED),
    "tables/right-to-left": page(HOURS, lang="ar"),
    "tables/empty-cells": page("<h1>Shifts</h1>" + INTRO + rows(*SHIFTS)),
    "tables/no-rules": page("<h1>Shifts</h1>" + INTRO + rows(*SHIFTS, kind="plain") + INTRO),
    "tables/wrapped": page("<h1>Fares</h1>" + rows(*FARES, kind="lines") + INTRO),
    "tables/spans": page("<h1>Plans</h1>" + SPANS.format("grid")),
    "tables/over-pages": page("<h1>Stock</h1>" + rows(*STOCK)),
    "lists/nested": page(LISTS),
    "code/indented": page(CODE),
    "columns/two": page(TWO),
    "raised/figures": page(MARKS),
    "right-to-left/arabic": page(f'<div dir="rtl">{ARABIC}</div>', lang="ar"),
    "right-to-left/hebrew": page(f'<div dir="rtl">{HEBREW}</div>', lang="he"),
    "leaders/prices": page(LEADERS),
    "hyphens/auto": page(HYPHENS),
    "running/head-and-foot": page(HEADS, RUNNING),
    "running/lines-alike": page(LIKE),
    "notes/foot": page(FOOT, FOOT_CSS),
}
CHROMIUM = {
    "columns/cards": page(CARDS, CARD_CSS),
    "columns/stretched": page(NARROW),
    "tables/zebra": page("<h1>Shifts</h1>" + INTRO + rows(*SHIFTS, kind="zebra") + INTRO),
    "tables/no-rules-wrapped": page("<h1>Fares</h1>" + rows(*FARES, kind="plain") + INTRO),
    "tables/spans-lines": page("<h1>Plans</h1>" + SPANS.format("lines")),
    "lists/nested-printed": page(LISTS),
    "code/printed": page(CODE),
    "columns/printed": page(TWO),
    "raised/printed": page(MARKS),
    "right-to-left/printed": page(f'<div dir="rtl">{ARABIC}</div>', lang="ar"),
}
SOFFICE = {
    "tables/office": page("<h1>Shifts</h1>" + INTRO + rows(*SHIFTS)),
    "tables/office-no-rules": page("<h1>Fares</h1>" + rows(*FARES, kind="plain")),
    "lists/office": page(LISTS),
    "raised/office": page(MARKS),
    "right-to-left/office": page(f'<div dir="rtl">{HEBREW}</div>', lang="he"),
}
_SET = "#set page(width: 150mm, height: 200mm, margin: 15mm)\n#set text(size: 10pt)\n"
TYPST = {
    "tables/typst": _SET
    + """= Fares
The list holds until the end of the year.
#table(columns: (auto, 1fr, 1fr), table.header[*Way*][*What is paid*][*By whom*],
[Train],[Second class on all routes, first class on journeys of more than four hours],[The department],
[Taxi],[Only at night or with heavy luggage],[],[Ferry],[With a cabin],[The department])
Ask the office.""",
    "tables/typst-no-rules": _SET
    + """= Turnover
#table(columns: 4, stroke: none, align: (left, right, right, right), table.header[*Month*][*2024*][*2025*][*Change*],
[January],[1,204],[1,310],[+8.8 %],[February],[980],[],[],[March],[1,450],[1,390],[-4.1 %])
That is all.""",
    "headings/numbered": _SET
    + """#set heading(numbering: "1.1")
= Leave
Everybody gets 30 days.
== Notice
Two weeks before.
=== Exceptions
A day in an emergency.
== Carry-over
Until March.""",
    "notes/typst": _SET
    + """= Parking
Spaces are free of charge#footnote[Visitors pay 2 EUR an hour.] for staff. They are booked a day
ahead#footnote[On Mondays two.].""",
    "contents/outline": _SET
    + """#outline()
#pagebreak()
= Arrival
Guests sign the book.
#pagebreak()
= Stay
Rooms are cleaned at ten.
== Breakfast
It is served from seven.""",
    "lists/typst": _SET
    + """= Packing
- Tent
  - with pegs
- Lamp
+ Fold it.
+ Weigh it.
Then go.""",
    "code/typst": _SET
    + """= Start
Call this:
```
run:
  stage: build
  only:
    - main
```
and wait.""",
    "columns/typst": _SET
    + """#set par(justify: true)
#align(center)[#text(size: 16pt, weight: "bold")[House rules]]
#columns(2)[
The kitchen is cleaned by whoever used it last, and the dishes are dried and put away before the evening.

Bicycles stand in the cellar. The key hangs behind the door, and nobody takes it along to the office or home.

After ten in the evening music is played with headphones only, also on weekends and on the terrace behind the house.

Parcels are put on the shelf, each with the name of the person who expects it, and never in front of the lift.]""",
}


_ARTICLE = r"""\begin{document}\title{Handbook of the Workshop}\author{}\date{}\maketitle\tableofcontents\newpage
\section{Safety}Everybody who works at a machine wears goggles. The administration of the workshop is responsible for
maintenance, and representatives of every department are informed about irregularities in the first week.\footnote{Guests
wear goggles, too.} A well-known rule is that nobody works alone.
\subsection{Fire}There are $10^6$ reasons, and CO$_2$ extinguishers hang on each floor.
\begin{itemize}\item Keep calm.\item Warn others:\begin{itemize}\item by voice\item by phone\end{itemize}\end{itemize}
\begin{enumerate}\item First do this.\item Then do that.\end{enumerate}
\section{Machines}
\begin{tabular}{|l|r|l|}\hline Machine & Price & Room \\\hline Lathe & 40 EUR & east \\ Mill & 120 EUR & \\\hline\end{tabular}

\bigskip Rates hold until May, and are told by the office to whoever asks for them.

\begin{table}[h]\centering\caption{Rates}\begin{tabular}{lrr}\hline Room & Day & Week \\\hline Heron & 40 & 180 \\
Egret & & 240 \\\hline\end{tabular}\end{table}

\begin{tabular}{lp{2cm}p{2cm}} Way & What is paid & By whom \\ Train & Second class on all routes & The department \\
Taxi & Only at night & The traveller\end{tabular}

\begin{verbatim}
if ready:
    start()
\end{verbatim}
\end{document}"""
LATEX = {
    "latex/fractions": r"""\documentclass{article}\usepackage[T1]{fontenc}\usepackage{lmodern}\begin{document}
\section{Doses} Use at most $1\frac12$ litres, $\frac34$ of a bottle, at $2.5\,\mathrm{mol\,l}^{-1}$.
The staff affirms it\footnote{Since 2021.} and it holds for $10^{-4}$ of all cases.
\begin{center}\begin{tabular}{lrr} Who & Room & Limit \\ Acids & 2.01 & 5 \\ & 2.02 & 30 \\ Bases & 2.03 & 12 \end{tabular}\end{center}
\end{document}""",
    "latex/article": r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{lmodern}" + _ARTICLE,
    "latex/two-columns": r"\documentclass[twocolumn]{article}\usepackage[T1]{fontenc}\usepackage{lmodern}" + _ARTICLE,
}


def _typeset(source: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "made.tex").write_text(source)
        for _ in range(2):
            subprocess.run(["pdflatex", "-interaction=batchmode", "made"], cwd=folder, check=True, capture_output=True)
        return Path(folder, "made.pdf").read_bytes()


def _canvas(draw: Callable[[Canvas], None], **known: object) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A5, invariant=1, **known)
    draw(canvas)
    canvas.save()
    return out.getvalue()


def _story(*parts: object, **known: object) -> bytes:
    out = io.BytesIO()
    SimpleDocTemplate(out, pagesize=A5, invariant=1, **known).build(list(parts))
    return out.getvalue()


def form(canvas: Canvas) -> None:
    canvas.drawString(50, 540, "Order of a laptop")
    for y, label, name, value in (
        (500, "Name of the new colleague:", "who", "Ana Prell"),
        (470, "Model:", "model", "Falcon 14"),
    ):
        canvas.drawString(50, y, label)
        canvas.acroForm.textfield(name=name, value=value, x=220, y=y - 5, width=150, height=18)
    canvas.drawString(50, 440, "With a dock:")
    canvas.acroForm.checkbox(name="dock", checked=True, x=220, y=435, size=16)
    canvas.drawString(50, 410, "With a second screen:")
    canvas.acroForm.checkbox(name="screen", checked=False, x=220, y=405, size=16)
    canvas.drawString(50, 380, "Colour:")
    canvas.acroForm.choice(name="colour", value="grey", options=["grey", "black"], x=220, y=375, width=100, height=18)


def scan(canvas: Canvas) -> None:
    from PIL import Image
    from reportlab.lib.utils import ImageReader

    canvas.drawString(50, 540, "The fire door stays closed.")
    canvas.showPage()
    canvas.drawImage(ImageReader(Image.new("RGB", (20, 20), "grey")), 50, 50, 300, 400)
    canvas.showPage()
    canvas.drawString(50, 540, "The bell is tried on Mondays.")


def order(canvas: Canvas) -> None:
    canvas.setFont("Helvetica", 10)
    canvas.drawString(50, 520, "Trains are booked by the office.")
    canvas.drawString(50, 470, "Hotels are booked by the traveller.")
    canvas.setFont("Helvetica-Bold", 13)
    canvas.drawString(50, 485, "Hotels")
    canvas.drawString(50, 535, "Trains")
    canvas.setFont("Helvetica-Bold", 18)
    canvas.drawString(50, 560, "Travel")


def sideways(canvas: Canvas) -> None:
    canvas.rotate(90)
    canvas.setFont("Helvetica-Bold", 16)
    canvas.drawString(50, -60, "Floor plan")
    canvas.setFont("Helvetica", 10)
    canvas.drawString(50, -85, "The stairs are in the east, the lift is in the west.")
    canvas.drawString(50, -110, "Doors open outwards.")


def secret(canvas: Canvas) -> None:
    canvas.drawString(50, 540, "The code of the gate changes in June.")


STYLES = getSampleStyleSheet()
BODY, H1, H2 = STYLES["BodyText"], STYLES["Heading1"], STYLES["Heading2"]
LEAVE = {"Austria": 25, "Belgium": 20, "Cyprus": 21, "Denmark": 25, "Estonia": 28}


def upright(canvas: Canvas) -> None:
    """A table with names that are written upwards."""
    for x in (30, 130, 160, 190):
        canvas.line(x, 300, x, 440)
    for y in (300, 320, 340, 440):
        canvas.line(30, y, 190, y)
    for y, cells in ((326, ("Guest", "x", "")), (306, ("Clerk", "", "x"))):
        for x, cell in zip((36, 140, 170), cells, strict=True):
            canvas.drawString(x, y, cell)
    canvas.drawString(36, 400, "Who")
    canvas.rotate(90)
    for x, words in ((149, ("May", "book")), (179, ("May", "pay"))):
        canvas.drawString(346, -x, words[0])
        canvas.drawString(374, -x, words[1])


def drawn_later(canvas: Canvas) -> None:
    """Labels first, then all fields, two of them beside a label on the same line."""
    canvas.setFont("Helvetica", 11)
    for y, label in ((400, "Name:"), (370, "Amount:"), (340, "Paid by card:")):
        canvas.drawString(40, y, label)
    canvas.drawString(40, 300, "Send it before the tenth.")
    form = canvas.acroForm
    form.textfield(name="name", value="Amara Okafor", x=150, y=394, width=180, height=18)
    form.textfield(name="amount", value="248.50 EUR", x=150, y=364, width=180, height=18)
    form.checkbox(name="card", checked=True, x=150, y=336, size=16)


def price_list(canvas: Canvas) -> None:
    """To be printed, scanned and recognized: a sentence and a table without rules."""
    canvas.setFont("Helvetica", 11)
    canvas.drawString(40, 520, "Prices are in euros; orders below 25 € cost 4 € more.")
    rows = (("Part", "Name", "Price"), ("B-10", "Bolt", "2.40"), ("N-20", "Nut", "1.15"), ("W-30", "Washer", "0.80"))
    for row, cells in enumerate(rows):
        for x, cell in zip((40, 140, 280), cells, strict=True):
            canvas.drawString(x, 480 - 22 * row, cell)


def struck(canvas: Canvas) -> None:
    """Two sentences, of which a reviewer will strike the second one."""
    canvas.setFont("Helvetica", 11)
    canvas.drawString(40, 520, "Leave is 28 days a year.")
    canvas.drawString(40, 490, "Leave is 25 days a year.")


def _struck() -> bytes:
    from pypdf import PdfReader, PdfWriter
    from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(_canvas(struck))))
    box = [FloatObject(place) for place in (40, 487, 165, 500)]
    corners = [FloatObject(place) for place in (40, 500, 165, 500, 40, 487, 165, 487)]
    note = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Annot"),
            NameObject("/Subtype"): NameObject("/StrikeOut"),
            NameObject("/Rect"): ArrayObject(box),
            NameObject("/QuadPoints"): ArrayObject(corners),
        }
    )
    writer.add_annotation(0, note)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _recognized(draw: Callable[[Canvas], None]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "made.pdf").write_bytes(_canvas(draw))
        for command in (
            "pdftoppm -r 150 -mono -singlefile made.pdf scan",
            "tesseract scan.pbm recognized --dpi 150 pdf",
        ):
            subprocess.run(command.split(), cwd=folder, check=True, capture_output=True, timeout=120)
        return Path(folder, "recognized.pdf").read_bytes()


def _sheet() -> bytes:
    """A sheet printed by LibreOffice Calc, whose wrapped cells make the others stand at the bottom of their rows."""
    book = Workbook()
    sheet = book.active
    sheet.append(["Article", "Name", "Net", "Stock"])
    for row in range(1, 7):
        name = ("Valve with a long name for outside use", "Seal", "Pump")[(row - 1) % 3]
        sheet.append([row, name, 3.5 * row, 7 * row])
        sheet.cell(row + 1, 2).alignment = Alignment(wrap_text=True)
        sheet.row_dimensions[row + 1].height = 26 if len(name) > 9 else 13
    sheet.column_dimensions["B"].width = 24
    with tempfile.TemporaryDirectory() as folder:
        book.save(Path(folder, "made.xlsx"))
        command = f"soffice -env:UserInstallation=file://{folder}/profile --headless --convert-to pdf made.xlsx"
        subprocess.run(command.split(), cwd=folder, check=True, capture_output=True, timeout=120)
        return Path(folder, "made.pdf").read_bytes()


def last_first(canvas: Canvas) -> None:
    """Two columns, of which the right one is drawn first, and a heading across both below them."""
    canvas.setFont("Helvetica", 10)
    texts = (
        (230, "Beds are made at ten.", "Towels are changed", "on Mondays, or when", "they lie on the floor."),
        (40, "Breakfast is from seven", "to nine. Who leaves", "earlier finds a bag", "at the front desk."),
    )
    for x, *lines in texts:
        for row, line in enumerate(lines):
            canvas.drawString(x, 500 - 13 * row, line)
    canvas.setFont("Helvetica-Bold", 14)
    canvas.drawString(40, 420, "Leaving")
    canvas.setFont("Helvetica", 10)
    canvas.drawString(40, 395, "Rooms are free until eleven, and the key goes into the box beside the door.")


REPORTLAB: dict[str, Callable[[], bytes]] = {
    "forms/fields": lambda: _canvas(form),
    "scans/one-page": lambda: _canvas(scan),
    "order/title-drawn-later": lambda: _canvas(order),
    "turned/sideways": lambda: _canvas(sideways),
    "encrypted/empty-password": lambda: _canvas(secret, encrypt=_empty()),
    "headings/by-size": lambda: _story(
        Paragraph("Guest house", STYLES["Title"]),
        Paragraph("Rooms", H1),
        Paragraph("There are nine rooms.", BODY),
        Paragraph("Beds", H2),
        Paragraph("Each room has two beds.", BODY),
        Paragraph("<i>Cots</i>", BODY),
        Paragraph("A cot is free of charge.", BODY),
        Paragraph("Meals", H1),
        Paragraph("Breakfast is at seven.", BODY),
    ),
    "tables/reportlab": lambda: _story(
        Paragraph("Stock", H1),
        Table(
            [["Part", "Size", "Left"], ["Bolt", "M4", "120"], ["Nut", "", "80"], ["Washer", "M6", ""]],
            style=[("GRID", (0, 0), (-1, -1), 0.5, black), ("BACKGROUND", (0, 0), (-1, 0), lightgrey)],
        ),
        Paragraph("Counted in May.", BODY),
    ),
    "tables/reportlab-no-rules": lambda: _story(
        Paragraph("Stock", H1),
        Table([["Part", "Size", "Left"], ["Bolt", "M4", "120"], ["Nut", "", "80"], ["Washer", "M6", ""]]),
        Paragraph("Counted in May.", BODY),
    ),
    "tables/shaded-rows": lambda: _story(
        Paragraph("Leave", H1),
        Table(
            [["Country", "Leave", "Notice"]]
            + [[country, f"{days} days", "3 months"] for country, days in LEAVE.items()],
            style=[("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")]
            + [("BACKGROUND", (0, row), (-1, row), lightgrey) for row in range(2, 6, 2)],
        ),
    ),
    "tables/filled-cells": lambda: _story(
        Paragraph("Desks", H1),
        Table(
            [["Who", "Mon", "Tue", "Wed"], ["Ana", "", "yes", ""], ["Ben", "yes", "", "no"], ["Cem", "", "", "yes"]],
            style=[("BACKGROUND", (x, y), (x, y), Color(0.8, 0.8, 0.9 - y / 50)) for x in range(4) for y in range(4)],
        ),
    ),
    "turned/upright-names": lambda: _canvas(upright),
    "scans/recognized": lambda: _recognized(price_list),
    "struck/by-a-reviewer": _struck,
    "tables/sheet": _sheet,
    "forms/drawn-later": lambda: _canvas(drawn_later),
    "columns/drawn-last-first": lambda: _canvas(last_first),
    "lists/reportlab": lambda: _story(
        Paragraph("Picnic", H1),
        ListFlowable([ListItem(Paragraph(x, BODY)) for x in ("Bread", "Cheese from the farm")], bulletType="bullet"),
        ListFlowable([ListItem(Paragraph(x, BODY)) for x in ("Slice it.", "Eat it.")], bulletType="1"),
        Spacer(1, 10),
        Preformatted("open basket\n  take bread\n  take cheese", STYLES["Code"]),
        PageBreak(),
        Paragraph("Bring the basket back.", BODY),
    ),
}


def _empty() -> object:
    from reportlab.lib.pdfencrypt import StandardEncryption

    return StandardEncryption("", ownerPassword="owner", canModify=0, strength=128)


def _printed(source: str, program: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder, "made.html"), Path(folder, "made.pdf")
        file.write_text(source)
        if program == "chromium":
            command = [
                "chromium",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                f"--user-data-dir={folder}/profile",
                "--no-pdf-header-footer",
                f"--print-to-pdf={out}",
                str(file),
            ]
        else:
            command = [
                "soffice",
                f"-env:UserInstallation=file://{folder}/profile",
                "--headless",
                "--infilter=HTML (StarWriter)",
                "--convert-to",
                "pdf:writer_pdf_Export",
                "--outdir",
                folder,
                str(file),
            ]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        return out.read_bytes()


def main() -> None:
    made: dict[str, Callable[[], bytes]] = dict(REPORTLAB)
    for name, source in WEASYPRINT.items():
        made[name] = lambda source=source: weasyprint.HTML(string=source).write_pdf()
    for name, source in TYPST.items():
        made[name] = lambda source=source: typst.compile(source.encode())
    for name, source in LATEX.items():
        made[name] = lambda source=source: _typeset(source)
    for program, sources in (("chromium", CHROMIUM), ("soffice", SOFFICE)):
        for name, source in sources.items():
            made[name] = lambda source=source, program=program: _printed(source, program)
    for name, make in made.items():
        file = CASES / f"{name}.pdf"
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(make())


if __name__ == "__main__":
    main()
