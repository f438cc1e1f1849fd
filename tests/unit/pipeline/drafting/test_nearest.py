"""What is shown where nothing answers: the nearest passages in their own words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.compose.cite import Numbering
from pipeline.drafting.nearest import nearest
from pipeline.read.excerpt import EXCERPT, excerpt
from pipeline.values import Block, BlockKind, Brief, Document, RetrievedChunk
from tests.doubles import samples
from tests.doubles.samples import evidence, indexed

LEVELS = Document(id="levels", filename="levels.md", title="Titles")
LIST = (
    (BlockKind.PROSE, "Within each job we have mapped five levels, the same in all departments:"),
    (BlockKind.ITEM, "Junior"),
    (BlockKind.ITEM, "Mid-level"),
    (BlockKind.ITEM, "Senior"),
    (BlockKind.PROSE, "They are set when somebody is hired."),
)


def asked(question: str, *passages: RetrievedChunk) -> Numbering:
    return nearest(evidence(Brief(question=question), passages))


def said(found: Numbering) -> list[str]:
    return [sentence.text for sentence in found.sentences]


def test_a_list_is_shown_whole_with_its_lead_in_and_what_stands_below_it() -> None:
    found = asked("Which levels are there in a job?", *indexed(LEVELS, *LIST))
    assert said(found) == [text for _, text in LIST]
    assert [sentence.numbers for sentence in found.sentences] == [(1,)] * len(LIST)


def test_a_row_of_a_long_table_comes_under_its_header() -> None:
    rows = [(BlockKind.ROW, f"Model {number} | {number} kilograms") for number in range(60)]
    header = (BlockKind.HEADER, "Model | Weight")
    found = asked("What does model 41 weigh?", *indexed(LEVELS, header, *rows))
    assert said(found)[0] == "Model | Weight"
    assert "Model 41 | 41 kilograms" in said(found)
    assert len(" ".join(said(found))) < 2 * EXCERPT


def test_of_many_near_passages_two_are_shown_the_best_first() -> None:
    passages = [
        samples.prose(name, f"Leave of kind {name} is thirty days.").model_copy(update={"score": score})
        for name, score in (("a", 0.5), ("b", 0.8), ("c", 0.6))
    ]
    assert said(asked("How long is leave?", *passages)) == [
        "Leave of kind b is thirty days.",
        "Leave of kind c is thirty days.",
    ]


def test_of_a_flagged_document_nothing_is_quoted_and_it_is_named() -> None:
    found = asked("How long is leave?", samples.prose("a", "Leave is thirty days.", flagged=True))
    assert said(found) == []
    assert [(citation.title, citation.quote) for citation in found.citations()] == [("a", "")]


def test_what_has_nothing_to_do_with_the_question_is_not_named() -> None:
    far = samples.prose("a", "The canteen opens at noon.").model_copy(update={"score": 0.1})
    assert asked("How long is leave?", far).citations() == ()


blocks = st.lists(
    st.builds(
        Block,
        kind=st.sampled_from(BlockKind),
        text=st.lists(st.text(alphabet="abc .", min_size=1, max_size=90), min_size=1, max_size=5)
        .map(" ".join)
        .filter(lambda text: text.strip())
        .map(str.strip),
    ),
    min_size=1,
    max_size=20,
)


@given(blocks)
def test_an_excerpt_holds_its_unit_and_is_one_stretch_of_the_passage_that_fits(given: list[Block]) -> None:
    passages = indexed(LEVELS, *given)
    for units in evidence(Brief(question="abc"), passages).units:
        for unit in (one for one in units if one.says):
            told = [sentence.text for sentence in excerpt(unit)]
            texts = [one.text for one in units]
            assert unit.text in told
            assert sum(map(len, told)) <= max(EXCERPT, len(unit.text)) + max(map(len, texts))
            stretches = [texts[start : start + len(told)] for start in range(len(texts))]
            opened = [texts[start : start + len(told) - 1] for start in range(len(texts))]
            assert told in stretches or told[1:] in opened
