"""What may be set for a place, by whom, and what then holds there, on every platform."""

from __future__ import annotations

import pytest
import structlog

from adapters.chat.words import setup
from pipeline.rules.access import AccessRule
from pipeline.translations import Translator
from pipeline.values import (
    Action,
    AnswerStyle,
    Confidence,
    ConfidenceLevel,
    Document,
    PlaceSettings,
    Preferences,
    Role,
    WriterKind,
    replace,
)
from tests.contracts.answers import cited
from tests.contracts.discord_driver import DiscordDriver
from tests.contracts.driver import Driver, Way
from tests.contracts.rig import once
from tests.doubles.discord.world import FORUM
from tests.doubles.english import left_in_english

pytestmark = pytest.mark.walks(Way.SETUP)


def appoint(driver: Driver, role: Role, name: str) -> None:
    driver.rig.roles[role] = frozenset({name})


async def ask(driver: Driver) -> None:
    await driver.mention("bob", "How much leave do I get?")
    await driver.rig.settled()


async def collection(driver: Driver, name: str) -> None:
    await driver.rig.storage.library.replace_document(
        Document(id=name, filename=f"{name}.md", title=name, collection=name), [], None, ""
    )


async def test_nobody_may_set_up_a_place_until_the_operator_says_who(driver: Driver) -> None:
    assert setup.SETUP_ADMINS_ONLY in await driver.set_up("ann", style="bullet")
    appoint(driver, Role.CONTRIBUTOR, driver.named("ann"))
    assert setup.SETUP_ADMINS_ONLY in await driver.set_up("ann", style="bullet")
    tried = await driver.rig.storage.audit.latest(10)
    assert [(row.actor, row.action, row.subject, row.allowed) for row in tried] == [
        (driver.key("ann"), Action.SET_UP, str(driver.place), False)
    ] * 2
    await ask(driver)
    assert driver.rig.requests[-1].style is None


@pytest.mark.ways_in
async def test_what_an_admin_sets_holds_in_that_channel_and_is_written_down(driver: Driver) -> None:
    appoint(driver, Role.ADMIN, driver.named("ann"))
    assert setup.SETUP_ADMINS_ONLY not in await driver.set_up("ann", style="bullet", language="de", writer="extract")
    await ask(driver)
    asked = driver.rig.requests[-1]
    assert (asked.style, asked.language, asked.extract) == (AnswerStyle.BULLET, "de", True)
    await driver.direct("bob", "How much leave do I get?")
    await driver.rig.settled()
    asked = driver.rig.requests[-1]
    assert (asked.style, asked.language, asked.extract) == (None, "", False)
    (done,) = await driver.rig.storage.audit.latest(10)
    assert (done.actor, done.allowed) == (driver.key("ann"), True)


async def test_a_role_given_to_a_group_holds_for_its_members(driver: Driver) -> None:
    appoint(driver, Role.ADMIN, await driver.group("ann"))
    assert setup.SETUP_ADMINS_ONLY in await driver.set_up("bob", style="bullet")
    assert setup.SETUP_ADMINS_ONLY not in await driver.set_up("ann", style="bullet")
    await ask(driver)
    assert driver.rig.requests[-1].style is AnswerStyle.BULLET


async def test_what_is_set_in_chat_goes_before_the_file_and_survives_a_restart(driver: Driver) -> None:
    driver.rig.places[driver.place] = PlaceSettings(style=AnswerStyle.BULLET, writer=WriterKind.EXTRACT)
    appoint(driver, Role.ADMIN, driver.named("ann"))
    await driver.set_up("ann", style="detailed")
    await driver.restart()
    await ask(driver)
    assert (driver.rig.requests[-1].style, driver.rig.requests[-1].extract) == (AnswerStyle.DETAILED, True)
    await driver.set_up("ann", style="default")
    await ask(driver)
    assert driver.rig.requests[-1].style is AnswerStyle.BULLET


async def test_what_a_person_prefers_goes_before_what_is_set_for_the_place(driver: Driver) -> None:
    driver.rig.places[driver.place] = PlaceSettings(style=AnswerStyle.BULLET)
    await driver.prefer("bob", AnswerStyle.DETAILED)
    await ask(driver)
    assert driver.rig.requests[-1].style is AnswerStyle.DETAILED


async def test_a_place_searches_the_collections_that_are_set_and_never_more_than_its_readers_may_see(
    driver: Driver,
) -> None:
    for name in ("handbook", "hr", "press"):
        await collection(driver, name)
    driver.rig.places[driver.place] = PlaceSettings(collections=("hr", "press"))
    await ask(driver)
    allowed = driver.rig.requests[-1].audience.collections
    assert allowed <= {"hr", "press"}
    driver.rig.places.clear()
    await ask(driver)
    assert allowed == driver.rig.requests[-1].audience.collections & {"hr", "press"}


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"collections": "handbok"}, "You can choose: handbook, secret."),
        ({"teach": "handbok"}, "You can choose: answers, handbook."),
        ({"teach": "secret"}, "You can choose: answers, handbook."),
        ({"language": "german"}, "The language of my answers"),
        ({"auto_per_hour": "many"}, "1 to 1,000"),
    ],
)
async def test_what_cannot_be_set_is_refused_with_what_can(driver: Driver, choices: dict[str, str], said: str) -> None:
    await collection(driver, "handbook")
    await collection(driver, "secret")
    driver.rig.rules |= {"secret": AccessRule(only=("slack:T0OTHER",)), "answers": AccessRule()}
    appoint(driver, Role.ADMIN, driver.named("ann"))
    assert said in (await driver.set_up("ann", style="bullet", **choices)).replace("\\", "")
    await ask(driver)
    assert driver.rig.requests[-1].style is None


async def test_whoever_chose_a_language_sets_up_in_it(driver: Driver) -> None:
    for person in ("ann", "bob"):
        await driver.rig.desk.save_preferences(driver.key(person), Preferences(language="de"))
    appoint(driver, Role.ADMIN, driver.named("ann"))
    told = [
        await driver.set_up("bob", style="bullet"),
        await driver.set_up("ann", auto_per_hour="many"),
        await driver.set_up("ann", style="bullet", auto="true", auto_level="high"),
    ]
    assert Translator("de")(setup.SETUP_ADMINS_ONLY) in told[0]
    for text in told:
        assert not left_in_english(text, "de"), text


# --- Unasked ----------------------------------------------------------------------------------------


def sure(driver: Driver, level: ConfidenceLevel) -> None:
    """Answers come with this confidence."""
    confidence = Confidence(level=level, score=0.5)
    driver.rig.script = lambda request: once(
        cited("Part-timers get fifteen days of leave.", question=request.text, confidence=confidence)
    )


QUESTION = "How many days of leave do part-timers get?"


@pytest.mark.ways_in
async def test_a_question_that_mentions_nobody_is_answered_where_that_is_wanted(driver: Driver) -> None:
    sure(driver, ConfidenceLevel.MEDIUM)
    before = await driver.aside("bob", QUESTION)
    await driver.rig.settled()
    driver.rig.places[driver.place] = PlaceSettings(auto=True)
    question = await driver.aside("bob", QUESTION)
    remark = await driver.aside("ann", "Lunch at noon, I am hungry.")
    await driver.rig.settled()
    assert (len(driver.replies(before)), len(driver.replies(question)), len(driver.replies(remark))) == (0, 1, 0)
    assert not driver.at_work(remark)


@pytest.mark.ways_in
async def test_what_is_answered_unasked_goes_on_as_a_conversation(driver: Driver) -> None:
    sure(driver, ConfidenceLevel.HIGH)
    driver.rig.places[driver.place] = PlaceSettings(auto=True)
    question = await driver.aside("bob", QUESTION)
    await driver.rig.settled()
    after = await driver.follow_up("bob", "And how many days of leave do interns get?", question)
    await driver.rig.settled()
    assert len(driver.replies(after)) >= 1
    assert driver.rig.requests[-1].conversation == driver.rig.requests[0].conversation


async def test_below_the_level_that_is_set_nothing_is_said(driver: Driver) -> None:
    driver.rig.places[driver.place] = PlaceSettings(auto=True, auto_level=ConfidenceLevel.HIGH)
    sure(driver, ConfidenceLevel.MEDIUM)
    unsure = await driver.aside("bob", QUESTION)
    await driver.rig.settled()
    sure(driver, ConfidenceLevel.HIGH)
    certain = await driver.aside("bob", QUESTION)
    await driver.rig.settled()
    assert (len(driver.replies(unsure)), len(driver.replies(certain))) == (0, 1)


async def test_no_more_than_so_many_are_answered_in_an_hour_and_the_operator_hears_of_it(driver: Driver) -> None:
    sure(driver, ConfidenceLevel.HIGH)
    driver.rig.places[driver.place] = PlaceSettings(auto=True, auto_per_hour=2)
    asked = []
    for _ in range(4):
        with structlog.testing.capture_logs() as logs:
            asked.append(await driver.aside("bob", QUESTION))
            await driver.rig.settled()
    assert {"place": str(driver.place), "per_hour": 2}.items() <= logs[-1].items()
    await driver.restart()
    asked.append(await driver.aside("bob", QUESTION))
    await driver.rig.settled()
    assert [len(driver.replies(said)) for said in asked] == [1, 1, 0, 0, 0]


async def test_admins_are_told_once_a_day_that_it_is_so_where_somebody_is_set_for_that(driver: Driver) -> None:
    sure(driver, ConfidenceLevel.HIGH)
    driver.rig.digest = str(driver.helpers)
    driver.rig.places[driver.place] = PlaceSettings(auto=True, auto_per_hour=1)
    for _ in range(3):
        await driver.aside("bob", QUESTION)
        await driver.rig.settled()
    await driver.restart()
    await driver.aside("bob", QUESTION)
    await driver.rig.settled()
    (shown,) = driver.asked()
    assert "1 answer without a mention within an hour" in shown.text
    assert driver.place.channel in shown.text


async def test_they_are_told_once_though_the_bot_is_gone_when_it_was_posted(driver: Driver) -> None:
    sure(driver, ConfidenceLevel.HIGH)
    driver.rig.digest = str(driver.helpers)
    driver.rig.places[driver.place] = PlaceSettings(auto=True, auto_per_hour=1)
    await driver.aside("bob", QUESTION)
    await driver.rig.settled()
    await driver.rig.storage.outbox.queue_quota_notice("2026-11-27", driver.place, driver.rig.digest)
    driver.rig.crash_before = "mark_posted"
    driver.rig.courier.notify()
    await driver.rig.crashed()
    await driver.restart()
    driver.rig.courier.notify()
    await driver.rig.settled()
    assert len(driver.asked()) == 1


@pytest.mark.ways_in
async def test_whom_a_person_answers_first_the_bot_leaves_to_people(driver: Driver) -> None:
    sure(driver, ConfidenceLevel.HIGH)
    driver.rig.places[driver.place] = PlaceSettings(auto=True, auto_wait=1)
    alone = await driver.aside("bob", QUESTION)
    helped = await driver.aside("bob", QUESTION)
    await driver.follow_up("bob", "In Berlin, that is.", alone)
    await driver.follow_up("ann", "Fifteen.", helped)
    await driver.rig.settled()
    assert (len(driver.replies(alone)), len(driver.replies(helped))) == (1, 0)


@pytest.mark.ways_in
async def test_two_who_ask_at_once_in_one_thread_are_both_answered(driver: Driver) -> None:
    driver.rig.places[driver.place] = PlaceSettings(auto=True, auto_wait=1)
    driver.rig.script = lambda asked: once(cited(f"This is about: {asked.text}", question=asked.text))
    first = await driver.aside("bob", "How many days of leave do we get?")
    second = await driver.mention_after("ann", "How many days of leave is a badge?", first)
    await driver.rig.settled()
    assert any("do we get" in one.text for one in driver.replies(first))
    assert any("a badge" in one.text for one in driver.replies(second))


async def test_the_next_message_of_somebody_else_that_asks_nothing_answers_what_was_asked_before(
    driver: Driver,
) -> None:
    sure(driver, ConfidenceLevel.HIGH)
    driver.rig.places[driver.place] = PlaceSettings(auto=True, auto_wait=1)
    helped = await driver.aside("bob", QUESTION)
    await driver.aside("bob", "For part-timers, I mean.")
    await driver.aside("ann", "Fifteen.")
    alone = await driver.aside("bob", QUESTION)
    await driver.aside("ann", "Where do I order a badge?")
    await driver.rig.settled()
    assert (len(driver.replies(alone)), len(driver.replies(helped))) == (1, 0)


@pytest.mark.ways_in
async def test_what_waits_to_be_answered_unasked_survives_a_crash(driver: Driver) -> None:
    sure(driver, ConfidenceLevel.HIGH)
    driver.rig.places[driver.place] = PlaceSettings(auto=True, auto_wait=1)
    question = await driver.aside("bob", QUESTION)
    await driver.restart()
    await driver.rig.settled()
    assert len(driver.replies(question)) == 1


# --- Silence and threads ------------------------------------------------------------------------------


@pytest.mark.ways_in
async def test_in_a_silent_place_nothing_is_said_but_in_private(driver: Driver) -> None:
    driver.rig.places[driver.place] = PlaceSettings(silent=True, auto=True)
    said = [await driver.mention("bob", QUESTION), await driver.aside("bob", QUESTION)]
    private = await driver.ask("bob", QUESTION)
    await driver.rig.settled()
    assert [driver.replies(one) for one in said] == [[], []]
    assert not any(driver.at_work(one) for one in said)
    assert "thirty days" in driver.replies(private)[0].text


@pytest.mark.ways_in
async def test_a_place_chooses_between_threads_and_answers_in_place(driver: Driver) -> None:
    if not isinstance(driver, DiscordDriver):
        pytest.skip("Slack answers in threads")
    for threads in (True, False):
        driver.rig.places[driver.place] = PlaceSettings(threads=threads)
        said = await driver.mention("bob", QUESTION)
        await driver.rig.settled()
        opened = driver.discord.replies(said.handle["id"]) if said.handle["id"] in driver.world.channels else []
        assert bool(opened) is threads


@pytest.mark.ways_in
async def test_a_post_in_a_forum_is_answered_where_its_forum_is_set_so(driver: Driver) -> None:
    if not isinstance(driver, DiscordDriver):
        pytest.skip("Slack has no forums")
    sure(driver, ConfidenceLevel.HIGH)
    forum = driver.world.channel(driver.guild, "help", kind=FORUM)
    driver.rig.places[replace(driver.place, channel=str(forum))] = PlaceSettings(auto=True)
    post = driver.world.thread(forum, "Leave for part-timers")
    await driver.restart()
    bob = driver._person("bob")
    await driver.discord.messages.put(post, bob, {"content": QUESTION, "mentions": []}, id=post)
    await driver._acknowledged()
    await driver.rig.settled()
    assert len(driver.discord.replies(post)) == 1
