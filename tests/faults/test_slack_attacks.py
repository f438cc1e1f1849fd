"""Signed requests that make no sense, by the thousand: each is taken or refused, none costs another one anything."""

from __future__ import annotations

import asyncio
import gc
import json
import random
from collections import Counter
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from urllib.parse import quote_from_bytes

import aiohttp
import pytest
from structlog.testing import capture_logs

from adapters.slack.adapter import MAX_EVENT_BYTES
from adapters.slack.transport.router import EVENTS_PATH
from pipeline.values import AnswerStyle, RatingReason
from tests.contracts.slack_driver import CHANNEL, SlackHTTPDriver, user
from tests.doubles.slack.people import encoded, signature
from tests.doubles.slack.rules import Json
from tests.doubles.slack.workspace import TEAM
from tests.faults.misshapen import misshapen
from tests.trials import Count, trials

BODIES = trials(150)
AT_ONCE = 50
UNDERSTOOD = {200, 400, 404}
"""Taken in, not to be read, and nothing that we know."""
NEAR = 2 * AT_ONCE
"""How many more files may be open at the end: of each connection that is kept both sides are ours."""


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[SlackHTTPDriver]:
    driver = await SlackHTTPDriver.open(tmp_path / "data")
    try:
        with capture_logs():
            yield driver
    finally:
        await driver.close()


async def told(http: SlackHTTPDriver) -> list[tuple[str, Json]]:
    """One of all that Slack sends, in a conversation that goes well."""
    sent: list[tuple[str, Json]] = []
    deliver = http.people._post

    async def noted(kind: str, body: Json, attempt: int) -> Json | None:
        sent.append((kind, body))
        return await deliver(kind, body, attempt)

    http.people._post = noted  # type: ignore[method-assign]
    said = await http.mention("ann", "How much leave do I get?")
    await http.rig.settled()
    await http.rate(said, "ann", helpful=False, reason=RatingReason.WRONG, comment="No.")
    await http.passages(said, "ann")
    asked = await http.ask("ann", "How much leave do I get?")
    await http.rig.settled()
    await http.share(asked, "ann")
    await http.answer_this("ann", said)
    await http.direct("ann", "And this?", files={"a.md": b"# A"})
    await http.follow_up("ann", "And Bob?", said)
    await http.edit(said, "How much leave is there?")
    for tab in ("home", "messages"):
        await http.people.open_home(user("ann"), tab)
    await http.prefer("ann", AnswerStyle.CONCISE)
    await http.react(said)
    await http.people.stop(CHANNEL, said.handle.ts, user("ann"))
    await http.delete(said)
    await http.people.command(user("ann"), CHANNEL, "", command="/insights")
    await http.rig.settled()
    http.people._post = deliver  # type: ignore[method-assign]
    return sent


def anew(body: Json, number: int) -> Json:
    """The same, said or pressed once more."""
    event = body.get("event", {})
    again = {"trigger_id": f"trigger{number}"} if "trigger_id" in body else {}
    if event.get("type") in ("message", "app_mention") and "ts" in event:
        again["event"] = {**event, "ts": f"{1_700_000_000 + number}.000100"}
    return {**body, **again}


def raw(kind: str, body: object) -> tuple[bytes, str]:
    """Encoded as Slack would, if Slack could."""
    if kind == "slash_commands" and isinstance(body, dict):
        return encoded(kind, {name: str(value).encode("utf-8", "surrogatepass") for name, value in body.items()})
    return encoded("events_api" if kind == "slash_commands" else kind, body)  # type: ignore[arg-type]


async def post(session: aiohttp.ClientSession, http: SlackHTTPDriver, body: bytes, kind: str) -> tuple[int, str]:
    headers = {"Content-Type": kind, **signature(body)}
    async with session.post(
        f"http://127.0.0.1:{http.port}{EVENTS_PATH}", data=BytesIO(body), headers=headers
    ) as answer:
        return answer.status, await answer.text()


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.slow
@pytest.mark.timeout(0)
async def test_what_makes_no_sense_is_refused_and_the_next_question_is_answered_once(
    http: SlackHTTPDriver, record_property: Count
) -> None:
    sent = await told(http)
    slots, statuses = asyncio.Semaphore(AT_ONCE), Counter[int]()

    async def attack(session: aiohttp.ClientSession, number: int) -> None:
        dice = random.Random(number)
        kind, body = dice.choice(sent)
        body, content = raw(kind, misshapen(anew(body, number), dice))
        async with slots:
            status, text = await post(session, http, body, content)
        assert status in UNDERSTOOD, f"{number}: {status}"
        assert "Traceback" not in text
        statuses[status] += 1

    gc.collect()
    files, tasks = open_files(), len(asyncio.all_tasks())
    async with aiohttp.ClientSession() as session:
        await asyncio.gather(*(attack(session, number) for number in range(BODIES)))
    await http.rig.settled()
    said = await http.mention("bob", "Is anybody still there?")
    await http.rig.settled()
    assert len(http.replies(said)) == 1
    gc.collect()
    assert open_files() <= files + NEAR
    assert len(asyncio.all_tasks()) <= tasks + NEAR
    record_property("bodies", BODIES)
    for status, number in statuses.items():
        record_property(f"bodies answered {status}", number)


@pytest.mark.parametrize("content", ["application/json", "application/x-www-form-urlencoded"])
@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"[" * (MAX_EVENT_BYTES // 2), id="nested without end"),
        pytest.param(b'{"a":' * 100_000 + b"1" + b"}" * 100_000, id="nested"),
        pytest.param(b'{"event_id": ' + b"9" * 100_000 + b"}", id="a giant number"),
        pytest.param(b"&".join(b"a%d=" % n for n in range(200_000)), id="200,000 fields"),
        pytest.param(b"payload=" * 100_000, id="100,000 payloads"),
        pytest.param(b"\xff\x00" * 1000, id="no text"),
    ],
)
async def test_a_body_that_wants_to_be_too_much_is_refused(http: SlackHTTPDriver, body: bytes, content: str) -> None:
    if content != "application/json":
        body = b"payload=" + quote_from_bytes(body).encode() if len(body) < MAX_EVENT_BYTES // 3 else body
    async with aiohttp.ClientSession() as session:
        status, text = await post(session, http, body, content)
    assert status in UNDERSTOOD
    assert "Traceback" not in text


async def test_a_time_that_is_none_is_refused(http: SlackHTTPDriver) -> None:
    event = {"type": "message", "channel": CHANNEL, "user": user("ann"), "text": "<@U0BOT> When?"}
    async with aiohttp.ClientSession() as session:
        for ts in (10**50, "1e300", "inf", "-1e15", "nan"):
            body = json.dumps(http.people.body({**event, "ts": ts})).encode()
            assert (await post(session, http, body, "application/json"))[0] == 400


async def test_nobody_waits_behind_a_channel_or_a_person_that_is_none(http: SlackHTTPDriver) -> None:
    event = {"type": "message", "user": user("ann"), "text": "<@U0BOT> Where?", "ts": "1712345678.000100"}
    async with aiohttp.ClientSession() as session:
        for odd in ({"channel": "C1:C2:C3"}, {"channel": CHANNEL, "user": "U1:U2"}):
            body = json.dumps(http.people.body({**event, **odd})).encode()
            assert (await post(session, http, body, "application/json"))[0] == 200
    said = await http.mention("ann", "Here?")
    await http.rig.settled()
    assert len(http.replies(said)) == 1


async def test_a_reply_that_has_nowhere_to_go_keeps_nobody_waiting(http: SlackHTTPDriver) -> None:
    asked = {"command": "/ask", "text": "Where?", "team_id": TEAM, "channel_id": CHANNEL, "user_id": user("ann")}
    body, content = encoded("slash_commands", {**asked, "trigger_id": "1", "response_url": "nowhere"})
    async with aiohttp.ClientSession() as session:
        assert (await post(session, http, body, content))[0] == 200
    said = await http.ask("ann", "Here?")
    await http.rig.settled()
    assert len(http.replies(said)) == 1


async def test_a_request_that_is_replayed_is_taken_once(http: SlackHTTPDriver) -> None:
    message = http.people.write(user("ann"), CHANNEL, "<@U0BOT> How much leave do I get?")
    body, content = encoded("events_api", http.people.body(http.people.told(message)[1]))
    headers = {"Content-Type": content, **signature(body)}

    async def replayed(session: aiohttp.ClientSession) -> int:
        async with session.post(f"http://127.0.0.1:{http.port}{EVENTS_PATH}", data=body, headers=headers) as answer:
            return answer.status

    async with aiohttp.ClientSession() as session:
        assert set(await asyncio.gather(*(replayed(session) for _ in range(100)))) == {200}
    await http.rig.settled()
    assert len(http.workspace.replies(message)) == 1
