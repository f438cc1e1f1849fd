"""What is embedded for a unit can be understood by itself."""

from __future__ import annotations

from pipeline.ingest.embedding_inputs import embedding_texts
from pipeline.values import BlockKind
from tests.doubles.samples import document, indexed


def texts(*blocks: tuple[BlockKind, str]) -> list[str]:
    (found,) = indexed(document("d"), *blocks)
    return embedding_texts(found.chunk, "The title")


def test_a_row_names_its_columns() -> None:
    assert texts((BlockKind.HEADER, "City | Rate"), (BlockKind.ROW, "Oslo | 75"), (BlockKind.ROW, "Bern | ")) == [
        "City | Rate",
        "City: Oslo, Rate: 75",
        "City: Bern",
    ]


def test_a_row_that_does_not_fit_its_header_stays_as_it_is() -> None:
    assert texts((BlockKind.HEADER, "A | B"), (BlockKind.ROW, "1 | 2 | 3"))[1] == "1 | 2 | 3"


def test_a_short_item_follows_its_lead_in() -> None:
    long = "an item of its own that says all there is to say about it"
    assert texts((BlockKind.PROSE, "Not paid are:"), (BlockKind.ITEM, "parking fines"), (BlockKind.ITEM, long)) == [
        "Not paid are:",
        "Not paid are: parking fines",
        long,
    ]


def test_all_but_code_follows_the_heading_it_stands_under() -> None:
    assert texts(
        (BlockKind.PROSE, "Welcome."),
        (BlockKind.HEADING, "Not paid"),
        (BlockKind.PROSE, "Fines and rounds."),
        (BlockKind.CODE, "pay --not"),
    ) == ["Welcome.", "Not paid", "Not paid: Fines and rounds.", "pay --not"]


def test_the_title_of_the_document_is_no_such_heading() -> None:
    assert texts((BlockKind.HEADING, "The title"), (BlockKind.PROSE, "Welcome.")) == ["The title", "Welcome."]


def test_a_line_that_only_looks_like_a_heading_is_none() -> None:
    shown = texts((BlockKind.PROSE, "Opening hours"), (BlockKind.PROSE, "From 9 to 5, but on Fridays to 3."))
    assert shown == ["Opening hours", "From 9 to 5, but on Fridays to 3."]


def test_a_lead_in_reaches_no_further_than_its_list() -> None:
    assert texts(
        (BlockKind.PROSE, "Not paid are:"),
        (BlockKind.ITEM, "fines"),
        (BlockKind.PROSE, "All else is."),
        (BlockKind.ITEM, "hotels"),
    )[-1] == ("hotels")
