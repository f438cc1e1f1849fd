"""A chunk keeps what its parser knew: which units are one list, and what each stands under."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.files.text.markdown import read_markdown
from pipeline.ingest.splitter import TokenSplitter, WordTokenizer
from pipeline.values import Block, BlockKind, Chunk, Document, ParsedDocument, replace
from tests.doubles.samples import document

HEADING, PROSE, ITEM, STEP = BlockKind.HEADING, BlockKind.PROSE, BlockKind.ITEM, BlockKind.STEP
HEADER, ROW, CODE = BlockKind.HEADER, BlockKind.ROW, BlockKind.CODE


def cut(source: Document, blocks: tuple[Block, ...]) -> tuple[Chunk, ...]:
    return TokenSplitter(WordTokenizer()).split(ParsedDocument(document=source, blocks=blocks))


def tree(markdown: str) -> dict[str, str]:
    """What each unit of one chunk stands under."""
    (chunk,) = cut(document("d"), tuple(read_markdown(markdown.encode()).blocks))
    return {
        chunk.unit_text(unit): "" if unit.parent is None else chunk.unit_text(chunk.units[unit.parent])
        for unit in chunk.units
    }


def numbered(markdown: str) -> list[tuple[str, int]]:
    (chunk,) = cut(document("d"), tuple(read_markdown(markdown.encode()).blocks))
    return [(chunk.unit_text(unit), unit.number) for unit in chunk.units if unit.kind is STEP]


def parts(markdown: str) -> list[list[str]]:
    (chunk,) = cut(document("d"), tuple(read_markdown(markdown.encode()).blocks))
    found: dict[int, list[str]] = {}
    for unit in chunk.units:
        found.setdefault(unit.part, []).append(chunk.unit_text(unit))
    return list(found.values())


def test_an_item_stands_under_its_lead_in_and_a_nested_one_under_its_item() -> None:
    assert tree("Bring:\n\n- food\n  - bread\n- drink\n") == {
        "Bring:": "",
        "food": "Bring:",
        "bread": "food",
        "drink": "Bring:",
    }


def test_code_and_text_in_a_step_stand_under_it() -> None:
    found = tree("1. Stop it.\n\n   ```\n   stop\n   ```\n\n   Then wait.\n\n   Or not.\n2. Start it.\n")
    assert (found["stop"], found["Then wait."], found["Or not."]) == ("Stop it.",) * 3


def test_steps_are_counted_on_across_what_stands_between_them_and_are_one_list() -> None:
    told = "1. Stop it.\n\n```\nstop\n```\n\nThen wait.\n\n2. Start it.\n"
    assert numbered(told) == [("Stop it.", 1), ("Start it.", 2)]
    assert parts(told) == [["Stop it.", "stop", "Then wait.", "Start it."]]
    assert tree(told)["Then wait."] == "Stop it."


def test_steps_that_begin_at_one_again_are_another_list() -> None:
    told = "1. Stop it.\n\nAnd later:\n\n1. Start it.\n2. Look.\n"
    assert numbered(told) == [("Stop it.", 1), ("Start it.", 1), ("Look.", 2)]
    assert parts(told) == [["Stop it."], ["And later:"], ["Start it.", "Look."]]


def test_a_procedure_has_the_numbers_of_its_document() -> None:
    assert numbered("3. Go on.\n4. End.\n") == [("Go on.", 3), ("End.", 4)]


def test_a_row_stands_under_its_header_and_a_table_in_a_step_does_not_part_the_list() -> None:
    told = "1. Choose:\n\n   | Size | Price |\n   | --- | --- |\n   | S | 3 |\n2. Pay.\n"
    assert tree(told)["S | 3"] == "Size | Price"
    assert any({"Choose:", "Pay."} <= set(part) for part in parts(told))


def test_what_stands_below_a_heading_stands_under_it() -> None:
    assert tree("# Trips\n\nBook early.\n\n## Not paid\n\n- fines\n") == {
        "Trips": "",
        "Book early.": "Trips",
        "Not paid": "",
        "fines": "Not paid",
    }


flat = st.lists(
    st.builds(
        Block,
        kind=st.sampled_from([HEADING, PROSE, ITEM, STEP, CODE, HEADER, ROW]),
        text=st.sampled_from(["Take the bus.", "Bring:", "Where? There. Soon.", "the rules of 3.", "a | b"]),
        depth=st.just(0),
    ).map(lambda block: replace(block, text=block.text.replace(" | ", " ")) if block.kind is not ROW else block),
    min_size=1,
    max_size=12,
).map(tuple)


@given(flat)
def test_what_a_unit_stands_under_comes_before_it_and_no_part_is_two_stretches(blocks: tuple[Block, ...]) -> None:
    for chunk in cut(document("d"), blocks):
        assert all(unit.parent is None or unit.parent < index for index, unit in enumerate(chunk.units))
        runs = [
            unit.part
            for unit, before in zip(chunk.units, (None, *chunk.units), strict=False)
            if not before or unit.part != before.part
        ]
        own = [part for part in runs if part]
        assert len(own) == len(set(own))


def test_what_a_line_says_behind_a_colon_makes_it_no_heading() -> None:
    told = [Block(kind=PROSE, text=text) for text in ("Team: Blue and Green", "House rules", "Smoke outside.")]
    (chunk,) = cut(document("d"), tuple(told))
    assert [unit.kind for unit in chunk.units] == [PROSE, HEADING, PROSE]
