"""Documents that are alike but for a name: the one that is asked about answers alone."""

from __future__ import annotations

import pytest

from pipeline.evidence.gather import Evidence, gather_evidence
from pipeline.evidence.other_entities import EntityComparison
from pipeline.evidence.question_analysis import analyze_question
from pipeline.values import AnswerStyle, BlockKind, Chunk, Document, RetrievedChunk, Unit
from pipeline.words.text import sentence_spans
from pipeline.write.sentence_selection import EXTRACT_LIMITS, select_sentences


def passage(title: str, text: str) -> RetrievedChunk:
    units = tuple(Unit(start=start, end=end, kind=BlockKind.PROSE) for start, end in sentence_spans(text))
    document = Document(id=title, filename=f"{title}.md", title=title)
    chunk = Chunk(id=f"{title}#0", document_id=title, text=text, units=units)
    return RetrievedChunk(chunk=chunk, document=document, score=0.9, unit_scores=(0.8,) * len(units))


CASES = {
    "What is the fee for Umbra?": (
        ("Client Umbra", "Umbra came in May. The fee for Umbra is 8 EUR."),
        ("Client Tycho", "Tycho came in June. The fee for Tycho is 9 EUR."),
    ),
    "when does the office in malta open?": (
        ("Office in Malta", "The office in Malta opens at 8:00."),
        ("Office in Crete", "The office in Crete opens at 9:00."),
    ),
    "How heavy is model A?": (
        ("Model A", "Model A weighs 15 kg."),
        ("Model B", "Model B weighs 16 kg."),
    ),
    "What does tier 2 cost?": (
        ("Tier 2", "Tier 2 costs 20 EUR."),
        ("Tier 3", "Tier 3 costs 30 EUR."),
    ),
}


def evidence(question: str, *documents: tuple[str, str]) -> Evidence:
    return gather_evidence(analyze_question(question), [passage(*one) for one in documents])


@pytest.mark.parametrize("question", CASES)
def test_the_one_that_is_asked_about_answers_alone(question: str) -> None:
    mine, theirs = CASES[question]
    for documents in ((mine, theirs), (theirs, mine)):
        found = evidence(question, *documents)
        assert not found.conflict
        assert {one.passage.document.title for one in select_sentences(found, EXTRACT_LIMITS[AnswerStyle.CONCISE])} == {
            mine[0]
        }


def test_of_no_name_two_values_are_a_contradiction() -> None:
    found = evidence(
        "When does the office open?", ("Hours", "The office opens at 8:00."), ("Desk", "The office opens at 9:00.")
    )
    assert found.conflict


def test_two_documents_about_the_one_that_is_asked_may_contradict_each_other() -> None:
    question = "What is the fee for Umbra?"
    found = evidence(question, CASES[question][0], ("Prices", "The fee for Umbra is 9 EUR."))
    assert found.conflict


def test_in_one_document_another_entry_is_no_part_of_the_answer() -> None:
    found = evidence("Who is the head of IT?", ("Heads", "The head of IT is Ada Moor. The head of Legal is Ben Rue."))
    best, other = found.units[0]
    compared = EntityComparison(found.question, best)
    assert compared.is_other(other)
    assert not compared.is_other(best)


def test_of_a_thread_about_one_the_other_answers_no_question_that_names_none() -> None:
    thread = "How many days of leave do people in Malta get?"
    documents = [passage(f"Leave in {place}", f"Days expire in {month}.") for place, month in PLACES]
    asked = "When do days expire?"
    found = gather_evidence(analyze_question(asked, "", thread), documents)
    assert not found.conflict
    assert {one.passage.document.title for one in select_sentences(found, EXTRACT_LIMITS[AnswerStyle.CONCISE])} == {
        "Leave in Malta"
    }
    alone = evidence(asked, *((f"Leave in {place}", f"Days expire in {month}.") for place, month in PLACES))
    assert alone.conflict


def test_a_thread_hides_no_contradiction_about_something_else() -> None:
    documents = [passage("Hours", "The office opens at 8:00."), passage("Desk", "The office opens at 9:00.")]
    found = gather_evidence(analyze_question("When does the office open?", "", "What is the fee for Umbra?"), documents)
    assert found.conflict


def test_what_a_question_names_takes_the_place_of_what_it_leans_on_names() -> None:
    asked = analyze_question("And model A?", "How heavy is model B?")
    assert asked.names == {"a"}
    assert "b" not in asked.topic_terms
    assert "heavi" in asked.topic_terms


PLACES = (("Malta", "March"), ("Crete", "May"))


def test_of_rows_the_one_of_the_thread_answers_unless_the_question_names_another() -> None:
    text = "Country | Rate | Fee\nNorway | 25 % | 12 EUR\nFinland | 24 % | 10 EUR"
    lines = [(0, 20, BlockKind.HEADER), (21, 43, BlockKind.ROW), (44, 67, BlockKind.ROW)]
    units = tuple(
        Unit(start=start, end=end, kind=kind, part=1, parent=0 if start else None) for start, end, kind in lines
    )
    chunk = Chunk(id="rates#0", document_id="rates", text=text, units=units)
    document = Document(id="rates", filename="rates.csv", title="Rates")
    rates = RetrievedChunk(chunk=chunk, document=document, score=0.9, unit_scores=(0.5, 0.6, 0.6))

    def told(question: str) -> list[str]:
        found = gather_evidence(analyze_question(question, "What is the rate in Norway?"), [rates])
        return [
            one.text
            for one in select_sentences(found, EXTRACT_LIMITS[AnswerStyle.CONCISE])
            if one.kind is BlockKind.ROW
        ]

    assert told("And the fee?") == ["Norway | 25 % | 12 EUR"]
    assert told("And for finland?") == ["Finland | 24 % | 10 EUR"]
