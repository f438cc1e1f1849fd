"""What a model reads besides what an extract is made of."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pipeline.drafting.model_context import extend_context
from pipeline.evidence.gather import Evidence
from pipeline.ports import DocumentStore
from pipeline.values import RetrievedChunk, WritingBrief
from storage.open import open_storage
from tests.doubles import samples
from tests.doubles.samples import chunks, document, matrices

TEXTS = ("Leave is paid.", "Full-time staff get 25 days.", "Unused days lapse.", "Ask in the portal.")
LEAVE = [
    RetrievedChunk(chunk=chunk, document=document("leave"), score=0.9, unit_scores=(0.9,))
    for chunk in chunks("leave", TEXTS)
]
TRAVEL = RetrievedChunk(chunk=chunks("travel", ["Trains are booked."])[0], document=document("travel"), score=0.4)


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[DocumentStore]:
    async with open_storage(tmp_path, embedder="m") as storage:
        await storage.library.replace_document(document("leave"), chunks("leave", TEXTS), matrices(len(TEXTS)), "m")
        yield storage.library


def evidence(*passages: RetrievedChunk) -> Evidence:
    return samples.evidence(WritingBrief(question="How many days of leave do staff get?"), passages)


def texts(found: tuple[RetrievedChunk, ...]) -> list[str]:
    return [one.chunk.text for one in found]


async def test_what_stands_around_the_best_passage_is_read_and_then_the_next_best(library: DocumentStore) -> None:
    found = await extend_context(evidence(LEAVE[1], TRAVEL), [], library)
    assert texts(found) == [TEXTS[0], TEXTS[2]]
    assert {one.document.title for one in found} == {"About leave"}
    assert texts(await extend_context(evidence(LEAVE[1]), [TRAVEL], library)) == [TEXTS[0], TEXTS[2], TRAVEL.chunk.text]


async def test_no_passage_is_read_twice(library: DocumentStore) -> None:
    further = [LEAVE[0], LEAVE[1], TRAVEL, TRAVEL]
    assert texts(await extend_context(evidence(LEAVE[1], LEAVE[2]), further, library)) == [TEXTS[0], TRAVEL.chunk.text]


async def test_without_a_library_what_else_was_found_is_read() -> None:
    assert texts(await extend_context(evidence(LEAVE[1]), [TRAVEL], None)) == [TRAVEL.chunk.text]
