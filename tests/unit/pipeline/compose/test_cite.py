"""Citation numbers, marks, references and positions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.compose.body import render_body
from pipeline.compose.citations import (
    CitationRegistry,
    build_citation,
    citation_location,
    citation_reference,
    quote_snippet,
)
from pipeline.values import (
    BlockKind,
    Chunk,
    CitationStyle,
    CitedSentence,
    Document,
    DraftSentence,
    Judgement,
    QuotedBlock,
    RetrievedChunk,
    SupportBasis,
    Unit,
    replace,
)


def passage(name: str, text: str = "Text.", **chunk: object) -> RetrievedChunk:
    return RetrievedChunk(
        chunk=Chunk.model_validate(
            {
                "id": name,
                "document_id": f"d-{name}",
                "text": text,
                "units": (Unit(start=0, end=len(text), kind=BlockKind.PROSE),),
                **chunk,
            }
        ),
        document=Document(id=f"d-{name}", filename=f"{name}.md", title=name.title()),
        score=0.87654,
    )


def test_numbers_are_given_at_first_appearance_and_kept() -> None:
    numbering = CitationRegistry([passage("a"), passage("b"), passage("c")])
    assert numbering.assign_numbers(["c"]) == (1,)
    assert numbering.assign_numbers(["a", "c"]) == (1, 2)
    assert [citation.title for citation in numbering.citations()] == ["C", "A"]


def test_only_cited_passages_become_citations() -> None:
    numbering = CitationRegistry([passage("a"), passage("b")])
    numbering.assign_numbers(["b"], "Text.")
    assert [(c.number, c.chunk_id, c.quote, c.score) for c in numbering.citations()] == [(1, "b", "Text.", 0.877)]


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        (CitationStyle.NUMBERED, "Yes. [1]"),
        (CitationStyle.FOOTNOTE, "Yes.¹"),
        (CitationStyle.INLINE, "Yes. (Source: A - Leave > Sick, page 3)"),
        (CitationStyle.ENDNOTE, "Yes. [1]\n\nSources:\n1. A - Leave > Sick, page 3"),
    ],
)
def test_each_style_marks_and_refers_in_its_own_way(style: CitationStyle, expected: str) -> None:
    source = build_citation(passage("a", heading=("Leave", "Sick"), page=3), 1)
    text, _ = render_body([CitedSentence(text="Yes.", numbers=(1,))], [source], style)
    assert text == expected


def test_inline_style_names_product_and_document_type_where_they_are_known() -> None:
    known = passage("a")
    document = replace(known.document, product="Kestrel", document_type="Manual")
    source = build_citation(replace(known, document=document), 1)
    text, _ = render_body([CitedSentence(text="Yes.", numbers=(1,))], [source], CitationStyle.INLINE)
    assert text == "Yes. (Source: Kestrel Manual)"


def test_blocks_keep_their_form() -> None:
    sentences = [
        CitedSentence(text="Do this:", numbers=(1,)),
        CitedSentence(text="Open it.", kind=BlockKind.STEP, numbers=(1,)),
        CitedSentence(text="Close it.", kind=BlockKind.STEP, numbers=(1,)),
        CitedSentence(text="Plan | Price", kind=BlockKind.HEADER),
        CitedSentence(text="Basic | 5", kind=BlockKind.ROW, numbers=(2,)),
        CitedSentence(text="print(1)", kind=BlockKind.CODE, language="python", numbers=(2,)),
    ]
    text, _ = render_body(
        sentences, [build_citation(passage("a"), 1), build_citation(passage("b"), 2)], CitationStyle.NUMBERED
    )
    assert text == (
        "Do this: [1]\n\n1. Open it. [1]\n2. Close it. [1]\n\n| Plan | Price |\n| --- | --- |\n| Basic | 5 [2] |\n\n"
        "```python\nprint(1)\n```\n[2]"
    )


def test_the_day_of_a_sentence_stands_behind_the_warning_and_counts_for_no_position() -> None:
    sentence = CitedSentence(text="Leave is paid.", numbers=(1,), as_of="2026-03-01", verified=False)
    text, positions = render_body([sentence], [build_citation(passage("a"), 1)], CitationStyle.NUMBERED)
    assert text == "⚠ Unverified claim: As of 2026-03-01: Leave is paid. [1]"
    ((start, end),) = positions[1]
    assert text[start:end] == "Leave is paid."


def test_a_code_block_cannot_break_out_of_its_fence() -> None:
    text, _ = render_body([CitedSentence(text="```\nhi", kind=BlockKind.CODE)], [], CitationStyle.NUMBERED)
    assert text.startswith("````\n")
    assert text.endswith("\n````")


kinds = st.sampled_from([kind for kind in BlockKind if kind is not BlockKind.HEADING])
words = st.text(st.characters(categories=["L", "N", "Zs"]), min_size=1, max_size=30).filter(str.strip)


@given(st.lists(st.builds(CitedSentence, text=words, kind=kinds, numbers=st.sampled_from([(1,), (2,), (1, 2)]))))
def test_positions_point_at_the_sentences_that_rest_on_a_source(sentences: list[CitedSentence]) -> None:
    sources = [build_citation(passage("a"), 1), build_citation(passage("b"), 2)]
    text, positions = render_body(sentences, sources, CitationStyle.NUMBERED)
    for number in (1, 2):
        expected = [s.text for s in sentences if number in s.numbers]
        assert [text[start:end] for start, end in positions.get(number, [])] == expected


@given(st.text(max_size=400), st.text(max_size=40))
def test_a_snippet_is_short_and_made_of_the_text(text: str, quote: str) -> None:
    shown = quote_snippet(text, quote)
    assert len(shown) <= 150 + 4
    assert shown.removeprefix("… ").removesuffix(" …") in " ".join(text.split())


def test_a_reference_says_where_in_the_document() -> None:
    source = build_citation(passage("a", sheet="Rates", page=2, heading=("Travel",)), 1)
    assert citation_location(source) == "Travel, sheet Rates, page 2"
    assert citation_reference(source) == "A - Travel, sheet Rates, page 2"


@pytest.mark.parametrize(
    ("quotes", "heading"),
    [(("Second.", "Two."), "Second."), (("Two.",), "Second."), (("One.", "Two."), "First. / Second.")],
)
def test_a_quote_is_cited_under_the_headings_that_it_stands_under(quotes: tuple[str, ...], heading: str) -> None:
    text = "First. One. Second. Two."
    places = (
        (0, 6, BlockKind.HEADING),
        (7, 11, BlockKind.PROSE),
        (12, 19, BlockKind.HEADING),
        (20, 24, BlockKind.PROSE),
    )
    units = tuple(Unit(start=start, end=end, kind=kind) for start, end, kind in places)
    assert build_citation(passage("a", text, units=units), 1, quotes=quotes).heading == (heading,)


def test_a_heading_that_repeats_the_title_is_not_said_twice() -> None:
    assert citation_reference(build_citation(passage("a", heading=("A", "Travel")), 1)) == "A - Travel"
    units = (Unit(start=0, end=1, kind=BlockKind.HEADING), Unit(start=2, end=7, kind=BlockKind.PROSE))
    assert citation_reference(build_citation(passage("a", "A Text.", units=units), 1, quotes=["Text."])) == "A"


def test_a_sheet_that_its_heading_names_is_not_said_twice() -> None:
    assert (
        citation_reference(build_citation(passage("a", heading=("A", "Mileage"), sheet="Mileage"), 1)) == "A - Mileage"
    )
    assert citation_reference(build_citation(passage("a", sheet="Mileage"), 1)) == "A - sheet Mileage"


def test_only_where_something_is_left_out_of_a_quote_it_says_so() -> None:
    told = build_citation(passage("a", "One. Two. Three. 四。五。"), 1, quotes=["One.", "Two.", "四。", "五。"])
    assert told.quote == "One. Two. … 四。五。"


def test_each_part_of_a_comparison_begins_with_its_label_and_positions_stay_right() -> None:
    said = [("Both are paid.", "similarities"), ("Both are yearly.", "similarities"), ("Days differ.", "differences")]
    sentences = [CitedSentence(text=text, section=section, numbers=(1,)) for text, section in said]
    text, positions = render_body(sentences, (), CitationStyle.NUMBERED)
    assert text == (
        "**Similarities**\n\nBoth are paid. [1] Both are yearly. [1]\n\n**Differences**\n\nDays differ. [1]"
    )
    assert [text[start:end] for start, end in positions[1]] == [sentence for sentence, _ in said]


def test_what_stands_between_steps_does_not_begin_their_numbers_anew() -> None:
    sentences = [
        CitedSentence(text="Stop.", kind=BlockKind.STEP, opens=True),
        CitedSentence(text="server stop", kind=BlockKind.CODE),
        CitedSentence(text="Start.", kind=BlockKind.STEP),
        CitedSentence(text="Wait a minute.", kind=BlockKind.PROSE),
        CitedSentence(text="Look.", kind=BlockKind.STEP),
    ]
    text, _ = render_body(sentences, (), CitationStyle.NUMBERED)
    assert [line for line in text.splitlines() if line[:1].isdigit()] == ["1. Stop.", "2. Start.", "3. Look."]


@pytest.mark.parametrize(
    ("url", "quotes", "link"),
    [
        ("https://docs.example/leave", ["Call in."], "https://docs.example/leave#kranken%20%C3%BCb"),
        ("https://docs.example/leave", ["Before."], "https://docs.example/leave"),
        ("https://docs.example/leave", [], "https://docs.example/leave"),
        ("https://docs.example/leave#top", ["Call in."], "https://docs.example/leave#top"),
        ("", ["Call in."], ""),
    ],
)
def test_the_link_of_a_citation_leads_to_the_heading_above_what_is_quoted(
    url: str, quotes: list[str], link: str
) -> None:
    found = passage("a", "Before. Call in.", anchors=((8, "kranken üb"),))
    document = replace(found.document, url=url)
    assert build_citation(replace(found, document=document), 1, quotes=quotes).url == link


@pytest.mark.parametrize(
    ("support", "kind", "links"),
    [
        (SupportBasis.VERBATIM, BlockKind.PROSE, [("the form", "https://docs.example/form")]),
        (SupportBasis.JUDGED, BlockKind.ITEM, [("the form", "https://docs.example/form")]),
        (SupportBasis.VETOED, BlockKind.PROSE, []),
        (SupportBasis.VERBATIM, BlockKind.CODE, []),
    ],
)
def test_only_a_sentence_that_its_passage_supports_has_its_links(
    support: SupportBasis, kind: BlockKind, links: list[tuple[str, str]]
) -> None:
    found = passage("a", "Fill in the form.", links=((8, 16, "https://docs.example/form"),))
    document = replace(found.document, url="https://docs.example/leave")
    other = passage("b", "Fill in the form.", links=((8, 16, "https://elsewhere.example/form"),))
    numbering = CitationRegistry([replace(found, document=document), other])
    judgement = Judgement(support=support, score=1, chunk_ids=("a", "b"), quote="Fill in the form.")
    cited = numbering.cite(DraftSentence(text="You fill in the form.", kind=kind, chunk_ids=("a", "b")), judgement)
    assert [(link.text, link.url) for link in cited.links] == links


def test_a_chunk_that_was_kept_before_there_were_links_has_none() -> None:
    kept = passage("a").chunk.model_dump_json(exclude={"links"})
    assert Chunk.model_validate_json(kept).links == ()


TABLE = ("Rooms open at 7.\n\nRoom | Floor\nHeron |  | 2\nEgret | 3\n\nmake clean\n  make all", (
    (0, 16, BlockKind.PROSE, None, ()),
    (18, 30, BlockKind.HEADER, None, (4, 12)),
    (31, 43, BlockKind.ROW, 1, (5, 8, 12)),
    (44, 53, BlockKind.ROW, 1, (5, 9)),
    (55, 76, BlockKind.CODE, None, ()),
))  # fmt: skip


def with_table() -> RetrievedChunk:
    text, units = TABLE
    return passage(
        "rooms",
        text,
        units=tuple(Unit(start=a, end=b, kind=kind, parent=above, cells=cells) for a, b, kind, above, cells in units),
    )


def test_a_passage_that_is_shown_whole_keeps_its_cells_and_its_code() -> None:
    assert build_citation(with_table(), 1, full_text=True).parts == (
        QuotedBlock(text="Rooms open at 7."),
        QuotedBlock(header=("Room", "Floor"), rows=(("Heron", "", "2"), ("Egret", "3"))),
        QuotedBlock(text="make clean\n  make all", code=True),
    )


def test_so_does_what_is_quoted_and_text_alone_has_no_parts() -> None:
    quoted = build_citation(with_table(), 1, quotes=["Egret | 3", "Rooms open at 7."])
    assert quoted.parts == (
        QuotedBlock(header=("Room", "Floor"), rows=(("Egret", "3"),)),
        QuotedBlock(text="Rooms open at 7."),
    )
    assert build_citation(with_table(), 1, quotes=["Rooms open at 7."]).parts == ()


def test_an_entry_stands_below_the_one_that_it_stands_in_as_far_as_that_is_said() -> None:
    entries = [CitedSentence(text=text, kind=BlockKind.ITEM, depth=depth) for text, depth in NESTED]
    text, _ = render_body(entries, (), CitationStyle.NUMBERED)
    assert text == "- b\n- c\n   - d\n- E\n   - f"


NESTED = (("b", 1), ("c", 1), ("d", 3), ("E", 0), ("f", 2))
