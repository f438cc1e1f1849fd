"""Which units of a passage can stand in an answer."""

from __future__ import annotations

import pytest

from pipeline.values import BlockKind, Document, WritingBrief
from tests.doubles.samples import evidence, indexed


@pytest.mark.parametrize(("collection", "answers"), [("default", True), ("slack:T1:C1", False)])
def test_a_dated_heading_answers_when_unless_it_says_who_wrote_a_message(collection: str, answers: bool) -> None:
    document = Document(id="d", collection=collection, filename="#ops", title="Releases")
    passages = indexed(document, (BlockKind.HEADING, "3.2.0 (4 March 2026)"), "The office is closed for repairs.")
    question = "When was release 3.2.0?"
    ((heading, _),) = evidence(WritingBrief(question=question, queries=(question,)), passages).units
    assert heading.can_answer is answers
