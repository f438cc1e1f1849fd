"""What is asked on the page and goes on elsewhere: people on another platform are asked, and who waits is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from adapters.chat.reply.parts import ReplyButton
from adapters.chat.words import forms
from adapters.web.ask.conversations import EXCHANGES_PER_PAGE, MAX_STREAMS
from adapters.web.ask.live_drafts import LiveDrafts
from pipeline.errors import Unavailable
from pipeline.ports import PostRecorder
from pipeline.rules.access import AccessRule
from pipeline.values import AnswerRequest, ConversationId, NoticeKind, PlaceId, PlaceSettings, replace
from pipeline.values.posting import HandoffNotice
from pipeline.words import wording
from tests.contracts.answers import cited, not_found
from tests.contracts.rig import once
from tests.contracts.web_driver import WebDriver
from tests.doubles.browser import Seen
from tests.doubles.visitors import CSRF

PEOPLE = PlaceId.parse("slack:T1:C9")
QUESTION = "Who won the cup?"


class Channel:
    """A channel where people are asked: what is posted there."""

    name = "slack"

    def __init__(self) -> None:
        self.posted: list[HandoffNotice] = []

    async def post(self, notice: HandoffNotice, recorder: PostRecorder) -> None:
        await recorder.record_intent()
        self.posted.append(notice)
        await recorder.record_posted("1.0")

    async def find(self, notice: HandoffNotice) -> str | None:
        return None

    async def get_readers(self, _: object) -> Any:
        from pipeline.values import Readers

        return Readers(groups=frozenset({"slack:T1"}))

    def can_serve(self, _: str) -> bool:
        return True


@pytest.fixture
async def channel() -> Channel:
    return Channel()


@pytest.fixture
async def driver(channel: Channel, tmp_path: Path) -> AsyncIterator[WebDriver]:
    opened = WebDriver(tmp_path / "data")
    opened.rig.others["slack"] = channel  # type: ignore[assignment] # what a courier asks of one
    opened.rig.places[opened.place] = PlaceSettings(ask=PEOPLE, ask_name="the HR desk")
    opened.rig.script = lambda asked: once(unanswered(asked))
    await opened.connect()
    yield opened
    await opened.close()


def unanswered(asked: AnswerRequest) -> Any:
    return replace(not_found(asked.text), standalone=asked.text)


async def test_a_person_is_asked_on_another_platform_and_their_reply_appears_on_the_page(
    driver: WebDriver, channel: Channel
) -> None:
    said = await driver.direct("ann", QUESTION)
    await driver.rig.settled()
    assert "Ask the HR desk" in said.handle.html
    told = Seen(await driver._press(said, "ann", ReplyButton.ASK), "panel").text
    assert wording.HANDOFF_SENT in told
    await driver.rig.settled()
    (notice,) = channel.posted
    assert (notice.about, notice.handoff.question) == (NoticeKind.ASKED, QUESTION)
    assert "Their reply appears here" in said.handle.html
    await driver.rig.storage.handoffs.resolve(notice.handoff.id, "slack:T1:U7", "Bea", "The <b>blue</b> team.")
    await driver.rig.settled()
    assert "Bea replied" in said.handle.html
    assert "The &lt;b&gt;blue&lt;/b&gt; team." in said.handle.html


async def test_who_wants_to_be_told_is_told_in_their_conversation_and_may_take_it_back(driver: WebDriver) -> None:
    said = await driver.direct("ann", QUESTION)
    await driver.rig.settled()
    told = await driver._press(said, "ann", ReplyButton.SUBSCRIBE)
    assert wording.SUBSCRIBED in Seen(told).text
    driver.rig.script = lambda asked: once(
        cited("The blue team won", question=asked.text, standalone=asked.text, answer_id="told1")
    )
    await driver.rig.changed()
    page = (await driver._get("ann", f"/c/{said.handle.conversation}")).text
    assert page.count("<article") == 2
    assert "The blue team won" in page
    taken_back = await driver._send("ann", "/press", Seen(told).form_with("action", ReplyButton.UNSUBSCRIBE.value))
    assert wording.SUBSCRIPTION_GONE in Seen(taken_back.text).text


async def test_a_conversation_is_nobody_elses(driver: WebDriver) -> None:
    said = await driver.direct("ann", QUESTION)
    await driver.rig.settled()
    path = f"/c/{said.handle.conversation}"
    assert (await driver._get("bob", path)).status_code == 404
    assert (await driver._get("bob", f"{path}/events")).text == ""
    assert QUESTION not in (await driver._get("bob", "/")).text
    assert QUESTION in (await driver._get("ann", "/")).text
    form = {**said.handle.form, "once": "0" * 32, "question": "And who lost it?"}
    gone_on = await driver._send("bob", "/ask", form)
    assert path not in gone_on.headers["location"]


async def test_what_is_no_question_is_said_and_nothing_is_asked(driver: WebDriver) -> None:
    for question, status in ((" ", 422), ("x" * 5000, 422)):
        form = {"csrf": "a token of the page's", "once": "", "conversation": "", "question": question}
        answer = await driver.client.post("/ask", data=form, headers={"X-Person": "ann"})
        assert answer.status_code == status
    assert driver.rig.requests == []


async def test_what_cannot_be_reached_is_told_in_a_sentence(driver: WebDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    async def down(*_: object) -> None:
        raise Unavailable("the database", "is locked")

    monkeypatch.setattr(driver.rig.storage.archive, "list_conversations", down)
    answer = await driver._get("ann", "/")
    assert answer.status_code == 503
    assert wording.TRY_AGAIN in Seen(answer.text).text
    assert "locked" not in answer.text


async def test_who_asks_for_pages_faster_than_anybody_reads_is_told_to_wait(driver: WebDriver) -> None:
    statuses = {(await driver._get("ann", "/you")).status_code for _ in range(320)}
    assert statuses == {200, 429}
    assert (await driver._get("bob", "/you")).status_code == 200


# --- Sent twice --------------------------------------------------------------------------------------


async def first_form(driver: WebDriver, person: str) -> dict[str, str]:
    shown = Seen((await driver._get(person, "/")).text)
    return {one.name: one.value for one in shown.fields} | {"question": QUESTION}


async def test_the_first_form_of_a_conversation_that_is_sent_ten_times_at_once_asks_once(driver: WebDriver) -> None:
    form = await first_form(driver, "ann")
    answers = await asyncio.gather(*(driver._send("ann", "/ask", form) for _ in range(10)))
    await driver.rig.settled()
    (where,) = {one.headers["location"] for one in answers}
    assert [request.text for request in driver.rig.requests] == [QUESTION]
    assert (await driver._get("ann", where)).text.count("<article") == 1


async def test_what_another_person_sends_with_a_form_of_somebody_begins_a_conversation_of_their_own(
    driver: WebDriver,
) -> None:
    driver.rig.script = lambda asked: once(cited("Thirty.", answer_id=f"a{len(driver.rig.requests)}"))
    form = await first_form(driver, "ann")
    theirs, others = [(await driver._send(one, "/ask", form)).headers["location"] for one in ("bob", "ann")]
    await driver.rig.settled()
    assert theirs != others
    assert [request.text for request in driver.rig.requests] == [QUESTION] * 2
    assert (await driver._get("ann", others)).status_code == 200
    assert (await driver._get("ann", theirs)).status_code == 404


async def test_a_question_that_was_not_taken_in_is_said_to_be_each_time_that_it_is_sent(driver: WebDriver) -> None:
    """Also where its sender was told so a moment ago."""
    driver.rig.storage.inbox._capacity = 0
    first, another = [await first_form(driver, "ann") for _ in range(2)]
    for form in (first, first, another):
        answer = await driver.client.post("/ask", data=form, headers={"X-Person": "ann"})
        assert answer.status_code == 503
        assert wording.BOT_BUSY in Seen(answer.text).text


@pytest.mark.parametrize(
    "action", [*ReplyButton, "reason", "insights", "sources", "resolve", "resolved", "send", "", "?"]
)
async def test_whatever_is_pressed_twice_a_page_says_what_came_of_it_and_leads_back(
    driver: WebDriver, action: str
) -> None:
    said = await driver.direct("ann", QUESTION)
    await driver.rig.settled()
    form = {"csrf": CSRF, "conversation": said.handle.conversation, "about": "n0n0n0", "action": action}
    answers = await asyncio.gather(*(driver._send("ann", "/press", form) for _ in range(2)))
    for answer in answers:
        if action == ReplyButton.EXPORT:
            assert json.loads(answer.text)["answers"]
            continue
        panel = Seen(answer.text, "panel")
        assert panel.text.strip()
        assert any(tag == "a" and "button" in found.get("class", "") for tag, found in panel.elements)


# --- What is another's, or closed by now ------------------------------------------------------------


def pressed(driver: WebDriver, conversation: str, action: str) -> dict[str, str]:
    return {"csrf": CSRF, "conversation": conversation, "about": "n0n0n0", "action": action, "comment": "No."}


ANSWERS = (*(ReplyButton(one) for one in ("up", "down", "passages", "why", "ask", "tell")), forms.REASON_FORM)


@pytest.mark.parametrize("action", ANSWERS)
async def test_nothing_can_be_done_with_the_answer_of_another_person(
    driver: WebDriver, channel: Channel, action: str
) -> None:
    """From a conversation of one's own, from that of the other person, or from none."""
    said = await driver.direct("ann", QUESTION)
    await driver.rig.settled()
    driver.rig.script = lambda asked: once(cited("Thirty.", question=asked.text, answer_id="own"))
    own = await driver.direct("bob", "And leave?")
    await driver.rig.settled()
    for conversation in (own.handle.conversation, said.handle.conversation, ""):
        answer = await driver._send("bob", "/press", pressed(driver, conversation, action))
        assert wording.ANSWER_UNAVAILABLE in Seen(answer.text, "panel").text
        assert "<textarea" not in answer.text
        assert said.handle.conversation not in answer.text
    await driver.rig.settled()
    kept = json.loads(await driver.rig.desk.export_person(driver.key("bob")))
    assert (kept["ratings"], kept["wishes"], kept["handoffs"], channel.posted) == ([], [], [], [])


@pytest.mark.parametrize("action", ANSWERS)
async def test_nothing_can_be_done_with_an_answer_of_a_collection_that_was_closed_since(
    driver: WebDriver, channel: Channel, action: str
) -> None:
    said = await driver.direct("ann", QUESTION)
    await driver.rig.settled()
    driver.rig.rules["default"] = AccessRule(only=("web:group:others",))
    answer = await driver._send("ann", "/press", pressed(driver, said.handle.conversation, action))
    assert wording.ANSWER_UNAVAILABLE in Seen(answer.text, "panel").text
    assert "<textarea" not in answer.text
    await driver.rig.settled()
    kept = json.loads(await driver.rig.desk.export_person(driver.key("ann")))
    assert (kept["ratings"], kept["wishes"], kept["handoffs"], channel.posted) == ([], [], [], [])


async def test_an_answer_whose_document_was_changed_or_removed_since_can_still_be_said_to_be_wrong(
    driver: WebDriver,
) -> None:
    said = await driver.direct("ann", QUESTION)
    await driver.rig.settled()
    await driver.rig.storage.library.remove_documents(["doc-1", "doc-2"])
    await driver._send("ann", "/press", pressed(driver, said.handle.conversation, ReplyButton.UNHELPFUL))
    assert '"unhelpful"' in await driver.rig.desk.export_person(driver.key("ann"))


async def test_nobody_silences_the_conversation_of_another_person(driver: WebDriver) -> None:
    said = await driver.direct("ann", QUESTION)
    await driver.rig.settled()
    for conversation in (said.handle.conversation, "", "x"):
        await driver._send("bob", "/press", pressed(driver, conversation, ReplyButton.STOP))
        where = ConversationId(platform="web", space="page", channel=conversation)
        assert not await driver.rig.storage.inbox.is_silenced(where)
    await driver._send("ann", "/press", pressed(driver, said.handle.conversation, ReplyButton.STOP))
    where = ConversationId(platform="web", space="page", channel=said.handle.conversation)
    assert await driver.rig.storage.inbox.is_silenced(where)


# --- A long conversation ----------------------------------------------------------------------------


@pytest.fixture
async def long(driver: WebDriver) -> str:
    """The address of a conversation of three pages and two exchanges."""
    numbers = iter(range(1000))

    def script(asked: AnswerRequest) -> Any:
        return once(cited(f"Reply to {asked.text}", question=asked.text, answer_id=f"a{next(numbers)}"))

    driver.rig.script = script
    form = await first_form(driver, "ann") | {"question": "Question 1."}
    where = (await driver._send("ann", "/ask", form)).headers["location"].partition("#")[0]
    for number in range(2, 3 * EXCHANGES_PER_PAGE + 3):
        more = {"conversation": where.removeprefix("/c/"), "once": f"{number:032x}", "question": f"Question {number}."}
        await driver._send("ann", "/ask", form | more)
        await driver.rig.settled()
    return where


def turned(html: str, rel: str) -> str:
    """Where a link of the page leads that goes on from it."""
    return next((found["href"] for tag, found in Seen(html).elements if tag == "a" and found.get("rel") == rel), "")


async def test_a_long_conversation_is_read_page_by_page_the_newest_first(driver: WebDriver, long: str) -> None:
    page = (await driver._get("ann", long)).text
    last = 3 * EXCHANGES_PER_PAGE + 2
    assert f"Questions {last - EXCHANGES_PER_PAGE + 1} to {last} of {last}" in Seen(page).text
    assert 'id="latest"' in page
    read = []
    while page:
        questions = [line.partition("<")[0] for line in page.split('<h2 dir="auto">')[1:]]
        assert len(questions) == EXCHANGES_PER_PAGE
        read = [*questions, *read]
        before = turned(page, "prev")
        page = (await driver._get("ann", before)).text if before else ""
    assert list(dict.fromkeys(read)) == [f"Question {number}." for number in range(1, last + 1)]
    first = (await driver._get("ann", f"{long}?start=0")).text
    assert turned(first, "prev") == ""
    assert 'id="latest"' not in first
    later = [turned(first, "next")]
    while further := turned((await driver._get("ann", later[-1])).text, "next"):
        later.append(further)
    assert f"Question {last}." in (await driver._get("ann", later[-1])).text
    assert len(later) == 3


@pytest.mark.parametrize("start", ["9999999", "9" * 400, "-1", "x", "", "\u0663", "1e3", "0x1"])
async def test_a_page_of_a_conversation_that_is_none_is_the_newest(driver: WebDriver, long: str, start: str) -> None:
    answer = await driver._get("ann", f"{long}?start={start}")
    assert answer.status_code == 200
    assert f"Question {3 * EXCHANGES_PER_PAGE + 2}." in answer.text


async def test_while_an_answer_is_waited_for_a_conversation_is_not_read_again_and_again(
    driver: WebDriver, long: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    free, archive = asyncio.Event(), driver.rig.storage.archive
    looks, read = asyncio.Semaphore(0), list[int]()
    waits, exchanges = LiveDrafts.wait_for_change, archive.list_exchanges

    async def looking(*given: Any) -> None:
        looks.release()
        await waits(*given)

    async def reading(*given: Any) -> Any:
        found = await exchanges(*given)
        read.append(len(found.exchanges))
        return found

    async def slow(asked: AnswerRequest) -> Any:
        await free.wait()
        yield cited("At last.", question=asked.text, answer_id="last")

    driver.rig.script = slow
    form = await first_form(driver, "ann") | {"conversation": long.removeprefix("/c/")}
    await driver._send("ann", "/ask", form)
    monkeypatch.setattr(LiveDrafts, "wait_for_change", looking)
    monkeypatch.setattr(archive, "list_exchanges", reading)
    watching = asyncio.create_task(driver._get("ann", f"{long}/events"))
    for _ in range(4):
        await looks.acquire()
    assert read == []
    many = [asyncio.create_task(driver._get("ann", f"{long}/events")) for _ in range(MAX_STREAMS + 5)]
    assert {one.result().status_code for one in (await asyncio.wait(many, return_when="FIRST_COMPLETED"))[0]} == {429}
    free.set()
    assert "At last." in (await watching).text
    assert [one.status_code for one in await asyncio.gather(*many)].count(429) == 6
    assert "At last." in (await driver._get("ann", f"{long}/events")).text
    assert set(read) == {1}
