"""Asking a person where the documents do not answer: once, as far as they may see it, and with a reply."""

from __future__ import annotations

import pytest

from pipeline.errors import Unavailable
from pipeline.rules.access import AccessRule
from pipeline.values import Action, PlaceSettings, Preferences, RatingReason, Role, replace
from pipeline.words import wording
from tests.contracts.answers import URL, citation, cited, not_found
from tests.contracts.discord_driver import DiscordDriver
from tests.contracts.driver import Driver, Said, Way
from tests.contracts.rig import once
from tests.contracts.waiting import until
from tests.doubles.english import left_in_english

QUESTION = "Who won the cup?"


pytestmark = pytest.mark.walks(Way.HANDOFF)


@pytest.fixture
async def driver(driver: Driver) -> Driver:
    driver.rig.script = lambda asked: once(not_found(asked.text))
    driver.rig.places[driver.place] = PlaceSettings(ask=driver.helpers, ask_name="the HR desk")
    return driver


async def mention(driver: Driver, question: str = QUESTION) -> Said:
    said = await driver.mention("bob", question)
    await driver.rig.settled()
    return said


async def test_where_nothing_answers_a_person_can_be_asked_if_one_is_set(driver: Driver) -> None:
    assert "ask" in driver.replies(await mention(driver))[-1].buttons
    driver.rig.places.clear()
    assert "ask" not in driver.replies(await mention(driver))[-1].buttons
    driver.rig.places[driver.place] = PlaceSettings(ask=driver.helpers)
    driver.rig.script = lambda asked: once(cited("Thirty days.", question=asked.text))
    assert "ask" not in driver.replies(await mention(driver))[-1].buttons


@pytest.mark.ways_in
async def test_people_see_the_question_what_was_found_and_where_it_was_asked(driver: Driver) -> None:
    said = await mention(driver, "Who won the *cup* in May?")
    told = await driver.ask_person(said, "bob")
    await driver.rig.settled()
    assert told == wording.HANDOFF_SENT
    (shown,) = driver.asked()
    assert "Who won the *cup* in May?" in shown.text
    assert "Leave policy" in shown.text
    assert "resolve" in shown.buttons
    back, *more = sorted(shown.links - {URL})
    assert more == []
    assert URL in shown.links
    assert back.startswith("https://")
    assert shown.pings == frozenset()


@pytest.mark.parametrize("doing", ["is_keep_offered", "resolve"])
async def test_whoever_presses_or_sends_something_that_cannot_be_done_now_is_told_so(
    driver: Driver, monkeypatch: pytest.MonkeyPatch, doing: str
) -> None:
    async def unreadable(*_: object, **__: object) -> None:
        raise Unavailable("storage", "cannot be read")

    await driver.ask_person(await mention(driver), "bob")
    await driver.rig.settled()
    monkeypatch.setattr(driver.rig.desk.handoffs, doing, unreadable)
    assert await driver.resolve("ann", "The blue team.") == wording.TRY_AGAIN


async def test_it_is_posted_once_however_often_it_is_pressed(driver: Driver) -> None:
    said = await mention(driver)
    await driver.ask_person(said, "bob")
    assert await driver.ask_person(said, "ann") == wording.HANDOFF_ALREADY_SENT
    await driver.rig.settled()
    await driver.restart()
    assert await driver.ask_person(said, "bob") == wording.HANDOFF_ALREADY_SENT
    await driver.rig.settled()
    assert len(driver.asked()) == 1


async def replied(driver: Driver, *replies: tuple[str, str]) -> Said:
    """The question whose people were asked, after they wrote there instead of pressing its button."""
    said = await mention(driver)
    await driver.ask_person(said, "bob")
    await driver.rig.settled()
    before = len(driver.advised())
    for number, (person, text) in enumerate(replies, start=1):
        await driver.reply_where_asked(person, text)
        await until(lambda number=number: len(driver.advised()) >= before + number)  # type: ignore[misc]
    await driver.rig.settled()
    return said


async def test_who_asks_something_there_is_told_once_that_the_asker_does_not_see_it(driver: Driver) -> None:
    await replied(driver, ("cleo", "Was it not the red one?"))
    await driver.reply_where_asked("cleo", "Or was it the blue one?")
    await driver.reply_where_asked("ann", "The blue team.")
    await until(lambda: len(driver.advised()) > 1)
    told, offered = driver.advised()
    assert wording.REPLY_NOT_SENT.format(button="Reply or resolve") in told.text
    assert told.buttons == frozenset()
    assert wording.CONFIRM_REPLY in offered.text


async def test_who_replies_there_sends_that_very_reply_with_a_press(driver: Driver) -> None:
    said = await replied(driver, ("ann", "By two goals."), ("ann", "The *blue* team, @everyone."))
    assert [shown.buttons for shown in driver.advised()] == [{"send"}, {"send"}]
    assert await driver.send_reply("ann") == wording.HANDOFF_RESOLVED
    assert await driver.send_reply("ann", of=0) == wording.HANDOFF_GONE
    await driver.rig.settled()
    (heard,) = driver.heard(said)
    assert "The *blue* team, @everyone." in heard.text.replace("\u200b", "")
    assert "ann" in heard.text
    shown = driver.asked()[0]
    assert wording.HANDOFF_RESOLVED_BY.format(who="ann") in shown.text
    assert "resolve" not in shown.buttons
    await driver.reply_where_asked("bob", "I knew that.")
    await driver.rig.settled()
    assert sum(wording.CONFIRM_REPLY in shown.text for shown in driver.advised()) == 2


async def test_it_is_kept_as_an_answer_by_those_who_may_and_sent_by_others(driver: Driver) -> None:
    driver.rig.places[driver.helpers] = PlaceSettings(teach="answers")
    driver.rig.rules["answers"] = AccessRule()
    await replied(driver, ("ann", "The blue team."))
    assert driver.advised()[-1].buttons == {"send", "sendkeep"}
    assert await driver.send_reply("ann", keep=True) == wording.REPLY_NOT_SAVED
    driver.rig.roles[Role.CONTRIBUTOR] = frozenset({driver.named("ann")})
    await driver.restart()
    assert await driver.send_reply("ann", keep=True) == wording.HANDOFF_RESOLVED_SAVED
    (kept,) = driver.rig.kept
    assert [block.text for block in kept.blocks] == ["The blue team."]
    assert kept.document.url.startswith("https://")


async def test_nobody_sends_what_somebody_else_wrote(driver: Driver) -> None:
    said = await replied(driver, ("ann", "The blue team."))
    assert await driver.send_reply("bob") == wording.REPLY_UNREADABLE
    await driver.rig.settled()
    assert driver.heard(said) == []


async def test_so_it_is_in_a_thread_below_the_question(driver: Driver) -> None:
    if not isinstance(driver, DiscordDriver):
        pytest.skip("on Slack it is never elsewhere")
    said = await replied(driver)
    (notice,) = driver.discord.replies(driver.help)
    thread = driver.world.thread(driver.help, "The cup", thread_id=notice["id"])
    await driver.restart()
    await driver._say("ann", thread, "The blue team.")
    await until(lambda: driver.discord.replies(thread))
    (offer,) = driver.discord.replies(thread)
    pressed = await driver.discord.press(driver._person("ann"), offer, "Send")
    await until(lambda: pressed.texts)
    assert pressed.texts[-1] == wording.HANDOFF_RESOLVED
    await driver.rig.settled()
    assert "The blue team." in driver.heard(said)[0].text
    assert "resolve" not in driver.asked()[0].buttons


async def test_what_was_found_is_kept_from_people_who_may_not_see_all_of_it(driver: Driver) -> None:
    said = await mention(driver)
    driver.rig.rules["default"] = AccessRule(only=(str(driver.place),))
    await driver.ask_person(said, "bob")
    await driver.rig.settled()
    (shown,) = driver.asked()
    assert QUESTION in shown.text
    assert "Leave policy" not in shown.text
    assert URL not in shown.links
    assert wording.ANSWER_WITHHELD in shown.text


@pytest.mark.ways_in
async def test_whoever_asked_hears_of_the_reply_once_where_they_asked(driver: Driver) -> None:
    said = await mention(driver)
    await driver.ask_person(said, "bob")
    await driver.rig.settled()
    assert await driver.resolve("ann", "The *blue* team, @everyone.") == wording.HANDOFF_RESOLVED
    assert await driver.resolve("cleo", "The red team.") == wording.HANDOFF_GONE
    await driver.rig.settled()
    (heard,) = driver.heard(said)
    assert "The *blue* team, @everyone." in heard.text.replace("\u200b", "")
    assert "ann" in heard.text
    assert QUESTION in heard.text
    assert len(heard.pings) <= 1
    (shown,) = driver.asked()
    assert "resolve" not in shown.buttons
    assert wording.HANDOFF_RESOLVED_BY.format(who="ann") in shown.text
    assert wording.HANDOFF_TITLE not in shown.text
    assert QUESTION in shown.text


@pytest.mark.parametrize("reply", ["*" * 2_500, "- a\n" * 600])
async def test_a_reply_as_long_as_the_form_takes_is_heard_however_it_is_written(driver: Driver, reply: str) -> None:
    said = await mention(driver, "*" * 900)
    await driver.ask_person(said, "bob")
    await driver.rig.settled()
    assert await driver.resolve("ann", reply) == wording.HANDOFF_RESOLVED
    await driver.rig.settled()
    assert len(driver.heard(said)) == 1


async def test_people_are_asked_however_long_the_addresses_of_what_was_found_are(driver: Driver) -> None:
    long = tuple(citation(number, url=f"{URL}&path={'a' * 900}{number}") for number in range(1, 6))
    driver.rig.script = lambda asked: once(replace(not_found(asked.text), nearest=long))
    said = await mention(driver)
    await driver.ask_person(said, "bob")
    await driver.rig.settled()
    (shown,) = driver.asked()
    assert shown.text.count("Leave policy") == len(long)


@pytest.mark.ways_in
async def test_what_was_asked_in_private_is_answered_in_private_and_nothing_leads_there(driver: Driver) -> None:
    said = await driver.ask("bob", QUESTION)
    await driver.rig.settled()
    await driver.ask_person(said, "bob")
    await driver.rig.settled()
    (shown,) = driver.asked()
    assert shown.links <= {URL}
    await driver.resolve("ann", "The blue team.")
    await driver.rig.settled()
    (heard,) = driver.heard(said)
    assert "The blue team." in heard.text


@pytest.mark.walks(Way.RATE)
async def test_under_an_answer_that_did_not_help_a_person_can_be_asked(driver: Driver) -> None:
    driver.rig.script = lambda asked: once(cited("Thirty days.", question=asked.text))
    said = await mention(driver)
    offered = await driver.rate(said, "bob", helpful=False, reason=RatingReason.WRONG, comment="")
    await driver.rig.settled()
    assert offered is not None
    assert await driver.ask_person(offered, "bob") == wording.HANDOFF_SENT
    await driver.rig.settled()
    (shown,) = driver.asked()
    assert "Thirty days." in shown.text
    await driver.resolve("ann", "Twenty-five.")
    await driver.rig.settled()
    assert len(driver.heard(said)) == 1


async def test_a_reply_is_kept_as_an_answer_by_those_who_may(driver: Driver) -> None:
    driver.rig.places[driver.helpers] = PlaceSettings(teach="answers")
    driver.rig.rules["answers"] = AccessRule()
    said = await mention(driver)
    await driver.ask_person(said, "bob")
    await driver.rig.settled()
    driver.rig.roles[Role.CONTRIBUTOR] = frozenset({driver.named("ann")})
    assert await driver.resolve("ann", "The blue team.", keep=True) == wording.HANDOFF_RESOLVED_SAVED
    (kept,) = driver.rig.kept
    assert kept.document.title == wording.ANSWERED_BY_PERSON.format(question=QUESTION)
    assert kept.document.collection == "answers"
    assert kept.document.metadata["author"] == driver.key("ann")
    assert kept.document.metadata["review"] > kept.document.metadata["updated"]
    assert kept.document.url.startswith("https://")
    assert [block.text for block in kept.blocks] == ["The blue team."]
    (done,) = await driver.rig.storage.audit.latest(5)
    assert (done.actor, done.action, done.allowed) == (driver.key("ann"), Action.TEACH, True)
    assert QUESTION not in done.model_dump_json()


@pytest.mark.parametrize("rule", [None, AccessRule(only=("slack:T0OTHER", "discord:1"))])
async def test_a_reply_is_not_kept_where_no_collection_is_or_its_channel_does_not_see_it(
    driver: Driver, rule: AccessRule | None
) -> None:
    driver.rig.places[driver.helpers] = PlaceSettings(teach="answers")
    driver.rig.rules.update({"answers": rule} if rule else {})
    driver.rig.roles[Role.CONTRIBUTOR] = frozenset({driver.named("ann")})
    said = await mention(driver)
    await driver.ask_person(said, "bob")
    await driver.rig.settled()
    assert await driver.resolve("ann", "The blue team.", keep=True) in (
        wording.REPLY_NOT_SAVED,
        wording.HANDOFF_RESOLVED,
    )
    assert driver.rig.kept == []


async def test_a_reply_of_somebody_without_the_role_is_passed_on_and_not_kept(driver: Driver) -> None:
    driver.rig.places[driver.helpers] = PlaceSettings(teach="answers")
    driver.rig.rules["answers"] = AccessRule()
    said = await mention(driver)
    await driver.ask_person(said, "bob")
    await driver.rig.settled()
    if await driver.resolve("ann", "The blue team.", keep=True) == wording.REPLY_NOT_SAVED:
        await driver.resolve("ann", "The blue team.")
    await driver.rig.settled()
    assert driver.rig.kept == []
    assert len(driver.heard(said)) == 1


async def test_nobody_is_asked_in_a_server_that_the_question_was_not_asked_in(driver: Driver) -> None:
    if not isinstance(driver, DiscordDriver):
        pytest.skip("one workspace is all that there is")
    elsewhere = driver.world.channel(driver.world.guild("elsewhere"), "help")
    await driver.restart()
    driver.rig.roles[Role.ADMIN] = frozenset({driver.named("ann")})
    assert "The channel where people get the questions" in await driver.set_up("ann", ask=f"<#{elsewhere}>")
    driver.rig.places[driver.place] = PlaceSettings(ask=replace(driver.place, channel=str(elsewhere)))
    said = await mention(driver)
    await driver.ask_person(said, "bob")
    await driver.rig.settled()
    (heard,) = driver.heard(said)
    assert wording.HANDOFF_FAILED in heard.text
    assert driver.discord.replies(elsewhere) == []


async def test_people_who_chose_a_language_meet_no_english_word_of_ours(driver: Driver) -> None:
    for person in ("ann", "bob"):
        await driver.rig.desk.save_preferences(driver.key(person), Preferences(language="de"))
    driver.rig.places[driver.place] = PlaceSettings(ask=driver.helpers)
    said = await mention(driver, "Wer gewann?")
    told = [await driver.ask_person(said, "bob"), await driver.ask_person(said, "bob")]
    await driver.rig.settled()
    told += [shown.text for shown in driver.asked()]
    told += [await driver.resolve("ann", "Blau."), await driver.resolve("ann", "Blau.")]
    await driver.rig.settled()
    told += [shown.text for shown in driver.heard(said)]
    assert len(told) == 6
    for text in told:
        assert not left_in_english(text, "de", f"Leave policy, Annual leave, Travel policy, ann, {URL}"), text


async def test_what_is_kept_of_it_goes_with_its_asker(driver: Driver) -> None:
    said = await mention(driver)
    await driver.ask_person(said, "bob")
    await driver.rig.settled()
    assert QUESTION in await driver.rig.desk.export_person(driver.key("bob"))
    await driver.rig.desk.erase_person(driver.key("bob"))
    assert await driver.resolve("ann", "The blue team.") == wording.HANDOFF_GONE
