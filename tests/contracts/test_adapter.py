"""What every platform promises, in the words of the port `PlatformAdapter`."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import closing

import pytest

from pipeline.compose.answer import failed_answer
from pipeline.plan.question import extract_question
from pipeline.plan.references import resolve_reference
from pipeline.rules.access import AccessRule
from pipeline.translations import Translator
from pipeline.values import (
    AnswerEvent,
    AnswerRequest,
    AnswerStage,
    AnswerStyle,
    BlockKind,
    CitedSentence,
    Confidence,
    ConfidenceLevel,
    Document,
    Link,
    PlaceSettings,
    Preferences,
    ProgressEvent,
    QuotedBlock,
    RatingReason,
    Role,
    SentenceEvent,
    Usage,
)
from pipeline.words import wording
from tests.contracts.answers import URL, broken, citation, cited, not_found
from tests.contracts.driver import Driver, Fault, Said, Shown, Way
from tests.contracts.rig import appearing_until, held_until, once, searching_until
from tests.contracts.waiting import eventually, until
from tests.doubles.english import left_in_english

MORE = "And how much annual leave?"
"""What every scripted answer is about, so that it may be asked among people."""


def text_of(driver: Driver, said: Said) -> str:
    return "\n".join(shown.text for shown in driver.replies(said))


# --- Ways in ------------------------------------------------------------------------------------


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION)
async def test_a_mention_is_answered_where_it_was_asked_with_its_source(driver: Driver) -> None:
    said = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    assert "Staff get thirty days of leave. [1]" in reply.text
    assert "Leave policy" in reply.text
    assert "page 3" in reply.text
    assert "0.875" not in reply.text
    assert "used 1 passage" not in reply.text
    assert wording.CONFIDENCE_BADGES["high"] in reply.text
    assert reply.links == {URL}
    assert [request.text for request in driver.rig.requests] == ["How much leave do I get?"]


@pytest.mark.ways_in
@pytest.mark.walks(Way.DIRECT)
async def test_a_direct_message_is_answered(driver: Driver) -> None:
    said = await driver.direct("ann", "How much leave do I get?")
    await driver.rig.settled()
    assert "thirty days" in text_of(driver, said)


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.FOLLOW_UP)
async def test_a_follow_up_needs_no_mention_where_the_bot_has_answered(driver: Driver) -> None:
    first = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    second = await driver.follow_up("bob", MORE, first)
    await driver.rig.settled()
    assert len(driver.replies(second)) == 1
    asked, followed = driver.rig.requests
    assert followed.text == MORE
    assert followed.conversation == asked.conversation


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.FOLLOW_UP, Way.INBOX)
async def test_a_follow_up_counts_while_the_first_answer_is_still_appearing(driver: Driver) -> None:
    free = asyncio.Event()
    driver.rig.script = appearing_until(free)
    first = await driver.mention("ann", "How much leave do I get?")
    await until(lambda: bool(driver.replies(first)))
    second = await driver.follow_up("bob", MORE, first)
    free.set()
    await driver.rig.settled()
    assert [request.text for request in driver.rig.requests] == ["How much leave do I get?", MORE]
    assert len(driver.replies(second)) == 1


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.FOLLOW_UP, Way.PLACES)
async def test_what_is_not_for_the_bot_is_left_alone(driver: Driver) -> None:
    aside = await driver.aside("ann", "Lunch?")
    after = await driver.follow_up("bob", "Yes, at noon.", aside)
    await driver.rig.settled()
    assert driver.rig.requests == []
    assert driver.replies(after) == []


ASIDES = (
    "haha",
    "same here",
    ":+1:",
    "we can close this thread I guess",
    "thanks everybody!",
    "I had thirty days of leave in my last job",
    "are you taking leave in May?",
    "<https://wiki.acme.example/leave>",
    "who won the cup?",
)


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.PLACES)
async def test_what_people_say_to_each_other_gets_no_answer_and_no_sign_of_work(driver: Driver) -> None:
    first = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    seen = driver.signs()
    for text in ASIDES:
        said = await driver.among("bob", text, first)
        await driver.rig.settled()
        assert not driver.at_work(said)
    assert driver.signs() == seen
    assert len(driver.replies(first)) == 1
    assert "haha" not in await driver.rig.desk.export_person(driver.key("bob"))


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.THREADS)
async def test_an_answer_that_is_not_sure_enough_is_not_given_unasked(driver: Driver) -> None:
    first = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    seen = driver.signs()
    unsure = Confidence(level=ConfidenceLevel.LOW, score=0.5)
    elsewhere = [citation(title="Desks", heading=("Desks",), quote="Desks are booked for a week.")]
    for answer in (cited("Desks are booked.", citations=elsewhere, confidence=unsure), broken()):
        driver.rig.script = lambda request, answer=answer: once(answer)  # type: ignore[misc]
        await driver.among("bob", MORE, first)
        await driver.rig.settled()
    assert len(driver.rig.requests) == 3
    assert driver.signs() == seen


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.THREADS)
async def test_where_the_passages_only_come_close_to_a_follow_up_nothing_is_said_to_everybody(driver: Driver) -> None:
    first = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    driver.rig.script = lambda request: once(not_found(request.text))
    said = await driver.among("bob", MORE, first)
    await driver.rig.settled()
    assert driver.replies(said) == []
    assert len(driver.replies(first)) == 1
    assert not driver.at_work(said)


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.WHISPER)
async def test_its_asker_alone_is_shown_them_once_and_nothing_is_kept_of_it(driver: Driver) -> None:
    first = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    driver.rig.script = lambda request: once(not_found(request.text))
    said = await driver.among("bob", MORE, first)
    await driver.rig.settled()
    await until(lambda: driver.whispered(said))
    (shown,) = driver.whispered(said)
    assert wording.ONLY_YOU_SEE in shown.text
    assert wording.RELATED_PASSAGES in shown.text
    assert "Leave policy" in shown.text
    assert shown.buttons == frozenset()
    await driver.again(said)
    await driver.restart()
    await driver.again(said)
    await driver.rig.settled()
    assert len(driver.whispered(said)) == 1
    assert MORE not in await driver.rig.desk.export_person(driver.key("bob"))


@pytest.mark.walks(Way.MENTION, Way.WHISPER)
async def test_a_crash_before_that_ends_in_one_and_one_after_it_in_no_second(driver: Driver) -> None:
    first = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    driver.rig.script = lambda request: once(not_found(request.text))
    driver.rig.crash_before = "mark_ignored"
    said = await driver.among("bob", MORE, first)
    await driver.rig.crashed()
    for _ in range(2):
        await driver.restart()
        await driver.rig.settled()
        await until(lambda: driver.whispered(said))
        assert len(driver.whispered(said)) == 1


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.THREADS)
async def test_what_asks_the_documents_among_people_is_answered_without_a_sign_before(driver: Driver) -> None:
    first = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    seen, free = driver.signs(), asyncio.Event()
    thinking = asyncio.Event()
    driver.rig.script = appearing_until(free, thinking)
    said = await driver.among("bob", MORE, first)
    await thinking.wait()
    assert driver.signs() == seen
    free.set()
    await driver.rig.settled()
    assert MORE in text_of(driver, said)


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.THREADS)
async def test_a_person_sends_the_bot_out_of_a_conversation_and_a_mention_calls_it_back(driver: Driver) -> None:
    first = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    sent_away = await driver.mention_after("bob", "stop", first)
    await driver.rig.settled()
    assert wording.SILENCED in text_of(driver, sent_away)
    await driver.restart()
    await driver.among("ann", MORE, first)
    await driver.rig.settled()
    assert [request.text for request in driver.rig.requests] == ["How much leave do I get?"]
    await driver.mention_after("ann", MORE, first)
    await driver.rig.settled()
    await driver.among("bob", MORE, first)
    await driver.rig.settled()
    assert len(driver.rig.requests) == 3


@pytest.mark.ways_in
@pytest.mark.walks(Way.STOP)
async def test_a_button_sends_the_bot_out_of_a_thread_and_a_mention_calls_it_back(driver: Driver) -> None:
    first = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    before = len(driver.replies(first))
    (told,) = await driver.stop(first, "bob")
    assert wording.SILENCED in told.text
    await driver.restart()
    await driver.among("ann", MORE, first)
    await driver.rig.settled()
    assert len(driver.replies(first)) == before
    assert len(driver.rig.requests) == 1
    await driver.mention_after("ann", MORE, first)
    await driver.among("bob", MORE, first)
    await driver.rig.settled()
    assert len(driver.rig.requests) == 3


@pytest.mark.ways_in
@pytest.mark.walks(Way.BUTTONS)
async def test_that_button_is_there_only_where_the_bot_answers_unasked(driver: Driver) -> None:
    among, alone = await driver.mention("ann", "How much leave do I get?"), await driver.direct("ann", "How much?")
    private = await driver.ask("ann", "How much leave do I get?")
    await driver.rig.settled()
    offered = ["stop" in driver.replies(said)[-1].buttons for said in (among, alone, private)]
    assert offered == [Way.STOP not in driver.absent, False, False]


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.THREADS)
async def test_a_mention_with_start_calls_the_bot_back(driver: Driver) -> None:
    first = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    for order in ("Stop!", "start"):
        told = await driver.mention_after("bob", order, first)
        await driver.rig.settled()
    assert wording.UNSILENCED in text_of(driver, told)
    await driver.among("ann", MORE, first)
    await driver.rig.settled()
    assert [request.text for request in driver.rig.requests] == ["How much leave do I get?", MORE]


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.EDIT, Way.PLACES)
async def test_an_aside_that_an_edit_addresses_to_the_bot_is_answered(driver: Driver) -> None:
    aside = await driver.aside("ann", "How much leave do I get?")
    first = await driver.mention("bob", "How much leave do I get?")
    await driver.rig.settled()
    idle = await driver.among("ann", "haha", first)
    await driver.rig.settled()
    assert driver.replies(aside) == []
    for said, text in ((aside, "How much leave?"), (idle, "How much annual leave?")):
        await driver.edit_in_mention(said, text)
        await driver.rig.settled()
        await driver.edit_in_mention(said, text)
        await driver.rig.settled()
    assert [request.text for request in driver.rig.requests[1:]] == ["How much leave?", "How much annual leave?"]
    await driver.edit_in_mention(aside, "How many days?")
    await driver.rig.settled()
    assert driver.rig.requests[-1].text == "How many days?"
    assert len(driver.replies(aside)) == 1


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.EDIT, Way.THREADS)
async def test_what_is_being_weighed_is_answered_once_an_edit_addresses_it_to_the_bot(driver: Driver) -> None:
    first = await driver.mention("bob", "How much leave do I get?")
    await driver.rig.settled()
    free = asyncio.Event()
    driver.rig.script = appearing_until(free)
    said = await driver.among("ann", MORE, first)
    await until(lambda: len(driver.rig.requests) == 2)
    await driver.edit_in_mention(said, "How old is the company?")
    free.set()
    await driver.rig.settled()
    assert "How old is the company?" in text_of(driver, said)


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.PLACES)
@pytest.mark.parametrize("text", ["", "can you answer this?"])
async def test_a_mention_in_reply_to_a_message_asks_what_that_asks(driver: Driver, text: str) -> None:
    aside = await driver.aside("ann", "How much leave do I get?")
    said = await driver.point("bob", text, aside)
    await driver.rig.settled()
    (request,) = driver.rig.requests
    assert resolve_reference(extract_question(request.text), request.around) == "How much leave do I get?"
    assert len(driver.replies(said)) == 1


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.THREADS)
async def test_what_others_said_last_in_a_thread_is_known_to_a_question_that_leans_and_is_kept_nowhere(
    driver: Driver,
) -> None:
    first = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    await driver.among("bob", "I work part-time in Oslo", first)
    await driver.mention_after("ann", "and for him?", first)
    await driver.rig.settled()
    asked = driver.rig.requests[-1]
    assert asked.text == "and for him?"
    assert "I work part-time in Oslo" in asked.around.messages
    assert not any("thirty days" in text for text in asked.around.messages)
    for person in ("ann", "bob"):
        assert "Oslo" not in await driver.rig.desk.export_person(driver.key(person))


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.THREADS)
async def test_a_question_that_stands_alone_is_asked_without_looking_around(driver: Driver) -> None:
    first = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    await driver.among("bob", "I work part-time in Oslo", first)
    await driver.mention_after("ann", "How many weeks of parental leave are there?", first)
    await driver.rig.settled()
    assert driver.rig.requests[-1].around.messages == ()


@pytest.mark.ways_in
@pytest.mark.walks(Way.PRIVATE)
async def test_a_private_question_is_answered_to_its_asker_alone(driver: Driver) -> None:
    said = await driver.ask("ann", "How much leave do I get?")
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    assert "thirty days" in reply.text
    assert "share" in reply.buttons


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENU)
async def test_a_message_is_answered_from_its_menu_to_whoever_chose_so_alone(driver: Driver) -> None:
    aside = await driver.aside("bob", "How much leave do I get?")
    said = await driver.answer_this("ann", aside)
    await driver.rig.settled()
    assert "thirty days" in text_of(driver, said)
    assert driver.replies(aside) == []
    assert [request.author for request in driver.rig.requests] == [driver.key("ann")]


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.DIRECT, Way.PLACES)
async def test_readers_are_everyone_in_a_channel_and_the_asker_alone_in_private(driver: Driver) -> None:
    await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    await driver.direct("ann", "How much leave do I get?")
    await driver.rig.settled()
    channel, alone = driver.rig.readers
    assert driver.alone("ann") not in channel.groups
    assert driver.alone("ann") in alone.groups


@pytest.mark.ways_in
@pytest.mark.walks(Way.SHARED_CHANNEL)
async def test_a_shared_channel_gets_one_polite_line(driver: Driver) -> None:
    said = await driver.outside("ann", "How much leave do I get?")
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    assert reply.text == wording.SHARED_CHANNEL
    after = await driver.follow_up("bob", "What was that?", said)
    await driver.rig.settled()
    assert len(driver.replies(after)) + len(driver.replies(said)) <= 1
    assert driver.rig.requests == []


@pytest.mark.ways_in
@pytest.mark.walks(Way.FILES)
async def test_a_file_that_is_not_read_is_said_so(driver: Driver) -> None:
    said = await driver.direct("ann", "What does this show?", files={"chart.png": b"png"})
    await driver.rig.settled()
    told = text_of(driver, said)
    assert "thirty days" in told
    assert "I cannot read attached files" in told
    assert "chart.png" in told


# --- Nothing twice, nothing lost ------------------------------------------------------------------


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.INBOX)
async def test_a_message_delivered_again_is_answered_once(driver: Driver) -> None:
    said = await driver.mention("ann", "How much leave do I get?")
    await driver.again(said)
    await driver.rig.settled()
    await driver.again(said)
    await driver.rig.settled()
    assert len(driver.replies(said)) == 1
    assert len(driver.rig.requests) == 1


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.INBOX)
async def test_a_message_delivered_again_after_a_restart_is_answered_once(driver: Driver) -> None:
    said = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    await driver.restart()
    await driver.again(said)
    await driver.rig.settled()
    assert len(driver.replies(said)) == 1


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.EDIT)
async def test_an_edit_before_the_answer_changes_the_question(driver: Driver) -> None:
    free = asyncio.Event()
    driver.rig.script = searching_until(free)
    said = await driver.mention("ann", "How much leaf?")
    await until(lambda: driver.at_work(said))
    await driver.edit(said, "How much leave?")
    free.set()
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    assert "How much leave?" in reply.text


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.EDIT)
async def test_an_edit_while_the_answer_appears_turns_it_into_that_of_the_new_question(driver: Driver) -> None:
    free = asyncio.Event()

    driver.rig.script = appearing_until(free)
    said = await driver.mention("ann", "How much leaf?")
    await until(lambda: bool(driver.replies(said)))
    await driver.edit(said, "How much leave?")
    free.set()
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    assert "How much leave?" in reply.text
    assert "Rule" not in reply.text


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.EDIT)
@pytest.mark.parametrize("restarts", [False, True])
async def test_an_edit_after_the_answer_puts_that_of_the_new_question_in_its_place(
    driver: Driver, *, restarts: bool
) -> None:
    texts = {"How much leaf?": ["Leaves are green."] * 900, "How much leave?": ["Staff get thirty days."]}
    driver.rig.script = lambda asked: once(cited(*texts[asked.text], question=asked.text))
    said = await driver.mention("ann", "How much leaf?")
    await driver.rig.settled()
    assert len(driver.replies(said)) > 1
    if restarts:
        await driver.restart()
    await driver.edit(said, "How much leave?")
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    assert "thirty days" in reply.text
    assert "green" not in reply.text
    await driver.edit(said, "How much leave?")
    await driver.rig.settled()
    assert len(driver.rig.requests) == 2


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.EDIT, Way.INBOX)
@pytest.mark.parametrize("step", ["save_answer", "mark_done"])
async def test_a_crash_while_an_answer_is_replaced_ends_in_one_reply_to_the_new_question(
    driver: Driver, step: str
) -> None:
    driver.rig.script = lambda asked: once(cited(f"You asked: {asked.text}", question=asked.text))
    said = await driver.mention("ann", "How much leaf?")
    await driver.rig.settled()
    driver.rig.crash_before = step
    await driver.edit(said, "How much leave?")
    await driver.rig.crashed()
    await driver.restart()
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    assert "How much leave?" in reply.text


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.EDIT, Way.INBOX)
@pytest.mark.parametrize("step", ["save_answer", "release", "mark_done"])
async def test_a_crash_after_an_edit_ends_in_one_reply_to_the_new_question(driver: Driver, step: str) -> None:
    free = asyncio.Event()

    driver.rig.script = appearing_until(free)
    said = await driver.mention("ann", "How much leaf?")
    await until(lambda: bool(driver.replies(said)))
    await driver.edit(said, "How much leave?")
    driver.rig.crash_before = step
    free.set()
    await driver.rig.crashed()
    await driver.restart()
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    assert "How much leave?" in reply.text
    assert "Rule" not in reply.text


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.EDIT)
async def test_where_that_is_set_an_answer_goes_with_its_question(driver: Driver) -> None:
    stays = await driver.mention("bob", "How much leave?")
    await driver.rig.settled()
    await driver.delete(stays)
    driver.rig.places[driver.place] = PlaceSettings(retract=True)
    driver.rig.script = lambda asked: once(cited(*(["Staff get thirty days of leave."] * 100), question=asked.text))
    goes = await driver.mention("ann", "How much leave?")
    await driver.rig.settled()
    assert driver.replies(goes)
    await driver.delete(goes)
    await driver.rig.settled()
    assert driver.replies(goes) == []
    assert len(driver.replies(stays)) == 1


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.EDIT)
async def test_a_deletion_before_the_answer_cancels_it(driver: Driver) -> None:
    free = asyncio.Event()
    driver.rig.script = held_until(free)
    said = await driver.mention("ann", "How much leave?")
    await driver.delete(said)
    free.set()
    await driver.rig.settled()
    other = await driver.mention("bob", "And mine?")
    await driver.rig.settled()
    assert driver.replies(said) == []
    assert len(driver.replies(other)) == 1


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.INBOX, Way.FAULTS)
async def test_a_stop_while_the_platform_is_out_of_reach_costs_a_question_nothing(driver: Driver) -> None:
    driver.break_next_post(Fault.OUT_OF_REACH)
    await driver.mention("ann", "How much leave do I get?")
    await until(lambda: driver.rig.requests)
    await driver.rig.stop(drain_seconds=2.0)
    with closing(sqlite3.connect(driver.rig.folder / "citewell.db")) as database:
        assert database.execute("SELECT state, attempt, ends FROM message").fetchall() == [("open", 0, 0)]


# --- The reply ------------------------------------------------------------------------------------


async def growing(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
    """Three sentences, each after a while."""
    sentences = [CitedSentence(text=text, numbers=(1,)) for text in ("First.", "Second.", "Third.")]
    yield ProgressEvent(stage=AnswerStage.WRITING)
    for sentence in sentences:
        yield SentenceEvent(sentence=sentence)
        await asyncio.sleep(0.1)
    yield cited(sentences=sentences, question=request.text)


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION)
async def test_an_answer_that_takes_time_ends_as_one_complete_reply(driver: Driver) -> None:
    driver.rig.script = growing
    said = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    assert "First. Second. Third. [1]" in reply.text
    assert "Leave policy" in reply.text


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION)
async def test_work_is_shown_while_it_lasts_and_no_longer(driver: Driver) -> None:
    free = asyncio.Event()

    driver.rig.script = searching_until(free)
    said = await driver.mention("ann", "How much leave do I get?")
    await until(lambda: driver.at_work(said))
    free.set()
    await driver.rig.settled()
    assert not driver.at_work(said)


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION)
async def test_a_question_that_waits_for_the_model_shows_its_place_until_it_is_answered(driver: Driver) -> None:
    moved, free = asyncio.Event(), asyncio.Event()

    async def waiting(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        yield ProgressEvent(stage=AnswerStage.WAITING, ahead=3)
        await moved.wait()
        for ahead in (2, 1):
            yield ProgressEvent(stage=AnswerStage.WAITING, ahead=ahead)
        await free.wait()
        async for event in growing(request):
            yield event

    driver.rig.script = waiting
    said = await driver.mention("ann", "How much leave do I get?")
    await until(lambda: "3 questions are before this one" in driver.seen_at(said))
    moved.set()
    await until(lambda: "1 question is before this one" in driver.seen_at(said))
    assert "3 questions" not in driver.seen_at(said)
    free.set()
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    assert "First. Second. Third. [1]" in reply.text
    assert wording.PROGRESS[AnswerStage.WAITING] not in driver.seen_at(said)
    assert "before this one" not in driver.seen_at(said)


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.INBOX)
async def test_each_of_many_questions_that_wait_shows_its_place(driver: Driver) -> None:
    free = asyncio.Event()
    places = iter(range(7))

    async def waiting(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        if ahead := next(places):
            yield ProgressEvent(stage=AnswerStage.WAITING, ahead=ahead)
        async for event in held_until(free)(request):
            yield event

    driver.rig.script = waiting
    asked = [await driver.mention("ann", f"How much leave do I get in year {number}?") for number in range(7)]
    await until(lambda: sum("before this one" in driver.seen_at(said) for said in asked) == 6)
    free.set()
    await driver.rig.settled()
    assert not any("before this one" in driver.seen_at(said) or driver.at_work(said) for said in asked)


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION)
async def test_a_long_answer_is_told_whole_and_in_order(driver: Driver) -> None:
    texts = [f"Rule {number} says that request {number} needs form {number}." for number in range(300)]
    code = CitedSentence(text="\n".join(f"step_{n} = {n}" for n in range(400)), kind=BlockKind.CODE, language="python")
    answer = cited(sentences=[*(CitedSentence(text=text, numbers=(1,)) for text in texts), code])
    driver.rig.script = lambda request: once(answer)
    said = await driver.mention("ann", "What are the rules?")
    await driver.rig.settled()
    told = text_of(driver, said)
    places = [told.index(text) for text in texts]
    assert places == sorted(places)
    files = "".join(content for shown in driver.replies(said) for content in shown.files)
    assert all(f"step_{n} = {n}\n" in f"{told}\n{files}" for n in range(400))
    assert sum("passages" in shown.buttons for shown in driver.replies(said)) == (Way.BUTTONS not in driver.absent)


HOSTILE = (
    "<!here> <!channel> <@U0ANN> <#C0TEAM> @everyone @here <@&123> <@123456789012345678>",
    "[the policy](https://evil.example/steal?q=secret) ![x](https://evil.example/p.png) <https://evil.example|policy>",
    "https://evil.example/a www.evil.example [a]: https://evil.example/b \\[a\\](https://evil.example/c)",
    "` https://evil.example/d ``` [x](https://evil.example/e) ~~~",
    "&lt;!here&gt; &lt;https://evil.example&gt; javascript:alert(1)",
    "\u202ehttps://evil.example\u202c [y](<https://evil.example/f>) h\u200bttps://evil.example/g",
    "\x1b]8;;https://evil.example/h\x1b\\the policy\x1b]8;;\x1b\\ \x1b[2J\x1b[1;1H\x1b]0;owned\x07 \x9b31m \r\x08 \x85",
    "[link=https://evil.example/i]the policy[/link] [bold red]Attention[/bold red] :skull: \U000e0041\u2066",
)


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION)
async def test_a_hostile_answer_can_be_read_and_do_nothing(driver: Driver) -> None:
    kinds = (BlockKind.PROSE, BlockKind.ITEM, BlockKind.STEP, BlockKind.HEADER, BlockKind.ROW)
    sentences = [CitedSentence(text=text, kind=kind, numbers=(1,)) for kind in kinds for text in HOSTILE]
    sources = [citation(title=HOSTILE[0] + HOSTILE[1], url="https://wiki.acme.example/ok", heading=HOSTILE)]
    driver.rig.script = lambda request: once(cited(sentences=sentences, citations=sources, preface=HOSTILE[1]))
    said = await driver.mention("ann", "What are the rules?")
    await driver.rig.settled()
    replies = driver.replies(said)
    assert replies
    for reply in replies:
        assert reply.pings == frozenset()
        assert reply.links <= {"https://wiki.acme.example/ok"}


@pytest.mark.walks(Way.MENTION)
@pytest.mark.parametrize("kind", [BlockKind.PROSE, BlockKind.ITEM, BlockKind.STEP, BlockKind.ROW])
async def test_words_that_were_a_link_in_the_document_open_its_address(driver: Driver, kind: BlockKind) -> None:
    form = "https://wiki.acme.example/form?a=1#b"
    links = (Link(text="leave [form]|<b>", url=form),)
    text = "Fill in the leave [form]|<b>, not https://evil.example/form."
    sentences = [
        CitedSentence(text="What to do", kind=BlockKind.HEADER if kind is BlockKind.ROW else BlockKind.PROSE),
        CitedSentence(text=text, kind=kind, numbers=(1,), links=links),
    ]
    driver.rig.script = lambda request: once(cited(sentences=sentences))
    said = await driver.mention("ann", "How do I ask for leave?")
    await driver.rig.settled()
    assert frozenset().union(*(shown.links for shown in driver.replies(said))) == {URL, form}
    assert all(word in text_of(driver, said) for word in ("Fill in the", "leave", "form", "not"))


@pytest.mark.walks(Way.MENTION)
async def test_the_address_of_a_source_may_be_opened_in_the_text_without_its_fragment(driver: Driver) -> None:
    page = "https://wiki.acme.example/leave"
    driver.rig.script = lambda request: once(
        cited(f"It stands on {page} and not on {page}/x.", citations=[citation(url=f"{page}#annual")])
    )
    said = await driver.mention("ann", "Where does it stand?")
    await driver.rig.settled()
    assert frozenset().union(*(shown.links for shown in driver.replies(said))) <= {page, f"{page}#annual"}


@pytest.mark.walks(Way.MENTION, Way.ATTACHMENTS)
async def test_a_long_script_comes_as_a_file_with_its_beginning_in_the_text(driver: Driver) -> None:
    script = "\n".join(f"echo {number} # <!here> [a](https://evil.example)" for number in range(150))
    code = CitedSentence(text=script, kind=BlockKind.CODE, language="bash", numbers=(1,), opens=True)
    answer = cited(sentences=[CitedSentence(text="Run this:", numbers=(1,)), code])
    driver.rig.script = lambda request: once(answer)
    said = await driver.mention("ann", "What is the script?")
    await driver.rig.settled()
    replies = driver.replies(said)
    assert [content for shown in replies for content in shown.files] == [f"{script}\n"]
    assert "echo 3" in text_of(driver, said)
    assert "15 of 150 lines are shown here" in text_of(driver, said)
    assert all(shown.links <= {URL} and not shown.pings for shown in replies)


@pytest.mark.walks(Way.MENTION)
async def test_where_one_source_serves_all_it_is_marked_once_at_the_end(driver: Driver) -> None:
    kinds = {"kind": BlockKind.ITEM, "numbers": (1,)}
    sentences = [CitedSentence(text="Bring these:", numbers=(1,)), *(
        CitedSentence(text=text, opens=text == "Rope", **kinds) for text in ("Rope", "Lamp", "Map"))]  # fmt: skip
    driver.rig.script = lambda request: once(cited(sentences=sentences))
    said = await driver.mention("ann", "What do I bring?")
    await driver.rig.settled()
    above, _, _ = text_of(driver, said).partition("Sources")
    assert above.count("[1]") == 1
    assert above.index("Map") < above.index("[1]")


@pytest.mark.walks(Way.MENTION)
async def test_the_cells_of_a_comparison_keep_their_own_marks(driver: Driver) -> None:
    header = CitedSentence(text="full-time staff | contractors", kind=BlockKind.HEADER, opens=True)
    cells = (
        "Full-time staff get thirty days of leave in each year.",
        "Contractors agree their days off with the lead.",
    )
    row = CitedSentence(text=" | ".join(cells), kind=BlockKind.ROW, numbers=(1, 2), cell_numbers=(2, 1))
    sources = [citation(1, title="Contractors"), citation(2)]
    driver.rig.script = lambda request: once(cited(sentences=[header, row], citations=sources))
    said = await driver.mention("ann", "Compare the leave of full-time staff and contractors.")
    await driver.rig.settled()
    told = " ".join(text_of(driver, said).replace("┃", " ").replace("│", " ").split())
    assert f"{cells[0]} [2]" in told
    assert f"{cells[1]} [1]" in told


@pytest.mark.walks(Way.MENTION)
async def test_a_source_is_one_line_with_the_date_of_its_document(driver: Driver) -> None:
    sources = [citation(1, date="2026-03-01"), citation(2, title="Travel policy", url="", page=4)]
    sentences = [CitedSentence(text=f"Fact {number}.", numbers=(number,)) for number in (1, 2)]
    driver.rig.script = lambda request: once(cited(sentences=sentences, citations=sources))
    said = await driver.mention("ann", "What holds?")
    await driver.rig.settled()
    lines = text_of(driver, said).splitlines()
    first = next(line for line in lines if "Leave policy" in line)
    second = next(line for line in lines if "Travel policy" in line)
    assert "page 3" in first
    assert "2026-03-01" in first
    assert "page 4" in second


@pytest.mark.walks(Way.MENTION)
async def test_characters_that_hide_are_shown_nowhere(driver: Driver) -> None:
    hidden = "\U000e0100\U000e0041\ue000\u202e\u200b"
    text = f"Staff{hidden} get thirty days."
    sentences = [CitedSentence(text=text, kind=kind, numbers=(1,), opens=True) for kind in BlockKind]
    source = citation(title=f"Leave{hidden} policy", heading=(hidden,), quote=text)
    answer = cited(sentences=sentences, citations=[source], preface=text, closing=text, reasoning=text)
    driver.rig.script = lambda request: once(answer)
    said = await driver.mention("ann", "How much leave?")
    await driver.rig.settled()
    shown = text_of(driver, said)
    if Way.PASSAGES not in driver.absent:
        shown += "".join(one.text for one in [*await driver.passages(said, "ann"), *await driver.why(said, "ann")])
    assert "Staff get thirty days." in shown
    assert not set(hidden) & set(shown)


@pytest.mark.walks(Way.MENTION)
async def test_each_part_of_a_comparison_stands_under_its_label(driver: Driver) -> None:
    header = {"kind": BlockKind.HEADER, "opens": True}
    parts = [
        CitedSentence(text="Both are paid.", numbers=(1,), section="similarities", opens=True),
        CitedSentence(text="Both are yearly.", numbers=(1,), section="similarities"),
        CitedSentence(text="Plan | Days", section="differences", **header),
        CitedSentence(text="Full-time | 30", kind=BlockKind.ROW, numbers=(1,), section="differences"),
        CitedSentence(text="Contractors get none.", numbers=(1,), section="differences", opens=True),
        CitedSentence(text="Ask before you plan.", kind=BlockKind.ITEM, numbers=(1,), section="conclusion"),
    ]
    driver.rig.script = lambda request: once(cited(sentences=parts))
    said = await driver.mention("ann", "Compare full-time staff and contractors.")
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    words = (
        "Similarities",
        "Both are paid",
        "Both are yearly",
        "Differences",
        "Plan",
        "Full-time",
        "Contractors get none",
    )
    order = [reply.text.index(word) for word in (*words, "Conclusion", "Ask before you plan")]
    assert order == sorted(order)
    assert [reply.text.count(label) for label in ("Similarities", "Differences", "Contradictions", "Conclusion")] == [
        1,
        1,
        0,
        1,
    ]


@pytest.mark.walks(Way.MENTION)
async def test_where_nothing_answers_the_nearest_passage_is_shown_under_its_heading(driver: Driver) -> None:
    driver.rig.script = lambda request: once(not_found())
    said = await driver.mention("ann", "Who won the cup?")
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    assert wording.RELATED_PASSAGES in reply.text
    assert "Travel policy - Booking" in reply.text
    assert "Trips are booked early." in reply.text
    assert "By train" in reply.text
    assert wording.CONFIDENCE_BADGES["low"] not in reply.text


@pytest.mark.walks(Way.MENTION)
async def test_a_failure_is_said_with_its_incident_and_what_to_do(driver: Driver) -> None:
    driver.rig.script = lambda request: once(broken())
    said = await driver.mention("ann", "How?")
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    assert reply.text == (
        "Something went wrong on my side, and this question was not answered. Please ask again. "
        "If it happens again, tell the operator of this bot the number 1nc1dent."
    )
    assert reply.buttons == frozenset()


# --- After the reply --------------------------------------------------------------------------------


@pytest.mark.walks(Way.MENTION, Way.RATE, Way.PRIVACY)
async def test_a_thumb_up_is_kept_with_its_answer(driver: Driver) -> None:
    said = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    await driver.rate(said, "ann", helpful=True, reason=None, comment="")
    assert '"helpful"' in await kept(driver, "ann", "helpful")


@pytest.mark.walks(Way.MENTION, Way.RATE, Way.PRIVACY, Way.PLACES)
async def test_whoever_reads_along_may_say_that_an_answer_helped(driver: Driver) -> None:
    said = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    await driver.rate(said, "bob", helpful=True, reason=None, comment="")
    assert '"helpful"' in await kept(driver, "bob", "helpful")


@pytest.mark.walks(Way.MENTION, Way.RATE, Way.PRIVACY)
async def test_a_thumb_up_is_kept_with_the_role_of_whoever_gave_it(driver: Driver) -> None:
    driver.rig.roles[Role.CONTRIBUTOR] = frozenset({driver.named("bob")})
    driver.rig.script = lambda asked: once(cited("Thirty days.", answer_id=f"a{len(driver.rig.requests)}"))
    for person, role in (("bob", "contributor"), ("ann", "")):
        said = await driver.mention(person, "How much leave do I get?")
        await driver.rig.settled()
        await driver.rate(said, person, helpful=True, reason=None, comment="")
        assert f'"role": "{role}"' in await kept(driver, person, "helpful")


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.RATE, Way.PRIVACY)
async def test_a_thumb_down_is_kept_with_reason_and_comment(driver: Driver) -> None:
    said = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    await driver.rate(said, "ann", helpful=False, reason=RatingReason.OUTDATED, comment="It is 31 now")
    data = await kept(driver, "ann", "It is 31 now")
    assert "outdated" in data


async def kept(driver: Driver, person: str, word: str) -> str:
    """What is kept about a person, once it holds `word`."""

    async def holds() -> bool:
        return word in await driver.rig.desk.export_person(driver.key(person))

    await eventually(holds)
    return await driver.rig.desk.export_person(driver.key(person))


@pytest.mark.ways_in
@pytest.mark.walks(Way.MENTION, Way.PASSAGES)
async def test_passages_show_the_exact_quotes_to_whoever_asks(driver: Driver) -> None:
    quote = "Full-time staff get *30 days* <of> annual leave & more."
    driver.rig.script = lambda request: once(cited("Thirty days.", citations=[citation(quote=quote)]))
    said = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    shown = await driver.passages(said, "ann")
    assert any(quote in one.text for one in shown)
    assert len(driver.replies(said)) == 1


@pytest.mark.walks(Way.MENTION, Way.PASSAGES)
async def test_the_quoted_rows_of_a_table_stand_under_its_header(driver: Driver) -> None:
    table = QuotedBlock(header=("Country", "Days"), rows=(("Germany", "30"),))
    quoted = citation(quote="Germany | 30", parts=(table,))
    driver.rig.script = lambda request: once(cited("Thirty.", citations=[quoted]))
    said = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    told = "".join(one.text for one in await driver.passages(said, "ann"))
    words = ("Country", "Days", "Germany", "30")
    assert [told.rindex(word) for word in words] == sorted(told.rindex(word) for word in words)


@pytest.mark.walks(Way.MENTION, Way.PASSAGES, Way.BUTTONS)
async def test_two_quick_clicks_show_a_panel_once(driver: Driver) -> None:
    said = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    assert len(await driver.passages(said, "ann", clicks=2)) == 1


@pytest.mark.walks(Way.MENTION, Way.PASSAGES, Way.RATE, Way.PRIVACY, Way.INBOX)
async def test_what_stands_below_an_answer_can_be_pressed_after_a_restart(driver: Driver) -> None:
    said = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    await driver.restart()
    assert any("30 days" in shown.text for shown in await driver.passages(said, "ann"))
    await driver.rate(said, "ann", helpful=False, reason=None, comment="Too short")
    assert '"Too short"' in await kept(driver, "ann", "Too short")


@pytest.mark.walks(Way.MENTION, Way.PASSAGES)
async def test_why_shows_the_parts_of_the_confidence(driver: Driver) -> None:
    said = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    shown = await driver.why(said, "ann")
    assert any("The best passage fits the question well" in one.text for one in shown)


@pytest.mark.walks(Way.MENTION, Way.PASSAGES)
async def test_why_says_who_wrote_the_answer_and_what_it_cost(driver: Driver) -> None:
    usage = Usage(writer="openai:small", input_tokens=120, output_tokens=30)
    driver.rig.script = lambda request: once(cited("Thirty days.", usage=usage))
    said = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    shown = await driver.why(said, "ann")
    assert any("Written by openai:small; tokens: 120 read, 30 written." in one.text for one in shown)


@pytest.mark.ways_in
@pytest.mark.walks(Way.PRIVATE, Way.SHARE)
async def test_a_private_answer_can_be_shared_with_those_who_may_see_its_sources(driver: Driver) -> None:
    said = await driver.ask("ann", "How much leave do I get?")
    await driver.rig.settled()
    (shared,) = await driver.share(said, "ann")
    assert "thirty days" in shared.text
    assert "How much leave do I get?" in shared.text


@pytest.mark.walks(Way.PRIVATE, Way.SHARE)
async def test_a_private_answer_is_not_shared_where_somebody_may_not_see_its_sources(driver: Driver) -> None:
    await put(driver, "doc-1", "chunk-1", "secret")
    driver.rig.rules["secret"] = AccessRule(only=(driver.alone("ann"),))
    said = await driver.ask("ann", "How much leave do I get?")
    await driver.rig.settled()
    assert await driver.share(said, "ann") == []


@pytest.mark.walks(Way.PRIVATE, Way.SHARE)
async def test_a_private_answer_is_not_shared_once_its_sources_have_changed(driver: Driver) -> None:
    await put(driver, "doc-1", "chunk-1", "secret")
    driver.rig.rules["secret"] = AccessRule(only=(driver.alone("ann"),))
    said = await driver.ask("ann", "How much leave do I get?")
    await driver.rig.settled()
    await put(driver, "doc-1", "chunk-1 as it reads now", "secret")
    assert await driver.share(said, "ann") == []


@pytest.mark.ways_in
@pytest.mark.walks(Way.PRIVATE, Way.SHARE, Way.FOLLOW_UP)
async def test_whoever_replies_to_a_shared_answer_is_answered_with_it_in_mind(driver: Driver) -> None:
    driver.rig.script = lambda request: once(
        cited("Thirty days.", question=request.text, standalone=request.text, answer_id=f"id{len(request.text)}")
    )
    said = await driver.ask("ann", "How much leave do I get?")
    await driver.rig.settled()
    await driver.share(said, "ann")
    await until(lambda: not any("share" in shown.buttons for shown in driver.replies(said)))
    after = await driver.reply_to_shared("bob", "And how much annual leave?")
    await driver.rig.settled()
    assert len(driver.replies(after)) == 1
    conversation = await driver.rig.storage.history.recall(driver.rig.requests[-1].conversation, 10)
    assert [turn.question for turn in conversation.turns] == ["How much leave do I get?", "And how much annual leave?"]


@pytest.mark.ways_in
@pytest.mark.walks(Way.PRETEND, Way.PLACES)
async def test_whoever_gives_a_channel_as_their_own_id_sees_nothing_of_that_channel(driver: Driver) -> None:
    await driver.pretend("What is said there?")
    await driver.rig.settled()
    await driver.mention("ann", "What is said here?")
    await driver.rig.settled()
    pretended, there = driver.rig.readers
    places = there.groups - pretended.groups
    assert places
    assert pretended.external


async def put(driver: Driver, document_id: str, chunk_id: str, collection: str) -> None:
    """One document in the library."""
    from pipeline.values import Chunk, Unit

    document = Document(id=document_id, collection=collection, filename="leave.md", title="Leave policy")
    text = "Full-time staff get 30 days of annual leave."
    unit = Unit(start=0, end=len(text), kind=BlockKind.PROSE)
    chunk = Chunk(id=chunk_id, document_id=document_id, text=text, units=(unit,))
    await driver.rig.storage.library.replace_document(document, [chunk], None, "")


@pytest.mark.ways_in
@pytest.mark.walks(Way.PREFERENCES)
async def test_how_a_person_wants_to_be_answered_is_remembered_and_given_out_with_their_data(driver: Driver) -> None:
    await driver.prefer("ann", AnswerStyle.BULLET)

    async def remembered() -> bool:
        return await driver.rig.desk.preferences(driver.key("ann")) == Preferences(style=AnswerStyle.BULLET)

    await eventually(remembered)
    assert await driver.rig.desk.preferences(driver.key("bob")) == Preferences()
    assert '"bullet"' in await driver.rig.desk.export_person(driver.key("ann"))


@pytest.mark.walks(Way.DIRECT, Way.PRIVACY)
async def test_people_get_their_own_data_and_can_have_it_erased(driver: Driver) -> None:
    await driver.direct("ann", "How much leave do I get?")
    await driver.rig.settled()
    data = json.loads(await driver.export("ann"))
    assert "How much leave do I get?" in json.dumps(data)
    await driver.forget("ann")

    async def erased() -> bool:
        return "How much leave do I get?" not in await driver.rig.desk.export_person(driver.key("ann"))

    await eventually(erased)


@pytest.mark.walks(Way.DIRECT, Way.PRIVACY, Way.BUTTONS)
async def test_what_people_are_given_of_themselves_holds_nothing_of_what_was_closed_to_them_since(
    driver: Driver,
) -> None:
    completed = cited(standalone="And the Falcon bonus?", question="And the second?", answer_id="falcon")
    plain_script = driver.rig.script
    driver.rig.script = lambda _: once(completed)
    await driver.direct("ann", "And the second?")
    await driver.rig.settled()
    driver.rig.script = plain_script
    await driver.direct("ann", "How much leave do I get?")
    await driver.rig.settled()
    kept = await driver.rig.desk.export_person(driver.key("ann"))
    driver.rig.rules["default"] = AccessRule(only=("nobody:at:all",))
    given = await driver.export("ann")
    for word in (
        "thirty days",
        "30 days",
        "Leave policy",
        "leave.md",
        URL,
        "Annual leave",
        "fits the question",
        "Falcon",
    ):
        assert word in kept
        assert word not in given
    data = json.loads(given)
    assert {one["question"] for one in data["answers"]} == {"And the second?", "How much leave do I get?"}
    assert {one["text"] for one in data["messages"]} == {"And the second?", "How much leave do I get?"}
    assert [one["withheld"] for part in ("answers", "turns") for one in data[part]]
    assert wording.ANSWER_UNAVAILABLE in given
    assert await driver.rig.desk.export_person(driver.key("ann")) == kept


@pytest.mark.walks(Way.MENTION, Way.RATE, Way.PRIVACY, Way.PLACES)
async def test_a_thumb_counts_for_nothing_below_an_answer_that_was_closed_since(driver: Driver) -> None:
    said = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    driver.rig.rules["default"] = AccessRule(only=("nobody:at:all",))
    await driver.rate(said, "bob", helpful=True, reason=None, comment="")
    assert any(wording.ANSWER_UNAVAILABLE in one.text for one in await driver.why(said, "bob"))
    assert json.loads(await driver.rig.desk.export_person(driver.key("bob")))["ratings"] == []


@pytest.mark.walks(Way.MENTION, Way.PRIVATE, Way.PASSAGES, Way.PREFERENCES, Way.FILES)
async def test_in_a_chosen_language_no_word_of_ours_is_english(driver: Driver) -> None:
    quoted = f"Staff get thirty days. {citation().quote} Leave policy, Annual leave, leave.md"
    shown: list[Shown] = []
    await driver.rig.desk.save_preferences(driver.key("ann"), Preferences(language="de"))
    driver.rig.script = lambda request: once(
        cited(
            "Staff get thirty days.",
            question="Urlaub?",
            language="de",
            confidence=Confidence(level=ConfidenceLevel.HIGH, score=0.9),
            reasoning="",
        )
    )
    said = await driver.mention("ann", "Urlaub?")
    private = await driver.ask("ann", "Urlaub?")
    with_file = await driver.direct("ann", "Urlaub?", files={"plan.pdf": b"pdf"})
    await driver.rig.settled()
    for one in (said, private, with_file):
        shown += driver.replies(one)
    shown += await driver.passages(said, "ann")
    shown += await driver.why(said, "ann")
    if Way.STOP not in driver.absent:
        shown += await driver.stop(said, "ann")
    driver.rig.script = lambda request: once(failed_answer("f0f0f0", request.text, "1nc1dent", Translator("de")))
    said = await driver.mention("ann", "Urlaub?")
    await driver.rig.settled()
    shown += driver.replies(said)
    assert "Seite 3" in shown[0].text
    for one in shown:
        assert not left_in_english(one.text, "de", quoted, URL, "plan pdf"), one.text
