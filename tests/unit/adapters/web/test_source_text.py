"""The text of a passage stands on the page as it stood in its document, and is all there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hypothesis import given
from hypothesis import strategies as st

from adapters.web.source.blocks import (
    MarkedRuns,
    PassageBlock,
    PassageCode,
    PassageHeading,
    PassageList,
    PassageParagraph,
    PassageTable,
    passage_blocks,
)
from adapters.web.source.page_window import PAGE_TEXT_BYTES, fit_passages, trim_overlaps
from pipeline.values import Block as Parsed
from pipeline.values import BlockKind, Chunk
from pipeline.words.text import strip_invisible
from tests.doubles.hostile import FRAGMENTS
from tests.doubles.samples import document, indexed

K = BlockKind


def chunks(*given: Parsed | tuple[BlockKind, str], tokens: int = 500) -> list[Chunk]:
    return [passage.chunk for passage in indexed(document("d"), *given, tokens=tokens)]


def said(runs: MarkedRuns) -> str:
    return "".join(run.text for run in runs)


def read(found: Iterable[PassageBlock]) -> Iterator[str]:
    """Every text in its order."""
    for block in found:
        match block:
            case PassageTable():
                yield from (said(cell) for row in (block.header, *block.rows) for cell in row)
            case PassageList():
                for entry in block.entries:
                    yield said(entry.runs)
                    yield from read(entry.below)
            case _:
                yield said(block.runs)


def test_headings_stand_as_deep_as_their_path_says() -> None:
    (chunk,) = chunks(
        Parsed(kind=K.HEADING, text="Leave", heading=()),
        Parsed(kind=K.HEADING, text="Sick leave", heading=("Leave",)),
        Parsed(kind=K.PROSE, text="Tell us. We wish you well.", heading=("Leave", "Sick leave")),
    )
    leave, sick, text = passage_blocks(chunk)
    assert isinstance(leave, PassageHeading)
    assert isinstance(sick, PassageHeading)
    assert isinstance(text, PassageParagraph)
    assert (leave.level, sick.level, said(text.runs)) == (1, 2, "Tell us. We wish you well.")


def test_entries_hold_what_stands_in_them() -> None:
    (chunk,) = chunks(
        Parsed(kind=K.STEP, text="Open it", number=1),
        Parsed(kind=K.ITEM, text="gently", depth=1),
        Parsed(kind=K.CODE, text="open\n  --gently", depth=1),
        Parsed(kind=K.STEP, text="Close it", number=2),
    )
    (steps,) = passage_blocks(chunk)
    assert isinstance(steps, PassageList)
    assert (steps.ordered, [entry.number for entry in steps.entries]) == (True, [1, 2])
    inside = steps.entries[0].below
    assert [type(block) for block in inside] == [PassageList, PassageCode]
    assert list(read(inside)) == ["gently", "open\n  --gently"]


def test_a_table_that_is_cut_goes_on_under_its_header() -> None:
    rows = [(K.ROW, f"City {number} | {number} EUR") for number in range(60)]
    first, *further = chunks((K.HEADER, "City | Rate"), *rows, tokens=120)
    assert further
    for one in trim_overlaps([first, *further], first.position, 0):
        (table,) = passage_blocks(one.chunk, start=one.start, end=one.end)
        assert isinstance(table, PassageTable)
        assert list(map(said, table.header)) == ["City", "Rate"]
        assert all(len(row) == 2 for row in table.rows)


def test_what_is_repeated_from_the_passage_before_is_shown_once_and_with_the_cited_words() -> None:
    whole = " ".join(f"Sentence {number} is about kites." for number in range(80))
    before, cited, after = [passage.chunk for passage in indexed(document("d"), whole, tokens=150)][:3]
    assert cited.overlap
    assert after.overlap
    for begins in (0, cited.overlap):
        pieces = trim_overlaps([before, cited, after], cited.position, begins)
        text = " ".join(
            text for one in pieces for text in read(passage_blocks(one.chunk, start=one.start, end=one.end))
        )
        assert whole.startswith(text)
        assert pieces[1].start == begins


def test_only_the_cited_words_are_marked() -> None:
    (chunk,) = chunks((K.PROSE, "Ask early. You get 25 days. They expire."), (K.HEADER, "A | B"), (K.ROW, "one | two"))
    spans = [(start, start + len(text)) for text in ("25 days", "one | two") if (start := chunk.text.find(text)) >= 0]
    paragraph, table = passage_blocks(chunk, spans)
    assert isinstance(paragraph, PassageParagraph)
    assert isinstance(table, PassageTable)
    assert [run.text for run in paragraph.runs if run.marked] == ["25 days"]
    assert said(paragraph.runs) == "Ask early. You get 25 days. They expire."
    assert [[run.marked for run in cell] for cell in table.rows[0]] == [[True], [True]]
    assert not any(run.marked for cell in table.header for run in cell)


texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=8), min_size=1, max_size=6).map("".join)
given_blocks = st.lists(st.tuples(st.sampled_from(list(K)), texts.filter(str.strip)), min_size=1, max_size=12)


@given(given_blocks, st.lists(st.integers(0, 400), max_size=8, unique=True))
def test_every_text_is_there_once_whatever_is_marked(found: list[tuple[BlockKind, str]], at: list[int]) -> None:
    places = sorted(at)
    spans = list(zip(places[::2], places[1::2], strict=False))
    for chunk in chunks(*found, tokens=60):
        plain, marked = (letters(read(passage_blocks(chunk, some))) for some in ((), spans))
        assert marked == plain
        assert sorted(plain) == sorted(letters([chunk.text_at(index) for index in range(len(chunk.units))]))


def letters(texts: Iterable[str]) -> str:
    return "".join(c for c in strip_invisible("".join(texts)) if c.isalnum())


def test_a_page_holds_the_opened_passage_and_no_more_than_there_is_room_for() -> None:
    long = chunks(*[(K.CODE, "<&" * 2_000)] * 9, tokens=10**6)
    whole = chunks(*[(K.PROSE, f"Word {number} is here. " * 30) for number in range(40)], tokens=100)
    for position in (0, 5, len(whole) - 1):
        near = fit_passages(whole, position)
        assert [chunk.position for chunk in near] == list(range(near[0].position, near[-1].position + 1))
        assert position in [chunk.position for chunk in near]
        assert sum(len(chunk.text) for chunk in near) < PAGE_TEXT_BYTES
    assert len(fit_passages(long, 0)) == 1
