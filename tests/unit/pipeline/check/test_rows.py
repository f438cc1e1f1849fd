"""A row of a table says of its first cell only what is said of it, and of each side what is said of that side."""

from __future__ import annotations

import pytest
from pipeline.check.validate import judge

from pipeline.ingest.split import Splitter, WordCount
from pipeline.values import Block, BlockKind, Brief, Document, Format, Intent, Parsed, RetrievedChunk, Sentence
from pipeline.write.extract import extract


def passage(name: str, *blocks: str | Block, title: str = "Handbook", query: int = 0) -> RetrievedChunk:
    document = Document(id=name, filename=f"{name}.md", title=title)
    found = tuple(Block(kind=BlockKind.PROSE, text=one) if isinstance(one, str) else one for one in blocks)
    chunk = Splitter(WordCount()).split(Parsed(document=document, blocks=found))[0]
    return RetrievedChunk(chunk=chunk.model_copy(update={"id": name}), document=document, score=0.9, query=query)


def table(*rows: str) -> list[Block]:
    kinds = [BlockKind.HEADER, *[BlockKind.ROW] * (len(rows) - 1)]
    return [Block(kind=kind, text=text) for kind, text in zip(kinds, rows, strict=True)]


PASSAGES = [
    passage(
        "cities",
        *table("City | Days | Encryption | Seats", "Berlin | 30 days | on | 40", "Paris | 25 days | off | 60"),
        title="Offices",
    ),
    passage(
        "leave",
        "Full-time staff get 25 days of paid leave. Contractors get no paid leave. Interns get 10 days of leave.",
        "Full-time staff are insured by the company.",
    ),
    passage("limits", "The limit is 500 EUR for travel and 100 EUR for meals."),
    passage(
        "lyon", Block(kind=BlockKind.PROSE, text="The desk opens at 8:00.", heading=("Lyon office",)), title="Lyon"
    ),
]


def supported(row: str, name: str, header: str = "") -> bool:
    sentence = Sentence(text=row, kind=BlockKind.ROW, chunk_ids=tuple(name.split()))
    return judge(sentence, PASSAGES, header=header).supported


@pytest.mark.parametrize(
    ("row", "name", "header"),
    [
        ("Berlin | 30 days | on", "cities", ""),
        ("berlin | on", "cities", "City | Encryption"),
        ("Paris | 60 | 25 days", "cities", "City | Seats | Days"),
        ("Paris |  | off", "cities", ""),
        ("Full-time staff | 25 days | insured", "leave", ""),
        ("Full-time employees | 25 days of paid leave", "leave", ""),
        ("Contractors | no paid leave", "leave", ""),
        ("Paid leave | 25 days | no", "leave", "Aspect | Full-time staff | Contractors"),
        ("Leave | 25 days | 10 days", "leave", " | Full-time staff | Interns"),
        ("Meals | 100 EUR", "limits", ""),
        ("Limit | 500 EUR | 100 EUR", "limits", "What | Travel | Meals"),
        ("Lyon | 8:00", "lyon", ""),
        (
            "Full-time staff get 25 days of paid leave. | Contractors get no paid leave.",
            "leave",
            "Full-time | Contractors",
        ),
    ],
)
def test_a_row_whose_cells_are_said_of_its_first_one_is_supported(row: str, name: str, header: str) -> None:
    assert supported(row, name, header)


@pytest.mark.parametrize(
    ("row", "name", "header"),
    [
        pytest.param("Berlin | 25 days", "cities", "", id="cell of another row"),
        pytest.param("Berlin | 30 days | off", "cities", "", id="a word that is no content"),
        pytest.param("Paris | on", "cities", "", id="only such a word"),
        pytest.param("Paris | encryption on", "cities", "", id="such a word behind the name of the column"),
        pytest.param("Paris | ✓", "cities", "", id="a sign"),
        pytest.param("Berlin | 40 | 30", "cities", "City | Days | Seats", id="columns exchanged"),
        pytest.param("Rome | 30 days", "cities", "", id="row that is not there"),
        pytest.param("Contractors | 25 days of leave", "leave", "", id="number of another sentence"),
        pytest.param("Contractors | paid leave", "leave", "", id="negation left out"),
        pytest.param("Contractors | insured", "leave", "", id="cell of another sentence"),
        pytest.param("Interns | 25 days", "leave", "", id="number of another subject"),
        pytest.param("Paid leave | 25 days | 10 days", "leave", " | Interns | Full-time staff", id="sides exchanged"),
        pytest.param("Meals | 500 EUR", "limits", "", id="number of another noun"),
        pytest.param("Limit | 100 EUR | 500 EUR", "limits", "What | Travel | Meals", id="numbers exchanged"),
        pytest.param("Berlin | 8:00", "cities lyon", "", id="cell of another passage"),
        pytest.param("- |  | –", "cities", "", id="nothing"),
        pytest.param(
            "Contractors get no paid leave. | Full-time staff get 25 days of paid leave.",
            "leave",
            "Full-time | Contractors",
            id="whole sentences under the other side",
        ),
    ],
)
def test_a_row_that_joins_what_is_said_of_different_things_is_not_supported(row: str, name: str, header: str) -> None:
    assert not supported(row, name, header)


def test_a_header_needs_every_cell_from_the_question_or_the_passages() -> None:
    def header(text: str, question: str) -> bool:
        sentence = Sentence(text=text, kind=BlockKind.HEADER, chunk_ids=("cities",))
        return judge(sentence, PASSAGES, question=question).supported

    assert header("City | Seats", "")
    assert header("Nonprofits | Seats", "How many seats do nonprofits get?")
    assert not header("Nonprofits | Seats", "")
    assert not header("Off-site | Seats", "")


@pytest.mark.parametrize("sides", [("Berlin", "Paris"), ("Full-time staff", "Interns")])
def test_the_table_that_is_written_without_a_model_passes_row_by_row(sides: tuple[str, str]) -> None:
    question = f"Compare {sides[0]} and {sides[1]}: how many days?"
    brief = Brief(
        question=question,
        queries=tuple(f"{side} days" for side in sides),
        sides=sides,
        intent=Intent.COMPARISON,
        format=Format.TABLE,
    )
    header, *rows = extract(brief, PASSAGES)
    assert rows
    assert header.kind is BlockKind.HEADER
    assert judge(header, PASSAGES, question=question).supported
    assert all(judge(row, PASSAGES, question=question, header=header.text).supported for row in rows)
