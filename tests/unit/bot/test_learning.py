"""What was confirmed comes further up, says so, and makes an answer of nothing that is none."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.citewell import Citewell
from bot.wiring import open_citewell
from pipeline.compose.answer import render_answer_text
from pipeline.compose.citations import build_citation
from pipeline.values import Actor, AnswerOutcome, Rating, RetrievedChunk, Role, Vote, replace
from tests.doubles.samples import answer, message
from tests.doubles.settings import extractive

DOCUMENTS = {
    "desks": "# Desks\n\nA desk in the north wing is booked in the seat plan.\n",
    "rooms": "# Rooms\n\nA meeting room in the north wing is booked by its door panel.\n",
    "parents": "# Becoming a parent\n\nWhoever becomes a parent is away for twelve weeks at full pay.\n",
    "printer": "# The printer\n\nThe printer is on the second floor.\n",
}
ASKED, LIKE_IT = "How is a place booked in the north wing?", "How is a place in the north wing booked?"
UNANSWERED = "How long is lunch?"
CONTRIBUTOR = Actor(person="slack:T1:U9", groups=frozenset({"slack:T1:U9"}))


@pytest.fixture
def least() -> Role | None:
    return Role.CONTRIBUTOR


@pytest.fixture
async def citewell(tmp_path: Path, least: Role | None) -> AsyncIterator[Citewell]:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, text in DOCUMENTS.items():
        (folder / f"{name}.md").write_text(text)
    settings = extractive(tmp_path / "data", learn_from=least, roles={"contributor": ["slack:T1:U9"]})
    async with open_citewell(settings) as opened:
        await opened.index([folder])
        yield opened


async def confirmed(citewell: Citewell, question: str, file: str) -> None:
    """A contributor says that an answer which cites `file` first helped."""
    asked = message("1.0", text=question)
    (of,) = [one for one in await citewell.storage.library.list_documents() if one.filename == f"{file}.md"]
    found = await citewell.storage.library.excerpt(of.id, 0, 1)
    assert found
    cited = build_citation(RetrievedChunk(chunk=found.chunks[0], document=of, score=0.5), 1)
    given = replace(answer("rated"), standalone=question, citations=(cited,))
    await citewell.storage.inbox.accept(asked)
    await citewell.storage.inbox.lease()
    await citewell.storage.inbox.save_answer(asked.key, given)
    await citewell.storage.inbox.mark_done(asked.key)

    async def by() -> Actor:
        return CONTRIBUTOR

    await citewell.services.rate(Rating(answer_id=given.id, person=CONTRIBUTOR.person, vote=Vote.HELPFUL), by)


async def test_a_confirmed_passage_comes_first_and_the_answer_says_why(citewell: Citewell) -> None:
    before = await citewell.answer(LIKE_IT)
    assert before.citations[0].filename == "rooms.md"
    await confirmed(citewell, ASKED, "desks")
    after = await citewell.answer(LIKE_IT)
    assert after.citations[0].filename == "desks.md"
    assert after.reasoning.endswith("1 person confirmed a passage of it for a question like this one.")
    assert ASKED not in render_answer_text(after)
    assert "U9" not in after.model_dump_json()


async def test_another_question_is_answered_as_before(citewell: Citewell) -> None:
    before = await citewell.answer("Where is the printer?")
    await confirmed(citewell, ASKED, "desks")
    after = await citewell.answer("Where is the printer?")
    assert (after.body, after.reasoning) == (before.body, before.reasoning)


@pytest.mark.parametrize("file", DOCUMENTS)
async def test_a_wrong_thumb_makes_no_answer_of_what_the_documents_do_not_say(citewell: Citewell, file: str) -> None:
    assert (await citewell.answer(UNANSWERED)).outcome is AnswerOutcome.NOT_FOUND
    await confirmed(citewell, UNANSWERED, file)
    assert (await citewell.answer(UNANSWERED)).outcome is AnswerOutcome.NOT_FOUND


@pytest.mark.parametrize("least", [None])
async def test_nothing_is_learnt_and_no_role_is_kept_unless_it_is_switched_on(citewell: Citewell) -> None:
    before = await citewell.answer(LIKE_IT)
    await confirmed(citewell, ASKED, "desks")
    assert (await citewell.answer(LIKE_IT)).body == before.body
    assert '"role": ""' in await citewell.storage.personal_data.export(CONTRIBUTOR.person)
