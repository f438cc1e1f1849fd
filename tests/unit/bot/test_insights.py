"""What people asked is counted, grouped by meaning, and said as what the documents lack; nobody is named."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from adapters.chat.words.advice import gap_advice, gap_draft
from bot.citewell import Citewell
from bot.insights.analysis import compute_insights
from bot.registry import platforms
from bot.wiring import open_citewell
from pipeline.values import (
    Answer,
    AnswerOutcome,
    AnswerSubscription,
    Audience,
    Citation,
    Confidence,
    ConfidenceFactor,
    ConfidenceLevel,
    ConversationId,
    Document,
    PlaceId,
    Rating,
    RetrievedChunk,
    Vote,
    replace,
)
from pipeline.values.insights import DocumentationProposal, GapKind
from tests.doubles.samples import chunks, message
from tests.doubles.settings import extractive

VACATION = "How many vacation days do I get?"
NUMBERS = itertools.count(1)


@pytest.fixture
async def citewell(tmp_path: Path) -> AsyncIterator[Citewell]:
    settings = extractive(tmp_path / "data")
    async with open_citewell(settings) as opened:
        yield opened


async def written(citewell: Citewell, name: str, text: str, **metadata: str) -> None:
    document = Document(id=name, filename=f"{name}.md", title=f"About {name}", metadata=metadata)
    pieces = chunks(name, [text])
    assert citewell.embedder
    vectors = [await citewell.embedder.embed([text])]
    await citewell.storage.library.replace_document(document, pieces, vectors, citewell.embedder.name)


async def asked(
    citewell: Citewell,
    question: str,
    outcome: AnswerOutcome = AnswerOutcome.ANSWERED,
    level: ConfidenceLevel = ConfidenceLevel.HIGH,
    *,
    cites: tuple[str, ...] = (),
    nearest: str = "",
    author: str = "U1",
    channel: str = "C1",
    said_in: tuple[PlaceId, ...] = (),
    differing: bool = False,
    unhelpful: bool = False,
) -> str:
    number = next(NUMBERS)
    sent = message(f"{number}.0", channel=channel, author=author, text=question)
    if said_in:
        conversation = ConversationId(platform="discord", space="1", channel=channel)
        sent = replace(sent, conversation=conversation, said_in=said_in)
    answer = Answer(
        id=f"a{number}",
        question=question,
        standalone=question,
        outcome=outcome,
        body="",
        citations=tuple(_citation(name) for name in cites),
        nearest=(_citation(nearest),) if nearest else (),
        confidence=Confidence(
            level=level, score=0.5, reasons=(ConfidenceFactor(name="consistent", value=float(not differing), text=""),)
        ),
    )
    await citewell.storage.inbox.accept(sent)
    await citewell.storage.inbox.lease()
    await citewell.storage.inbox.save_answer(sent.key, answer)
    await citewell.storage.inbox.mark_done(sent.key)
    if unhelpful:
        await citewell.storage.feedback.rate(Rating(answer_id=answer.id, person=sent.author, vote=Vote.UNHELPFUL))
    return answer.id


def _citation(name: str) -> Citation:
    return Citation(number=1, document_id=name, chunk_id=f"{name}#0", title=f"About {name}", filename=f"{name}.md")


async def test_questions_are_counted_by_outcome_place_and_week(citewell: Citewell) -> None:
    await asked(citewell, VACATION)
    await asked(citewell, "When is payday?", AnswerOutcome.NOT_FOUND, ConfidenceLevel.LOW, channel="D7")
    await asked(citewell, "Who cleans?", AnswerOutcome.PARTIAL, unhelpful=True)
    seen = await compute_insights(citewell.storage, citewell.embedder, platforms(), 30)
    assert (seen.counts.asked, seen.counts.answered, seen.counts.partial, seen.counts.not_found) == (3, 1, 1, 1)
    assert seen.counts.unhelpful == 1
    assert {place.place: place.counts.asked for place in seen.places} == {"slack:T1:C1": 2, "slack: direct messages": 1}
    today = datetime.now(UTC).date()
    assert seen.weeks[-1].monday == date.fromisocalendar(*today.isocalendar()[:2], 1)
    assert seen.weeks[-1].counts.asked == 3


async def test_a_thread_on_discord_counts_for_its_channel(citewell: Citewell) -> None:
    channel = (PlaceId.parse("discord:1"), PlaceId.parse("discord:1:2"))
    await asked(citewell, VACATION, channel="33", said_in=channel)
    await asked(citewell, VACATION, channel="44", said_in=(*channel, PlaceId.parse("discord:1:44")))
    (place,) = (await compute_insights(citewell.storage, citewell.embedder, platforms(), 30)).places
    assert (place.place, place.counts.asked) == ("discord:1:2", 2)


async def test_what_means_the_same_is_one_group_named_by_one_of_its_questions(citewell: Citewell) -> None:
    meant = [VACATION, "how many vacation days do I get", "How many days of vacation do I have?"]
    for number, question in enumerate(meant):
        await asked(citewell, question, author=f"U{number}")
    await asked(citewell, "Where is the printer?")
    seen = await compute_insights(citewell.storage, citewell.embedder, platforms(), 30)
    assert [(group.count, group.people) for group in seen.most_asked] == [(3, 3), (1, 1)]
    assert seen.most_asked[0].question in meant


async def test_without_an_embedder_the_same_words_are_one_group(tmp_path: Path) -> None:
    settings = extractive(tmp_path / "data", embedder="none")
    async with open_citewell(settings) as citewell:
        await asked(citewell, VACATION)
        await asked(citewell, "vacation days: how many do I get")
        await asked(citewell, "How much leave is there?")
        seen = await compute_insights(citewell.storage, citewell.embedder, platforms(), 30)
    assert [group.count for group in seen.most_asked] == [2, 1]


@pytest.mark.parametrize(
    ("outcome", "level", "unhelpful", "lack"),
    [
        (AnswerOutcome.NOT_FOUND, ConfidenceLevel.LOW, False, GapKind.NOT_ANSWERED),
        (AnswerOutcome.ANSWERED, ConfidenceLevel.HIGH, True, GapKind.UNHELPFUL),
        (AnswerOutcome.ANSWERED, ConfidenceLevel.LOW, False, GapKind.LOW),
    ],
)
async def test_a_gap_says_what_is_lacking_and_what_to_write_where(
    citewell: Citewell, outcome: AnswerOutcome, level: ConfidenceLevel, unhelpful: bool, lack: GapKind
) -> None:
    await written(citewell, "leave", "Vacation is agreed with the team.")
    await asked(citewell, "Where is the printer?")
    await asked(citewell, VACATION, outcome, level, nearest="leave", unhelpful=unhelpful)
    (gap,) = (await compute_insights(citewell.storage, citewell.embedder, platforms(), 30)).gaps
    assert (gap.lack, gap.group.question, gap.group.count, gap.group.people) == (lack, VACATION, 1, 1)
    assert gap.nearest
    assert gap.nearest.id == "leave"
    assert "About leave" in gap_advice(gap)


async def test_what_was_answered_later_to_the_same_readers_is_no_gap_any_more(citewell: Citewell) -> None:
    payday, printer = "When is payday?", "Where is the printer?"
    for channel, author in (("C1", "U1"), ("C2", "U1"), ("D1", "U1"), ("D2", "U2")):
        await asked(citewell, payday, AnswerOutcome.NOT_FOUND, ConfidenceLevel.LOW, channel=channel, author=author)
    await asked(citewell, printer, unhelpful=True)
    for channel, author in (("C1", "U2"), ("D1", "U1")):
        await asked(citewell, payday, channel=channel, author=author)
    await asked(citewell, printer)
    gaps = (await compute_insights(citewell.storage, citewell.embedder, platforms(), 30)).gaps
    assert [(gap.group.question, gap.lack, gap.group.count) for gap in gaps] == [
        (payday, GapKind.NOT_ANSWERED, 2),
        (printer, GapKind.UNHELPFUL, 1),
    ]


async def test_the_nearest_document_is_looked_up_where_the_answer_names_none_that_is_there(citewell: Citewell) -> None:
    await written(citewell, "parking", "Cars are parked behind the house.")
    await asked(citewell, "Where do I park?", AnswerOutcome.NOT_FOUND, ConfidenceLevel.LOW, nearest="gone")
    (gap,) = (await compute_insights(citewell.storage, citewell.embedder, platforms(), 30)).gaps
    assert gap.nearest
    assert gap.nearest.id == "parking"


async def test_a_gap_counts_who_waits_to_be_told_and_who_took_it_back_no_more(citewell: Citewell) -> None:
    for author in ("U1", "U2"):
        answer_id = await asked(
            citewell, "Where do I park?", AnswerOutcome.NOT_FOUND, ConfidenceLevel.LOW, author=author
        )
        origin = ConversationId(platform="slack", space="T1", channel="C1", thread=author)
        wish = AnswerSubscription(
            id=author, answer_id=answer_id, person=author, question="Where do I park?", origin=origin
        )
        await citewell.storage.subscriptions.save(wish, limit=1)
    (gap,) = (await compute_insights(citewell.storage, citewell.embedder, platforms(), 30)).gaps
    assert gap.waiting == 2
    await citewell.storage.subscriptions.cancel("U1", "U1")
    (gap,) = (await compute_insights(citewell.storage, citewell.embedder, platforms(), 30)).gaps
    assert gap.waiting == 1


async def test_a_gap_comes_with_what_is_closest_and_a_draft_to_be_completed(citewell: Citewell) -> None:
    await written(citewell, "parking", "Cars are parked behind the house.")
    await asked(citewell, "Where do I\npark?", AnswerOutcome.NOT_FOUND, ConfidenceLevel.LOW)
    (gap,) = (await compute_insights(citewell.storage, citewell.embedder, platforms(), 30)).gaps
    assert gap_advice(gap).endswith("Closest, in “About parking”: “Cars are parked behind the house.”")
    assert gap_draft(gap).split("\n\n") == [
        "## Where do I park?",
        "Draft: somebody who knows the topic has to check it and fill in the gaps.",
        "> Cars are parked behind the house.",
        "- [ ] To be filled in: Where do I park?",
    ]


async def test_a_model_drafts_for_as_many_gaps_as_a_digest_names(citewell: Citewell) -> None:
    class Drafting:
        async def draft(self, question: str, passages: Sequence[RetrievedChunk]) -> DocumentationProposal:
            assert [passage.document.id for passage in passages] == ["parking"]
            return DocumentationProposal(
                says=("Cars stand there.",), unsure=("Bikes may, too.",), open=("Which house?",)
            )

    drafting: Any = Drafting()
    await written(citewell, "parking", "Cars are parked behind the house.")
    for question in ("Where do I park?", "Who repairs the printer?", "When is payday?", "What is for lunch?"):
        await asked(citewell, question, AnswerOutcome.NOT_FOUND, ConfidenceLevel.LOW)
    seen = await compute_insights(citewell.storage, citewell.embedder, platforms(), 30, drafter=drafting)
    assert [gap.proposal.open for gap in seen.gaps] == [("Which house?",)] * 3 + [()]
    assert "Cars stand there. Bikes may, too. (to be checked)\n\n- [ ] To be filled in: Which house?" in gap_draft(
        seen.gaps[0]
    )


async def test_nothing_is_drafted_from_what_its_readers_may_not_see(citewell: Citewell) -> None:
    await written(citewell, "parking", "Cars are parked behind the house.")
    await asked(citewell, "Where do I park?", AnswerOutcome.NOT_FOUND, ConfidenceLevel.LOW)
    nobody = Audience(collections=frozenset())
    (gap,) = (await compute_insights(citewell.storage, citewell.embedder, platforms(), 30, audience=nobody)).gaps
    assert gap.proposal == DocumentationProposal()


async def test_a_gap_of_an_empty_library_asks_for_a_new_document(citewell: Citewell) -> None:
    await asked(citewell, "Where do I park?", AnswerOutcome.NOT_FOUND, ConfidenceLevel.LOW)
    (gap,) = (await compute_insights(citewell.storage, citewell.embedder, platforms(), 30)).gaps
    assert gap.nearest is None
    assert gap_advice(gap).startswith("Write a document")


async def test_documents_are_told_that_disagree_that_nobody_cites_and_that_are_old(citewell: Citewell) -> None:
    await written(citewell, "old", "Payday is the 25th.", updated="2020-01-31")
    await written(citewell, "new", "Payday is the 28th.", updated=datetime.now(UTC).date().isoformat())
    await written(citewell, "looked-at", "The house is red.", updated="2020-01-31", reviewed="2999-01-01")
    await written(citewell, "unread", "Nobody asks for this.")
    await asked(citewell, "When is payday?", cites=("old", "new"), differing=True)
    await asked(citewell, "Which colour has the house?", cites=("looked-at",))
    seen = await compute_insights(citewell.storage, citewell.embedder, platforms(), 30)
    assert [[paper.id for paper in one.papers] for one in seen.contradictions] == [["old", "new"]]
    assert [paper.id for paper in seen.never_cited] == ["unread"]
    assert [(cited.paper.id, cited.count, cited.changed) for cited in seen.outdated] == [("old", 1, "2020-01-31")]


async def test_who_is_forgotten_is_not_counted_any_more(citewell: Citewell) -> None:
    await asked(citewell, VACATION, author="U1")
    await asked(citewell, "Where is the printer?", author="U2")
    await citewell.storage.personal_data.forget("slack:T1:U1")
    seen = await compute_insights(citewell.storage, citewell.embedder, platforms(), 30)
    assert [group.question for group in seen.most_asked] == ["Where is the printer?"]


async def test_nothing_asked_makes_empty_insights(citewell: Citewell) -> None:
    seen = await compute_insights(citewell.storage, citewell.embedder, platforms(), 30)
    assert (seen.counts.asked, seen.weeks, seen.most_asked, seen.gaps) == (0, (), (), ())
