"""A question that was deleted, and a space that the bot was removed from, leave nothing behind in the database."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from pipeline.errors import QuestionWithdrawn
from pipeline.values import (
    AnswerOutcome,
    AnswerSubscription,
    Attachment,
    Citation,
    CitedSentence,
    ConversationId,
    Handoff,
    IncomingMessage,
    PlaceId,
    Rating,
    Vote,
    replace,
)
from storage.database import Connection
from storage.documents.cleanup import ANSWERS_PER_STATEMENT
from storage.open import Storage
from storage.schema.tables import TABLES
from tests.doubles.asked import replied
from tests.doubles.engines import Engine
from tests.doubles.samples import answer, chunks, document, message

CANARY = "quetzalcoatlus"


@pytest.fixture
async def storage(engine: Engine) -> AsyncIterator[Storage]:
    async with engine.storage() as opened:
        yield opened


async def answered(storage: Storage, asked: IncomingMessage, word: str) -> None:
    """A question is asked, answered and rated, and the conversation recalls it."""
    name = f"answer to {asked.key}"
    given = replace(answer(name, f"A {word}."), question=asked.text, standalone=asked.text)
    await replied(storage, asked, given)
    await storage.feedback.rate(Rating(answer_id=name, person="slack:T1:U9", vote=Vote.UNHELPFUL, comment=word))


async def kept(storage: Storage, word: str) -> list[str]:
    """The tables that hold `word`."""

    def work(db: object) -> list[str]:
        found = []
        for table in TABLES:
            rows = db.execute(f"SELECT * FROM {table.name}").fetchall()  # type: ignore[attr-defined]
            found += [table.name] if word in json.dumps(rows, default=str) else []
        return found

    return await storage.database.read(work)


@pytest.mark.parametrize("forgotten", [False, True])
async def test_a_question_deleted_after_its_answer_is_kept_no_more_and_others_are(
    storage: Storage, forgotten: bool
) -> None:
    """Also when its message is forgotten, as it is a day after the answer, and only turn and answer are left."""
    files = (Attachment(name=f"{CANARY}.pdf"),)
    asked = replace(message("1.0", text=f"What is {CANARY}?"), attachments=files)
    await answered(storage, asked, CANARY)
    await answered(storage, message("2.0", text="What is archaeopteryx?"), "archaeopteryx")
    assert set(await kept(storage, CANARY)) == {"message", "turn", "answer", "asked", "rating"}
    if forgotten:
        await storage.database.write(lambda db: db.execute("DELETE FROM message"))
    assert await storage.inbox.cancel(message("1.0").key) is False
    assert await kept(storage, CANARY) == []
    assert set(await kept(storage, "archaeopteryx")) >= {"turn", "answer", "rating"}
    assert await storage.inbox.accept(message("1.0")) is False


async def test_the_unseen_answer_to_a_question_that_was_changed_is_kept_no_more(storage: Storage) -> None:
    await storage.inbox.accept(message())
    await storage.inbox.lease()
    await storage.inbox.save_answer(message().key, answer("a", f"A {CANARY}."))
    assert await storage.inbox.amend(message().key, "Something else?") is True
    assert await kept(storage, CANARY) == []


SPACES = pytest.mark.parametrize(("left", "stays"), [("4321", "43210"), ("43:2 1/%", "43"), ("43", "43:2")])


@SPACES
async def test_a_space_that_was_left_is_kept_no_more_and_others_are(storage: Storage, left: str, stays: str) -> None:
    spaces = [PlaceId(platform="discord", space=one) for one in (left, stays)]
    for space, word in zip(spaces, (CANARY, "archaeopteryx"), strict=True):
        place = ConversationId(platform="discord", space=space.space, channel="7:", thread="8")
        for number in ("8", "9"):
            asked = replace(
                message(text=f"What is {word}?"),
                place=f"{place.channel_key}:{number}",
                conversation=place,
                asker="discord:5",
            )
            if number == "8":
                await answered(storage, asked, word)
            else:
                await storage.inbox.accept(asked)
    await storage.inbox.erase_space(spaces[0])
    assert await kept(storage, CANARY) == []
    assert [table for end in (":", " ", '"') for table in await kept(storage, f"{spaces[0]}{end}")] == []
    others = {*await kept(storage, "archaeopteryx"), *await kept(storage, str(spaces[1]))}
    assert others >= {"message", "turn", "answer", "rating", "part", "seen"}
    assert (await storage.inbox.count_by_state()) == {"done": 1, "open": 1}
    assert await storage.inbox.lease() is not None


@pytest.mark.parametrize("asked_of", ["5", "43210", None], ids=["others", "a space alike", "them"])
@SPACES
async def test_a_reply_to_what_was_asked_in_a_space_or_of_it_goes_when_that_is_left(
    storage: Storage, left: str, stays: str, asked_of: str | None
) -> None:
    for number, space in enumerate((left, stays)):
        handoff = Handoff(
            id=f"h{number}",
            answer_id=f"a{number}",
            asker="discord:5",
            question="What?",
            target=PlaceId(platform="discord", space=asked_of or space, channel="9"),
            origin=ConversationId(platform="discord", space=space if asked_of else "dm", channel="7"),
        )
        await storage.handoffs.create(handoff)
        taught = document(f"taught/h{number}", source="taught")
        await storage.library.replace_document(taught, chunks(taught.id, [CANARY]), None, "")
    await storage.inbox.erase_space(PlaceId(platform="discord", space=left))
    assert [one.id for one in await storage.library.list_documents()] == ["taught/h1"]


async def wanted(storage: Storage, asked: IncomingMessage) -> AnswerSubscription:
    """Somebody else wants to be told once this can be answered."""
    wish = AnswerSubscription(
        id="w1",
        answer_id=f"answer to {asked.key}",
        person="slack:T1:U9",
        question=asked.text,
        origin=asked.conversation,
        message="1.1",
    )
    await storage.subscriptions.save(wish, limit=1)
    return wish


async def test_what_others_wanted_to_be_told_goes_with_the_question_that_was_deleted(storage: Storage) -> None:
    asked = message("1.0", text=f"What is {CANARY}?")
    await answered(storage, asked, CANARY)
    wish = await wanted(storage, asked)
    await answered(storage, wish.to_message(asked.sent_at), CANARY)
    await storage.inbox.cancel(asked.key)
    assert await kept(storage, CANARY) == []


@pytest.mark.parametrize("forgotten", [False, True], ids=["deleted", "with its author"])
async def test_an_answer_that_others_are_about_to_be_told_is_not_kept_once_its_question_is_gone(
    storage: Storage, forgotten: bool
) -> None:
    asked = message("1.0", text=f"What is {CANARY}?")
    await answered(storage, asked, CANARY)
    wish = await wanted(storage, asked)
    await storage.inbox.accept(wish.to_message(asked.sent_at))
    assert await storage.inbox.lease()
    await (storage.personal_data.forget(asked.author) if forgotten else storage.inbox.cancel(asked.key))
    with pytest.raises(QuestionWithdrawn):
        await storage.inbox.save_answer(wish.key, answer("told", f"A {CANARY}."))
    assert {"answer", "message", "wish"}.isdisjoint(await kept(storage, CANARY))


async def test_what_was_told_in_direct_messages_goes_when_the_space_it_was_asked_in_is_left(storage: Storage) -> None:
    wish = AnswerSubscription(
        id="w1",
        answer_id="a",
        person="discord:5",
        question=f"What is {CANARY}?",
        origin=ConversationId(platform="discord", space="dm", channel="7"),
        said_in=PlaceId(platform="discord", space="4321", channel="7").chain,
    )
    await storage.subscriptions.save(wish, limit=9)
    await answered(storage, wish.to_message(datetime.now(UTC)), CANARY)
    await storage.inbox.erase_space(PlaceId.parse("discord:4321"))
    assert await kept(storage, CANARY) == []


@pytest.mark.parametrize("told_in", ["4321", "dm"])
async def test_what_people_of_a_space_wanted_to_be_told_goes_when_that_is_left(storage: Storage, told_in: str) -> None:
    for number, space in enumerate(("4321", "43210")):
        wish = AnswerSubscription(
            id=f"w{number}",
            answer_id="a",
            person="discord:5",
            question=f"What is {space}?",
            origin=ConversationId(platform="discord", space=space if told_in != "dm" else "dm", channel="7"),
            said_in=PlaceId(platform="discord", space=space, channel="7").chain,
        )
        await storage.subscriptions.save(wish, limit=9)
    await storage.inbox.erase_space(PlaceId.parse("discord:4321"))
    assert [wish.id for wish in (await storage.subscriptions.due(9)).subscriptions] == ["w1"]


async def test_a_reply_that_was_kept_goes_with_the_question_that_was_deleted(storage: Storage) -> None:
    asked = message("1.0", text=f"What is {CANARY}?")
    await answered(storage, asked, CANARY)
    handoff = Handoff(
        id="h1",
        answer_id=f"answer to {asked.key}",
        asker=asked.author,
        question=asked.text,
        target=PlaceId.parse("slack:T1:C9"),
        origin=asked.conversation,
    )
    await storage.handoffs.create(handoff)
    await storage.library.replace_document(
        document("taught/h1", source="taught"), chunks("taught/h1", [asked.text]), None, ""
    )
    await storage.inbox.cancel(asked.key)
    assert await storage.library.list_documents() == []
    await storage.library.delete_unreachable()
    assert await storage.database.read(lambda db: db.execute("SELECT count(*) FROM chunk").fetchone()) == (0,)


@pytest.mark.parametrize("how", ["removed", "left"])
async def test_the_words_of_a_removed_document_are_in_no_answer_and_no_conversation_any_more(
    storage: Storage, how: str
) -> None:
    """Only in those that quoted it; what rested on another document stays as it is."""
    gone, stays = document("gone", source="slack:T1:C1"), document("stays")
    for each in (gone, stays):
        await storage.library.replace_document(each, chunks(each.id, [each.id]), None, "")
    for number, (cited, word) in enumerate(((gone, CANARY), (stays, "archaeopteryx"))):
        quoted = Citation(
            number=1, document_id=cited.id, chunk_id=f"{cited.id}#0", title=word, filename=cited.filename, quote=word
        )
        given = replace(
            answer(f"a{number}", f"A {word}."),
            question=f"What {number}?",
            standalone=f"What {number}?",
            citations=(quoted,),
            nearest=(quoted,),
            sentences=(CitedSentence(text=f"A {word}.", numbers=(1,)),),
        )
        asked = message(f"{number}.0", text=given.question)
        await replied(storage, asked, given)
    assert set(await kept(storage, CANARY)) == {"turn", "answer"}
    if how == "removed":
        await storage.library.remove_documents([gone.id])
    else:
        await storage.channel_messages.forget_channel(PlaceId.parse("slack:T1:C1"))
    assert await kept(storage, CANARY) == []
    assert set(await kept(storage, "archaeopteryx")) == {"turn", "answer"}
    bared = await storage.history.answer("a0")
    assert bared is not None
    assert (bared.outcome, bared.citations[0].document_id) == (AnswerOutcome.ANSWERED, gone.id)
    assert "removed" in bared.body


async def test_of_however_many_answers_each_is_left_without_any_word_of_what_was_removed(storage: Storage) -> None:
    removed = ["one", "two", "three"]
    for name in removed:
        await storage.library.replace_document(document(name), chunks(name, [name]), None, "")
    cited = tuple(
        Citation(number=number, document_id=name, chunk_id=f"{name}#0", title=name, filename=name, quote=CANARY)
        for number, name in enumerate(removed, 1)
    )
    for number in range(ANSWERS_PER_STATEMENT // 2):
        given = replace(answer(f"a{number}", CANARY), citations=cited)
        await storage.history.save_answer(given, "slack:T1:U1")
    await storage.library.remove_documents(removed)
    assert await kept(storage, CANARY) == []


async def test_an_answer_that_cannot_be_read_any_more_goes_with_the_document_that_it_quotes(storage: Storage) -> None:
    await storage.library.replace_document(document("gone"), chunks("gone", ["gone"]), None, "")

    def as_another_version_wrote_it(db: Connection) -> None:
        db.execute("INSERT INTO answer VALUES ($1, $2, $3, $4)", ("a1", "slack:T1:U1", 0, f'{{"body": "{CANARY}"}}'))
        db.execute("INSERT INTO quoting (document, answer) VALUES ($1, $2)", ("gone", "a1"))

    await storage.database.write(as_another_version_wrote_it)
    assert await storage.library.remove_documents(["gone"]) == 1
    assert await kept(storage, CANARY) == []


async def test_where_a_question_was_asked_twice_each_conversation_goes_on_from_its_own(storage: Storage) -> None:
    await storage.library.replace_document(document("gone"), chunks("gone", ["gone"]), None, "")
    cited = Citation(number=1, document_id="gone", chunk_id="gone#0", title="gone", filename="gone.md", quote=CANARY)
    conversations = [ConversationId(platform="slack", space="T1", channel=name) for name in ("C1", "C2")]
    for one in conversations:
        given = replace(
            answer(one.channel, CANARY),
            question="And here?",
            standalone=f"And here ({one.channel})?",
            citations=(cited,),
            sentences=(CitedSentence(text=CANARY, numbers=(1,)),),
        )
        turn = given.to_turn("slack:T1:U1", datetime.now(UTC))
        assert turn is not None
        await storage.history.save_answer(given, "slack:T1:U1")
        await storage.history.record(one, turn)
    await storage.library.remove_documents(["gone"])
    assert await kept(storage, CANARY) == []
    for one in conversations:
        (left,) = (await storage.history.recall(one, 9)).turns
        assert (left.answer, left.standalone) == ("", f"And here ({one.channel})?")


async def test_an_answer_that_was_written_while_its_document_was_removed_does_not_keep_its_words(
    storage: Storage,
) -> None:
    gone = document("gone")
    await storage.library.replace_document(gone, chunks(gone.id, [CANARY]), None, "")
    quoted = Citation(number=1, document_id=gone.id, chunk_id="gone#0", title="T", filename="gone.md", quote=CANARY)
    given = replace(answer("a", f"A {CANARY}."), citations=(quoted,))
    await storage.library.remove_documents([gone.id])
    await storage.history.save_answer(given, "slack:T1:U1")
    assert await kept(storage, CANARY) == ["answer"]
    await storage.library.replace_document(document("next"), chunks("next", ["Next."]), None, "")
    assert await kept(storage, CANARY) == []
