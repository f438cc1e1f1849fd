"""What the readers of DOCX, PPTX, XLSX and PDF make of documents as people write them."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from openpyxl import Workbook
from pptx import Presentation
from pptx.util import Inches
from pypdf import PdfReader, PdfWriter
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from adapters.files.content import ParsedFile
from adapters.files.office.pptx import read_pptx
from adapters.files.office.xlsx import read_xlsx
from adapters.files.pdf.reader import read_pdf
from adapters.files.reader_worker import read_format
from pipeline.errors import Refused
from tests.fidelity.made import docx as made

HANDBOOK = Path(__file__).parents[4] / "examples" / "handbook"


def shown(content: ParsedFile) -> list[tuple[str, str]]:
    return [(block.kind.value, block.text) for block in content.blocks]


def saved(save: Callable[[Any], object]) -> bytes:
    out = io.BytesIO()
    save(out)
    return out.getvalue()


def test_docx_headings_lists_and_tables_come_in_order() -> None:
    content = read_format(".docx", (HANDBOOK / "contractor-terms.docx").read_bytes())
    assert content.title == "Contractor terms"
    kinds = [kind for kind, _ in shown(content)]
    assert kinds[:2] == ["heading", "prose"]
    assert kinds.count("item") == kinds.count("step") == 3
    assert shown(content)[-4:] == [
        ("header", "Length of the order | Notice by the contractor | Notice by Tarnwick"),
        ("row", "up to 3 months | 1 week | 1 week"),
        ("row", "3 to 12 months | 2 weeks | 4 weeks"),
        ("row", "more than 12 months | 4 weeks | 8 weeks"),
    ]
    assert content.blocks[-1].heading == ("Notice periods",)


def test_docx_reads_insertions_and_links_but_nothing_deleted_or_hidden() -> None:
    document = Document()
    body = document.element.body
    runs = (
        "<w:r><w:t>kept </w:t></w:r>",
        "<w:ins><w:r><w:t>inserted</w:t></w:r></w:ins>",
        "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>",
        "<w:hyperlink><w:r><w:t> linked</w:t></w:r></w:hyperlink>",
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t> hidden</w:t></w:r>",
    )
    body.insert(0, parse_xml(f"<w:p {nsdecls('w')}>{''.join(runs)}</w:p>"))
    assert shown(read_format(".docx", saved(document.save))) == [("prose", "kept inserted linked")]


def test_docx_cells_merged_or_holding_tables_are_read_once() -> None:
    document = Document()
    table = document.add_table(2, 2)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Both"
    table.cell(1, 0).text = "left"
    table.cell(1, 1).add_table(1, 1).cell(0, 0).text = "inner"
    assert shown(read_format(".docx", saved(document.save))) == [("header", "Both | Both"), ("row", "left | inner")]


def test_docx_numbering_tells_steps_from_items() -> None:
    document = Document()
    for style, text in (("List Number", "count"), ("List Bullet", "mark"), ("List Number 2", "within")):
        document.add_paragraph(text, style)
    assert shown(read_format(".docx", saved(document.save))) == [
        ("step", "count"),
        ("item", "mark"),
        ("item", "1. within"),
    ]


def test_docx_keeps_links_and_inline_code() -> None:
    mono = '<w:rFonts w:ascii="Consolas"/>'
    link = f'<w:hyperlink r:id="x">{made.r("the portal")}</w:hyperlink>'
    body = made.p("Clean ", made.r("__in", mono), made.r("it__", mono), " in ", link, ".")
    relation = '<Relationship Id="x" Type="t/hyperlink" TargetMode="External" Target="https://portal.example/"/>'
    row = made.table(made.row("Run", "Does"), made.row(made.cell(made.p(made.r("ls -l", mono))), "lists"))
    prose, _, cells = read_format(".docx", made.package(body + row, relations=relation)).blocks
    assert prose.text == "Clean __init__ in the portal."
    assert [prose.text[start:end] for start, end in prose.code] == ["__init__"]
    assert [(one.text, one.url) for one in prose.links] == [("the portal", "https://portal.example/")]
    assert [cells.text[start:end] for start, end in cells.code] == ["ls -l"]


def test_pptx_slides_are_pages_under_their_titles() -> None:
    content = read_pptx((HANDBOOK / "town-hall.pptx").read_bytes())
    tool = [block for block in content.blocks if block.page == 3]
    assert [block.kind.value for block in tool] == ["heading", "item", "item", "prose"]
    assert tool[1].heading == ("New expense tool",)
    assert "bank connection" in tool[3].text


def test_pptx_tables_groups_and_slides_without_a_title_are_read() -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    table = slide.shapes.add_table(3, 2, Inches(1), Inches(3), Inches(4), Inches(1)).table
    for place, text in enumerate(("A", "B", "1", "2")):
        table.cell(place // 2, place % 2).text = text
    table.cell(2, 0).merge(table.cell(2, 1))
    table.cell(2, 0).text = "Both"
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(Inches(1), Inches(1), Inches(2), Inches(1)).text_frame.text = "In a group"
    hidden = deck.slides.add_slide(deck.slide_layouts[5])
    hidden.shapes.title.text = "Hidden"
    hidden.element.set("show", "0")
    assert shown(read_pptx(saved(deck.save))) == [
        ("heading", "Slide 1"),
        ("prose", "In a group"),
        ("header", "A | B"),
        ("row", "1 | 2"),
        ("row", "Both | Both"),
    ]


def test_xlsx_rows_stand_under_their_header_in_their_sheet() -> None:
    content = read_xlsx((HANDBOOK / "travel-rates.xlsx").read_bytes())
    denmark = next(block for block in content.blocks if block.text.startswith("Denmark"))
    assert (denmark.text, denmark.sheet, denmark.row) == ("Denmark | 75 | 50 | 15", "Daily rates", 6)
    assert ("header", "Vehicle | Euros per km") in shown(content)
    assert ("prose", "Daily rates for meals, in euros") in shown(content)


def test_xlsx_cells_count_as_pages_while_they_are_read() -> None:
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Stock")
    for number in range(1_100):
        sheet.append([f"part {number}", number, "Porto", 3, 4.5])
    pages: list[tuple[int, int]] = []
    assert len(read_xlsx(saved(book.save), lambda *heard: pages.append(heard)).blocks) == 1_101
    assert pages == [(1, 0), (2, 0)]


def test_pages_of_a_pdf_count_when_they_are_read_whatever_number_it_claims() -> None:
    pages: list[tuple[int, int]] = []
    read_pdf((HANDBOOK / "laptop-setup.pdf").read_bytes(), lambda *heard: pages.append(heard))
    assert pages == [(number, len(pages)) for number in range(1, len(pages) + 1)]
    assert pages


def test_xlsx_values_are_shown_as_in_the_sheet() -> None:
    book = Workbook()
    sheet = book.active
    assert sheet
    sheet.append(["Name", "Share", "Since", "At", "Active", "Price"])
    sheet.append(["A", 0.125, dt.datetime(2026, 3, 1), dt.datetime(2026, 3, 1, 9, 30), True, 19.990000000000002])  # noqa: DTZ001
    sheet["B2"].number_format = "0.0%"
    hidden = book.create_sheet("Hidden")
    hidden.append(["secret"])
    hidden.sheet_state = "hidden"
    assert shown(read_xlsx(saved(book.save))) == [
        ("heading", "Sheet"),
        ("header", "Name | Share | Since | At | Active | Price"),
        ("row", "A | 12.5% | 2026-03-01 0:00:00 | 2026-03-01 9:30:00 | TRUE | 19.99"),
    ]


def pages(*texts: list[tuple[str, int, int, str]], encrypt: str | None = None) -> bytes:
    """A PDF of pages of (font, size, height, text)."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1, encrypt=encrypt)
    for page in texts:
        for font, size, y, text in page:
            canvas.setFont(font, size)
            canvas.drawString(72, y, text)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def test_pdf_pages_headings_and_steps_are_told_apart() -> None:
    content = read_pdf((HANDBOOK / "laptop-setup.pdf").read_bytes())
    assert content.title == "Setting up your laptop"
    steps = [block for block in content.blocks if block.kind == "step"]
    assert [block.page for block in steps] == [2] * 5
    assert steps[0].text == "Open the VPN client from the start menu."
    assert steps[0].heading == ("Connecting to the VPN",)
    assert not any("IT guides" in block.text or "Page " in block.text for block in content.blocks)


def test_pdf_lines_are_joined_into_paragraphs_and_broken_words_mended() -> None:
    body = "Helvetica"
    content = read_pdf(
        pages(
            [
                ("Helvetica-Bold", 16, 780, "Terms"),
                (body, 10, 750, "The employ-"),
                (body, 10, 738, "ment lasts two years and"),
                (body, 10, 726, "ends without notice."),
                (body, 10, 690, "A new paragraph after a gap"),
                (body, 10, 678, "that goes on over the page and"),
                (body, 8, 30, "Confidential - page 1"),
            ],
            [
                (body, 10, 780, "ends here."),
                ("Helvetica-Bold", 10, 750, "Bold heading"),
                (body, 10, 736, "• first item"),
                (body, 10, 724, "• second item"),
                (body, 8, 30, "Confidential - page 2"),
            ],
        )
    )
    assert shown(content) == [
        ("heading", "Terms"),
        ("prose", "The employment lasts two years and ends without notice."),
        ("prose", "A new paragraph after a gap that goes on over the page and ends here."),
        ("heading", "Bold heading"),
        ("item", "first item"),
        ("item", "second item"),
    ]
    assert content.title == "Terms"


def test_pdf_bookmarks_are_believed() -> None:
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    canvas.bookmarkPage("a")
    canvas.addOutlineEntry("1. Scope of this.", "a", level=0)
    canvas.drawString(72, 700, "1. Scope of this.")
    canvas.drawString(72, 660, "Some words that make a sentence of the body.")
    canvas.save()
    assert shown(read_pdf(out.getvalue()))[0] == ("heading", "1. Scope of this.")


def test_a_pdf_of_pictures_only_asks_for_text_recognition() -> None:
    with pytest.raises(Refused) as caught:
        read_pdf(pages([]))
    assert "OCR" in caught.value.what_to_do


def test_a_pdf_with_a_password_is_refused() -> None:
    with pytest.raises(Refused, match="password"):
        read_pdf(pages([("Helvetica", 10, 700, "secret")], encrypt="locked"))


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-128", "AES-256"])
def test_a_pdf_that_only_restricts_printing_or_copying_is_read(algorithm: str) -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pages([("Helvetica", 10, 700, "Open to all readers")]))))
    writer.encrypt("", "owner", algorithm=algorithm)
    assert shown(read_pdf(saved(writer.write))) == [("prose", "Open to all readers")]
