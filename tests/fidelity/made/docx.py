"""Makes the files in `cases/docx`: `python -m tests.fidelity.made.docx`.

Needs LibreOffice (`soffice`), pandoc and python-docx. Files of Word's own XML are written by hand, part by part."""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

CASES = Path(__file__).parents[1] / "cases" / "docx"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SPACES = (
    f'xmlns:w="{W}" xmlns:r="{OFFICE}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:o="urn:schemas-microsoft-com:office:office" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"'
)
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
MAIN = {
    "macro": "application/vnd.ms-word.document.macroEnabled.main+xml",
    "template": f"{WORD}.template.main+xml",
}
STYLES = (
    ("Normal", "Normal", "", "", ' w:default="1"'),
    ("Title", "Title", "", "", ""),
    ("Heading1", "heading 1", "", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>', ""),
    ("Heading2", "heading 2", "", '<w:pPr><w:outlineLvl w:val="1"/></w:pPr>', ""),
    ("Clause", "Clause", "Heading2", "", ""),
    ("Part", "Part", "", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>', ""),
    ("HTMLPreformatted", "HTML Preformatted", "", "", ""),
    ("ListBullet", "List Bullet", "", "", ""),
    ("ListBullet2", "List Bullet 2", "", "", ""),
    ("ListNumber", "List Number", "", "", ""),
    ("Memo", "Memo", "", "<w:rPr><w:vanish/></w:rPr>", ""),
)


def p(*runs: str, style: str = "", number: tuple[int, int] | None = None, more: str = "") -> str:
    """A paragraph; what does not begin with `<` is a run of text."""
    inner = "".join(one if one.startswith("<") else r(one) for one in runs)
    listed = f'<w:numPr><w:ilvl w:val="{number[0]}"/><w:numId w:val="{number[1]}"/></w:numPr>' if number else ""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    properties = f"<w:pPr>{named}{listed}{more}</w:pPr>" if named or listed or more else ""
    return f"<w:p>{properties}{inner}</w:p>"


def r(text: str, properties: str = "") -> str:
    about = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{about}<w:t xml:space="preserve">{text}</w:t></w:r>'


def cell(*blocks: str, more: str = "") -> str:
    inner = "".join(one if one.startswith("<") else p(one) for one in blocks)
    return f"<w:tc>{f'<w:tcPr>{more}</w:tcPr>' if more else ''}{inner or '<w:p/>'}</w:tc>"


def row(*cells: str, more: str = "") -> str:
    inner = "".join(one if one.startswith(("<w:tc", "<w:sdt")) else cell(one) for one in cells)
    return f"<w:tr>{f'<w:trPr>{more}</w:trPr>' if more else ''}{inner}</w:tr>"


def table(*rows: str) -> str:
    return f"<w:tbl><w:tblPr/><w:tblGrid/>{''.join(rows)}</w:tbl>"


def control(inner: str, more: str = "") -> str:
    return f"<w:sdt><w:sdtPr>{more}</w:sdtPr><w:sdtContent>{inner}</w:sdtContent></w:sdt>"


def level(place: int, shape: str, text: str, start: int = 1, more: str = "") -> str:
    indent = f'<w:pPr><w:ind w:left="{720 * (place + 1)}" w:hanging="360"/></w:pPr>'
    return (
        f'<w:lvl w:ilvl="{place}"><w:start w:val="{start}"/><w:numFmt w:val="{shape}"/>{more}'
        f'<w:lvlText w:val="{text}"/>{indent}</w:lvl>'
    )


def numbering(*definitions: str, more: str = "") -> str:
    """Lists 1, 2, ... with those levels; `more`: other lists."""
    abstract = "".join(
        f'<w:abstractNum w:abstractNumId="{place}">{levels}</w:abstractNum>'
        for place, levels in enumerate(definitions, 1)
    )
    lists = "".join(
        f'<w:num w:numId="{place}"><w:abstractNumId w:val="{place}"/></w:num>'
        for place in range(1, len(definitions) + 1)
    )
    return f"<w:numbering {SPACES}>{abstract}{lists}{more}</w:numbering>"


def package(
    body: str, *, parts: dict[str, str | bytes] | None = None, relations: str = "", main: str = "document.main"
) -> bytes:
    """A document with its styles; `parts` by name, of which those that Word knows are related."""
    parts = dict(parts or {})
    known = {"numbering": "numbering", "footnotes": "footnotes", "endnotes": "endnotes", "styles": "styles"}
    known |= {"header1": "header", "footer1": "footer"}
    parts.setdefault(
        "word/styles.xml",
        f"<w:styles {SPACES}>"
        + "".join(
            f'<w:style w:type="paragraph" w:styleId="{name}"{default}><w:name w:val="{shown}"/>'
            + (f'<w:basedOn w:val="{base}"/>' if base else "")
            + f"{more}</w:style>"
            for name, shown, base, more, default in STYLES
        )
        + "</w:styles>",
    )
    related = relations
    for name in parts:
        stem = Path(name).stem
        if stem in known:
            related += f'<Relationship Id="p{stem}" Type="{OFFICE}/{known[stem]}" Target="{stem}.xml"/>'
    namespace = "http://schemas.openxmlformats.org/package/2006"
    written: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{namespace}/content-types">{_types(parts, main)}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{namespace}/relationships"><Relationship Id="r1" '
        f'Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f"<w:document {SPACES}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{namespace}/relationships">{related}</Relationships>',
        **parts,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, part in written.items():
            file.writestr(zipfile.ZipInfo(name), part, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _types(parts: dict[str, str | bytes], main: str) -> str:
    defaults = {"xml": "application/xml", "rels": "application/vnd.openxmlformats-package.relationships+xml"}
    defaults |= {"bin": "application/vnd.ms-office.vbaProject", "html": "text/html", "mht": "message/rfc822"}
    kinds = {
        "word/chart.xml": "application/vnd.openxmlformats-officedocument.drawingml.chart+xml",
        "word/diagramData.xml": "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml",
    }
    for name in parts:
        kinds.setdefault(name, f"{WORD}.{Path(name).stem.rstrip('1')}+xml")
    kinds["word/document.xml"] = MAIN.get(main, f"{WORD}.{main}+xml")
    return "".join(f'<Default Extension="{name}" ContentType="{kind}"/>' for name, kind in defaults.items()) + "".join(
        f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in kinds.items() if name.endswith(".xml")
    )


def strict(content: bytes) -> bytes:
    """The same in the namespaces of a Strict file."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as file, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as other:
        for name in file.namelist():
            part = file.read(name)
            for old, new in (
                (W, "http://purl.oclc.org/ooxml/wordprocessingml/main"),
                (OFFICE, "http://purl.oclc.org/ooxml/officeDocument/relationships"),
                (
                    "http://schemas.openxmlformats.org/officeDocument/2006/math",
                    "http://purl.oclc.org/ooxml/officeDocument/math",
                ),
            ):
                part = part.replace(old.encode(), new.encode())
            other.writestr(zipfile.ZipInfo(name), part, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def save(name: str, content: bytes) -> None:
    file = CASES / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def notes(kind: str, *texts: str) -> str:
    each = "".join(
        f'<w:{kind} w:id="{place}">{p("<w:r><w:footnoteRef/></w:r>", text)}</w:{kind}>'
        for place, text in enumerate(texts, 1)
    )
    return f"<w:{kind}s {SPACES}>{each}</w:{kind}s>"


def note(place: int, kind: str = "footnote", more: str = "") -> str:
    return f'<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:{kind}Reference w:id="{place}"{more}/></w:r>'


def text_box(*paragraphs: str) -> str:
    """As Word writes one: the same twice, for itself and for older programs."""
    content = f"<w:txbxContent>{''.join(paragraphs)}</w:txbxContent>"
    return (
        '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor><a:graphic><a:graphicData uri="x">'
        f"<wps:wsp><wps:txbx>{content}</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><v:shape><v:textbox>{content}</v:textbox></v:shape></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )


SYMBOL = '<w:r><w:sym w:font="{}" w:char="{}"/></w:r>'
BREAK = "<w:r><w:br/></w:r>"
GONE = 'w:id="1" w:author="A" w:date="2026-01-01T00:00:00Z"'
LEGAL = level(0, "decimal", "%1.") + level(1, "decimal", "%1.%2") + level(2, "lowerLetter", "(%3)")
LEGAL += level(3, "lowerRoman", "(%4)")
BULLETS = "".join(level(place, "bullet", "•") for place in range(3))


def by_hand() -> None:
    """Word's XML."""
    span2, restart, goes_on = '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    save(
        "content-control/visitors.docx",
        package(
            p("Visitors", style="Heading1")
            + control(p("Visitors sign in at the north desk."))
            + p("Contact: ", control(r("Ilse from Security")), control(r(" (ext. 204)")))
            + control(
                table(row("Day", "Desk opens"), control(row("Monday", "7:30")), row("Friday", control(cell("8:15"))))
            )
            + table(row("Badge", "Valid"), row(cell(control(p("Visitor"))), "1 day"))
            + control(control(p("Escorts stay ", control(r("within sight")), "."))),
        ),
    )
    save(
        "content-control/checks.docx",
        package(
            p("Before departure", style="Heading1")
            + p(control(r("☒"), "<w:id/>"), " Keys returned")
            + p(control(r("☐"), "<w:id/>"), " Parking card returned")
            + p(
                "Laptop encrypted: ",
                '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/><w:checked/>'
                "</w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:instrText> FORMCHECKBOX </w:instrText></w:r>"
                '<w:r><w:fldChar w:fldCharType="end"/></w:r>',
            )
            + p(
                "Site: ",
                '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/>'
                '<w:listEntry w:val="Graz"/>'
                '<w:listEntry w:val="Turku"/></w:ddList></w:ffData></w:fldChar></w:r>'
                '<w:r><w:instrText> FORMDROPDOWN </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>',
            )
        ),
    )
    save(
        "text-box/lift.docx",
        package(
            p("Lifts", style="Heading1")
            + p("The goods lift is at the back. ", text_box(p("Do not use in a fire."), p("Call 112.")))
            + p("The lift holds 900 kg."),
        ),
    )
    vml = (
        "<w:r><w:pict><v:group><v:shape><v:textbox><w:txbxContent>{}</w:txbxContent></v:textbox></v:shape></v:group>"
        "</w:pict></w:r>"
    )
    save(
        "text-box/old-form.docx", package(p("See the plan. ", vml.format(p("Assembly point: car park."))) + p("Done."))
    )
    save("text-box/alone.docx", package(p(text_box(p("Closed from 24 to 26 December.")))))
    save(
        "text-box/in-cell.docx",
        package(table(row("Room", "Rule"), row("Wren", cell(p("No food. ", text_box(p("Water only."))))))),
    )
    save(
        "tracked/rota.docx",
        package(
            p("Rota", style="Heading1")
            + p(
                "Shifts last ",
                f"<w:del {GONE}><w:r><w:delText>8</w:delText></w:r></w:del>",
                f"<w:ins {GONE}>{r('9')}</w:ins>",
                " hours.",
            )
            + p(f"<w:moveFrom {GONE}>{r('Breaks are paid.')}</w:moveFrom>", more=f"<w:rPr><w:moveFrom {GONE}/></w:rPr>")
            + p("Swaps go to the lead. ", f"<w:moveTo {GONE}>{r('Breaks are paid.')}</w:moveTo>")
            + p("Late shifts end at", more=f"<w:rPr><w:del {GONE}/></w:rPr>")
            + p(" 22:00.")
            + table(
                row("Shift", "Bonus"),
                row(
                    f"<w:tc><w:p><w:del {GONE}><w:r><w:delText>Night</w:delText></w:r></w:del></w:p></w:tc>",
                    "",
                    more=f"<w:del {GONE}/>",
                ),
                row("Night", "75 EUR"),
            )
        ),
    )
    save(
        "tracked/list.docx",
        package(
            p("Open the valve.", number=(0, 1))
            + p(
                f"<w:del {GONE}><w:r><w:delText>Wait.</w:delText></w:r></w:del>",
                number=(0, 1),
                more=f"<w:rPr><w:del {GONE}/></w:rPr>",
            )
            + p("Close the valve.", number=(0, 1)),
            parts={"word/numbering.xml": numbering(LEGAL)},
        ),
    )
    save(
        "inline/lab.docx",
        package(
            p("Order AX", "<w:r><w:noBreakHyphen/></w:r>", "77 in the 6", "<w:r><w:noBreakHyphen/></w:r>", "14 shift.")
            + p(
                "Grow to 10",
                r("8", '<w:vertAlign w:val="superscript"/>'),
                " cells; CO",
                r("2", '<w:vertAlign w:val="subscript"/>'),
                " at 5 %.",
            )
            + p(
                "On the 21",
                r("st", '<w:vertAlign w:val="superscript"/>'),
                " the area is 40 m",
                r("2", '<w:vertAlign w:val="superscript"/>'),
                ".",
            )
            + p("Keep for ", r("10 days ", "<w:strike/>"), "20 days.")
            + p(r("Old rule: ask first.", "<w:dstrike/>"))
            + p(
                "Hold at 21 ",
                SYMBOL.format("Symbol", "F0B1"),
                " 1 degrees, ",
                SYMBOL.format("Symbol", "F0B3"),
                " 2 bar.",
            )
            + p(SYMBOL.format("Wingdings", "F0A7"), "<w:r><w:tab/></w:r>", "Wear gloves.")
            + p(SYMBOL.format("Wingdings", "F0FC"), " Gloves allowed")
            + p("Seen", r(" by nobody", "<w:vanish/>"), r(" by all", '<w:vanish w:val="0"/>'), ".")
            + p("Not for print.", style="Memo")
            + p("co<w:softHyphen/>operate".replace("<w:softHyphen/>", ""), "<w:r><w:softHyphen/></w:r>", " early.")
        ),
    )
    ruby = (
        "<w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>きんむ</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>勤務</w:t></w:r>"
        "</w:rubyBase></w:ruby></w:r>"
    )
    save("inline/ruby.docx", package(p(ruby, "時間は九時からです。")))
    save(
        "inline/fields.docx",
        package(
            p(
                "The fee is ",
                '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> IF </w:instrText></w:r>'
                '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> MERGEFIELD kind </w:instrText></w:r>'
                '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>guest</w:t></w:r>'
                '<w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:instrText> = "guest" "30" "0" </w:instrText></w:r>'
                '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>30</w:t></w:r>'
                '<w:r><w:fldChar w:fldCharType="end"/></w:r>',
                " EUR, see ",
                '<w:fldSimple w:instr=" REF fee "><w:r><w:t>section 4</w:t></w:r></w:fldSimple>',
                ".",
            )
            + p('<w:hyperlink r:id="x"><w:r><w:t>Price list</w:t></w:r></w:hyperlink>', " of June.")
        ),
    )
    save(
        "drop-cap/holidays.docx",
        package(
            p("H", more='<w:framePr w:dropCap="drop" w:lines="3"/>')
            + p("olidays are booked by the end of March.")
            + p("Later requests wait.")
        ),
    )
    save(
        "notes/leave.docx",
        package(
            p("Leave", note(3), style="Heading1")
            + p("Everybody gets 30 days", note(1), ". Days expire in March.", note(2))
            + p("Trainees get 24 days", note(1, "endnote"), " a year.")
            + p(
                "Part time",
                note(4, more=' w:customMarkFollows="1"').replace("</w:r>", "<w:t>*</w:t></w:r>"),
                " is possible.",
            )
            + table(row("Site", "Days"), row("Turku", cell(p("31", note(5))))),
            parts={
                "word/footnotes.xml": notes(
                    "footnote",
                    "In the first year 25.",
                    "April in Turku.",
                    "Of employees.",
                    "From 20 hours on.",
                    "One more for the city day.",
                ),
                "word/endnotes.xml": notes("endnote", "Since 2025."),
            },
        ),
    )
    save(
        "notes/alone.docx",
        package(p(note(1)), parts={"word/footnotes.xml": notes("footnote", "The archive moved to room 12.")}),
    )
    save(
        "numbers/contract.docx",
        package(
            p("Term", style="Heading1", number=(0, 1))
            + p("Notice", style="Heading2", number=(1, 1))
            + p("Notice is sixty days:", number=(2, 1))
            + p("in writing;", number=(3, 1))
            + p("by post.", number=(3, 1))
            + p("Notice ends at noon.", number=(2, 1))
            + p("Fees", style="Heading1", number=(0, 1))
            + p("Due date", style="Heading2", number=(1, 1))
            + p("Fees are due in May."),
            parts={"word/numbering.xml": numbering(LEGAL)},
        ),
    )
    restarts = (
        '<w:num w:numId="9"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/>'
        "</w:lvlOverride></w:num>"
    )
    save(
        "numbers/starts.docx",
        package(
            p("Before:")
            + p("Switch off.", number=(0, 1))
            + p("Unplug.", number=(0, 1))
            + p("After:")
            + p("Plug in.", number=(0, 9))
            + p("Switch on.", number=(0, 9))
            + p("Report.", number=(0, 2))
            + p("Sign.", number=(0, 2)),
            parts={
                "word/numbering.xml": numbering(
                    level(0, "decimal", "%1."), level(0, "decimal", "%1)", 4), more=restarts
                )
            },
        ),
    )
    shapes = (
        ("upperRoman", "%1."),
        ("upperLetter", "%1)"),
        ("decimalZero", "%1"),
        ("ordinal", "%1"),
        ("decimal", "Step %1:"),
    )
    save(
        "numbers/shapes.docx",
        package(
            "".join(
                p(f"The {name} rule.", number=(0, place)) + p(f"The {name} exception.", number=(0, place))
                for place, (name, _) in enumerate(shapes, 1)
            ),
            parts={"word/numbering.xml": numbering(*(level(0, *shape) for shape in shapes))},
        ),
    )
    linked = level(0, "upperRoman", "Part %1", more='<w:pStyle w:val="Heading1"/>')
    linked += level(1, "decimal", "%1.%2", more='<w:pStyle w:val="Heading2"/><w:isLgl/>')
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/><w:pPr><w:numPr>'
        '<w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
        for n in (1, 2)
    )
    save(
        "numbers/by-style.docx",
        package(
            p("Safety", style="Heading1")
            + p("Exits", style="Heading2")
            + p("Exits stay clear.")
            + p("Order", style="Heading1")
            + p("Kitchen", style="Heading2")
            + p("Clean it daily.")
            + p("Unnumbered", style="Heading1", more='<w:numPr><w:numId w:val="0"/></w:numPr>')
            + p("The end."),
            parts={
                "word/numbering.xml": numbering(linked),
                "word/styles.xml": f"<w:styles {SPACES}>{styles}</w:styles>",
            },
        ),
    )
    save(
        "depth/mixed.docx",
        package(
            p("Open the case.", number=(0, 1))
            + p("Torx 8", number=(0, 2), more='<w:ind w:left="1080"/>')
            + p("Torx 10", number=(0, 2), more='<w:ind w:left="1080"/>')
            + p("Keep the screws.", more='<w:ind w:left="720"/>')
            + p("Lift the lid.", number=(0, 1))
            + p("Done in ten minutes.")
            + p("Blue", number=(0, 2))
            + p("Navy", number=(1, 2))
            + p("Midnight", number=(2, 2))
            + p("Red", number=(0, 2)),
            parts={"word/numbering.xml": numbering(LEGAL, BULLETS)},
        ),
    )
    save(
        "depth/styles.docx",
        package(
            p("Bring:")
            + p("Shoes", style="ListBullet")
            + p("with steel caps", style="ListBullet2")
            + p("Helmet", style="ListBullet")
            + p("Then:")
            + p("•\tGloves are given out.")
            + p("•\tGoggles are not.")
        ),
    )
    save(
        "spans/rooms.docx",
        package(
            table(
                row("Room", "Mon", "Tue", "Wed"),
                row("Heron", cell("booked", more=span2), "open"),
                row(cell("Swift"), "open", cell("closed", more=restart), "open"),
                row("Wren", "", cell("", more=goes_on), "booked"),
                row("late", "late", more='<w:gridBefore w:val="1"/><w:gridAfter w:val="1"/>'),
            )
        ),
    )
    save("spans/ragged.docx", package(table(row("Site"), row("Lyon", cell("4455", more=goes_on))) + p("Open at 8.")))
    save(
        "spans/two-headers.docx",
        package(
            table(
                row(cell("Plan", more=restart), cell("Limit", more=span2)),
                row(cell("", more=goes_on), "Seats", "Storage"),
                row("Basic", "5", "10 GB"),
                row("Team", "50", "1 TB"),
            )
            + p("And so marked:")
            + table(
                row("", cell("2026", more=span2), more="<w:tblHeader/>"),
                row("Fee", "Spring", "Autumn", more="<w:tblHeader/>"),
                row("Guest", "30", "35", more="<w:cantSplit/>"),
            )
            + table(row(cell("Opening hours", more=span2)), row("Day", "Hours"), row("Sunday", "closed"))
        ),
    )
    save(
        "tables/boxes.docx",
        package(
            table(row(cell(p("Warning", style="Heading2"), p("Acid burns."), p("Rinse for ten minutes."))))
            + table(
                row("Task", "How"),
                row("Clean", cell(p("Rinse.", number=(0, 1)), p("Dry.", number=(0, 1)))),
                row("Store", cell(table(row("Swift", "12"), row("Wren", "8")), p("seats in all"))),
                row("", ""),
                row("Lock", ""),
            ),
            parts={"word/numbering.xml": numbering(LEGAL)},
        ),
    )
    look = '<w:tblPr><w:tblLook w:firstRow="0" w:firstColumn="1"/></w:tblPr>'
    save(
        "tables/pairs.docx",
        package(
            table(row("Owner:", "Ines Falk"), row("Since:", "May"))
            + p("Fees:")
            + table(row("Towel", "3 EUR"), row("Locker", "1 EUR"))
            + p("People:")
            + table(row(cell(p(r("Lead", "<w:b/>"))), "Ines"), row(cell(p(r("Deputy", "<w:b/>"))), "Omar"))
            + p("Closed:")
            + table(row("1 May", "Labour Day", "all day"), row("24 June", "Midsummer", "from noon"))
            + p("Looks:")
            + table(row("Hall", "blue"), row("Attic", "green")).replace("<w:tblPr/>", look)
            + p("Rooms:")
            + table(row("Room", "Rate"), row("Heron", "40 EUR"))
        ),
    )
    merged = '<w:hMerge w:val="{}"/>'
    save(
        "tables/lines.docx",
        package(
            table(
                row(cell(p("Drinks", "<w:r><w:br/></w:r>", "(cold)")), "Rules"),
                row(cell("Water", "Juice"), cell(p("Pay at the", "<w:r><w:br/></w:r>", "counter."), "Keep the cup")),
                row(cell(p("red", number=(0, 1)), p("white", number=(0, 1))), "Ask"),
                row(cell("Both", more=merged.format("restart")), cell(p(), more=merged.format("continue"))),
            ),
            parts={"word/numbering.xml": numbering(BULLETS)},
        ),
    )
    save(
        "tables/sections.docx",
        package(
            table(
                row(
                    cell(p("Fees", style="Heading1"), p("Guests pay 30 EUR.")),
                    cell(p("Hours", style="Heading1"), p("From 9 to 17.")),
                )
            )
        ),
    )
    loud = '<w:b/><w:sz w:val="{}"/>'
    save(
        "styles/by-hand.docx",
        package(
            p(r("House rules", loud.format(36)))
            + p(r("Quiet hours", loud.format(28)))
            + p("From 22 to 6.")
            + p(r("Keep the doors shut.", loud.format(28)))
            + p(r("Bold alone", "<w:b/>"))
        ),
    )

    def open_field(instructions: str) -> str:
        kinds = ("begin", f"<w:instrText> {instructions} </w:instrText>", "end")
        return "".join(
            f"<w:r>{kind}</w:r>" if kind.startswith("<") else f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'
            for kind in kinds
        )

    save(
        "inline/fields-alone.docx",
        package(
            p("Take 5 ", open_field('SYMBOL 109 \\f "Symbol"'), "g, ", open_field("EQ \\F(1,2)"), " inch.")
            + p("Up to 10", open_field("EQ \\s\\up5(2)"), " m.")
            + p("Dear ", open_field("MACROBUTTON NoMacro [name]"), ",")
        ),
    )
    raised = '<w:vertAlign w:val="superscript"/>'
    save(
        "inline/raised.docx",
        package(
            p("Grow 10", r("–6", raised), " m; 80", r("2)", raised), " EUR; 25", r("1, 2", raised), " a night.")
            + p("Area 10", r("6", '<w:position w:val="8"/>'), " m; 1", r("st", raised), " of May.")
        ),
    )
    save(
        "tables/numbered-rows.docx",
        package(
            table(
                row("No.", "Item"),
                row(cell(p(number=(0, 1))), "Chair"),
                row(cell(p(number=(0, 1))), cell(p(r("Desk", "<w:strike/>"), r("Table")))),
            ),
            parts={"word/numbering.xml": numbering(LEGAL)},
        ),
    )
    save(
        "code/preformatted.docx",
        package(
            p("Run this:")
            + p("for host in east west; do", style="HTMLPreformatted")
            + p("    ping -c 1 $host", style="HTMLPreformatted")
            + p(style="HTMLPreformatted")
            + p("done", style="HTMLPreformatted")
            + p("Then look.")
            + p(r("if x == 1:", '<w:rFonts w:ascii="Consolas"/>'))
            + p(r("    stop()", '<w:rFonts w:ascii="Consolas"/>'))
            + p("Call ", r("stop()", '<w:rFonts w:ascii="Consolas"/>'), " twice.")
        ),
    )
    fraction = (
        "<m:oMath><m:f><m:num><m:r><m:t>{}</m:t></m:r></m:num><m:den><m:r><m:t>{}</m:t></m:r></m:den></m:f></m:oMath>"
    )
    power = "<m:sSup><m:e><m:r><m:t>v</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
    save(
        "formula/dose.docx",
        package(
            p("Take ", fraction.format(3, 4), " of a tablet.")
            + p("The load is ", fraction.format("a+b", 2), " at most.")
            + p(f"<m:oMathPara><m:oMath><m:r><m:t>E=m</m:t></m:r>{power}</m:oMath></m:oMathPara>")
            + p(f"<m:oMath>{power}</m:oMath>", f"<m:oMath>{power}</m:oMath>")
            + p("Add 2", fraction.format("1", "2"), " spoons.")
        ),
    )
    whole = (
        p("Fire drill", style="Title")
        + p("Scope", style="Clause")
        + p("All floors.")
        + p("Annex", style="Part")
        + p("Maps.")
    )
    save("styles/title.docx", package(whole))
    save("kinds/strict.docx", strict(package(whole + p("Half is ", fraction.format(1, 2), "."))))
    save("kinds/macro.docx", package(whole, main="macro", parts={"word/vbaProject.bin": b"\xd0\xcf"}))
    save("kinds/template.docx", package(p("Dear ", control(r("[name]")), ","), main="template"))
    picture = (
        '<w:r><w:drawing><wp:inline><a:graphic><a:graphicData uri="x"><pic:pic><pic:blipFill><a:blip r:embed="rId7"/>'
        "</pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )
    missing = f'<Relationship Id="rId7" Type="{OFFICE}/image" Target="media/plan.png"/>'
    save("broken/no-picture.docx", package(p("The plan:", picture) + p("Use the stairs."), relations=missing))
    save(
        "broken/no-styles.docx",
        package(p("Doors", style="Heading1") + p("Doors close at 9."), parts={"word/styles.xml": "\0\0"}),
    )
    save(
        "broken/notes.docx",
        package(
            p("The pool opens at 6", note(1), " and closes at 9", note(7), "."),
            parts={"word/footnotes.xml": notes("footnote", "Not on Sundays.")[:-20], "word/numbering.xml": "<broken"},
        ),
    )
    header = f"<w:hdr {SPACES}>{p('Rules of the reading room')}</w:hdr>"
    save("kinds/header-alone.docx", package("<w:p/>", parts={"word/header1.xml": header}))
    save("kinds/header-left-out.docx", package(p("Silence, please."), parts={"word/header1.xml": header}))
    chunk = f'<Relationship Id="rId8" Type="{OFFICE}/aFChunk" Target="afchunk.html"/>'
    html = "<html><body><h1>Lockers</h1><p>Lockers are free.</p></body></html>"
    mail = (
        'MIME-Version: 1.0\nContent-Type: multipart/related; boundary="b"\n\n--b\nContent-Type: text/html; '
        'charset="utf-8"\n'
        "Content-Transfer-Encoding: quoted-printable\n\n<h1>Caf=C3=A9</h1><p>Opens at =\n9.</p>\n--b--\n"
    )
    save(
        "kinds/part-of-mail.docx",
        package(
            '<w:altChunk r:id="rId8"/>', relations=chunk.replace(".html", ".mht"), parts={"word/afchunk.mht": mail}
        ),
    )
    save(
        "broken/styles-alone.docx",
        package(
            p("Tools", style="Heading2")
            + p("Saw", style="ListBullet")
            + p("fine", style="ListBullet2")
            + p("ls -l", style="HTMLPreformatted")
            + p("Rope", number=(0, 5))
            + p("long", number=(1, 5)),
            parts={"word/styles.xml": "", "word/numbering.xml": ""},
        ),
    )
    save(
        "kinds/part-of-html.docx",
        package(
            '<w:altChunk r:id="rId8"/>' + p("Ask at the desk."), relations=chunk, parts={"word/afchunk.html": html}
        ),
    )
    chart = (
        f"<c:chartSpace {SPACES}><c:chart><c:plotArea><c:barChart>"
        + "".join(
            f"<c:ser><c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>{name}</c:v></c:pt></c:strCache></c:strRef></c:tx>"
            "<c:cat><c:strRef><c:strCache><c:pt idx='0'><c:v>May</c:v></c:pt><c:pt idx='1'><c:v>June</c:v></c:pt>"
            f"</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx='0'><c:v>{one}</c:v></c:pt>"
            f"<c:pt idx='1'><c:v>{two}</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>"
            for name, one, two in (("Open", 4, 7), ("Closed", 3, "4.4000000000000004"))
        )
        + "</c:barChart></c:plotArea></c:chart></c:chartSpace>"
    )
    diagram = (
        f'<dgm:dataModel {SPACES}><dgm:ptLst><dgm:pt modelId="0" type="doc"/>'
        + "".join(
            f'<dgm:pt modelId="{n}"><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'
            for n, text in ((2, "Check"), (1, "Report"), (3, "by phone"))
        )
        + '</dgm:ptLst><dgm:cxnLst><dgm:cxn srcId="0" destId="1" srcOrd="0"/><dgm:cxn srcId="0" destId="2" srcOrd="1"/>'
        '<dgm:cxn srcId="1" destId="3" srcOrd="0"/></dgm:cxnLst></dgm:dataModel>'
    )
    drawn = (
        '<w:r><w:drawing><wp:inline><a:graphic><a:graphicData uri="x">{}</a:graphicData></a:graphic></wp:inline>'
        "</w:drawing></w:r>"
    )
    related = "".join(
        f'<Relationship Id="{n}" Type="{OFFICE}/{n}" Target="{n}.xml"/>' for n in ("chart", "diagramData")
    )
    save(
        "drawn/tickets.docx",
        package(
            p("Tickets:", drawn.format('<c:chart r:id="chart"/>'))
            + p("Then:", drawn.format('<dgm:relIds r:dm="diagramData"/>')),
            relations=related,
            parts={"word/chart.xml": chart, "word/diagramData.xml": diagram},
        ),
    )


PANDOC = {
    "notes/pandoc.docx": "# Shifts\n\nNight shifts pay more[^1] than days.\n\n[^1]: 25 % from 22:00.\n",
    "numbers/pandoc.docx": "4. Fill in the form.\n5. Sign it.\n\n    a) in ink\n    b) twice\n\n    Keep a copy.\n\n"
    "6. Send it.\n\nDone.\n\n- one\n    - two\n",
    "code/pandoc.docx": "Install:\n\n```\nsudo apt install thing\n  --yes\n```\n\nRun `thing -v`.\n",
    "formula/pandoc.docx": "The area is $\\pi r^2$ and the sum $\\sum_{i=1}^{n} x_i$, or $\\sqrt{a+b}$.\n",
    "tables/pandoc.docx": "| City | Fee |\n|------|-----|\n| Graz | 12  |\n| Turku|     |\n",
    "inline/pandoc.docx": "Water is H~2~O, ten is 10^1^, ~~gone~~ kept.\n\n"
    "Term\n:   What it means.\n\n> Quoted.\n\n- [x] done\n- [ ] open\n",
}
LIBREOFFICE = {
    "notes/libreoffice.docx": "# Parking\n\nSpaces are free[^1]. Bikes too.\n\n[^1]: Not on market days.\n",
    "numbers/libreoffice.docx": "Steps:\n\n1. Stop.\n2. Look.\n    - left\n    - right\n3. Go.\n",
    "code/libreoffice.docx": "Type:\n\n```\nls -l\n  cd x\n```\n\nDone.\n",
    "tables/libreoffice.docx": "| Day | Opens | Closes |\n|---|---|---|\n| Mon | 8 | |\n| Tue | | 18 |\n",
}
HTML = {
    "spans/libreoffice.docx": "<table border=1><tr><th rowspan=2>Plan<th colspan=2>Limit</tr><tr><th>Seats<th>Disk</tr>"
    "<tr><td>Basic<td>5<td>1 GB</tr><tr><td>Team<td colspan=2>none</tr></table>",
    "inline/libreoffice.docx": "<p>Heat to 10<sup>3</sup> K, drink H<sub>2</sub>O, <s>wait</s> go.</p>"
    "<pre>a = 1\n  b = 2</pre>"
    "<ol start=3><li>Third<li>Fourth</ol><ul><li>x<ul><li>y</ul></ul>",
}


def by_programs() -> None:
    """pandoc; pandoc and then LibreOffice; HTML of LibreOffice; python-docx."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for name, text in PANDOC.items():
            save(name, _pandoc(text, work / "out.docx"))
        for name, text in LIBREOFFICE.items():
            _pandoc(text, work / "in.odt")
            save(name, _libreoffice(work, "in.odt"))
        for name, text in HTML.items():
            (work / "in.html").write_text(f"<html><body>{text}</body></html>")
            save(name, _libreoffice(work, "in.html", "--infilter=HTML (StarWriter)"))
    from docx import Document

    document = Document()
    document.add_heading("Onboarding", 0)
    document.add_heading("First day", 1)
    for style, text in (
        ("List Number", "Fetch the badge."),
        ("List Number", "Meet the team."),
        ("List Bullet 2", "at ten"),
    ):
        document.add_paragraph(text, style)
    cells = document.add_table(2, 3)
    for place, text in enumerate(("Who", "When", "Where", "Ines", "", "room 4")):
        cells.cell(place // 3, place % 3).text = text
    out = io.BytesIO()
    document.save(out)
    save("styles/python-docx.docx", out.getvalue())


def _pandoc(text: str, out: Path) -> bytes:
    subprocess.run(["pandoc", "-f", "markdown", "-o", str(out)], input=text.encode(), check=True)
    return out.read_bytes()


def _libreoffice(work: Path, name: str, *more: str) -> bytes:
    subprocess.run(
        [
            "soffice",
            "--headless",
            *more,
            "--convert-to",
            "docx:MS Word 2007 XML",
            "--outdir",
            str(work),
            str(work / name),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return (work / "in.docx").read_bytes()


if __name__ == "__main__":
    by_hand()
    if "--by-hand" not in sys.argv:
        by_programs()
