"""What is kept about a person is shown, erased (with SQLite to the last byte), and forgotten with time."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from structlog.testing import capture_logs

from pipeline.errors import Refused
from pipeline.values import (
    Action,
    AnswerStyle,
    AnswerSubscription,
    AuditEntry,
    ChannelMessage,
    Handoff,
    PlaceId,
    Preferences,
    Rating,
    RatingReason,
    Turn,
    Vote,
    replace,
)
from storage.messages.history import insert_answer
from storage.open import Storage
from tests.doubles.engines import Engine, traces
from tests.doubles.samples import answer, chunks, document, matrices, message

CANARY = "quetzalcoatlus"
PERSON = "slack:T1:UQUETZAL"
OTHER = "slack:T1:U2"


@pytest.fixture
async def storage(engine: Engine) -> AsyncIterator[Storage]:
    async with engine.storage(embedder="m") as opened:
        yield opened


async def live(storage: Storage, person: str, word: str, number: str) -> None:
    """A person asks, gets an answer, rates it, chooses a style and adds a file to the documents."""
    asked = message(number, author=person.rpartition(":")[2], text=f"What is {word}?")
    await storage.inbox.accept(asked)
    await storage.inbox.lease()
    await storage.inbox.save_answer(asked.key, answer(f"answer-{number}", f"A {word}."))
    await storage.inbox.mark_posting(asked.key)
    await storage.inbox.mark_posted(asked.key, "9.9")
    await storage.history.record(
        asked.conversation, Turn(question=asked.text, answer=word, asked_at=asked.sent_at, author=person)
    )
    await storage.inbox.mark_done(asked.key)
    await storage.feedback.rate(
        Rating(
            answer_id=f"answer-{number}", person=person, vote=Vote.UNHELPFUL, reason=RatingReason.WRONG, comment=word
        )
    )
    await storage.history.save_preferences(person, Preferences(style=AnswerStyle.DETAILED))
    handoff = Handoff(
        id=f"handoff-{number}",
        answer_id=f"answer-{number}",
        asker=person,
        question=asked.text,
        target=PlaceId.parse("slack:T1:C9"),
        origin=asked.conversation,
    )
    await storage.handoffs.create(handoff)
    await storage.handoffs.resolve(handoff.id, person, word, f"It is a {word}.")
    wish = AnswerSubscription(
        id=f"wish-{number}",
        answer_id=f"answer-{number}",
        person=person,
        question=asked.text,
        origin=asked.conversation,
    )
    await storage.subscriptions.save(wish, limit=9)
    added = replace(document(f"chat/{number}"), source="chat:slack", metadata={"author": person})
    await storage.library.replace_document(added, [], None, "")
    await storage.audit.record(
        AuditEntry(at=asked.sent_at, actor=person, action=Action.SET_UP, subject="slack:T1:C2", allowed=False)
    )


async def say(storage: Storage, person: str, word: str, number: str) -> None:
    """In a channel that is read."""
    channel, at = PlaceId.parse("slack:T1:C2"), datetime.now(UTC)
    said = ChannelMessage(
        channel=channel, thread=number, message=number, author=person, at=at, text=f"A {word}, they say."
    )
    await storage.channel_messages.save([said])


async def keep(storage: Storage, name: str, author: str = PERSON) -> None:
    await storage.database.write(lambda db: insert_answer(db, answer(name), author, time.time()))


async def backed_up(storage: Storage) -> None:
    """PostgreSQL has its own backups, of which we know nothing."""
    with suppress(Refused):
        await storage.back_up()


async def test_an_export_holds_everything_of_one_person_and_nothing_of_others(storage: Storage) -> None:
    await live(storage, PERSON, CANARY, "1.0")
    await live(storage, OTHER, "archaeopteryx", "2.0")
    await say(storage, PERSON, CANARY, "1.0")
    await say(storage, OTHER, "archaeopteryx", "2.0")
    text = await storage.personal_data.export(PERSON)
    exported = json.loads(text)
    assert {name: len(part) for name, part in exported.items() if name != "person"} == {
        "turns": 1,
        "answers": 1,
        "messages": 1,
        "ratings": 1,
        "preferences": 1,
        "decisions": 1,
        "handoffs": 1,
        "wishes": 1,
        "replies": 1,
        "added": 1,
        "said": 1,
        "sessions": 0,
    }
    assert "archaeopteryx" not in text
    assert json.loads(await storage.personal_data.export("nobody"))["turns"] == []


async def test_a_forgotten_person_is_nowhere_and_others_stay(storage: Storage) -> None:
    await live(storage, PERSON, CANARY, "1.0")
    await live(storage, OTHER, "archaeopteryx", "2.0")
    await say(storage, PERSON, CANARY, "1.0")
    await backed_up(storage)
    assert len(await traces(storage, [CANARY, "UQUETZAL"])) >= 4
    assert await storage.personal_data.forget(PERSON) == 7
    assert await traces(storage, [CANARY, "UQUETZAL"]) == []
    assert await storage.personal_data.forget(PERSON) == 0
    assert len(json.loads(await storage.personal_data.export(OTHER))["turns"]) == 1
    assert {one.id for one in await storage.library.list_documents()} == {"chat/1.0", "chat/2.0"}
    assert await storage.inbox.accept(message("1.0")) is False


@pytest.mark.parametrize(
    ("author", "asker", "replier"), [(PERSON, PERSON, OTHER), (PERSON, OTHER, OTHER), (OTHER, OTHER, PERSON)]
)
async def test_what_people_were_asked_and_what_was_kept_of_it_go_with_whoever_wrote_it(
    storage: Storage, author: str, asker: str, replier: str
) -> None:
    """The question is its author's, whoever passed it on."""
    question, reply = (f"What is {CANARY}?", "It is.") if author == PERSON else ("What is it?", f"A {CANARY}.")
    await keep(storage, "a1", author)
    handoff = Handoff(
        id="h1",
        answer_id="a1",
        asker=asker,
        question=question,
        target=PlaceId.parse("slack:T1:C9"),
        origin=message("1.0").conversation,
    )
    await storage.handoffs.create(handoff)
    await storage.handoffs.resolve(handoff.id, replier, "somebody", reply)
    kept = replace(
        document("taught/h1", source="taught"), title=f"Answered by a person: {question}", metadata={"author": replier}
    )
    await storage.library.replace_document(
        document("other"), chunks("other", ["A pigeon flew over Texas"]), matrices(1), "m"
    )
    await storage.library.replace_document(kept, chunks("taught/h1", [f"{question} {reply}"]), matrices(1), "m")
    await backed_up(storage)
    await _age(storage, timedelta(days=31))
    await storage.personal_data.delete_expired(days=30)
    await storage.personal_data.forget(PERSON)
    assert await traces(storage, [CANARY, "UQUETZAL"]) == []
    assert [one.id for one in await storage.library.list_documents()] == ["other"]


async def test_a_removed_document_is_nowhere(storage: Storage) -> None:
    text = f"The {CANARY} flew over Texas"
    await storage.library.replace_document(
        document("kept"), chunks("kept", ["A pigeon flew over Texas"] * 50), matrices(50), "m"
    )
    await storage.library.replace_document(document(CANARY), chunks(CANARY, [text] * 50), matrices(50), "m")
    await storage.library.replace_document(document(CANARY), chunks(CANARY, [text, "replaced"]), matrices(2), "m")
    await storage.vectors.sync()
    assert await traces(storage, [CANARY])
    await storage.library.remove_documents([CANARY])
    await storage.vectors.sync()
    assert await traces(storage, [CANARY]) == []
    assert await storage.library.count() == 1


async def test_time_erases_turns_answers_ratings_and_after_a_day_messages(storage: Storage) -> None:
    await live(storage, PERSON, CANARY, "1.0")
    waiting = message("2.0", thread="t", text="Still waiting?")
    await storage.inbox.accept(waiting)
    assert await storage.personal_data.delete_expired(days=30) == 0
    await _age(storage, timedelta(days=2))
    await storage.personal_data.delete_expired(days=30)
    exported = json.loads(await storage.personal_data.export(PERSON))
    assert (len(exported["messages"]), len(exported["turns"]), len(exported["answers"])) == (0, 1, 1)
    assert await storage.inbox.accept(message("1.0")) is False
    await _age(storage, timedelta(days=30))
    await storage.personal_data.delete_expired(days=30)
    exported = json.loads(await storage.personal_data.export(PERSON))
    assert [len(exported[part]) for part in ("turns", "answers", "ratings", "preferences")] == [0, 0, 0, 1]
    assert await traces(storage, [CANARY]) == []
    work = await storage.inbox.lease()
    assert work
    assert work.message.text == "Still waiting?"


async def test_time_erases_questions_that_nobody_could_answer(storage: Storage) -> None:
    long_ago = datetime.now(UTC) - timedelta(days=31)
    await storage.inbox.accept(message("1.0", text=f"Where is the {CANARY}?", sent_at=long_ago))
    await storage.inbox.accept(message("2.0", text="Still waiting?"))
    with capture_logs() as logged:
        assert await storage.personal_data.delete_expired(days=30) == 1
    assert [(entry["event"], entry["questions"]) for entry in logged] == [("questions_expired_unanswered", 1)]
    assert await traces(storage, [CANARY]) == []
    work = await storage.inbox.lease()
    assert work
    assert work.message.text == "Still waiting?"
    assert await storage.inbox.lease() is None


async def test_what_was_told_late_goes_with_the_question_that_it_was_told_for(storage: Storage) -> None:
    """Also where nobody settled what became of it before its message was forgotten."""
    await live(storage, OTHER, CANARY, "1.0")
    asked = message("1.0", text=CANARY)
    wish = AnswerSubscription(
        id="late", answer_id="answer-1.0", person=PERSON, question=CANARY, origin=asked.conversation
    )
    await storage.subscriptions.save(wish, limit=9)
    await _age(storage, timedelta(days=20))
    await storage.inbox.accept(wish.to_message(datetime.now(UTC)))
    await storage.inbox.lease()
    await storage.inbox.save_answer(wish.key, answer("told", CANARY))
    await storage.inbox.mark_posting(wish.key)
    await storage.inbox.mark_posted(wish.key, "1.5")
    await storage.inbox.mark_done(wish.key)
    await _age(storage, timedelta(days=11))
    await storage.personal_data.delete_expired(days=30)
    assert json.loads(await storage.personal_data.export(PERSON))["wishes"][0]["told_at"]
    await storage.personal_data.forget(OTHER)
    assert json.loads(await storage.personal_data.export(PERSON))["answers"] == []


async def _age(storage: Storage, by: timedelta) -> None:
    """Everything happened so much earlier."""
    seconds = by.total_seconds()

    def work(db: object) -> None:
        for statement in (
            "UPDATE turn SET asked_at = asked_at - $1",
            "UPDATE answer SET at = at - $1",
            "UPDATE rating SET at = at - $1",
            "UPDATE handoff SET at = at - $1",
            "UPDATE wish SET asked_at = asked_at - $1, told_at = told_at - $1",
            "UPDATE message SET closed_at = closed_at - $1",
        ):
            db.execute(statement, (seconds,))  # type: ignore[attr-defined]

    await storage.database.write(work)


async def test_a_rating_given_again_replaces_the_first_and_keeps_its_reason(storage: Storage) -> None:
    first = Rating(answer_id="a", person=PERSON, vote=Vote.UNHELPFUL, reason=RatingReason.OUTDATED, comment="old")
    await keep(storage, "a")
    await storage.feedback.rate(first)
    await storage.feedback.rate(Rating(answer_id="a", person=PERSON, vote=Vote.UNHELPFUL))
    (complaint,) = await storage.feedback.unhelpful(9)
    assert (complaint.answer_id, complaint.reason, complaint.comment) == ("a", RatingReason.OUTDATED, "old")
    await storage.feedback.rate(Rating(answer_id="a", person=PERSON, vote=Vote.HELPFUL))
    assert await storage.feedback.counts() == {Vote.HELPFUL: 1, Vote.UNHELPFUL: 0}
    assert await storage.feedback.unhelpful(9) == []


async def test_ratings_are_shown_newest_first_and_never_of_a_question_that_was_erased(storage: Storage) -> None:
    for name, author in (("a1", OTHER), ("a2", PERSON), ("a3", OTHER)):
        await keep(storage, name, author)
        await storage.feedback.rate(Rating(answer_id=name, person="slack:T1:U3", vote=Vote.UNHELPFUL, comment=name))
    assert [complaint.answer_id for complaint in await storage.feedback.unhelpful(2)] == ["a3", "a2"]
    await storage.personal_data.forget(PERSON)
    assert [complaint.comment for complaint in await storage.feedback.unhelpful(9)] == ["a3", "a1"]


async def test_kept_answers_come_back_whole_and_preferences_as_chosen(storage: Storage) -> None:
    await keep(storage, "a1")
    assert await storage.history.answer("a1") == answer("a1")
    assert await storage.history.answer("a2") is None
    assert await storage.history.preferences(PERSON) == Preferences()
    await storage.history.save_preferences(PERSON, Preferences(style=AnswerStyle.BULLET, language="de"))
    assert await storage.history.preferences(PERSON) == Preferences(style=AnswerStyle.BULLET, language="de")


async def test_what_a_forgotten_person_changed_stays_in_the_audit_without_them(storage: Storage) -> None:
    await live(storage, PERSON, CANARY, "1.0")
    await storage.audit.record(
        AuditEntry(at=datetime.now(UTC), actor="console:local", action=Action.READ_PERSON, subject=PERSON, allowed=True)
    )
    await storage.personal_data.forget(PERSON)
    looked, changed = await storage.audit.latest(10)
    assert (looked.actor, looked.subject) == ("console:local", "(erased)")
    assert (changed.actor, changed.subject) == ("(erased)", "slack:T1:C2")
