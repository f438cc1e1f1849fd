"""What a document writes as code, and what only looks like markup, arrives as written on every surface."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from rich.console import Console

from adapters.chat.reply.inline import text_runs
from adapters.chat.reply.parts import Reply
from adapters.chat.reply.sentences import build_blocks
from adapters.console import render_draft
from adapters.discord.rendering import render as discord
from adapters.files.text.markdown import read_markdown
from adapters.slack.rendering import render as slack
from adapters.web.pages import render_fragment
from adapters.web.source.blocks import MarkedRun, PassageParagraph, PassageTable
from adapters.web.source.blocks import passage_blocks as passage
from pipeline.compose.citations import CitationRegistry
from pipeline.ingest.splitter import TokenSplitter, WordTokenizer
from pipeline.translations import Translator
from pipeline.values import (
    BlockKind,
    Chunk,
    CitationStyle,
    CitedSentence,
    Document,
    DraftSentence,
    Judgement,
    ParsedDocument,
    RetrievedChunk,
    SupportBasis,
    replace,
)

GUIDE = r"""# Tidying up

Remove `__init__` and `src/*/build/*`, then __dunder\_\_ and 2 * 3 of ~me~.

| `a_b` | Late | Night |
|-------|------|-------|
| `**y**` |  | \*x\* |
|  | b \| c | |
"""
DOCUMENT = Document(id="guide", filename="guide.md", title="Guide")


def chunk() -> Chunk:
    blocks = read_markdown(GUIDE.encode()).blocks
    (only,) = TokenSplitter(WordTokenizer()).split(ParsedDocument(document=DOCUMENT, blocks=blocks))
    return only


def cited(*sentences: DraftSentence) -> list[CitedSentence]:
    numbering = CitationRegistry([RetrievedChunk(chunk=chunk(), document=DOCUMENT, score=1)])
    judgement = Judgement(support=SupportBasis.VERBATIM, score=1, chunk_ids=(chunk().id,))
    return [numbering.cite(sentence, judgement) for sentence in sentences]


def extracted() -> list[CitedSentence]:
    """All units as an extract says them."""
    one = chunk()
    return cited(
        *(
            DraftSentence(
                text=one.text_at(n),
                kind=unit.kind,
                chunk_ids=(one.id,),
                cells=one.cells_at(n) if unit.cells else (),
            )
            for n, unit in enumerate(one.units)
        )
    )


def reply(sentences: Sequence[CitedSentence]) -> Reply:
    """Without the marks of its sources."""
    bare = [replace(one, numbers=()) for one in sentences]
    return Reply(blocks=tuple(build_blocks(bare, (), CitationStyle.NUMBERED, Translator("en"))))


def shown_by_markdown(text: str) -> list[tuple[str, str]]:
    """What a renderer of CommonMark shows: the kind of each piece of text within a line, and its words."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    kinds = {"text": "text", "text_special": "text", "code_inline": "code"}
    inline = [token for token in parser.parse(text) if token.type == "inline"]
    return [(kinds.get(part.type, part.type), part.content) for token in inline for part in token.children or ()]


def test_slack_shows_code_as_code_and_no_document_s_mark_as_emphasis() -> None:
    (post,) = slack.render_posts(reply(extracted()))
    shown = shown_by_markdown(post.markdown)
    code = [words for kind, words in shown if kind == "code"]
    assert code == ["__init__", "src/*/build/*", "a_b", "**y**"]
    assert not [kind for kind, _ in shown[5:] if kind.startswith(("strong", "em", "s_"))]
    plain = "".join(words for kind, words in shown if kind == "text")
    assert "__dunder__ and 2 * 3 of ~me~." in plain
    assert "*x*" in plain
    assert "\\" not in post.text


def test_discord_shows_code_as_code_and_no_document_s_mark_as_emphasis() -> None:
    (text,) = discord.render_plain(reply(extracted()))
    said, _, table = text.partition("```")
    assert "Remove `__init__` and `src/*/build/*`, then \\_\\_dunder\\_\\_ and 2 \\* 3 of \\~me\\~." in said
    assert table.strip("\n`").splitlines() == [
        "a_b   | Late  | Night",
        "------+-------+------",
        "**y** |       | *x*",
        "      | b ∣ c |",
    ]


def test_the_page_shows_code_as_code_and_every_cell_under_its_header() -> None:
    html = render_fragment("reply.html", Translator("en"), part=reply(extracted()))
    assert re.findall("<code>(.*?)</code>", html) == ["__init__", "src/*/build/*", "a_b", "**y**"]
    assert "then __dunder__ and 2 * 3 of ~me~." in html
    rows = [re.findall("<td[^>]*>(.*?)</td>", row) for row in re.findall("<tr>(.*?)</tr>", html)[1:]]
    assert rows == [["<code>**y**</code>", "", "*x*"], ["", "b | c", ""]]


def test_the_terminal_shows_every_mark_as_written() -> None:
    console = Console(width=100, no_color=True)
    with console.capture() as captured:
        console.print(render_draft(reply(extracted())))
    told = captured.get()
    assert "Remove __init__ and src/*/build/*, then __dunder__ and 2 * 3 of ~me~." in told
    rows = [line.strip() for line in told.splitlines() if line.startswith("│")]
    assert rows == ["│ **y** │       │ *x*   │", "│       │ b | c │       │"]


def test_what_a_model_writes_is_markdown_and_code_that_it_leaves_bare_is_code() -> None:
    (said,) = cited(
        DraftSentence(text="**Never** touch __init__, `src/*/build/*` or __init__py.", chunk_ids=(chunk().id,))
    )
    assert not said.literal
    assert [said.text[start:end] for start, end in said.code] == ["__init__"]
    (post,) = slack.render_posts(reply([said]))
    assert post.markdown.startswith("**Never** touch `__init__`, `src/*/build/*` or")
    (paragraph,) = reply([said]).blocks
    (text,) = paragraph.sentences  # type: ignore[union-attr]
    assert [run.text for run in text_runs(text) if run.is_code] == ["__init__", "src/*/build/*"]


def test_a_row_that_is_spelled_out_keeps_its_code() -> None:
    one = chunk()
    row = next(n for n, unit in enumerate(one.units) if unit.kind is BlockKind.ROW)
    (said,) = cited(DraftSentence(text=one.readable_row(row), chunk_ids=(one.id,)))
    assert said.text == "a_b: **y**, Night: *x*"
    assert said.literal
    assert [said.text[start:end] for start, end in said.code] == ["**y**"]


def test_a_passage_shows_its_code_and_every_cell_under_its_header() -> None:
    one = chunk()
    start = one.text.index("src/*")
    _, paragraph, table = passage(one, ((start, start + 3),))
    assert isinstance(paragraph, PassageParagraph)
    assert [run for run in paragraph.runs if run.code] == [
        MarkedRun("__init__", code=True),
        MarkedRun("src", marked=True, code=True),
        MarkedRun("/*/build/*", code=True),
    ]
    assert isinstance(table, PassageTable)
    assert table.rows == (((MarkedRun("**y**", code=True),), (), (MarkedRun("*x*"),)), ((), (MarkedRun("b | c"),), ()))
