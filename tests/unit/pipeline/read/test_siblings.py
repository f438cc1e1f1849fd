"""Documents that are alike but for a name: the one that is asked about answers alone."""

from __future__ import annotations

import pytest

from pipeline.read.asked import read
from pipeline.read.differing import differing
from pipeline.read.evidence import Evidence, gather
from pipeline.read.siblings import another
from pipeline.values import BlockKind, Chunk, Document, RetrievedChunk, Style, Unit
from pipeline.words.text import sentences
from pipeline.write.choose import MEASURES, choose


def passage(title: str, text: str) -> RetrievedChunk:
    units = tuple(Unit(start=start, end=end, kind=BlockKind.PROSE) for start, end in sentences(text))
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
    return gather(read(question), [passage(*one) for one in documents])


@pytest.mark.parametrize("question", CASES)
def test_the_one_that_is_asked_about_answers_alone(question: str) -> None:
    mine, theirs = CASES[question]
    for documents in ((mine, theirs), (theirs, mine)):
        found = evidence(question, *documents)
        assert not differing(found.asked, found.units)
        assert {one.passage.document.title for one in choose(found, MEASURES[Style.CONCISE])} == {mine[0]}


def test_of_no_name_two_values_are_a_contradiction() -> None:
    found = evidence(
        "When does the office open?", ("Hours", "The office opens at 8:00."), ("Desk", "The office opens at 9:00.")
    )
    assert differing(found.asked, found.units)


def test_two_documents_about_the_one_that_is_asked_may_contradict_each_other() -> None:
    question = "What is the fee for Umbra?"
    found = evidence(question, CASES[question][0], ("Prices", "The fee for Umbra is 9 EUR."))
    assert differing(found.asked, found.units)


def test_in_one_document_another_entry_is_no_part_of_the_answer() -> None:
    found = evidence("Who is the head of IT?", ("Heads", "The head of IT is Ada Moor. The head of Legal is Ben Rue."))
    best, other = found.units[0]
    assert another(found.asked, best, other)
    assert not another(found.asked, best, best)
