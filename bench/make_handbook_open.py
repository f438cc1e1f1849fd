"""The documents of examples/handbook/ in open formats: a book, a text of OpenDocument, a mail."""

# ruff: noqa: E501 - markup by hand
from __future__ import annotations

import zipfile
from email.headerregistry import Address
from email.message import EmailMessage
from pathlib import Path

WRITTEN = (2026, 6, 1, 8, 0, 0)
PAGE = """<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>{title}</title></head>
<body>{body}</body></html>"""
CHAPTERS = {
    "Borrowing": """<h1>Borrowing</h1><p>The shelves of the company library stand beside the reception. Up to three books
can be borrowed for four weeks; write your name and the number of the book into the red folder.</p>
<table><tr><th>Shelf</th><th>Subject</th></tr><tr><td>A</td><td>Electronics</td></tr><tr><td>B</td><td>Chemistry</td></tr>
<tr><td>C</td><td>Novels</td></tr></table>""",
    "Wishes": """<h1>Wishes</h1><p>Whoever wishes for a book puts a slip into the box on shelf C. The librarian orders on the
first Friday of the quarter.<a epub:type="noteref" href="#n1">1</a></p><aside epub:type="footnote" id="n1"><p>Not in the
fourth quarter.</p></aside>""",
}
OPF = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">tarnwick-library</dc:identifier>
<dc:title>The company library</dc:title><dc:language>en</dc:language><meta property="dcterms:modified">2026-06-01T08:00:00Z
</meta></metadata><manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>{items}
</manifest><spine>{spine}</spine></package>"""
CONTAINER = """<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{of}:1.0"'
    for name, of in {"office": "office", "text": "text", "table": "table", "style": "style"}.items()
)
GROUPS = [
    ("Group", "Day", "Place"),
    ("Running", "Tuesday", "main gate"),
    ("Table tennis", "Thursday", "cellar of house B"),
]
SPORTS = """<text:p text:style-name="Title">Sports groups</text:p><text:p>Colleagues meet for sports after work.</text:p>
<text:h text:outline-level="1">Groups</text:h><table:table table:name="Groups"><table:table-header-rows>{header}
</table:table-header-rows>{rows}</table:table><text:h text:outline-level="1">Joining a group</text:h><text:list
text:style-name="Steps">{steps}</text:list><text:p>Rackets are lent free of charge.<text:note text:note-class="footnote">
<text:note-citation>1</text:note-citation><text:note-body><text:p>Balls cost 50 cents each.</text:p></text:note-body>
</text:note></text:p>"""
STEPS = ("Come to a meeting of the group.", "Sign the list of members.", "Get the key from the caretaker.")


def archive(path: Path, mimetype: str, parts: dict[str, str]) -> None:
    with zipfile.ZipFile(path, "w") as file:
        for name, part in {"mimetype": mimetype, **parts}.items():
            entry = zipfile.ZipInfo(name, WRITTEN)
            entry.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            file.writestr(entry, part)


def library(path: Path) -> None:
    files = {f"chapter{place}": name for place, name in enumerate(CHAPTERS, 1)}
    items = "".join(f'<item id="{key}" href="{key}.xhtml" media-type="application/xhtml+xml"/>' for key in files)
    spine = "".join(f'<itemref idref="{key}"/>' for key in files)
    listed = "".join(f'<li><a href="{key}.xhtml">{name}</a></li>' for key, name in files.items())
    nav = f'<nav epub:type="toc"><ol>{listed}</ol></nav>'
    parts = {
        "META-INF/container.xml": CONTAINER,
        "book.opf": OPF.format(items=items, spine=spine),
        "nav.xhtml": PAGE.format(title="Contents", body=nav),
    }
    chapters = {f"{key}.xhtml": PAGE.format(title=name, body=CHAPTERS[name]) for key, name in files.items()}
    archive(path, "application/epub+zip", parts | chapters)


def sports_groups(path: Path) -> None:
    def row(cells: tuple[str, ...]) -> str:
        texts = (f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in cells)
        return f"<table:table-row>{''.join(texts)}</table:table-row>"

    steps = "".join(f"<text:list-item><text:p>{step}</text:p></text:list-item>" for step in STEPS)
    body = SPORTS.format(header=row(GROUPS[0]), rows="".join(map(row, GROUPS[1:])), steps=steps)
    styles = (
        '<office:automatic-styles><text:list-style style:name="Steps"><text:list-level-style-number text:level="1" '
        'style:num-format="1"/></text:list-style></office:automatic-styles>'
    )
    content = (
        f'<office:document-content {SPACES} office:version="1.2">{styles}<office:body><office:text>{body}</office:text>'
        "</office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.text"
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/><manifest:file-entry '
        'manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    archive(path, kind, {"content.xml": content, "META-INF/manifest.xml": manifest})


def summer_party(path: Path) -> None:
    mail = EmailMessage()
    mail["Subject"] = "Summer party in the boathouse"
    mail["From"] = Address("Works council", "council", "tarnwick.example")
    mail["To"] = Address("Everybody", "all", "tarnwick.example")
    mail["Date"] = "Mon, 01 Jun 2026 08:00:00 +0200"
    mail.set_content(
        "Dear colleagues,\n\nthe summer party is on Friday, 10 July 2026, from 16:00 in the boathouse. Families are welcome. "
        "Please bring a cake or a salad; drinks are there.\n\nThe shuttle from the main gate is attached.\n"
    )
    shuttle = "Shuttle,Leaves the main gate,Leaves the boathouse\nfirst,15:30,21:00\nlast,16:30,23:30\n"
    mail.add_attachment(shuttle, subtype="csv", filename="shuttle.csv")
    mail.set_boundary("tarnwick")
    path.write_bytes(mail.as_bytes())
