"""What the port `Inbox` promises, held on every engine."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from pipeline.errors import Busy, QuestionWithdrawn
from pipeline.values import ConversationId, IncomingMessage, MessageKey, MessageTrigger, PersonId, replace
from storage.database import Database
from storage.messages.history import SQLHistory
from storage.messages.inbox import SQLInbox
from storage.messages.lease import SUSPECT_ALONE_SECONDS, SUSPECT_WAIT_SECONDS
from tests.doubles.clock import Clock
from tests.doubles.engines import Engine
from tests.doubles.samples import answer, message


@pytest.fixture
async def inbox(database: Database, clock: Clock) -> SQLInbox:
    return SQLInbox(database, capacity=6, per_author=4, attempts=3, lease_seconds=60, clock=clock)


async def leased(inbox: SQLInbox) -> str | None:
    work = await inbox.lease()
    return work and work.message.key.rpartition(":")[2]


async def test_a_message_is_kept_once_however_often_it_is_delivered(inbox: SQLInbox) -> None:
    assert await inbox.accept(message()) is True
    assert await inbox.accept(replace(message(), event_id="another delivery")) is False
    assert await leased(inbox) == "1.0"
    assert await leased(inbox) is None
    await inbox.mark_done(message().key)
    assert await inbox.accept(message()) is False


async def test_a_leased_message_is_whole_and_new(inbox: SQLInbox) -> None:
    await inbox.accept(message(text="Wie viele Urlaubstage? 🏖️"))
    work = await inbox.lease()
    assert work
    assert work.message.text == "Wie viele Urlaubstage? 🏖️"
    assert (work.attempt, work.answer, work.posting_since, work.reference, work.is_late) == (1, None, None, "", False)


async def test_a_message_that_cannot_be_read_is_given_up_and_keeps_nobody_waiting(
    inbox: SQLInbox, database: Database
) -> None:
    await inbox.accept(message("1.0"))
    await inbox.accept(message("2.0"))
    broken = 'UPDATE message SET body = \'{"said_in": ["a:b:c:d"]}\' WHERE key = $1'
    await database.write(lambda db: db.execute(broken, (message("1.0").key,)))
    assert await leased(inbox) == "2.0"
    assert await inbox.failure_counts() == {"it cannot be read": 1}


async def test_spaces_take_turns_then_authors_then_age_counts(inbox: SQLInbox) -> None:
    for number, (space, author) in enumerate(
        [("T1", "flooder"), ("T1", "flooder"), ("T1", "flooder"), ("T1", "quiet"), ("T2", "other")]
    ):
        await inbox.accept(message(f"{number}.0", space=space, author=author))
    order = [await leased(inbox) for _ in range(5)]
    assert order == ["0.0", "4.0", "3.0", "1.0", "2.0"]


async def test_what_is_leased_tells_whether_others_wait(inbox: SQLInbox) -> None:
    for number in ("1.0", "2.0", "3.0"):
        await inbox.accept(message(number, thread="t" if number != "3.0" else None, author=f"U{number}"))
    leased = [work for work in [await inbox.lease(), await inbox.lease()] if work]
    assert [(work.message.place.message, work.has_more) for work in leased] == [("1.0", True), ("3.0", True)]
    await inbox.mark_done(message("1.0").key)
    last = await inbox.lease()
    assert last
    assert (last.message.place.message, last.has_more) == ("2.0", False)


async def test_one_conversation_is_answered_one_at_a_time_and_in_order(inbox: SQLInbox) -> None:
    for number in ("1.0", "2.0", "3.0"):
        await inbox.accept(message(number, thread="t", author=f"U{number}"))
    assert await leased(inbox) == "1.0"
    assert await leased(inbox) is None
    await inbox.release(message("1.0").key, delay=5)
    assert await leased(inbox) is None
    await inbox.cancel(message("1.0").key)
    assert await leased(inbox) == "2.0"
    await inbox.mark_failed(message("2.0").key, "broken")
    assert await leased(inbox) == "3.0"


async def test_a_crashed_worker_loses_its_lease_and_nothing_else(inbox: SQLInbox, clock: Clock) -> None:
    await inbox.accept(message())
    await inbox.lease()
    await inbox.save_answer(message().key, answer())
    await inbox.mark_posting(message().key)
    posting = clock.now
    clock.now += 61
    work = await inbox.lease()
    assert work
    assert work.posting_since
    assert (work.attempt, work.answer, work.posting_since.timestamp()) == (2, answer(), pytest.approx(posting))
    await inbox.mark_posted(message().key, "9.9")
    clock.now += 61
    work = await inbox.lease()
    assert work
    assert (work.attempt, work.reference) == (3, "9.9")


async def test_a_process_that_is_alone_takes_back_leases_at_once_and_waits_longer_each_time(
    inbox: SQLInbox, clock: Clock
) -> None:
    await inbox.accept(message())
    waited = []
    for _ in range(3):
        await inbox.lease()
        assert await inbox.reclaim_all() == 1
        before = clock.now
        while await inbox.lease() is None:
            clock.now += 1
            if clock.now - before > 20:
                break
        waited.append(clock.now - before)
        await inbox.release(message().key, counts=False)
    assert waited == [0, 2, 6]


async def test_an_end_of_the_process_costs_nothing_where_several_messages_were_under_way(inbox: SQLInbox) -> None:
    for number in range(3):
        await inbox.accept(message(f"{number}.0", author=f"U{number}"))
    for _ in range(2):
        works = [await inbox.lease() for _ in range(3)]
        assert [work.attempt for work in works if work] == [1, 1, 1]
        assert await inbox.reclaim_all() == 3


async def test_what_was_under_way_at_two_ends_is_tried_alone_and_after_the_others(
    inbox: SQLInbox, clock: Clock
) -> None:
    for number in range(2):
        await inbox.accept(message(f"{number}.0", author=f"U{number}"))
    for _ in range(2):
        assert {await leased(inbox), await leased(inbox)} == {"0.0", "1.0"}
        await inbox.reclaim_all()
    await inbox.accept(message("2.0", author="U2"))
    assert [await leased(inbox), await leased(inbox)] == ["2.0", None]
    await inbox.mark_done(message("2.0").key)
    assert [await leased(inbox), await leased(inbox)] == ["0.0", None]
    await inbox.accept(message("3.0", author="U3"))
    assert await leased(inbox) is None
    clock.now += 1
    await inbox.reclaim_all()
    assert [await leased(inbox), await leased(inbox)] == ["3.0", None]
    await inbox.mark_done(message("3.0").key)
    work = await inbox.lease()
    assert work
    assert (work.message.key, work.attempt) == (message("1.0").key, 1)
    await inbox.mark_done(message("1.0").key)
    work = await inbox.lease()
    assert work
    assert (work.message.key, work.attempt) == (message("0.0").key, 2)


async def test_a_suspect_keeps_others_waiting_for_seconds_and_is_not_kept_waiting_for_ever(
    inbox: SQLInbox, clock: Clock
) -> None:
    await inbox.accept(message("1.0"))
    assert await leased(inbox) == "1.0"
    await inbox.reclaim_all()
    for number, wanted in (("2.0", "2.0"), ("3.0", "1.0")):
        await inbox.accept(message(number, author="U2"))
        assert await leased(inbox) == wanted
        await inbox.release(message(wanted).key, counts=False)
        await inbox.mark_done(message("2.0").key)
        clock.now += SUSPECT_WAIT_SECONDS
    assert await leased(inbox) == "1.0"
    assert await leased(inbox) is None
    clock.now += SUSPECT_ALONE_SECONDS
    assert await leased(inbox) == "3.0"


async def test_after_the_last_attempt_that_ended_the_process_only_an_apology_is_left(inbox: SQLInbox) -> None:
    await inbox.accept(message())
    seen = []
    while work := await inbox.lease():
        seen.append((work.last, work.crashed_last_attempt))
        await inbox.reclaim_all()
        await inbox.release(message().key, delay=-3600)
    assert seen == [(False, False)] * 2 + [(True, False)] + [(True, True)] * 3
    assert await inbox.count_by_state() == {"dead": 1}


async def test_a_message_that_never_comes_to_an_end_is_dead_and_the_queue_moves_on(
    inbox: SQLInbox, clock: Clock
) -> None:
    await inbox.accept(message("1.0", thread="t"))
    await inbox.accept(message("2.0", thread="t"))
    for _ in range(6):
        assert await leased(inbox) == "1.0"
        clock.now += 61
    assert await leased(inbox) == "2.0"


async def test_a_release_delays_and_may_not_count(inbox: SQLInbox, clock: Clock) -> None:
    await inbox.accept(message())
    for _ in range(9):
        work = await inbox.lease()
        assert work
        assert work.attempt == 1
        await inbox.release(message().key, counts=False)
    await inbox.lease()
    await inbox.release(message().key, delay=10)
    assert await inbox.lease() is None
    clock.now += 10
    work = await inbox.lease()
    assert work
    assert work.attempt == 2


async def test_an_edit_changes_what_is_not_answered_yet(inbox: SQLInbox) -> None:
    assert await inbox.amend(message().key, "Too early") is False
    await inbox.accept(message())
    assert await inbox.amend(message().key, "Sick days?") is True
    work = await inbox.lease()
    assert work
    assert work.message.text == "Sick days?"
    await inbox.save_answer(message().key, answer())
    await inbox.mark_posting(message().key)
    assert await inbox.amend(message().key, "Too late") is False
    await inbox.mark_done(message().key)
    assert await inbox.amend(message().key, "Far too late") is False


async def test_an_edit_after_the_answer_asks_anew_in_its_place_and_keeps_nothing_of_it(inbox: SQLInbox) -> None:
    await inbox.accept(message())
    await answered(inbox)
    assert await inbox.amend(message().key, message().text) is False
    assert await inbox.amend(message().key, "Sick days?") is True
    work = await inbox.lease()
    assert work
    assert (work.message.text, work.attempt, work.answer, work.reference) == ("Sick days?", 1, None, "1712.4")
    assert work.posting_since
    assert not work.is_late


async def test_a_question_that_would_be_late_is_not_asked_anew(inbox: SQLInbox, clock: Clock) -> None:
    await inbox.accept(message())
    await answered(inbox)
    clock.now += 1_000
    assert await inbox.amend(message().key, "Sick days?") is False


async def answered(inbox: SQLInbox) -> None:
    """It is answered, and nothing is left to do."""
    await inbox.lease()
    await inbox.mark_posting(message().key)
    await inbox.save_answer(message().key, answer())
    await inbox.mark_posted(message().key, "1712.4")
    await inbox.mark_done(message().key)


async def test_an_answer_is_saved_with_the_intent_and_closed_with_the_id_of_its_reply(
    inbox: SQLInbox, database: Database
) -> None:
    history, given = SQLHistory(database), replace(answer(), standalone="How many vacation days?")
    await inbox.accept(message())
    await inbox.lease()
    await inbox.mark_posting(message().key, given)
    await inbox.release(message().key, counts=False)
    work = await inbox.lease()
    assert work
    assert work.answer == given
    assert work.posting_since is not None
    assert len((await history.recall(message().conversation, 9)).turns) == 1
    await inbox.mark_posted(message().key, "1712.4", done=True)
    assert await inbox.posted_reference(message().key) == "1712.4"
    assert await inbox.count_by_state() == {"done": 1}
    assert len((await history.recall(message().conversation, 9)).turns) == 1


async def test_an_edit_while_answering_withdraws_that_answer_and_asks_again(inbox: SQLInbox) -> None:
    await inbox.accept(message())
    await inbox.lease()
    assert await inbox.amend(message().key, "Sick days?") is True
    assert await inbox.lease() is None
    for step in (
        inbox.save_answer(message().key, answer()),
        inbox.mark_posting(message().key),
        inbox.mark_posting(message().key, answer()),
    ):
        with pytest.raises(QuestionWithdrawn) as withdrawn:
            await step
        assert withdrawn.value.changed
    assert await inbox.lease() is None
    await inbox.release(message().key, counts=False)
    work = await inbox.lease()
    assert work
    assert (work.message.text, work.attempt, work.answer) == ("Sick days?", 1, None)
    assert work.posting_since is None
    await inbox.save_answer(message().key, answer())
    await inbox.mark_posting(message().key)


async def test_who_writes_an_answer_learns_that_nobody_wants_it_until_the_question_is_another(
    inbox: SQLInbox, database: Database
) -> None:
    await inbox.accept(message())
    conversation = message().conversation
    await inbox.stop(conversation)
    await inbox.lease()
    assert await inbox.stop_requests() == []
    await SQLInbox(database).stop(conversation)
    assert await inbox.stop_requests() == [conversation]
    await inbox.amend(message().key, "Sick days?")
    assert await inbox.stop_requests() == []
    await inbox.stop(conversation)
    await inbox.mark_done(message().key)
    assert await inbox.stop_requests() == []


async def test_an_edit_while_a_reply_appears_leaves_it_to_the_answer_of_the_new_question(inbox: SQLInbox) -> None:
    await inbox.accept(message())
    await inbox.lease()
    await inbox.mark_posting(message().key)
    assert await inbox.amend(message().key, "Sick days?") is True
    await inbox.mark_posted(message().key, "9.9")
    with pytest.raises(QuestionWithdrawn):
        await inbox.save_answer(message().key, answer())
    await inbox.release(message().key, counts=False)
    work = await inbox.lease()
    assert work
    assert (work.message.text, work.reference, work.answer) == ("Sick days?", "9.9", None)
    assert work.posting_since


async def test_an_edit_to_the_same_text_leaves_the_answer_under_way_alone(inbox: SQLInbox) -> None:
    await inbox.accept(message(text="Leave?"))
    await inbox.lease()
    assert await inbox.amend(message().key, "Leave?") is True
    await inbox.save_answer(message().key, answer())
    assert await inbox.amend(message().key, "Leave?") is True
    await inbox.mark_posting(message().key)


async def test_the_conversation_of_a_kept_question_is_known(inbox: SQLInbox) -> None:
    assert await inbox.find_conversation(message().key) is None
    await inbox.accept(message())
    assert await inbox.find_conversation(message().key) == message().conversation


async def test_an_edit_after_the_answer_was_saved_drops_it_unseen(inbox: SQLInbox) -> None:
    await inbox.accept(message())
    await inbox.lease()
    await inbox.save_answer(message().key, answer())
    assert await inbox.amend(message().key, "Sick days?") is True
    with pytest.raises(QuestionWithdrawn):
        await inbox.mark_posting(message().key)
    await inbox.release(message().key, counts=False)
    work = await inbox.lease()
    assert work
    assert (work.message.text, work.answer) == ("Sick days?", None)


async def test_nothing_is_posted_to_a_deleted_question(inbox: SQLInbox) -> None:
    await inbox.accept(message())
    await inbox.lease()
    assert await inbox.cancel(message().key) is True
    for step in (inbox.save_answer(message().key, answer()), inbox.mark_posting(message().key)):
        with pytest.raises(QuestionWithdrawn) as withdrawn:
            await step
        assert not withdrawn.value.changed
    await inbox.release(message().key, counts=False)
    assert await inbox.lease() is None
    assert await inbox.accept(message()) is False


async def test_a_deletion_that_comes_first_wins(inbox: SQLInbox) -> None:
    assert await inbox.cancel(message().key) is False
    assert await inbox.accept(message()) is False
    assert await inbox.lease() is None


async def test_a_deletion_while_the_reply_appears_withdraws_it(inbox: SQLInbox) -> None:
    await inbox.accept(message())
    await inbox.lease()
    await inbox.mark_posting(message().key)
    assert await inbox.cancel(message().key) is True
    with pytest.raises(QuestionWithdrawn):
        await inbox.save_answer(message().key, answer())
    await inbox.mark_posted(message().key, "9.9")
    await inbox.mark_done(message().key)
    assert await inbox.count_by_state() == {"cancelled": 1}
    assert await inbox.lease() is None


@pytest.mark.parametrize(("minutes", "late"), [(14, False), (16, True)])
async def test_late_is_older_than_a_quarter_of_an_hour(inbox: SQLInbox, minutes: int, late: bool) -> None:
    await inbox.accept(message(sent_at=datetime.now(UTC) - timedelta(minutes=minutes)))
    work = await inbox.lease()
    assert work
    assert work.is_late is late
    await inbox.mark_expired(message().key)
    assert await inbox.count_by_state() == {"expired": 1}


async def test_one_person_cannot_fill_the_inbox_and_is_told_once_a_minute(inbox: SQLInbox, clock: Clock) -> None:
    for number in range(4):
        await inbox.accept(message(f"{number}.0"))
    with pytest.raises(Busy) as first:
        await inbox.accept(message("4.0"))
    with pytest.raises(Busy) as second:
        await inbox.accept(message("5.0"))
    assert (first.value.first, second.value.first) == (True, False)
    assert await inbox.accept(message("6.0", author="U2")) is True
    clock.now += 61
    with pytest.raises(Busy) as third:
        await inbox.accept(message("7.0"))
    assert third.value.first


async def test_whoever_was_told_to_ask_again_is_not_answered_all_the_same(inbox: SQLInbox) -> None:
    for number in range(4):
        await inbox.accept(message(f"{number}.0"))
    for number in (4, 5):
        with pytest.raises(Busy):
            await inbox.accept(message(f"{number}.0"))
    await inbox.mark_done(message("0.0").key)
    assert await inbox.accept(message("4.0")) is False
    assert await inbox.accept(message("5.0")) is True


async def test_a_full_inbox_refuses_new_messages_keeps_old_ones_and_takes_others_later(inbox: SQLInbox) -> None:
    for number in range(6):
        await inbox.accept(message(f"{number}.0", author=f"U{number}"))
    with pytest.raises(Busy):
        await inbox.accept(message("6.0", author="U6"))
    assert await inbox.accept(message("5.0", author="U5")) is False
    work = await inbox.lease()
    assert work
    await inbox.mark_done(work.message.key)
    assert await inbox.accept(message("7.0", author="U7")) is True
    assert len([await inbox.lease() for _ in range(6)]) == 6


async def test_the_newest_message_of_a_channel_is_known_whatever_the_order_of_arrival(inbox: SQLInbox) -> None:
    assert await inbox.last_message_id("slack:T1:C1") is None
    for number in ("999.000005", "1000.000025", "1000.000012"):
        await inbox.accept(message(number))
    await inbox.accept(message("2000.000001", author="U2", manner=MessageTrigger.COMMAND))
    await inbox.accept(message("1.0", channel="C2", author="U2"))
    assert await inbox.last_message_id("slack:T1:C1") == "1000.000025"
    assert await inbox.last_message_id("slack:T1:C2") == "1.0"


async def test_the_bot_takes_part_where_it_has_replied(inbox: SQLInbox) -> None:
    asked, private = message("1.0"), message("2.0", manner=MessageTrigger.COMMAND)
    for one in (asked, private):
        await inbox.accept(one)
        assert not await inbox.is_participant(one.conversation, one.sent_at)
        await inbox.mark_posting(one.key)
        await inbox.mark_posted(one.key, "9.9")
    assert await inbox.is_participant(asked.conversation, asked.sent_at)
    assert not await inbox.is_participant(private.conversation, private.sent_at)


async def test_what_was_said_while_the_bot_was_silenced_is_not_answered_once_it_is_back(
    inbox: SQLInbox, clock: Clock
) -> None:
    asked = message("1.0")
    await inbox.accept(asked)
    await inbox.mark_posted(asked.key, "r")
    start = clock.now
    await inbox.mute(asked.conversation)

    def at(seconds: float) -> datetime:
        return datetime.fromtimestamp(start + seconds, UTC)

    before = replace(message("2.0"), sent_at=at(-3600), conversation=asked.conversation)
    await inbox.accept(before)
    assert not await inbox.is_participant(asked.conversation, at(20))
    back = replace(message("3.0"), sent_at=at(100), conversation=asked.conversation)
    await inbox.accept(back)
    taking_part = [await inbox.is_participant(asked.conversation, at(seconds)) for seconds in (-10, 50, 150)]
    assert taking_part == [True, False, True]


async def test_a_space_is_known_up_to_what_was_heard_of_it_and_by_its_channels(inbox: SQLInbox) -> None:
    await inbox.accept(message("5.0"))
    await inbox.accept(message("6.0", channel="C2", author="U2"))
    assert await inbox.last_message_id("slack:T1") is None
    await inbox.mark_caught_up("slack:T1", "7.500000")
    await inbox.mark_caught_up("slack:T1", "7.250000")
    assert await inbox.last_message_id("slack:T1") == "7.500000"
    assert sorted(await inbox.channels("slack:T1")) == ["C1", "C2"]
    assert await inbox.channels("slack:T") == []


async def test_ids_of_spaces_and_channels_may_hold_any_character(inbox: SQLInbox) -> None:
    place = ConversationId(platform="teams", space="a:b/c %", channel="19:x y@thread.tacv2")
    await inbox.accept(
        IncomingMessage(
            place=MessageKey(platform="teams", space=place.space, channel=place.channel, message="1:0"),
            conversation=place,
            asker=PersonId(platform="teams", space=place.space, user="8:ann b"),
            text="How many vacation days?",
            sent_at=datetime.now(UTC),
            manner=MessageTrigger.MENTION,
        )
    )
    assert await inbox.channels(place.workspace) == [place.channel]
    assert await inbox.last_message_id(place.channel_key) == "1:0"
    work = await inbox.lease(lambda one: one == place.workspace)
    assert work
    assert work.message.asker.user == "8:ann b"


async def test_the_conversations_that_the_bot_answered_in_last_come_first(inbox: SQLInbox, clock: Clock) -> None:
    asked = [message(f"{n}.0", author=f"U{n}") for n in range(3)]
    for one in asked:
        clock.now += 1.0
        await inbox.accept(one)
        await inbox.mark_posted(one.key, "9.9")
    assert await inbox.recent_conversations("slack:T1", 2) == [asked[2].conversation, asked[1].conversation]
    assert await inbox.recent_conversations("slack:T2", 2) == []


async def test_whoever_listens_hears_of_new_messages(inbox: SQLInbox) -> None:
    rung: list[IncomingMessage] = []
    inbox.on_accept(lambda: rung.append(message()))
    await inbox.accept(message())
    assert len(rung) == 1
    await inbox.accept(message())
    assert len(rung) == 1


async def test_two_processes_never_lease_the_same_message(database: Database, engine: Engine) -> None:
    async with engine.database() as other:
        first, second = SQLInbox(database), SQLInbox(other)
        for number in range(20):
            await first.accept(message(f"{number}.0"))
        keys = [key for _ in range(10) for key in (await leased(first), await leased(second))]
        assert len(set(keys)) == 20


async def test_turns_are_remembered_of_those_who_come_back(inbox: SQLInbox) -> None:
    await inbox.accept(message("1.0", author="served"))
    assert await leased(inbox) == "1.0"
    await inbox.mark_done(message("1.0").key)
    await inbox.accept(message("2.0", author="served"))
    await inbox.accept(message("3.0", author="new"))
    assert [await leased(inbox), await leased(inbox)] == ["3.0", "2.0"]


async def test_a_long_queue_behind_one_conversation_holds_up_nobody_else(inbox: SQLInbox) -> None:
    for number in ("1.0", "2.0", "3.0"):
        await inbox.accept(message(number, thread="t"))
    await inbox.accept(message("4.0", author="U2", thread="t"))
    await inbox.accept(message("5.0", author="U2", thread="other"))
    assert [await leased(inbox) for _ in range(3)] == ["1.0", "5.0", None]


async def test_concurrent_leases_are_of_different_messages(inbox: SQLInbox) -> None:
    for number in range(5):
        await inbox.accept(message(f"{number}.0", author=f"U{number}"))
    assert set(await asyncio.gather(*(leased(inbox) for _ in range(6)))) == {
        *(f"{number}.0" for number in range(5)),
        None,
    }
