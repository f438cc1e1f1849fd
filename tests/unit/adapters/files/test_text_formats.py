"""Markdown, plain text, reStructuredText, HTML, CSV and JSON Lines become the same kind of blocks."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.files.content import ParsedFile, safe_url
from adapters.files.decode import decode_text
from adapters.files.formats import TEXT_FORMATS
from adapters.files.html import reader as html
from adapters.files.html.reader import read_html
from adapters.files.reader import FileReader
from adapters.files.text.csv import read_csv
from adapters.files.text.jsonl import parse_json_line, read_json_text
from adapters.files.text.markdown import read_lenient_markdown, read_markdown, read_text
from adapters.files.text.rst import read_rst, widen_table
from pipeline.errors import Refused

MARKDOWN = """---
title: "Leave policy"
product: People
document-type: Policy
url: https://intranet.example/leave
owner: People team
---
# Leave

Intro with *emphasis*, `code` and
a [link](https://example.org). <!-- unseen -->

## Steps

Do this:

1. First,
   on two lines

   and a second paragraph
2. Second
   - nested
   ```sh
   ls -l
   ```

- [x] done

| A | B |
|---|---|
| 1 | `2` |
"""


NESTED = b"<ul><li>a<ul><li>b<ul><li>c</li></ul></li></ul></li><li>d</li></ul>"


@pytest.fixture
async def reader() -> AsyncIterator[FileReader]:
    reader = FileReader()
    yield reader
    await reader.close()


def shown(content: ParsedFile) -> list[tuple[str, str]]:
    return [(block.kind.value, block.text) for block in content.blocks]


def test_markdown_keeps_its_structure() -> None:
    assert shown(read_markdown(MARKDOWN.encode())) == [
        ("heading", "Leave"),
        ("prose", "Intro with emphasis, code and a link."),
        ("heading", "Steps"),
        ("prose", "Do this:"),
        ("step", "First, on two lines\nand a second paragraph"),
        ("step", "Second"),
        ("item", "nested"),
        ("code", "ls -l"),
        ("item", "☑ done"),
        ("header", "A | B"),
        ("row", "1 | 2"),
    ]


@pytest.mark.parametrize(("read", "text"), [(read_markdown, b"- a\n  - b\n    - c\n- d\n"), (read_html, NESTED)])
def test_an_item_tells_how_many_lists_it_stands_within(read: Callable[[bytes], ParsedFile], text: bytes) -> None:
    assert [(block.text, block.depth) for block in read(text).blocks] == [("a", 0), ("b", 1), ("c", 2), ("d", 0)]


def test_front_matter_describes_the_document() -> None:
    content = read_markdown(MARKDOWN.encode())
    assert (content.title, content.product, content.document_type) == ("Leave policy", "People", "Policy")
    assert content.url == "https://intranet.example/leave"
    assert content.metadata == {"owner": "People team"}


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "//x", "https://["])
def test_a_url_that_readers_must_not_be_sent_to_is_dropped(url: str) -> None:
    assert read_markdown(f"---\nurl: {url}\n---\ntext".encode()).url == ""
    assert read_json_text(parse_json_line(f'{{"doc_id": "1", "text": "t", "url": "{url}"}}'.encode())).url == ""


def test_headings_are_a_path_without_the_title() -> None:
    content = read_markdown(b"# Guide\n\n## Setup\n\n### Linux\n\ntext\n\n## Use\n\nmore")
    assert [block.heading for block in content.blocks if block.kind == "prose"] == [("Setup", "Linux"), ("Use",)]
    assert content.title == "Guide"


def test_html_within_markdown_is_read_as_a_reader_sees_it() -> None:
    content = read_markdown(b"<div>seen<script>run()</script><p hidden>unseen</p></div>\n\n<!-- ignore all -->\n\nend")
    assert shown(content) == [("prose", "seen"), ("prose", "end")]


def test_plain_text_has_headings_lists_and_wrapped_lines() -> None:
    text = """THE GUIDE

How to claim

Send the form to the *finance* team together with every receipt
that you have.

Name: A
Phone: B

1. Purpose

This is why.

- one
- two
"""
    assert shown(read_text(text.encode())) == [
        ("heading", "THE GUIDE"),
        ("heading", "How to claim"),
        ("prose", "Send the form to the *finance* team together with every receipt that you have."),
        ("prose", "Name: A\nPhone: B"),
        ("heading", "1. Purpose"),
        ("prose", "This is why."),
        ("item", "one"),
        ("item", "two"),
    ]


@given(st.lists(st.text("abc*_<>`[]()#-1.\\&|~ ", min_size=1, max_size=20), max_size=8))
def test_plain_text_loses_no_word(lines: list[str]) -> None:
    """Markdown's marks at line starts may go, everything within a line stays."""
    kept = "".join(block.text for block in read_text("\n".join(lines).encode()).blocks)
    for word in ("abc", "cba", "aaa"):
        assert kept.count(word) >= sum(line.count(word) for line in lines if line.strip().isalpha())


def test_restructuredtext_keeps_its_structure() -> None:
    text = b"""
Title
=====

Intro with ``code`` and :ref:`a place <there>`.

Part
----

1. First
2. Second

* item

.. note:: Take care.

.. code-block:: sh

   ls -l

.. versionadded:: 3.2
   It came late.

=== ===
A   B
=== ===
1   2
=== ===
"""
    content = read_rst(text)
    assert content.title == "Title"
    assert shown(content)[1:] == [
        ("prose", "Intro with code and a place."),
        ("heading", "Part"),
        ("step", "First"),
        ("step", "Second"),
        ("item", "item"),
        ("prose", "Note: Take care."),
        ("code", "ls -l"),
        ("prose", "New in version 3.2: It came late."),
        ("header", "A | B"),
        ("row", "1 | 2"),
    ]


SIMPLE = b"""
==================  =======  =======================
Setting             Default  Meaning
==================  =======  =======================
``port``            8443     Port of the web
                             interface
``session_minutes`` 45       Minutes until it closes
==================  =======  =======================
"""
GRID = b"""
+----------+---------+
| Setting  | Default |
+==========+=========+
| ``session_minutes`` | 45 |
+----------+---------+
| port     | 8443    |
|          | or more |
+----------+---------+
"""


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (
            SIMPLE,
            [
                ("header", "Setting | Default | Meaning"),
                ("row", "port | 8443 | Port of the web interface"),
                ("row", "session_minutes | 45 | Minutes until it closes"),
            ],
        ),
        (GRID, [("header", "Setting | Default"), ("row", "session_minutes | 45"), ("row", "port | 8443 or more")]),
    ],
    ids=["simple", "grid"],
)
def test_a_restructuredtext_table_may_be_wider_than_its_lines(text: bytes, rows: list[tuple[str, str]]) -> None:
    assert shown(read_rst(text)) == rows


def test_what_docutils_remarks_on_is_no_text_of_the_document() -> None:
    table = b"==== ====\nA    B\n==== ====\nx    --\ny    .. foo:: bar\n==== ====\n"
    text = b"Title\n=====\n\nText.\n\nLonger title\n----\n\n" + table
    told = [
        ("heading", "Title"),
        ("prose", "Text."),
        ("heading", "Longer title"),
        ("header", "A | B"),
        ("row", "x | --"),
    ]
    assert shown(read_rst(text)) == [*told, ("row", "y | ")]


def test_what_stands_in_a_directive_that_only_sphinx_knows_is_read_as_it_stands_there() -> None:
    text = b"""
Run it:

.. tabs::

   .. tab:: Unix

      .. code-block:: shell

         ./run -v

   .. tab:: Windows

      - ``run.bat``

.. toctree::
   :maxdepth: 2

.. versionadded:: 3.1
   It is *new*.
"""
    assert shown(read_rst(text)) == [
        ("prose", "Run it:"),
        ("prose", "Unix:"),
        ("code", "./run -v"),
        ("prose", "Windows:"),
        ("item", "run.bat"),
        ("prose", "New in version 3.1: It is new."),
    ]


@given(st.lists(st.text("=+-| \nab", max_size=20), max_size=8), st.sampled_from(["== ==", "+--+--+", "+==+"]))
def test_no_word_of_a_widened_table_is_lost(lines: list[str], border: str) -> None:
    text = "\n".join([border, *lines, border])
    assert re.findall("[ab]+", widen_table(text)) == re.findall("[ab]+", text)


def test_a_note_begins_with_its_title_or_with_what_kind_of_note_it_is() -> None:
    rst = ".. warning::\n\n   Never open the lid.\n\n.. admonition:: On holidays\n\n   Nobody is here.\n"
    assert [block.text for block in read_rst(rst.encode()).blocks] == [
        "Warning: Never open the lid.",
        "On holidays: Nobody is here.",
    ]
    markdown = "> [!CAUTION]\n> Never open the lid.\n\n> Only a quotation."
    assert [block.text for block in read_markdown(markdown.encode()).blocks] == [
        "Caution: Never open the lid.",
        "Only a quotation.",
    ]


@pytest.mark.parametrize("directive", ["include", "literalinclude", "csv-table:: x\n   :file", "raw:: html\n   :file"])
def test_restructuredtext_reads_no_other_file(directive: str) -> None:
    text = f"Before.\n\n.. {directive}:: /etc/passwd\n\nAfter.\n"
    read = " ".join(block.text for block in read_rst(text.encode()).blocks)
    assert "root:" not in read
    assert "Before." in read


HTML = b"""<!DOCTYPE html><html><head><title>Policy | Intranet</title><script>x()</script></head><body>
<nav><a href="/">Home</a></nav><header>Banner</header>
<h1>Policy</h1><p>First<br>second <b>bold</b> <span style="display: none">secret</span></p>
<!-- a comment --><div hidden>hidden</div><p aria-hidden="true">hidden too</p>
<h2>Steps</h2><ol><li>One</li><li><p>Two</p><ul><li>nested</li></ul></li></ol>
<table><caption>Rates</caption><tr><th>A</th><th>B</th></tr><tr><td>1</td><td><p>2</p></td></tr></table>
<table><tr><td><p>A box around text</p></td></tr></table>
<pre>ls
 -l</pre><dl><dt>Term</dt><dd>Meaning</dd></dl>
loose text <div>in a <em>div</em></div>
<footer>Imprint</footer></body></html>"""


def test_html_is_what_a_reader_sees_of_the_content() -> None:
    content = read_html(HTML)
    assert content.title == "Policy"
    assert shown(content) == [
        ("heading", "Policy"),
        ("prose", "First\nsecond bold"),
        ("heading", "Steps"),
        ("step", "One"),
        ("step", "Two"),
        ("item", "nested"),
        ("prose", "Rates"),
        ("header", "A | B"),
        ("row", "1 | 2"),
        ("prose", "A box around text"),
        ("code", "ls\n -l"),
        ("prose", "Term:"),
        ("item", "Meaning"),
        ("prose", "loose text"),
        ("prose", "in a div"),
    ]


def test_html_keeps_to_the_main_part_where_it_is_marked() -> None:
    page = f"<body><div>Menu menu</div><main><p>{'Content. ' * 40}</p></main><div>More</div></body>"
    assert [text for _, text in shown(read_html(page.encode()))] == [("Content. " * 40).strip()]


def test_the_id_of_an_html_heading_is_its_anchor() -> None:
    blocks = read_html(b'<h2 id="a-b">A b</h2><p>Text.</p><h2>None</h2>').blocks
    assert [(block.text, block.anchor) for block in blocks] == [("A b", "a-b"), ("Text.", ""), ("None", "")]


def links(content: ParsedFile) -> list[tuple[str, str, str]]:
    return [(block.text, link.text, link.url) for block in content.blocks for link in block.links]


def test_links_of_markdown_are_kept_with_their_words() -> None:
    text = """See the [leave **policy**](../leave.md#x "t"), <https://docs.example/a> and [→](arrow).

- [ ] Fill in [this
  form](form)

| A | B |
|---|---|
| [Edit](1) | x |
| y | [Edit](2) |

```
[code](c)
```
"""
    assert links(read_markdown(text.encode())) == [
        ("See the leave policy, https://docs.example/a and →.", "leave policy", "../leave.md#x"),
        ("See the leave policy, https://docs.example/a and →.", *["https://docs.example/a"] * 2),
        ("☐ Fill in this form", "this form", "form"),
        ("Edit | x", "Edit", "1"),
        ("y | Edit", "Edit", "2"),
    ]


def test_links_of_html_are_kept_with_their_words_and_read_from_the_pages_base() -> None:
    page = """<head><base href="https://docs.example/b/"></head><h1>T <a href="#t">#</a></h1>
    <p>See <a href="r">the <b>form</b></a>, <a>none</a> <a href="h" hidden>hidden</a></p>loose <a href="/q">one</a>
    <ul><li><a href="1">One</a><ul><li><a href="2">Deep</a></li></ul></li></ul>
    <table><tr><th>A</th><th>B</th></tr><tr><td>x</td><td><a href="https://[">Bad</a> <a href="3">Edit</a>"""
    assert links(read_html(page.encode())) == [
        ("See the form, none", "the form", "https://docs.example/b/r"),
        ("loose one", "one", "https://docs.example/q"),
        ("One", "One", "https://docs.example/b/1"),
        ("Deep", "Deep", "https://docs.example/b/2"),
        ("x | Bad Edit", "Bad", ""),
        ("x | Bad Edit", "Edit", "https://docs.example/b/3"),
    ]


async def test_deeply_nested_html_is_read_or_refused(reader: FileReader) -> None:
    for page in ("<div>" * 9_000 + "deep", "<ul><li>" * 4_000 + "deep", "<b>" * 9_000 + "deep"):
        try:
            content = await reader.read("deep.html", page.encode())
        except Refused:
            continue
        assert any("deep" in block.text for block in content.blocks)


def test_csv_in_any_dialect_has_a_header_and_numbered_rows() -> None:
    for text in ('City;Rate\n"Oslo; N";12,5\n\nBern;10\n', 'City\tRate\n"Oslo; N"\t12,5\n\nBern\t10\n'):
        content = read_csv(text.encode("utf-16"))
        assert shown(content) == [("header", "City | Rate"), ("row", "Oslo; N | 12,5"), ("row", "Bern | 10")]
        assert [block.row for block in content.blocks] == [1, 2, 4]


def test_csv_without_a_header_has_only_rows() -> None:
    assert [kind for kind, _ in shown(read_csv(b"2026-01-01,closed\n2026-01-06,open\n"))] == ["row", "row"]


def test_a_line_of_json_is_a_document() -> None:
    line = parse_json_line(
        b'{"doc_id": "a#1", "text": "Intro.\\n\\n* one\\n* [two](https://x.example)", "title": "T", "x": 1}'
    )
    content = read_json_text(line)
    assert (line.doc_id, content.title) == ("a#1", "T")
    assert shown(content) == [("prose", "Intro."), ("item", "one"), ("item", "two")]


def test_a_question_as_the_title_of_a_json_line_stands_over_its_answer() -> None:
    asked, named = (
        {"doc_id": "1", "title": title, "text": "Press Renew."} for title in ("How do I reset it?", "Reset")
    )
    over, alone = (read_json_text(parse_json_line(json.dumps(line).encode())) for line in (asked, named))
    assert shown(over) == [("heading", "How do I reset it?"), ("prose", "Press Renew.")]
    assert shown(alone) == [("prose", "Press Renew.")]


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b'{"doc_id": "1"}', b'{"doc_id": "", "text": "t"}', b"\xff\xfe"])
def test_a_bad_line_is_refused_with_what_to_do(line: bytes) -> None:
    with pytest.raises(Refused) as caught:
        parse_json_line(line)
    assert "doc_id" in caught.value.what_to_do


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_text_of_any_usual_encoding_is_read(encoding: str) -> None:
    text = "Grüße aus dem Café, 20 €. " * 20
    assert decode_text(text.encode(encoding)) == text


def test_what_is_not_text_is_refused() -> None:
    with pytest.raises(Refused):
        decode_text(bytes(range(256)) * 20)


@pytest.mark.parametrize("suffix", sorted(TEXT_FORMATS))
async def test_files_without_text_are_refused(reader: FileReader, suffix: str) -> None:
    for content in (b"", b" \n\n", b"\xef\xbb\xbf", b"\0" * 100):
        with pytest.raises(Refused):
            await reader.read("file" + suffix, content)


@pytest.mark.parametrize("name", ["a.exe", "a.png", "Makefile", "a.doc"])
async def test_other_formats_are_refused_with_a_list_of_what_is_supported(reader: FileReader, name: str) -> None:
    with pytest.raises(Refused) as caught:
        await reader.read(name, b"content")
    assert ".docx" in caught.value.what_to_do


@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture], max_examples=40, deadline=None
)
@given(st.sampled_from(sorted(TEXT_FORMATS)), st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
async def test_any_bytes_are_read_or_refused(reader: FileReader, suffix: str, content: bytes) -> None:
    try:
        found = await reader.read("file" + suffix, content)
    except Refused:
        return
    assert found.blocks


@given(st.text("<>/abdilopstuh =\"'!-&;# \n", max_size=120))
def test_any_html_is_read(page: str) -> None:
    read_html(page.encode())


@given(st.text("#*-+>`~=_[]()|:\\!<&1. \n\tab", max_size=120))
def test_any_markdown_is_read(text: str) -> None:
    read_markdown(text.encode())
    read_lenient_markdown(text)


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/x y",
        "https://a.example/|b",
        "https://a.example/>",
        "https://a.example/\u202egpj.exe",
        "https://a.example@b.example/",
    ],
)
def test_a_url_that_does_not_end_where_it_seems_to_is_dropped(url: str) -> None:
    assert safe_url(url) == ""


def test_the_names_of_a_line_are_on_one_line_and_turn_no_direction() -> None:
    line = {"doc_id": "1", "text": "t", "title": "a\n\u202eb\x1b", "product": "c\td\0", "document_type": "e\r\nf"}
    found = read_json_text(parse_json_line(json.dumps(line).encode()))
    assert (found.title, found.product, found.document_type) == ("a b", "c d", "e f")


def test_an_id_with_a_control_character_is_refused() -> None:
    with pytest.raises(Refused):
        parse_json_line(b'{"doc_id": "a\\u0000b", "text": "t"}')


def test_a_list_that_starts_beyond_counting_is_read_from_one() -> None:
    content = read_html(b"<ol start=" + b"9" * 5_000 + b"><li>Unplug it.<li>Wait.</ol>")
    assert [(block.number, block.text) for block in content.blocks] == [(1, "Unplug it."), (2, "Wait.")]


@pytest.mark.parametrize("table", [b"a" * 200_000, b'name,"b"\n"' + b"a" * 200_000 + b'"'])
def test_a_cell_without_end_is_refused_in_our_words(table: bytes) -> None:
    with pytest.raises(Refused, match="a cell holds more than 131,072 characters"):
        read_csv(table)


def test_a_table_with_the_line_ends_of_an_old_macintosh_is_read() -> None:
    assert shown(read_csv(b"Name,Days\rLeave,30\r")) == [("header", "Name | Days"), ("row", "Leave | 30")]


@pytest.mark.parametrize(
    ("failing", "unread"),
    [("tab panels", "some tab panels"), ("row_cell_elements", "an element of the page (<table>)")],
    ids=["a step", "an element"],
)
def test_what_fails_is_named_and_the_rest_of_a_page_is_read(
    monkeypatch: pytest.MonkeyPatch, failing: str, unread: str
) -> None:
    def fails(_: object) -> None:
        raise ValueError

    if failing in html.TREE_PASSES:
        monkeypatch.setitem(html.TREE_PASSES, failing, fails)
    else:
        monkeypatch.setattr(html, failing, fails)
    found = read_html(b"<p>Before.</p><table><tr><td>a<td>b<tr><td>c<td>d</table><p>After.</p>")
    assert [found.blocks[0].text, found.blocks[-1].text] == ["Before.", "After."]
    assert found.unread == (unread,)


def test_a_note_that_another_part_of_a_long_text_calls_is_read_once() -> None:
    text = "Called.[^a]\n\n" + "Words fill a line of it.\n\n" * 40_000 + "[^a]: The note.\n\n[^b]: Nobody calls this.\n"
    found = [block.text for block in read_markdown(text.encode()).blocks if not block.text.startswith("Words")]
    assert found == ["Called (note: The note).", "Nobody calls this."]


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        ("Berlin<sup>a</sup>", "Berlin^a"),
        ("1<sup>st</sup>", "1st"),
        ("XX<sup>e</sup>", "XXe"),
        ("m<sup>2</sup>", "m^2"),
    ],
)
def test_a_raised_letter_behind_a_word_is_a_mark(marked: str, said: str) -> None:
    assert [block.text for block in read_html(f"<p>{marked} is so.</p>".encode()).blocks] == [f"{said} is so."]


@pytest.mark.parametrize(
    ("page", "texts"),
    [
        pytest.param(
            '<p>Kept 30<span class="ltx_note ltx_role_footnote"><sup class="ltx_note_mark">1</sup>'
            '<span class="ltx_note_outer"><sup class="ltx_note_mark">1</sup>Large loans: 90 days.</span></span> days.',
            ["Kept 30 (note: Large loans: 90 days) days."],
            id="a note of LaTeXML",
        ),
        pytest.param(
            "<p class=MsoListParagraph><span style='mso-list:Ignore'>·<span>&nbsp; </span></span>Bring it back</p>",
            ["Bring it back"],
            id="a bullet of Outlook",
        ),
        pytest.param(
            "<h2>Answers</h2><button><b>429</b><p>Wait 60 seconds before the next call</p></button>"
            "<button>Copy</button>",
            ["Answers", "429", "Wait 60 seconds before the next call"],
            id="an answer of an interface",
        ),
        pytest.param(
            "<table role=presentation><tr><td>Kind<td>Days<tr><td>Drill<td>14</table>",
            ["Kind | Days", "Drill | 14"],
            id="a table that is said to be none",
        ),
        pytest.param('<ul><li data-tag="to-do:completed">Order</ul>', ["☑ Order"], id="a task of OneNote"),
    ],
)
def test_what_producers_write_in_their_own_way_is_read(page: str, texts: list[str]) -> None:
    assert [block.text for block in read_html(page.encode()).blocks] == texts
