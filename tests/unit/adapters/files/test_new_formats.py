"""Slides, OpenDocument, e-books, mails, notebooks, records: what a file claims is bounded, what it is not is said."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from email.message import EmailMessage

import pytest
from lxml import etree
from pptx import Presentation

from adapters.files.content import ParsedFile
from adapters.files.formats import FORMAT_ALIASES, SUPPORTED_FORMATS, detect_file_format
from adapters.files.office.slides import SlideShape, sort_shapes
from adapters.files.pandoc import pandoc_to_html, supported_suffixes
from adapters.files.reader import FileReader
from adapters.files.reader_worker import read_format
from adapters.files.text.outlook import rtf_to_html as as_html_of_rtf
from pipeline.errors import Refused

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
OFFICE = 'xmlns:{}="urn:oasis:names:tc:opendocument:xmlns:{}:1.0"'
SPACES = " ".join(OFFICE.format(name, name) for name in ("office", "text", "table"))


def shown(content: ParsedFile) -> list[tuple[str, str]]:
    return [(block.kind.value, block.text) for block in content.blocks]


def archive(**parts: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, part in parts.items():
            file.writestr(name.replace("__", "/").replace("_", "."), part)
    return out.getvalue()


def sheet(rows: str) -> bytes:
    body = f"<office:spreadsheet><table:table table:name='A'>{rows}</table:table></office:spreadsheet>"
    document = f"<office:document-content {SPACES}><office:body>{body}</office:body></office:document-content>"
    return archive(content_xml=document)


def stream(name: str) -> bytes:
    return OLE + name.encode("utf-16-le") + b"\0\0"


@pytest.mark.parametrize(
    ("name", "content", "said", "cure"),
    [
        ("a.doc", stream("WordDocument"), "a .doc, which is not read", ".docx"),
        ("a.xls", stream("Workbook"), "a .xls, which is not read", ".xlsx"),
        ("a.ppt", stream("PowerPoint Document"), "a .ppt, which is not read", ".pptx"),
        ("a.docx", stream("EncryptedPackage"), "protected by a password", "Remove the password"),
        ("a.xlsb", archive(xl__workbook_bin="x"), "a .xlsb, which is not read", ".xlsx"),
        ("a.pages", archive(Index__Document_iwa="x"), "a .pages, which is not read", ".docx"),
        ("a.vsd", stream("VisioDocument"), "a .vsd, which is not read", ".pdf"),
        ("a.zip", archive(a_txt="x"), ".zip is not a supported format", ".docx"),
    ],
)
def test_a_file_that_is_not_read_is_named_with_what_to_do(name: str, content: bytes, said: str, cure: str) -> None:
    with pytest.raises(Refused, match=said) as refused:
        detect_file_format(name, content)
    assert cure in refused.value.what_to_do


def test_a_file_is_what_it_holds_whatever_its_name_says() -> None:
    assert detect_file_format("a.docx", stream("__properties_version1.0")) == ".msg"
    assert detect_file_format("a.doc", b"{\\rtf1 a}") == ".rtf"
    assert detect_file_format("a.txt", archive(ppt__presentation_xml="x")) == ".pptx"
    inner = archive(word__document_xml="x")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as file:
        file.writestr("ppt/embeddings/a.docx", inner)
        file.writestr("ppt/presentation.xml", "x")
    assert detect_file_format("a.pptx", out.getvalue()) == ".pptx"


@pytest.mark.parametrize("suffix", FORMAT_ALIASES)
def test_kin_with_macros_templates_and_shows_are_supported(suffix: str) -> None:
    assert suffix in SUPPORTED_FORMATS
    assert FORMAT_ALIASES[suffix] in SUPPORTED_FORMATS


async def test_a_deck_of_pictures_is_refused_with_what_it_holds() -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    bitmap = b"BM" + (58).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little") + (40).to_bytes(4, "little")
    size = (1).to_bytes(4, "little") * 2 + (1).to_bytes(2, "little") + (24).to_bytes(2, "little")
    slide.shapes.add_picture(io.BytesIO(bitmap + size + bytes(24) + bytes(4)), 0, 0)
    out = io.BytesIO()
    deck.save(out)
    reader = FileReader()
    with pytest.raises(Refused, match="slide 1: no text, only a picture") as refused:
        await reader.read("a.pptx", out.getvalue())
    await reader.close()
    assert "OCR" in refused.value.what_to_do


def test_repeats_and_spans_of_a_sheet_are_bounded() -> None:
    cell = "<table:table-cell table:number-columns-repeated='99999999'><text:p>x</text:p></table:table-cell>"
    rows = f"<table:table-row table:number-rows-repeated='99999999'>{cell}</table:table-row>"
    assert len(read_format(".ods", sheet(rows)).blocks) <= 1_001
    empty = "<table:table-row table:number-rows-repeated='1048576'><table:table-cell/></table:table-row>"
    one = "<table:table-row><table:table-cell><text:p>last</text:p></table:table-cell></table:table-row>"
    *_, block = read_format(".ods", sheet(empty + one)).blocks
    assert (block.text, block.row) == ("last", 1_048_577)


def test_aliases_that_stand_for_billions_of_values_are_refused() -> None:
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40))]
    with pytest.raises(Refused, match="more values"):
        read_format(".yaml", "\n".join(lines).encode())


def test_yaml_runs_nothing_and_keeps_what_is_written() -> None:
    found = read_format(".yaml", b"a: !!python/object/apply:os.system ['true']\nb: no\nc: 1.10\nd: 2026-01-05\n")
    assert ("prose", "b: no") in shown(found)
    assert ("prose", "c: 1.10") in shown(found)
    assert ("prose", "d: 2026-01-05") in shown(found)


def test_a_mail_in_a_mail_in_a_mail_ends() -> None:
    mail = EmailMessage()
    mail["Subject"] = "Deepest"
    mail.set_content("Here.")
    for number in range(9):
        outer = EmailMessage()
        outer["Subject"] = f"Mail {number}"
        outer.set_content("See within.")
        outer.add_attachment(mail)
        mail = outer
    found = read_format(".eml", mail.as_bytes())
    assert any("too many" in what for what in found.unread)
    assert ("prose", "Here.") not in shown(found)


def test_a_damaged_file_of_a_mail_does_not_take_the_mail_with_it() -> None:
    mail = EmailMessage()
    mail["Subject"] = "Plans"
    mail.set_content("The plan is attached.")
    mail.add_attachment(b"PK\x03\x04", maintype="application", subtype="zip", filename="plan.docx")
    found = read_format(".eml", mail.as_bytes())
    assert ("prose", "The plan is attached.") in shown(found)
    assert found.unread[0].startswith("plan.docx: ")


def test_a_cell_of_a_notebook_that_is_damaged_is_named() -> None:
    cells = [{"cell_type": "markdown", "source": "# A"}, {"source": 3}, {"cell_type": "code", "source": "x = '~~~'"}]
    found = read_format(".ipynb", json.dumps({"cells": cells}).encode())
    assert shown(found) == [("heading", "A"), ("code", "x = '~~~'")]
    assert found.unread == ("cell 2: it is damaged",)


async def test_without_pandoc_a_file_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(Refused, match=r"\.org is read by pandoc, which is not installed") as refused:
        await pandoc_to_html(".org", b"* A")
    assert "pandoc.org" in refused.value.what_to_do
    assert ".org" not in supported_suffixes()


@pytest.mark.skipif(not shutil.which("pandoc"), reason="pandoc is not installed")
async def test_pandoc_opens_no_file() -> None:
    html = await pandoc_to_html(
        ".tex", b"\\documentclass{article}\\begin{document}A\\input{/etc/hostname}B\\end{document}"
    )
    assert b"A" in html
    reader = FileReader()
    found = await reader.read("a.org", b"* Keys\n- front\n  - back\n")
    await reader.close()
    assert [(block.text, block.depth) for block in found.blocks] == [("Keys", 0), ("front", 0), ("back", 1)]


def test_packed_rtf_is_unpacked_and_read_as_lines_or_as_the_html_that_it_was() -> None:
    packed = (
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c09002062"
        "7705b06c647d0a800fa0"
    )  # the example of MS-OXRTFCP
    assert as_html_of_rtf(bytes.fromhex(packed)).strip() == "hello world"
    plain = rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}Fee 5 \'80\par \u8722?75.00 net {\*\x hidden}}"
    assert as_html_of_rtf(bytes(8) + b"MELA" + bytes(4) + plain) == "Fee 5 €<br>\N{MINUS SIGN}75.00 net "
    html = rb"{\rtf1\ansi\fromhtml1{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 30 days{\*\htmltag72 </p>}\htmlrtf }\htmlrtf0}"
    assert as_html_of_rtf(bytes(8) + b"MELA" + bytes(4) + html) == "<p>30 days</p>"


def test_a_mail_of_two_parts_is_read_whole_and_what_is_locked_is_named() -> None:
    locked = b"From: a@x.example\nContent-Type: multipart/encrypted; boundary=b\n\n--b\n\nx\n--b--\n"
    assert read_format(".eml", locked).unread == ("text that is encrypted or signed",)
    wide = "From: a@x.example\nSubject: Gr\u00fc\u00dfe\n\n5 \u20ac".encode("utf-16")
    assert ("prose", "5 \u20ac") in shown(read_format(".eml", wide))


def test_a_page_that_is_named_as_if_it_were_of_office_is_read_as_what_it_is() -> None:
    assert detect_file_format("export.xls", b"<html><table><tr><td>1</td></tr></table></html>") == ".html"
    assert detect_file_format("page.doc", b"Date: Mon, 1 Jan 2026\nMIME-Version: 1.0\n\n") == ".eml"


def test_columns_of_boxes_are_read_one_by_one_and_tables_of_boxes_row_by_row() -> None:
    def order(*places: tuple[int, int]) -> list[int]:
        boxes = [SlideShape(etree.Element(f"n{n}"), x, y, 100, 20) for n, (x, y) in enumerate(places)]
        return [int(box.shape.tag[1:]) for box in sort_shapes(boxes)]

    assert order((0, 0), (200, 0), (0, 25), (200, 25)) == [0, 2, 1, 3]  # near below each other, far beside
    assert order((0, 0), (110, 0), (0, 30), (110, 30)) == [0, 1, 2, 3]  # as far below as beside
    assert order((0, 0), (200, 0), (0, 25), (200, 25), (0, 50)) == [0, 2, 4, 1, 3]  # lists of two lengths
    assert order((0, 0), (200, 0), (0, 25), (200, 25), (0, 50), (200, 50)) == [0, 1, 2, 3, 4, 5]  # pairs
