"""What the reader of PDF makes of parts that it cannot read, of broken words and of notes."""

from __future__ import annotations

import pytest

from adapters.files.pdf.line_text import PdfVocabulary
from adapters.files.pdf.reader import read_pdf
from tests.unit.adapters.files.test_worker import pdf, stream

READABLE = b"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>"
UNNAMED = (
    b"<</Type /Font /Subtype /Type1 /BaseFont /ABCDEF+Foo /FirstChar 1 /LastChar 40"
    b" /Encoding <</Type /Encoding /Differences [1 /g115 /g40 /g12 /g33 /g77]>>>>"
)


def pages(*contents: bytes) -> bytes:
    """A PDF of pages with these contents, which have the fonts F and G."""
    count = len(contents)
    kids = b" ".join(b"%d 0 R" % (5 + 2 * number) for number in range(count))
    fonts = b"/Resources <</Font <</F 3 0 R /G 4 0 R>>>>"
    page = b"<</Type /Page /Parent 2 0 R /Contents %d 0 R /MediaBox [0 0 400 400] " + fonts + b">>"
    parts = [part for n, content in enumerate(contents) for part in (page % (6 + 2 * n), content)]
    tree = b"<</Type /Pages /Kids [%s] /Count %d>>" % (kids, count)
    return pdf(b"<</Type /Catalog /Pages 2 0 R>>", tree, READABLE, UNNAMED, *parts)


def drawn(text: bytes, font: bytes = b"F", x: int = 50) -> bytes:
    return stream(b"BT /%s 12 Tf %d 300 Td (%s) Tj ET" % (font, x, text))


def test_letters_of_a_font_that_does_not_name_them_are_left_out_and_named() -> None:
    found = read_pdf(pages(drawn(b"The gate opens at six."), drawn(b"\x01\x02\x03\x04\x05\x01", b"G")))
    assert [block.text for block in found.blocks] == ["The gate opens at six."]
    assert found.unread == ("page 2: 6 letters of a font that does not say what they are",)


def test_a_page_whose_content_is_damaged_leaves_the_others() -> None:
    damaged = stream(b"\x00damaged((((", b"/Filter /FlateDecode")
    found = read_pdf(pages(drawn(b"The gate opens at six."), damaged, drawn(b"It closes at ten.")))
    assert [(block.page, block.text) for block in found.blocks] == [
        (1, "The gate opens at six."),
        (3, "It closes at ten."),
    ]


def test_what_stands_beside_the_page_is_not_read() -> None:
    found = read_pdf(pages(drawn(b"The gate opens at six."), drawn(b"Nobody sees this.", x=900)))
    assert [block.text for block in found.blocks] == ["The gate opens at six."]


@pytest.mark.parametrize(
    ("lines", "known", "joined"),
    [
        (("a long-", "term guest"), "", "a long-term guest"),
        (("the employ-", "ment lasts"), "", "the employment lasts"),
        (("the vice-", "chair speaks"), "a vice-chair is chosen", "the vice-chair speaks"),
        (("a data-", "base of"), "the database holds", "a database of"),
        (("Nord-", "und Südseite"), "", "Nord- und Südseite"),
        (("in Baden-", "Baden"), "", "in Baden-Baden"),
        (("Verwal\u00ad", "tung"), "", "Verwaltung"),
        (("between 10-", "20 days"), "", "between 10-20 days"),
    ],
)
def test_a_hyphen_at_a_line_end_is_judged_by_the_words_of_the_document(
    lines: tuple[str, ...], known: str, joined: str
) -> None:
    assert PdfVocabulary([f"Here {known} is.", *lines]).join_lines(lines) == joined
