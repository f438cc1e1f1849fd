"""Files that are odd, or made to hurt: one part takes nothing else with it, and reading stays linear."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping

import pytest
from openpyxl import Workbook
from openpyxl.worksheet.pagebreak import Break

from adapters.files.reader_worker import read_format
from adapters.files.text.outlook import rtf_to_html


def texts(suffix: str, content: bytes) -> list[str]:
    return [block.text for block in read_format(suffix, content).blocks]


def packed(**parts: str | bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def workbook(breaks: int = 0) -> bytes:
    book = Workbook()
    for row in (("Name", "Seats"), ("Owl", 5), ("Swift", 12)):
        book.active.append(row)
    for place in range(breaks):
        book.active.row_breaks.append(Break(id=place + 1))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def with_sheet(old: bytes, new: bytes) -> bytes:
    """The workbook with its sheet's part changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook())) as given, zipfile.ZipFile(out, "w") as made:
        for name in given.namelist():
            content = given.read(name)
            made.writestr(name, content.replace(old, new) if "worksheets" in name else content)
    return out.getvalue()


ROWS = ["Name | Seats", "Owl | 5", "Swift | 12"]


def test_page_breaks_of_a_sheet_are_no_rows() -> None:
    content = read_format(".xlsx", workbook(breaks=2))
    assert [block.text for block in content.blocks] == ROWS
    assert not content.unread


def test_a_sheet_in_another_encoding_is_read() -> None:
    content = with_sheet(b"<worksheet", b'<?xml version="1.0" encoding="ISO-8859-1"?><worksheet')
    assert texts(".xlsx", content) == ROWS


def test_a_sheet_that_ends_within_a_row_says_so() -> None:
    whole = zipfile.ZipFile(io.BytesIO(workbook())).read("xl/worksheets/sheet1.xml")
    cut = re.sub(rb'<row r="3".*', b'<row r="3"', whole, flags=re.DOTALL)
    found = read_format(".xlsx", with_sheet(whole, cut))
    assert [block.text for block in found.blocks] == ROWS[:2]
    assert found.unread


def test_comments_behind_a_comma_of_json_are_read_in_linear_time() -> None:
    for written in ("[1,\n" + '/* "x": 1, */\n' * 40 + "2]", "[1" + ",/*" * 20_000, '["a, /* b */", 2,]'):
        assert texts(".json", written.encode())


def test_a_blank_chapter_does_not_take_the_book_with_it() -> None:
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest>'
        '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="b" href="b.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )
    held = '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>'
    book = packed(
        **{
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": held,
            "book.opf": opf,
            "a.xhtml": "<!-- nothing -->",
            "b.xhtml": "<html><body><p>Rooms are booked at the desk.</p></body></html>",
        }
    )
    assert "Rooms are booked at the desk." in texts(".epub", book)


def test_notes_that_call_notes_are_read_once() -> None:
    def note(place: int) -> str:
        calls = f'<w:r><w:footnoteReference w:id="{place + 1}"/></w:r>' * 2
        return f'<w:footnote w:id="{place}"><w:p><w:r><w:t>Note {place}.</w:t></w:r>{calls}</w:p></w:footnote>'

    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    parts: Mapping[str, str] = {
        "_rels/.rels": f'<Relationships xmlns="{relations}"><Relationship Id="a" Type="{kind}/officeDocument" '
        'Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{relations}"><Relationship Id="a" '
        f'Type="{kind}/footnotes" Target="footnotes.xml"/></Relationships>',
        "word/document.xml": f"<w:document {space}><w:body><w:p><w:r><w:t>Leave</w:t></w:r><w:r>"
        '<w:footnoteReference w:id="1"/></w:r></w:p></w:body></w:document>',
        "word/footnotes.xml": f"<w:footnotes {space}>{''.join(map(note, range(1, 60)))}</w:footnotes>",
    }
    assert texts(".docx", packed(**parts)) == ["Leave (note: Note 1)"]


def test_inline_code_that_stands_in_words_is_found_in_linear_time() -> None:
    assert texts(".html", b"<html><body><p>" + b"<code>a</code>" * 8_000 + b"</p></body></html>") == ["a" * 8_000]


def test_what_a_saved_page_brings_for_programs_is_not_read() -> None:
    part = "--b\nContent-Type: {}\nContent-Location: https://host.example/{}\n\n{}\n"
    page = (
        "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n"
        + part.format("text/html", "", "<html><body><h1>Rooms</h1><p>Ask at the desk.</p></body></html>")
        + part.format("text/css", "a.css", "body { color: red; }")
        + part.format("image/png", "a.png", "x")
        + "--b--\n"
    )
    content = read_format(".eml", page.encode())
    assert not any("color" in block.text for block in content.blocks)
    assert not content.unread


def test_a_mail_with_half_a_character_is_read() -> None:
    mail = b"Subject: Rooms\nContent-Type: text/plain; charset=utf-7\n\nAsk at the desk. +2AA-\n"
    assert any("Ask at the desk." in text for text in texts(".eml", mail))


def test_a_format_for_pandoc_within_a_file_is_named_as_what_it_is() -> None:
    mail = (
        b"Subject: Rooms\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
        b"--b\nContent-Type: text/plain\n\n"
        b"See the file.\n--b\nContent-Type: application/rtf\nContent-Disposition: attachment; filename=a.rtf\n\n"
        b"{\\rtf1 Hello}\n--b--\n"
    )
    assert read_format(".eml", mail).unread == ("a.rtf: a .rtf file within another is not read",)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (rb"\ansicpg932 \'93\'fa\'96{}\'7b", "日"),
        (rb"\ansicpg28591 caf\'e9", "café"),
        (rb"{\v secret}{\strike gone}\strike old\strike0 new", "new"),
        (rb"\u8722?75.00", "−75.00"),
        (rb"\u" + b"7" * 5_000 + b" end", "end"),
    ],
)
def test_packed_text_of_outlook_is_read_as_it_is_shown(written: bytes, read: str) -> None:
    shown = rtf_to_html(bytes(16) + rb"{\rtf1\ansi" + written + b"}")
    assert read in shown
    assert not re.search("secret|gone|old", shown)


def test_a_long_line_of_a_table_takes_little_memory() -> None:
    assert len(read_format(".csv", b"Name,Note\n" + b"a," * 60_000).blocks) >= 1
