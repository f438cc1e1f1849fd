"""What dated documents say is told with their days, on every platform, by the real walk over a real library."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from datetime import date

import pytest

from pipeline.find.retrieve import HybridRetriever
from pipeline.plan.rule_planner import RulePlanner
from pipeline.respond import Responder
from pipeline.rules.access import AccessRule
from pipeline.values import AnswerEvent, AnswerOptions, AnswerRequest, PlaceSettings, replace
from pipeline.words import wording
from tests.contracts.driver import Driver, Shown, Way
from tests.contracts.waiting import eventually
from tests.doubles.samples import chunks, document

TODAY = date(2026, 11, 27)
HORIZON = "2025-05-31"
WEEKS = "Parents get {} weeks of paid parental leave."


async def put(driver: Driver, name: str, text: str, day: str = "", *, collection: str = "default") -> None:
    dated = replace(
        document(name, collection=collection),
        metadata={"reviewed": day} if day else {},
        url=f"https://wiki.example/{name}",
    )
    await driver.rig.storage.library.replace_document(dated, chunks(name, [text]), None, "")


async def asked(driver: Driver, question: str, *, always: bool = True) -> Shown:
    """The one reply that the team reads; with `always` the best extract, sure or not."""

    async def walk(request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        storage = driver.rig.storage
        responder = Responder(
            planner=RulePlanner(storage.index, storage.library, today=lambda: TODAY),
            retriever=HybridRetriever(storage.index, storage.library, None),
            model=None,
            history=storage.history,
            options=AnswerOptions(),
            report=lambda _, error: pytest.fail(str(error)),
            warn=lambda *_: None,
            library=storage.library,
            is_stale=lambda found: "" < found.last_changed < HORIZON,
        )
        yield await responder.respond(replace(request, force_extract=always)).answer()

    driver.rig.script = walk
    said = await driver.mention("ann", question)
    await driver.rig.settled()
    (reply,) = driver.replies(said)
    return reply


def in_order(text: str, *parts: str) -> bool:
    places = [text.find(part) for part in parts]
    return -1 not in places and places == sorted(places)


@pytest.mark.walks(Way.MENTION, Way.INBOX)
async def test_of_two_documents_that_do_not_agree_the_newer_is_named_first_each_with_its_day(driver: Driver) -> None:
    await put(driver, "old", WEEKS.format(16), "2025-06-02")
    await put(driver, "new", WEEKS.format(26), "2026-03-01")
    reply = await asked(driver, "How many weeks of paid parental leave do parents get?")
    assert in_order(reply.text, "As of 2026-03-01: ", WEEKS.format(26), "As of 2025-06-02: ", WEEKS.format(16))
    assert reply.text.count("As of 2026-03-01") == 2
    assert "out of date" not in reply.text


@pytest.mark.walks(Way.MENTION, Way.INBOX)
async def test_the_newer_is_named_first_as_well_where_nothing_clearly_answers(driver: Driver) -> None:
    await put(driver, "old", WEEKS.format(16), "2025-06-02")
    await put(driver, "new", WEEKS.format(26), "2026-03-01")
    reply = await asked(driver, "How many weeks of paid parental leave do parents get?", always=False)
    assert wording.RELATED_PASSAGES in reply.text
    assert in_order(reply.text, "As of 2026-03-01: ", WEEKS.format(26), "As of 2025-06-02: ", WEEKS.format(16))


@pytest.mark.walks(Way.MENTION, Way.INBOX)
async def test_without_both_days_neither_is_said(driver: Driver) -> None:
    await put(driver, "old", WEEKS.format(16))
    await put(driver, "new", WEEKS.format(26), "2026-03-01")
    reply = await asked(driver, "How many weeks of paid parental leave do parents get?")
    assert WEEKS.format(16) in reply.text
    assert "As of" not in reply.text


@pytest.mark.walks(Way.MENTION, Way.INBOX)
async def test_a_source_that_is_past_its_horizon_is_marked_and_the_answer_says_of_when_it_is(driver: Driver) -> None:
    await put(driver, "old", WEEKS.format(16), "2023-02-01")
    reply = await asked(driver, "How many weeks of paid parental leave do parents get?")
    assert "as of 2023-02-01, may be out of date" in reply.text
    assert "As of 2023-02-01" in reply.text


@pytest.mark.walks(Way.MENTION, Way.INBOX)
async def test_an_answer_that_rests_on_what_is_in_date_says_no_more_than_the_day_of_its_source(driver: Driver) -> None:
    await put(driver, "new", WEEKS.format(26), "2026-03-01")
    reply = await asked(driver, "How many weeks of paid parental leave do parents get?")
    assert "2026-03-01" in reply.text
    assert "As of" not in reply.text
    assert "out of date" not in reply.text


@pytest.mark.walks(Way.MENTION, Way.PLACES)
async def test_what_changed_is_listed_newest_first_with_links_and_only_what_its_readers_may_see(
    driver: Driver,
) -> None:
    driver.rig.rules["board"] = AccessRule(only=(driver.alone("ann"),))
    await put(driver, "older", "Meals are paid for.", "2026-04-30")
    await put(driver, "newer", WEEKS.format(26), "2026-05-01")
    await put(driver, "newest", "Bikes are repaired on Fridays.", "2026-06-02")
    await put(driver, "undated", "Doors close at eight.")
    await put(driver, "hidden", "The company is for sale.", "2026-07-01", collection="board")
    reply = await asked(driver, "What changed since May?")
    assert in_order(reply.text, "2026-05-01", "About newest", "(2026-06-02)", "About newer", "(2026-05-01)")
    assert {"https://wiki.example/newest", "https://wiki.example/newer"} == reply.links
    assert not any(f"About {name}" in reply.text for name in ("older", "undated", "hidden"))


@pytest.mark.walks(Way.MENTION, Way.INBOX)
async def test_what_changed_about_a_topic_leaves_out_what_is_about_others(driver: Driver) -> None:
    await put(driver, "leave", WEEKS.format(26), "2026-05-01")
    await put(driver, "old", "Parental leave is asked for in writing.", "2024-05-01")
    await put(driver, "bikes", "Bikes are repaired on Fridays.", "2026-06-02")
    reply = await asked(driver, "What changed about parental leave since May?")
    assert in_order(reply.text, "About leave", "(2026-05-01)")
    assert not any(f"About {name}" in reply.text for name in ("old", "bikes"))
    reply = await asked(driver, "What changed about parental leave since yesterday?")
    assert "About “parental leave”, nothing was changed or reviewed since 2026-11-26" in reply.text


@pytest.mark.walks(Way.MENTION, Way.INBOX)
async def test_that_nothing_changed_is_said_and_so_is_that_no_document_has_a_day(driver: Driver) -> None:
    await put(driver, "undated", "Doors close at eight.")
    assert "None of the documents says when it was changed." in (await asked(driver, "What changed last week?")).text
    await put(driver, "leave", WEEKS.format(26), "2026-05-01")
    reply = await asked(driver, "What changed last week?")
    assert "Nothing was changed or reviewed since 2026-11-16" in reply.text


@pytest.mark.walks(Way.MENTION, Way.INBOX)
async def test_what_changed_about_what_has_no_day_is_a_question_as_any_other(driver: Driver) -> None:
    await put(driver, "coffee", "The coffee machine is cleaned on Fridays.")
    reply = await asked(driver, "What changed about the coffee machine since May?")
    assert "The coffee machine is cleaned on Fridays." in reply.text


@pytest.mark.walks(Way.TALK, Way.INBOX)
async def test_what_somebody_said_stands_behind_a_document_that_says_otherwise_however_new(driver: Driver) -> None:
    driver.rig.places[driver.place] = PlaceSettings(index=True)
    await put(driver, "old", WEEKS.format(16), "2025-06-02")
    await driver.aside("bob", WEEKS.format(26))

    async def there() -> bool:
        return bool(await driver.rig.storage.library.versions(str(driver.place)))

    await eventually(there)
    reply = await asked(driver, "How many weeks of paid parental leave do parents get?")
    assert in_order(reply.text, WEEKS.format(16), WEEKS.format(26))
    assert "thread in #team" in reply.text
