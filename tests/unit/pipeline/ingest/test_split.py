"""Splitting: small enough to search, whole enough to understand, and nothing lost."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ingest import pieces
from pipeline.ingest.splitter import TokenSplitter, WordTokenizer
from pipeline.values import Block, BlockKind, Chunk, Document, ParsedDocument

TOKENIZER = WordTokenizer()
MARKERS = re.compile(r"^(?:- |\d+\. )", re.MULTILINE)


def split(blocks: list[Block], tokens: int = 60, overlap: int = 20) -> tuple[Chunk, ...]:
    document = Document(id="d", filename="d.md", title="D")
    return TokenSplitter(TOKENIZER, tokens=tokens, overlap=overlap).split(
        ParsedDocument(document=document, blocks=tuple(blocks))
    )


def block(kind: BlockKind, text: str, *heading: str, page: int | None = None, row: int | None = None) -> Block:
    return Block(kind=kind, text=text, heading=heading, page=page, row=row)


def sentence(n: int) -> str:
    return f"Sentence number {n} says that the value is {n * 7}."


words = st.text(alphabet="abc é中.!?,-_'\"()5", min_size=1, max_size=14)
texts = st.lists(words, min_size=1, max_size=60).map(" ".join).filter(lambda text: text.strip())
blocks_strategy = st.lists(
    st.builds(
        Block,
        kind=st.sampled_from(BlockKind),
        text=texts.map(str.strip),
        heading=st.sampled_from([(), ("A",), ("A", "B"), ("C",)]),
        page=st.sampled_from([None, 1, 2]),
    ),
    max_size=25,
)


@given(blocks_strategy)
def test_every_word_is_in_some_chunk_and_no_chunk_is_too_large(blocks: list[Block]) -> None:
    """Whatever the blocks: nothing is lost, units are in order and cover the text, the bound holds."""
    chunks = split(blocks)
    kept: Counter[str] = Counter()
    for position, chunk in enumerate(chunks):
        assert chunk.position == position
        assert TOKENIZER.count_tokens(chunk.text) <= 60
        assert 0 <= chunk.overlap < len(chunk.text)
        end = 0
        for unit in chunk.units:
            assert end <= unit.start < unit.end <= len(chunk.text)
            assert not MARKERS.sub("", chunk.text[end : unit.start].lstrip()).strip()
            assert chunk.text[unit.start : unit.end].strip()
            if unit.start >= chunk.overlap:
                kept.update(chunk.text[unit.start : unit.end].replace(" ", "").replace("\n", ""))
            end = unit.end
        assert end == len(chunk.text)
    assert kept == Counter("".join("".join(block.text.split()) for block in blocks))
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def test_a_line_of_any_length_is_measured_piece_by_piece() -> None:
    class Careful(WordTokenizer):
        def count_tokens(self, text: str) -> int:
            assert len(text) <= 600
            return super().count_tokens(text)

    line = " ".join(f"word{number}" for number in range(20_000))
    found = list(
        TokenSplitter(Careful(), tokens=60, overlap=0).chunks(
            Document(id="d", filename="d.md", title="D"), [block(BlockKind.PROSE, line)]
        )
    )
    assert " ".join(chunk.text for chunk in found) == line


def test_the_same_blocks_give_the_same_ids() -> None:
    blocks = [block(BlockKind.PROSE, " ".join(sentence(n) for n in range(20)))]
    assert [chunk.id for chunk in split(blocks)] == [chunk.id for chunk in split(blocks)]


def test_long_prose_repeats_the_end_of_the_chunk_before() -> None:
    chunks = split([block(BlockKind.PROSE, " ".join(sentence(n) for n in range(20)))])
    assert len(chunks) > 2
    for before, after in pairwise(chunks):
        assert after.overlap > 0
        assert before.text.endswith(after.text[: after.overlap].strip())


def test_a_table_that_does_not_fit_repeats_its_header_row() -> None:
    rows = [block(BlockKind.ROW, f"City {n} | {n * 10}", row=n) for n in range(2, 40)]
    chunks = split([block(BlockKind.HEADER, "City | Allowance", row=1), *rows])
    assert len(chunks) > 2
    for chunk in chunks:
        assert chunk.text.startswith("City | Allowance\n")
    assert chunks[1].overlap == len("City | Allowance\n")
    assert chunks[1].row is not None
    assert chunks[1].row > 2


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just(BlockKind.ROW), st.integers(1, 12)),
            st.tuples(st.just(BlockKind.PROSE), st.integers(1, 5)),
            st.tuples(st.just(BlockKind.HEADING), st.just(1)),
        ),
        max_size=5,
    )
)
def test_a_section_that_comes_in_parts_is_cut_as_if_it_came_whole(runs: list[tuple[BlockKind, int]]) -> None:
    blocks = []
    for place, (kind, count) in enumerate(runs):
        if kind is BlockKind.ROW:
            blocks.append(block(BlockKind.HEADER, f"name{place} | price{place}"))
        blocks += [block(kind, f"cell {place} {number} | 5" * 2) for number in range(count)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "_MAX_SECTION_BLOCKS", 3)
        parts = split(blocks, tokens=30)
    assert parts == split(blocks, tokens=30)


def test_a_table_that_fits_is_not_cut() -> None:
    prose = block(BlockKind.PROSE, " ".join(sentence(n) for n in range(3)))
    table = [block(BlockKind.HEADER, "A | B"), *[block(BlockKind.ROW, f"a{n} | b{n}") for n in range(5)]]
    chunks = split([prose, *table])
    assert len(chunks) == 2
    assert chunks[1].text[chunks[1].overlap :].startswith("A | B\na0 | b0")


def test_a_list_keeps_its_lead_in_line() -> None:
    items = [block(BlockKind.ITEM, f"Item {n} which is about something of its own") for n in range(12)]
    chunks = split([block(BlockKind.PROSE, "Some words first. Staff may claim:"), *items])
    assert all("Staff may claim:\n- Item" in chunk.text for chunk in chunks[1:])


def test_steps_are_numbered_through() -> None:
    steps = [block(BlockKind.STEP, f"Press the button number {n} and wait for it") for n in range(12)]
    chunks = split(steps)
    assert "1. Press" in chunks[0].text
    assert "12. Press" in chunks[-1].text


def test_a_heading_starts_a_new_chunk_with_its_path() -> None:
    long = " ".join(sentence(n) for n in range(9))
    chunks = split(
        [
            block(BlockKind.HEADING, "Leave"),
            block(BlockKind.PROSE, long, "Leave"),
            block(BlockKind.HEADING, "Annual", "Leave"),
            block(BlockKind.PROSE, long, "Leave", "Annual"),
        ],
        tokens=150,
    )
    assert [chunk.heading for chunk in chunks] == [("Leave",), ("Leave", "Annual")]


def test_tiny_sections_of_one_parent_share_a_chunk() -> None:
    faq = [
        piece
        for n in range(3)
        for piece in (
            block(BlockKind.HEADING, f"Question {n}", "FAQ"),
            block(BlockKind.PROSE, f"Answer {n}.", "FAQ", f"Question {n}"),
        )
    ]
    chunks = split([block(BlockKind.HEADING, "FAQ"), *faq])
    assert len(chunks) == 1
    assert chunks[0].heading == ("FAQ",)


def test_a_chunk_keeps_to_its_page() -> None:
    pages = [block(BlockKind.PROSE, " ".join(sentence(n) for n in range(12)), page=page) for page in (1, 2)]
    chunks = split(pages, tokens=500)
    assert [chunk.page for chunk in chunks] == [1, 2]


def test_code_is_cut_at_lines_only_when_it_must() -> None:
    code = "\n".join(f"line_{n} = call({n})" for n in range(4))
    assert split([block(BlockKind.CODE, code)])[0].text == code
    long = "\n".join(f"line_{n} = call({n})" for n in range(40))
    chunks = split([block(BlockKind.CODE, long)])
    assert "\n".join(chunk.text for chunk in chunks) == long


def test_the_fragment_that_leads_to_a_heading_leads_to_what_stands_below_it_and_to_headings_below_without_one() -> None:
    (chunk,) = split(
        [
            Block(kind=BlockKind.PROSE, text="Before."),
            Block(kind=BlockKind.HEADING, text="Leave", anchor="leave"),
            Block(kind=BlockKind.HEADING, text="Sick", heading=("Leave",)),
            Block(kind=BlockKind.PROSE, text="Call in.", heading=("Leave", "Sick")),
            Block(kind=BlockKind.HEADING, text="Travel"),
            Block(kind=BlockKind.PROSE, text="By train.", heading=("Travel",)),
        ],
        tokens=200,
    )
    assert [(chunk.text[start:].split("\n")[0], anchor) for start, anchor in chunk.anchors] == [
        ("Leave", "leave"),
        ("Travel", ""),
    ]


def test_a_short_page_is_a_chunk_of_its_own_with_nothing_of_the_page_before() -> None:
    pages = [block(BlockKind.PROSE, f"Tier {page}. It costs {page}0 EUR.", page=page) for page in (1, 2, 3)]
    chunks = split(pages, tokens=500)
    assert [(chunk.page, chunk.text) for chunk in chunks] == [(one.page, one.text) for one in pages]
