"""What programs leave in a file's properties is no title."""

from __future__ import annotations

from io import BytesIO

import pytest
from docx import Document
from pptx import Presentation
from reportlab.pdfgen.canvas import Canvas

from adapters.files.content import drop_placeholder_title
from adapters.files.html.reader import read_html
from adapters.files.office.pptx import read_pptx
from adapters.files.pdf.reader import read_pdf
from adapters.files.reader_worker import read_format

PLACEHOLDERS = ["(anonymous)", "untitled", "Untitled 1", "PowerPoint Presentation", "Word Document", "  ", "-"]


@pytest.mark.parametrize("text", PLACEHOLDERS)
def test_a_placeholder_is_no_title(text: str) -> None:
    assert drop_placeholder_title(text) == ""


@pytest.mark.parametrize("text", ["2024", "Untitled masterpieces of Rome", "Document retention", "社内規程", "Node.js"])
def test_what_a_person_wrote_is_a_title(text: str) -> None:
    assert drop_placeholder_title(f" {text} ") == text


@pytest.mark.parametrize("title", ["(anonymous)", "untitled", "Service levels"])
def test_a_pdf_without_a_title_of_its_own_has_that_of_its_largest_line(title: str) -> None:
    out = BytesIO()
    canvas = Canvas(out)
    canvas.setTitle(title)
    for size, height, text in ((20, 700, "Service level agreement"), (10, 650, "The service is available all day.")):
        canvas.setFont("Helvetica", size)
        canvas.drawString(72, height, text)
    canvas.save()
    assert read_pdf(out.getvalue()).title == ("Service levels" if title[0] == "S" else "Service level agreement")


def test_office_files_and_pages_pass_over_placeholders_too() -> None:
    document, deck, out, slides = Document(), Presentation(), BytesIO(), BytesIO()
    document.core_properties.title = "Word Document"
    document.add_paragraph("Contractors get no paid leave.")
    document.save(out)
    deck.core_properties.title = "PowerPoint Presentation"
    deck.slides.add_slide(deck.slide_layouts[0]).shapes.title.text = "Town hall"
    deck.save(slides)
    assert read_format(".docx", out.getvalue()).title == ""
    assert read_pptx(slides.getvalue()).title == ""
    assert read_html(b"<title>Untitled</title><p>Text.</p>").title == ""
