"""What is asked on the page and goes on elsewhere: people on another platform are asked, and who waits is told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from adapters.chat.reply.parts import Button
from pipeline.errors import Unavailable
from pipeline.ports import Receipt
from pipeline.values import About, Place, PlaceId, Request
from pipeline.values.posting.handoff import Notice
from pipeline.words import wording
from tests.contracts.answers import cited, not_found
from tests.contracts.rig import once
from tests.contracts.web_driver import WebDriver
from tests.doubles.browser import Seen

PEOPLE = PlaceId.parse("slack:T1:C9")
QUESTION = "Who won the cup?"


class Channel:
    """A channel where people are asked: what is posted there."""

    name = "slack"

    def __init__(self) -> None:
        self.posted: list[Notice] = []

    async def post(self, notice: Notice, receipt: Receipt) -> None:
        await receipt.posting()
        self.posted.append(notice)
        await receipt.posted("1.0")

    async def find(self, notice: Notice) -> str | None:
        return None

    async def readers(self, _: object) -> Any:
        from pipeline.values import Readers

        return Readers(groups=frozenset({"slack:T1"}))

    def serves(self, _: str) -> bool:
        return True


@pytest.fixture
async def channel() -> Channel:
    return Channel()


@pytest.fixture
async def driver(channel: Channel, tmp_path: Path) -> AsyncIterator[WebDriver]:
    opened = WebDriver(tmp_path / "data")
    opened.rig.others["slack"] = channel  # type: ignore[assignment] # what a courier asks of one
    opened.rig.places[opened.place] = Place(ask=PEOPLE, ask_name="the HR desk")
    opened.rig.script = lambda asked: once(unanswered(asked))
    await opened.connect()
    yield opened
    await opened.close()


def unanswered(asked: Request) -> Any:
    return not_found(asked.text).model_copy(update={"standalone": asked.text})


async def test_a_person_is_asked_on_another_platform_and_their_reply_appears_on_the_page(
    driver: WebDriver, channel: Channel
) -> None:
    said = await driver.direct("ann", QUESTION)
    await driver.rig.settled()
    assert "Ask the HR desk" in said.handle.html
    told = Seen(await driver._press(said, "ann", Button.ASK), "panel").text
    assert wording.PASSED_ON in told
    await driver.rig.settled()
    (notice,) = channel.posted
    assert (notice.about, notice.handoff.question) == (About.ASKED, QUESTION)
    assert "What they reply appears here" in said.handle.html
    await driver.rig.storage.handoffs.resolve(notice.handoff.id, "slack:T1:U7", "Bea", "The <b>blue</b> team.")
    await driver.rig.settled()
    assert "Bea replied" in said.handle.html
    assert "The &lt;b&gt;blue&lt;/b&gt; team." in said.handle.html


async def test_who_wants_to_be_told_is_told_in_their_conversation_and_may_take_it_back(driver: WebDriver) -> None:
    said = await driver.direct("ann", QUESTION)
    await driver.rig.settled()
    told = await driver._press(said, "ann", Button.TELL)
    assert wording.WISHED in Seen(told).text
    driver.rig.script = lambda asked: once(
        cited("The blue team won", question=asked.text, standalone=asked.text, answer_id="told1")
    )
    await driver.rig.changed()
    page = (await driver._get("ann", f"/c/{said.handle.conversation}")).text
    assert page.count("<article") == 2
    assert "The blue team won" in page
    taken_back = await driver._send("ann", "/press", Seen(told).form_with("action", Button.UNTELL.value))
    assert wording.WISH_GONE in Seen(taken_back.text).text


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

    monkeypatch.setattr(driver.rig.storage.archive, "talks", down)
    answer = await driver._get("ann", "/")
    assert answer.status_code == 503
    assert wording.TRY_AGAIN in Seen(answer.text).text
    assert "locked" not in answer.text


async def test_who_asks_for_pages_faster_than_anybody_reads_is_told_to_wait(driver: WebDriver) -> None:
    statuses = {(await driver._get("ann", "/you")).status_code for _ in range(320)}
    assert statuses == {200, 429}
    assert (await driver._get("bob", "/you")).status_code == 200
