"""What is shown where nothing answers: the nearest passages in their own words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.compose.answer import DraftResult, render_answer_text
from pipeline.compose.citations import CitationRegistry
from pipeline.drafting.nearest_passages import cite_nearest
from pipeline.evidence.excerpts import CHARACTERS_PER_EXCERPT, MAX_EXCERPT_CHARACTERS, select_excerpts
from pipeline.respond import Responder
from pipeline.values import (
    Answer,
    AnswerOptions,
    AnswerOutcome,
    AnswerRequest,
    Block,
    BlockKind,
    ConfidenceLevel,
    Document,
    RetrievedChunk,
    WritingBrief,
    replace,
)
from tests.doubles import samples
from tests.doubles.llm.walk import EVERYBODY, NoHistory, Straight, passage
from tests.doubles.samples import evidence, indexed

LEVELS = Document(id="levels", filename="levels.md", title="Titles")
LIST = (
    (BlockKind.PROSE, "Within each job we have mapped five levels, the same in all departments:"),
    (BlockKind.ITEM, "Junior"),
    (BlockKind.ITEM, "Mid-level"),
    (BlockKind.ITEM, "Senior"),
    (BlockKind.PROSE, "They are set when somebody is hired."),
)


def asked(question: str, *passages: RetrievedChunk) -> CitationRegistry:
    return cite_nearest(evidence(WritingBrief(question=question), passages), CitationRegistry(()), DraftResult())


async def answered(question: str, *passages: RetrievedChunk) -> Answer:
    """The last event of the walk without a model."""
    straight = Straight(passages)
    responder = Responder(
        planner=straight,
        retriever=straight,
        model=None,
        history=NoHistory(),
        options=AnswerOptions(),
        report=lambda _, error: pytest.fail(repr(error)),
        warn=lambda *_: None,
    )
    return await responder.respond(AnswerRequest(text=question, audience=EVERYBODY)).answer()


def said(found: CitationRegistry) -> list[str]:
    """What passages say, without the paths of their headings."""
    return [sentence.text for sentence in found.sentences if sentence.kind is not BlockKind.HEADING]


def test_a_list_is_shown_whole_with_its_lead_in_and_not_what_adds_nothing_below_it() -> None:
    found = asked("Which levels are there in a job?", *indexed(LEVELS, *LIST))
    assert said(found) == [text for _, text in LIST[:-1]]
    assert {sentence.numbers for sentence in found.sentences} == {(1,)}


def test_a_row_of_a_long_table_comes_under_its_header() -> None:
    rows = [(BlockKind.ROW, f"Model {number} | {number} kilograms") for number in range(60)]
    header = (BlockKind.HEADER, "Model | Weight")
    found = asked("What does model 41 weigh?", *indexed(LEVELS, header, *rows))
    assert said(found)[0] == "Model | Weight"
    assert "Model 41 | 41 kilograms" in said(found)
    assert len(" ".join(said(found))) < 2 * MAX_EXCERPT_CHARACTERS


def test_of_many_near_passages_four_are_shown_the_best_first() -> None:
    passages = [
        replace(samples.prose(name, f"Leave of kind {name} is thirty days."), score=score)
        for name, score in (("a", 0.5), ("b", 0.8), ("c", 0.6), ("d", 0.7), ("e", 0.4))
    ]
    assert said(asked("How long is leave?", *passages)) == [
        "Leave of kind b is thirty days.",
        "Leave of kind d is thirty days.",
        "Leave of kind c is thirty days.",
        "Leave of kind a is thirty days.",
    ]


def test_two_parts_of_one_passage_stand_together_in_the_order_they_are_read() -> None:
    filling = "Nothing of this has to do with anything that anybody asks. " * 14
    texts = ("The lounge opens at nine.", filling, "The lounge has a kitchen.")
    found = asked("What about the lounge?", *indexed(LEVELS, *texts))
    assert [text for text in said(found) if "lounge" in text] == [texts[0], texts[2]]
    assert {sentence.numbers for sentence in found.sentences} == {(1,)}


def test_of_a_flagged_document_nothing_is_quoted_and_it_is_named() -> None:
    found = asked("How long is leave?", samples.prose("a", "Leave is thirty days.", flagged=True))
    assert said(found) == []
    (citation,) = found.citations(full_text=True)
    assert (citation.title, citation.quote, citation.passage) == ("a", "", "")


def test_what_has_nothing_to_do_with_the_question_is_not_named() -> None:
    far = replace(samples.prose("a", "The canteen opens at noon."), score=0.1)
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
def test_excerpts_are_stretches_of_their_passage_that_fit(given: list[Block]) -> None:
    read = evidence(WritingBrief(question="abc"), indexed(LEVELS, *given))
    found = select_excerpts(read.units, read.term_weights, 3)
    longest = max(len(one.text) for units in read.units for one in units)
    assert (
        sum(len(sentence.text) for one in found for sentence in one.sentences())
        <= CHARACTERS_PER_EXCERPT + MAX_EXCERPT_CHARACTERS + 6 * longest
    )
    for one in found:
        texts = [unit.text for unit in one.units]
        places = [index for stretch in one.unit_ranges for index in stretch]
        assert places == sorted(set(places))
        opening = {one.passage.chunk.lead_in(stretch.start) for stretch in one.unit_ranges}
        wanted = sorted({*places, *(index for index in opening if index is not None)})
        assert {sentence.text for sentence in one.sentences()} <= {texts[index] for index in wanted}


def test_of_a_long_passage_the_part_with_the_words_of_the_question_is_shown() -> None:
    filling = [f"Paragraph {number} is about something else. " * 8 for number in range(6)]
    found = asked("Who signs the lease?", *indexed(LEVELS, *filling, "The landlord signs the lease.", *filling))
    assert "The landlord signs the lease." in said(found)


def test_a_passage_stands_under_its_document_and_the_path_of_its_headings() -> None:
    found = asked("Which levels are there in a job?", *indexed(LEVELS, (BlockKind.HEADING, "Careers"), *LIST))
    assert found.sentences[0].text == "Titles - Careers"
    assert found.sentences[0].numbers == (1,)


LOUNGE = ("The lounge opens at nine.", "It has a kitchen.", "Its windows look to the north.")


async def test_an_answer_of_medium_confidence_is_the_passage_it_stands_in() -> None:
    unsure = replace(passage("lounge", *LOUNGE, score=0.9), unit_scores=(0.72, 0.1, 0.1))
    answer = await answered("When does the lounge open?", unsure)
    assert answer.confidence.level is ConfidenceLevel.MEDIUM
    assert [one.text for one in answer.sentences] == list(LOUNGE)
    assert answer.quoted == ()
    assert [source.passage for source in answer.sources] == [" ".join(LOUNGE)]


async def test_an_answer_of_low_confidence_is_what_the_nearest_passages_say_under_their_headings() -> None:
    low = replace(passage("a", *LOUNGE, score=0.7), unit_scores=(0.62, 0.1, 0.1))
    near = replace(passage("b", "Everybody likes the lounge.", score=0.6), unit_scores=(0.1,))
    answer = await answered("When does the lounge open?", low, near)
    assert answer.confidence.level is ConfidenceLevel.LOW
    assert [one.text for one in answer.sentences] == [
        "Leave policy",
        *LOUNGE,
        "Leave policy",
        "Everybody likes the lounge.",
    ]
    assert [one.numbers for one in answer.sentences] == [(1,)] * 4 + [(2,)] * 2
    assert answer.quoted == ()


async def test_what_a_flagged_document_says_is_not_lost_at_low_confidence() -> None:
    low = replace(passage("a", *LOUNGE, score=0.7), unit_scores=(0.62, 0.1, 0.1))
    flagged = replace(low, document=replace(low.document, flagged=True))
    near = replace(passage("b", "Everybody likes the lounge.", score=0.6), unit_scores=(0.1,))
    answer = await answered("When does the lounge open?", flagged, near)
    assert answer.confidence.level is ConfidenceLevel.LOW
    assert LOUNGE[0] in [one.text for one in answer.sentences]


async def test_entries_of_a_list_are_counted_only_where_it_is_said() -> None:
    rules = [
        (BlockKind.ITEM, f"Rule {n} of the lounge is that dish {n} is not brought into it at night.") for n in range(30)
    ]
    found = indexed(LEVELS, (BlockKind.PROSE, "These are the rules of the lounge:"), *rules)
    for cosine, counted in ((0.7, False), (0.76, True)):
        scores = [(cosine, *[0.3] * (len(one.chunk.units) - 1)) for one in found]
        passages = [replace(one, score=0.6, unit_scores=some) for one, some in zip(found, scores, strict=True)]
        answer = await answered("rules of the lounge", *passages)
        assert (answer.outcome is AnswerOutcome.PARTIAL) == ("entries are shown" in answer.closing) == counted


def test_what_a_term_means_is_shown_with_the_term() -> None:
    terms = ((BlockKind.PROSE, "Lounge:"), (BlockKind.PROSE, "A room to rest in, with a kitchen."))
    filling = (BlockKind.PROSE, "Nothing of this has to do with anything that anybody asks. " * 14)
    found = asked("Which room has a kitchen?", *indexed(LEVELS, filling, *terms, filling))
    assert said(found)[:2] == [text for _, text in terms]


async def test_below_an_answer_of_medium_confidence_stands_the_closest_passage_and_its_numbers_go_on() -> None:
    medium = replace(passage("a", "The lounge opens at nine.", score=0.5), unit_scores=(0.8,))
    near = replace(passage("b", "Everybody likes the lounge.", score=0.9), unit_scores=(0.1,))
    answer = await answered("When does the lounge open?", medium, near)
    assert [one.text for one in answer.sentences] == ["The lounge opens at nine."]
    assert answer.quoted[-1].text == "Everybody likes the lounge."
    assert [source.chunk_id for source in answer.sources] == ["a", "b"]
    assert [source.number for source in answer.sources] == [1, 2]
    assert "The closest passage:" in render_answer_text(answer)


async def test_a_sure_answer_stands_alone() -> None:
    opens = "The lounge opens at 9:00 on every working day of the year, and closes at 18:00."
    sure = passage("a", opens, "It has a kitchen.", "Its windows look to the north.")
    answer = await answered("When does the lounge open?", sure)
    assert answer.confidence.level is ConfidenceLevel.HIGH
    assert answer.quoted == ()
    assert [source.passage for source in answer.sources] == [""]
