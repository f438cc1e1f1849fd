"""Pages in Confluence's storage format become what a reader of the page sees."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.files.formats import ConfluenceStoragePage
from adapters.files.html.confluence_storage import MAX_PAGE_MENTIONS, find_mentions, read_storage_page, storage_to_html
from adapters.files.reader import FileReader
from pipeline.errors import Refused
from pipeline.values import Block, BlockKind

PAGE = """<ac:structured-macro ac:name="toc" /><h1>R&amp;D &ndash; Leave</h1>
<p>Ask&nbsp;<ac:link><ri:user ri:account-id="5b10:w" /></ac:link> or see
<ac:link><ri:page ri:content-title="A &amp; B" /></ac:link>, due <time datetime="2026-03-01" />,
<ac:structured-macro ac:name="status"><ac:parameter ac:name="title">DONE</ac:parameter></ac:structured-macro>.</p>
<ac:structured-macro ac:name="info"><ac:parameter ac:name="title">Mind</ac:parameter><ac:rich-text-body>
<p>It <strong>matters</strong>.</p></ac:rich-text-body></ac:structured-macro>
<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">sh</ac:parameter>
<ac:plain-text-body><![CDATA[a > b && echo "]]]]><![CDATA[>"]]></ac:plain-text-body></ac:structured-macro>
<ac:structured-macro ac:name="expand"><ac:parameter ac:name="title">More</ac:parameter><ac:rich-text-body>
<ul><li>one<ul><li>two</li></ul></li></ul></ac:rich-text-body></ac:structured-macro>
<ac:task-list><ac:task><ac:task-id>7</ac:task-id><ac:task-status>complete</ac:task-status>
<ac:task-body>Order a laptop</ac:task-body></ac:task></ac:task-list>
<ac:layout><ac:layout-section ac:type="two_equal"><ac:layout-cell><table><colgroup><col /></colgroup><tbody>
<tr><th>Days</th><th>Who</th></tr><tr><td><p>30</p></td><td>all</td></tr></tbody></table></ac:layout-cell>
</ac:layout-section></ac:layout>
<ac:adf-extension><ac:adf-node type="panel"><ac:adf-content><p>twice</p></ac:adf-content></ac:adf-node>
<ac:adf-fallback><p>Once.</p></ac:adf-fallback></ac:adf-extension>
<ac:image ac:alt="the plan"><ri:attachment ri:filename="plan.png" /></ac:image>
<ac:structured-macro ac:name="html"><ac:plain-text-body><![CDATA[<script>x()</script>]]></ac:plain-text-body>
</ac:structured-macro>"""


def stored(storage: str, title: str = "Rules", *, new_editor: bool = True) -> ConfluenceStoragePage:
    return ConfluenceStoragePage(
        storage=storage,
        title=title,
        names={"5b10:w": "Robin Vale"},
        url="https://wiki.example",
        space="ENG",
        new_editor=new_editor,
    )


def blocks(storage: str, title: str = "Rules", *, new_editor: bool = True) -> tuple[Block, ...]:
    return tuple(read_storage_page(stored(storage, title, new_editor=new_editor)).blocks)


@pytest.fixture
async def reader() -> AsyncIterator[FileReader]:
    found = FileReader()
    yield found
    await found.close()


def test_a_page_is_what_its_reader_sees() -> None:
    assert [(block.kind.value, block.text) for block in blocks(PAGE)] == [
        ("heading", "R&D – Leave"),
        ("prose", "Ask Robin Vale or see A & B, due 2026-03-01, DONE."),
        ("prose", "Mind"),
        ("prose", "It matters."),
        ("code", 'a > b && echo "]]>"'),
        ("prose", "More"),
        ("item", "one"),
        ("item", "two"),
        ("item", "☑ Order a laptop"),
        ("header", "Days | Who"),
        ("row", "30 | all"),
        ("prose", "Once."),
        ("prose", "the plan"),
    ]


def test_a_link_to_another_page_leads_there() -> None:
    storage = '<p><ac:link><ri:page ri:content-title="B" /><ac:link-body>see <em>B</em></ac:link-body></ac:link></p>'
    assert storage_to_html(stored(storage)) == '<p><a href="https://wiki.example/display/ENG/B">see <em>B</em></a></p>'


def test_the_people_a_page_names_are_found() -> None:
    assert find_mentions(PAGE + '<ac:link><ri:user ri:userkey="ff80" /></ac:link>') == {"5b10:w", "ff80"}


def test_headings_have_the_anchors_of_the_editor_they_were_written_in() -> None:
    storage = "<h2>Days off</h2><h2>Days off</h2>"
    assert [block.anchor for block in blocks(storage)] == ["Days-off", "Days-off.1"]
    old = [block.anchor for block in blocks(storage, "Our leave", new_editor=False)]
    assert old == ["Ourleave-Daysoff", "Ourleave-Daysoff.1"]
    assert blocks(storage, "1st leave", new_editor=False)[0].anchor == "id-1stleave-Daysoff"


def test_a_page_that_is_not_well_formed_is_read_all_the_same() -> None:
    assert [block.text for block in blocks("<p>Before &nosuch; it</p><p>open <strong>still")] == [
        "Before &nosuch; it",
        "open still",
    ]


def test_entities_do_not_multiply() -> None:
    bomb = "<!DOCTYPE s [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>]><p>&b;&b;</p><p>after</p>"
    assert "".join(block.text for block in blocks(bomb)).count("aaaaaaaaaa") == 1


@pytest.mark.parametrize(
    "opening",
    ["<div>", "<ul><li>", "<ac:link><ac:link-body>", '<ac:structured-macro ac:name="info"><ac:rich-text-body>'],
)
def test_a_page_that_is_nested_without_end_is_refused_rather_than_cut_off(opening: str) -> None:
    with pytest.raises(Refused, match="nested"):
        blocks("<p>Before.</p>" + opening * 5000 + "deep")


@pytest.mark.parametrize("wrong", ["<p>a & b</p>", "<p>&nosuch;</p>", "<p>a < b</p>", "<p>\0</p>"])
@pytest.mark.parametrize("times", [99, 100, 1000])
def test_whatever_else_is_wrong_with_it_a_page_is_read_whole_or_refused(wrong: str, times: int) -> None:
    """The parser tells its first hundred errors only."""
    assert blocks(wrong * times + "<p>The end.</p>")[-1].text == "The end."
    with pytest.raises(Refused, match="nested"):
        blocks(wrong * times + "<div>" * 300 + "deep")


@pytest.mark.parametrize("rest", ["</p>", "<!--", "<![CDATA[", "<p title='"])
def test_a_page_whose_rest_cannot_be_told_from_markup_is_refused_rather_than_cut_off(rest: str) -> None:
    with pytest.raises(Refused, match="to its end"):
        blocks(f"<p>Before.</p>{rest}<p>After.</p>")


LAUGHS = (
    "<!DOCTYPE s [<!ENTITY a 'ha'>"
    + "".join(f"<!ENTITY {chr(97 + n)} '{f'&{chr(96 + n)};' * 10}'>" for n in range(1, 10))
    + "]><p>&j;</p>"
)
USER = '<ri:user ri:account-id="'


@pytest.mark.parametrize(
    "storage",
    [
        LAUGHS,
        "<div>" * 7_500_000,
        "<![CDATA[" + "x" * 39_000_000,
        "<p>" + "<![CDATA[x]]>" * 2_000_000,
        "&nbsp;" * 1_000_000,
        "<a b='" * 500_000,
        "<p " + " ".join(f"a{number}='b'" for number in range(200_000)) + ">x</p>",
        "<h1>x</h1>" * 20_000,
        "<!--" * 2_000_000,
        USER * 300_000,
        '<!DOCTYPE s [<!ENTITY f SYSTEM "file:///etc/passwd">]><p>&f;</p>',
        "x" * 50_000_000,
    ],
    ids="laughs nested CDATA CDATAs entities open attributes headings comments users file large".split(),
)
@pytest.mark.slow
async def test_a_page_that_explodes_is_read_or_refused_and_the_next_is_read(reader: FileReader, storage: str) -> None:
    with suppress(Refused):
        assert len(await reader.read_mentions(storage)) <= MAX_PAGE_MENTIONS
    with suppress(Refused):
        said = "".join(block.text for block in (await reader.read_confluence_page(stored(storage))).blocks)
        assert "root:" not in said
        assert len(said) < 2 * len(storage)
    assert (await reader.read_confluence_page(stored("<p>after</p>"))).has_text
    assert await reader.read_mentions(f'{USER}after"/>') == {"after"}


async def test_a_page_that_begins_like_another_format_is_a_page(reader: FileReader) -> None:
    found = await reader.read_confluence_page(stored("%PDF-1.4<p>is what a PDF begins with.</p>"))
    assert found.blocks[-1].text == "is what a PDF begins with."


async def test_of_a_page_that_names_everybody_as_many_are_asked_for_as_is_allowed(reader: FileReader) -> None:
    everybody = "".join(f'{USER}{number}"/>' for number in range(100_000))
    assert len(await reader.read_mentions(everybody)) == MAX_PAGE_MENTIONS


@given(st.text(alphabet="<>&;/=\"'abcxp: -[]!CDATA", max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(Refused):
        assert all(block.kind in BlockKind for block in blocks(text))
