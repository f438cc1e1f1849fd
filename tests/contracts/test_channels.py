"""Channels as a source: what people say there becomes documents, for those who may read it there, as long as it is."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from datetime import UTC, datetime

import pytest

from pipeline.rules.access import AccessRule
from pipeline.values import AnswerEvent, AnswerRequest, ChannelMessage, Document, PlaceSettings, Role, replace
from tests.contracts.answers import cited
from tests.contracts.driver import Driver, Way
from tests.contracts.rig import once
from tests.contracts.slack_driver import SlackDriver
from tests.contracts.waiting import eventually, until

pytestmark = pytest.mark.walks(Way.TALK)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
SAID = "The staging password is rotated every Monday by the platform team."


@pytest.fixture
async def driver(driver: Driver) -> Driver:
    driver.rig.places[driver.place] = PlaceSettings(index=True)
    return driver


async def documents(driver: Driver) -> list[Document]:
    """The threads that are documents."""
    return [one for one in await driver.rig.storage.library.list_documents() if one.collection == str(driver.place)]


async def texts(driver: Driver) -> list[str]:
    """What each of them says, without who and when."""
    library = driver.rig.storage.library
    found = []
    for one in await documents(driver):
        excerpt = await library.excerpt(one.id, 0, 9)
        assert excerpt
        found.append(" | ".join(chunk.text for chunk in excerpt.chunks))
    return found


async def shows(driver: Driver, *words: str, without: str = "\0") -> None:
    """Wait until one document has all these words, and none has the one it is `without`."""

    async def there() -> bool:
        found = await texts(driver)
        return any(all(word.lower() in text.lower() for word in words) for text in found) and without not in "".join(
            found
        )

    await eventually(there)


async def empty(driver: Driver) -> None:
    async def nothing() -> bool:
        return not await documents(driver) and not await driver.rig.storage.channel_messages.due_threads(1)

    await eventually(nothing)


async def told(driver: Driver) -> None:
    """Wait until those in the channel are told that it is read."""
    await until(lambda: any("source of my answers" in one.text for one in driver.posted()))


async def seen_by(driver: Driver, person: str) -> bool:
    """Whether somebody who asks alone is answered from the channel."""
    await driver.direct(person, "How often is the staging password rotated?")
    await driver.rig.settled()
    return str(driver.place) in driver.rig.requests[-1].audience.collections


async def test_a_thread_becomes_a_document_of_who_said_what(driver: Driver) -> None:
    asked = await driver.aside("ann", "How often is the staging password rotated?")
    await driver.among("bob", SAID, asked)
    await shows(driver, "How often", SAID, "Bob")
    (document,) = await documents(driver)
    assert document.title.startswith("How often is the staging password")


async def test_what_a_file_says_that_came_with_a_message_is_in_its_thread(driver: Driver) -> None:
    handed = {"rota.md": b"# Rota\n\nThe key of the archive is with Priscilla."}
    await driver.aside("ann", "Here is the rota", files=handed)
    await shows(driver, "Here is the rota", "rota.md", "with Priscilla")
    await driver.aside("bob", "", files={"broken.pdf": b"no pdf"})
    await driver.aside("bob", SAID)
    await shows(driver, SAID)


async def test_what_nobody_answered_and_small_talk_are_no_documents(driver: Driver) -> None:
    await driver.aside("ann", "How often is the staging password rotated?")
    await driver.aside("ann", "Good morning everyone!")
    await driver.aside("bob", SAID)
    await shows(driver, SAID, without="morning")
    assert len(await documents(driver)) == 1


async def test_questions_to_the_bot_and_its_answers_are_never_its_source(driver: Driver) -> None:
    asked = await driver.mention("ann", "How many days of leave do staff get?")
    await driver.rig.settled()
    assert driver.replies(asked)
    await driver.aside("bob", SAID)
    await shows(driver, SAID, without="leave")


async def test_what_was_said_before_is_read_too(driver: Driver) -> None:
    driver.rig.places.clear()
    asked = await driver.before("ann", "How often is the staging password rotated?")
    await driver.before("bob", SAID, asked)
    await driver.before("bob", "The office dog is called Waffle.")
    driver.rig.places[driver.place] = PlaceSettings(index=True)
    await shows(driver, "How often", SAID)
    await shows(driver, "Waffle")
    look = (await driver.rig.storage.channel_messages.reading_states())[driver.place]
    assert (look.read, look.complete is not None) == (3, True)


async def test_what_is_older_than_it_is_kept_is_neither_read_nor_stays(driver: Driver) -> None:
    old = ChannelMessage(
        channel=driver.place, thread="1", message="1", author="x", at=LONG_AGO, text="The code is 1234."
    )
    await driver.rig.storage.channel_messages.save([old])
    await driver.restart()
    await driver.aside("bob", SAID)
    await shows(driver, "Monday", without="1234")
    assert (await driver.rig.storage.channel_messages.count(driver.place))[0] == 1


async def test_the_channel_is_told_once_that_it_is_read(driver: Driver) -> None:
    await driver.aside("bob", SAID)
    await shows(driver, "Monday")
    await told(driver)
    await driver.restart()
    await driver.aside("ann", "The office dog is called Waffle.")
    await shows(driver, "Waffle", without="source of my answers")
    assert sum("source of my answers" in one.text for one in driver.posted()) == 1


async def test_an_edit_is_followed(driver: Driver) -> None:
    said = await driver.aside("bob", SAID)
    await shows(driver, "Monday")
    await driver.reword(said, SAID.replace("Monday", "Friday"))
    await shows(driver, "Friday", without="Monday")


async def test_an_edit_is_followed_where_the_platform_does_not_show_the_message_yet(driver: Driver) -> None:
    said = await driver.aside("bob", SAID)
    await shows(driver, "Monday")
    if isinstance(driver, SlackDriver):
        said.handle.visible_at += 3600
    await driver.reword(said, SAID.replace("Monday", "Friday"))
    await shows(driver, "Friday", without="Monday")


async def test_what_is_deleted_is_gone_and_the_rest_of_its_thread_stays(driver: Driver) -> None:
    said = await driver.aside("bob", SAID)
    reply = await driver.among("ann", "Last week it was a Tuesday, though.", said)
    await shows(driver, "Monday", "Tuesday")
    await driver.delete(reply)
    await shows(driver, "Monday", without="Tuesday")
    await driver.delete(said)
    await empty(driver)


async def test_an_event_that_comes_late_brings_nothing_back(driver: Driver) -> None:
    said = await driver.aside("bob", SAID)
    await shows(driver, "Monday")
    await driver.delete(said)
    await empty(driver)
    await driver.again(said)
    await driver.aside("ann", "The office dog is called Waffle.")
    await shows(driver, "Waffle", without="Monday")


async def test_a_reaction_or_a_word_keeps_a_message_out(driver: Driver) -> None:
    said = await driver.aside("bob", SAID)
    await driver.aside("bob", f"{SAID} #offrecord")
    await shows(driver, "Monday", without="#offrecord")
    await driver.react(said)
    await empty(driver)
    await driver.react(said, remove=True)
    await shows(driver, "Monday")


async def test_a_thread_that_was_solved_says_so(driver: Driver) -> None:
    said = await driver.aside("bob", SAID)
    await shows(driver, "Monday")
    assert "solved" not in (await documents(driver))[0].metadata
    await driver.react(said, solved=True)

    async def solved() -> bool:
        return [one.metadata.get("solved") for one in await documents(driver)] == ["yes"]

    await eventually(solved)


async def test_everyone_inside_sees_what_was_said_in_an_open_channel(driver: Driver) -> None:
    await driver.aside("bob", SAID)
    await shows(driver, "Monday")
    assert await seen_by(driver, "ann")


async def test_only_members_see_what_was_said_in_a_closed_channel_as_of_when_they_ask(driver: Driver) -> None:
    await driver.aside("ann", "Hello")
    await driver.aside("bob", SAID)
    await shows(driver, "Monday")
    await driver.only_for("bob")
    assert await seen_by(driver, "bob")
    assert not await seen_by(driver, "ann")
    await driver.mention("bob", "How often is the staging password rotated?")
    await driver.rig.settled()
    assert str(driver.place) in driver.rig.requests[-1].audience.collections


async def test_who_may_not_read_a_channel_any_more_when_a_reply_is_posted_hears_nothing_of_it(driver: Driver) -> None:
    rig = driver.rig
    await driver.aside("ann", "Hello")
    await driver.aside("bob", SAID)
    await shows(driver, "Monday")
    await told(driver)  # or it is this post that the crash comes before
    (held,) = await documents(driver)
    excerpt = await rig.storage.library.excerpt(held.id, 0, 9)
    assert excerpt
    source = {"chunk_id": excerpt.chunks[0].id, "document_id": held.id, "quote": SAID}
    known = cited(SAID)
    by_bob = replace(known, citations=(replace(known.citations[0], **source),))

    def answered(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        may = str(driver.place) in request.audience.collections
        return once(by_bob if may else cited("Nobody says so."))

    rig.script, rig.crash_before = answered, "mark_posting"
    said = await driver.direct("ann", "How often is the staging password rotated?")
    await rig.crashed()
    await driver.only_for("bob")
    await driver.restart()
    await rig.settled()
    assert "Monday" not in "".join(reply.text for reply in driver.replies(said))


async def test_a_channel_that_is_no_source_any_more_is_forgotten(driver: Driver) -> None:
    await driver.aside("bob", SAID)
    await shows(driver, "Monday")
    driver.rig.places.clear()
    await empty(driver)
    assert await driver.rig.storage.channel_messages.count(driver.place) == (0, 0)


async def test_a_channel_that_the_bot_leaves_is_forgotten(driver: Driver) -> None:
    await driver.aside("bob", SAID)
    await shows(driver, "Monday")
    await driver.leave()
    await empty(driver)
    assert (await driver.rig.storage.channel_messages.count(driver.place))[0] == 0


async def test_who_wants_to_be_forgotten_is_in_no_thread_any_more(driver: Driver) -> None:
    said = await driver.aside("bob", SAID)
    await driver.among("ann", "Thanks, the rota of Tuesday says so as well.", said)
    await shows(driver, "Monday", "Tuesday")
    await driver.forget("bob")
    await shows(driver, "Tuesday", without="Monday")


async def test_what_was_said_while_the_bot_was_down_is_taken_in(driver: Driver) -> None:
    await driver.aside("bob", SAID)
    await shows(driver, "Monday")
    await driver.restart()
    await driver.aside("ann", "The office dog is called Waffle.")
    await shows(driver, "Waffle")
    await shows(driver, "Monday")


@pytest.mark.walks(Way.SETUP)
async def test_an_admin_makes_a_channel_a_source_in_chat_and_takes_it_back(driver: Driver) -> None:
    driver.rig.places.clear()
    driver.rig.roles[Role.ADMIN] = frozenset({driver.named("ann")})
    await driver.set_up("ann", index="true")
    await driver.aside("bob", SAID)
    await shows(driver, "Monday")
    await driver.set_up("ann", index="default")
    await empty(driver)


async def test_who_was_forgotten_stays_so_when_the_channel_is_read_again(driver: Driver) -> None:
    await driver.aside("bob", SAID)
    await driver.aside("ann", "The office dog is called Waffle.")
    await shows(driver, "Monday")
    await driver.forget("bob")
    await shows(driver, "Waffle", without="Monday")
    await driver.restart()
    await driver.aside("ann", "The cat is called Pancake.")
    await shows(driver, "Pancake")
    await shows(driver, "Waffle", without="Monday")


async def test_what_is_kept_out_stays_so_when_its_event_comes_again(driver: Driver) -> None:
    said = await driver.aside("bob", SAID)
    await shows(driver, "Monday")
    await driver.react(said)
    await empty(driver)
    await driver.again(said)
    await driver.aside("ann", "The office dog is called Waffle.")
    await shows(driver, "Waffle", without="Monday")


async def test_a_rule_that_names_a_channel_holds_in_that_channel_alone(driver: Driver) -> None:
    driver.rig.rules["hr"] = AccessRule(only=(str(driver.place),))
    held = Document(id="hr", filename="hr.md", title="hr", collection="hr")
    await driver.rig.storage.library.replace_document(held, [], None, "")
    await driver.aside("bob", SAID)
    await shows(driver, "Monday")
    assert await seen_by(driver, "bob")
    assert "hr" not in driver.rig.requests[-1].audience.collections
