"""The two ways in: signed HTTP that nothing malformed gets through, and Socket Mode that survives its connections."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

import aiohttp
import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.adapter import SlackAdapter
from adapters.slack.settings import SlackSettings
from adapters.slack.transport import socket_mode
from adapters.slack.transport.router import has_valid_signature
from pipeline.errors import Misconfigured, Unavailable
from tests.contracts.slack_driver import CHANNEL, SlackDriver, SlackHTTPDriver, user
from tests.contracts.waiting import until
from tests.doubles.slack.people import encoded, signature
from tests.doubles.slack.rules import Json
from tests.doubles.slack.server import APP_TOKEN, BOT_TOKEN, SECRET
from tests.doubles.slack.workspace import TEAM

BODY = b'{"type": "event_callback"}'


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[SlackHTTPDriver]:
    driver = await SlackHTTPDriver.open(tmp_path / "data")
    try:
        yield driver
    finally:
        await driver.close()


async def post(http: SlackHTTPDriver, raw: bytes, headers: dict[str, str]) -> int:
    async with aiohttp.ClientSession() as session:
        url = f"http://127.0.0.1:{http.port}/slack/events"
        async with session.post(url, data=raw, headers={"Content-Type": "application/json", **headers}) as response:
            return response.status


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Slack-Signature": "v0=00", "X-Slack-Request-Timestamp": "now"},
        {"X-Slack-Signature": "v0=ÿé", "X-Slack-Request-Timestamp": str(int(time.time()))},
        {"X-Slack-Signature": "", "X-Slack-Request-Timestamp": "１２３"},
        {"X-Slack-Signature": "v0=" + "0" * 64, "X-Slack-Request-Timestamp": str(int(time.time()))},
        {"X-Slack-Signature": "v0=" + "0" * 64, "X-Slack-Request-Timestamp": "9" * 400},
        signature(BODY, secret="another"),
        signature(BODY, at=time.time() - 86_400),
        signature(BODY, at=time.time() + 86_400),
        signature(BODY + b" "),
    ],
)
async def test_what_is_not_signed_by_slack_now_is_401(http: SlackHTTPDriver, headers: dict[str, str]) -> None:
    assert await post(http, BODY, headers) == 401


@pytest.mark.parametrize("raw", [b"\xff\xfe", b"{", b"", b"payload=%7B", b"payload=1"])
async def test_a_signed_body_that_cannot_be_read_is_no_server_error(http: SlackHTTPDriver, raw: bytes) -> None:
    assert 400 <= await post(http, raw, signature(raw)) < 500


async def test_a_failing_inbox_is_not_acknowledged(http: SlackHTTPDriver) -> None:
    await http.rig.storage.database.close()
    message = http.people.write(user("ann"), CHANNEL, "<@U0BOT> How much leave do I get?")
    raw, _ = encoded("events_api", http.people.body(http.people.told(message)[1]))
    assert await post(http, raw, signature(raw)) == 500


def told(**event: object) -> dict[str, object]:
    return {"type": "event_callback", "team_id": TEAM, "event": event}


@pytest.mark.parametrize(
    "body",
    [
        [],
        [1],
        "x",
        {"type": ["event_callback"]},
        {"type": "event_callback", "team_id": TEAM, "event": [1]},
        {"type": "event_callback", "team_id": TEAM, "event": None},
        {"type": "event_callback", "authorizations": 1, "event": {"type": "message"}},
        told(type="message", channel="C1", user="U1", text="<@U0BOT> hi", ts=None),
        told(type="message", channel="C1", user="U1", text="<@U0BOT> hi", ts="soon"),
        told(type="message", channel={"a": 1}, user=[], text={}, ts="1.0"),
        told(type="message", subtype="message_changed", channel="C1", message=1),
        told(type="message", subtype="message_changed", channel="C1", message={"text": "<@U0BOT> \ud83d", "ts": "1.0"}),
        told(type={"a": 1}),
        {"type": "view_submission", "team": [], "user": {"id": "U1"}, "view": {"callback_id": "reason"}},
        {"type": "block_actions", "team": {"id": TEAM}, "user": {"id": "U1"}, "actions": None},
    ],
)
async def test_a_signed_body_of_an_odd_shape_is_no_server_error(http: SlackHTTPDriver, body: object) -> None:
    raw = json.dumps(body).encode()
    assert await post(http, raw, signature(raw)) < 500
    form = b"payload=" + quote(json.dumps(body)).encode()
    headers = {"Content-Type": "application/x-www-form-urlencoded", **signature(form)}
    assert await post(http, form, headers) < 500


async def test_an_event_that_nothing_is_done_with_is_acknowledged_without_a_word(
    http: SlackHTTPDriver, caplog: pytest.LogCaptureFixture
) -> None:
    raw = json.dumps(told(type="file_shared", file_id="F1", user_id="U1")).encode()
    assert await post(http, raw, signature(raw)) == 200
    assert caplog.records == []


async def test_a_token_in_the_environment_is_nothing_to_warn_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", BOT_TOKEN)
    driver = await SlackDriver.open(tmp_path / "data")
    await driver.close()
    assert caplog.records == []


HEAD = b"POST /slack/events HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n"


@asynccontextmanager
async def sent(http: SlackHTTPDriver, raw: bytes) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A caller that sends so much and no more."""
    reader, writer = await asyncio.open_connection("127.0.0.1", http.port)
    writer.write(raw)
    await writer.drain()
    async with asyncio.timeout(10):
        yield reader, writer
    writer.close()


async def test_a_body_that_is_cut_off_is_not_worth_a_word(
    http: SlackHTTPDriver, caplog: pytest.LogCaptureFixture
) -> None:
    async with sent(http, HEAD + b"\r\nsome") as (_, writer):
        writer.transport.abort()
    assert await post(http, BODY, {}) == 401
    await http.close()
    assert caplog.records == []


async def test_a_slack_that_does_not_say_goodbye_is_not_waited_for(slack: SlackDriver) -> None:
    await until(lambda: len(slack.slack.sockets) == 2)
    silent = SlackDriver(slack.rig.folder.with_name("another"))
    silent.slack.says_goodbye = False
    await silent.start()
    await until(lambda: len(silent.slack.sockets) == 2)
    async with asyncio.timeout(5):
        await silent.rig.stop(drain_seconds=1.0)
    await silent.slack.__aexit__(None, None, None)


@given(st.binary(max_size=40), st.text(max_size=20), st.text(max_size=80))
def test_a_signature_is_true_only_for_what_slack_signed(body: bytes, timestamp: str, given_signature: str) -> None:
    headers = {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": given_signature}
    assert not has_valid_signature(body, headers, SECRET, 1_000_000.0)
    assert has_valid_signature(body, signature(body, at=1_000_000.0), SECRET, 1_000_200.0)
    assert not has_valid_signature(body + b"x", signature(body, at=1_000_000.0), SECRET, 1_000_200.0)


async def test_a_connection_that_slack_wants_renewed_is_renewed_without_a_gap(slack: SlackDriver) -> None:
    await until(lambda: len(slack.slack.sockets) == 2)
    old = list(slack.slack.sockets)
    await slack.slack.disconnect(old[0])
    said = await slack.mention("ann", "How much leave do I get?")
    await slack.rig.settled()
    assert len(slack.replies(said)) == 1
    await until(lambda: len(slack.slack.sockets) == 2 and old[0] not in slack.slack.sockets)


async def close(socket: web.WebSocketResponse) -> None:
    await socket.close()


async def ask_to_leave(socket: web.WebSocketResponse) -> None:
    await socket.send_json({"type": "disconnect", "reason": "warning"})


@pytest.mark.parametrize("end", [close, ask_to_leave])
async def test_where_slack_ends_each_connection_at_once_the_next_ones_come_ever_later(
    slack: SlackDriver, end: Callable[[web.WebSocketResponse], Awaitable[None]]
) -> None:
    ended = 0

    async def at_once(socket: web.WebSocketResponse) -> None:
        nonlocal ended
        ended += 1
        await end(socket)

    await until(lambda: len(slack.slack.sockets) == 2)
    slack.slack.at_once = at_once
    for socket in list(slack.slack.sockets):
        await end(socket)
    await asyncio.sleep(1.5)
    assert 2 <= ended <= 8
    slack.slack.at_once = None
    await until(lambda: slack.slack.sockets)
    said = await slack.mention("ann", "How much leave do I get?")
    await slack.rig.settled()
    assert len(slack.replies(said)) == 1


FRAMES: tuple[str | bytes, ...] = (
    *(
        "",
        "garbage",
        "{",
        "[]",
        "null",
        "{}",
        "\x00",
        "[" * 10_000,
        '{"type": 1}',
        '{"type": "events_api"}',
        b"\xff\x00",
    ),
    '{"type": "events_api", "envelope_id": 1, "payload": []}',
    '{"type": "events_api", "envelope_id": "x", "payload": {"type": "event_callback", "event": [1]}}',
    '{"type": "slash_commands", "envelope_id": "x", "payload": "a"}',
)


async def test_frames_that_make_no_sense_cost_nobody_an_answer(slack: SlackDriver) -> None:
    await until(lambda: len(slack.slack.sockets) == 2)
    for socket in slack.slack.sockets:
        for frame in FRAMES:
            await (socket.send_str(frame) if isinstance(frame, str) else socket.send_bytes(frame))
    said = await slack.mention("ann", "How much leave do I get?")
    await slack.rig.settled()
    assert len(slack.replies(said)) == 1


async def test_a_connection_that_went_silent_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket_mode, "PING_SECONDS", 0.2)
    driver = await SlackDriver.open(tmp_path / "data")
    await until(lambda: len(driver.slack.sockets) == 2)
    old = set(driver.slack.sockets)
    driver.slack.answer_pings = False
    await until(lambda: not old & set(driver.slack.sockets))
    driver.slack.answer_pings = True
    await until(lambda: len(driver.slack.sockets) == 2)
    said = await driver.mention("ann", "How much leave do I get?")
    await driver.rig.settled()
    assert len(driver.replies(said)) == 1
    await driver.close()


async def test_a_token_that_stops_working_ends_the_listening_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_mode, "PING_SECONDS", 0.05)
    monkeypatch.setattr(socket_mode, "DEAD_SECONDS", 0.1)
    driver = await SlackDriver.open(tmp_path / "data")
    await until(lambda: len(driver.slack.sockets) == 2)
    driver.slack.app_token = "xapp-another"
    for socket in list(driver.slack.sockets):
        await socket.close()
    listening = driver.rig._tasks[-1]
    await until(listening.done)
    assert isinstance(listening.exception(), Misconfigured)
    await driver.close()


class Faulty:
    """Breaks the first `times` calls of `method`."""

    def __init__(self, method: str, problem: str, times: int) -> None:
        self.method, self.problem, self.left = method, problem, times

    async def __call__(self, method: str, arguments: Json, when: str) -> str | None:
        if method != self.method or when != "before" or not self.left:
            return None
        self.left -= 1
        return self.problem


async def test_a_handshake_that_fails_is_made_again_at_another_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_mode, "HANDSHAKE_SECONDS", 0.3)
    driver = SlackDriver(tmp_path / "data")
    driver.slack.hook = fault = Faulty("socket", "drop", 5)
    await driver.start()
    await until(lambda: len(driver.slack.sockets) == 2)
    assert not fault.left
    await driver.close()


@pytest.mark.parametrize("problem", ["internal_error", "team_added_to_org", "ratelimited", "500", "drop"])
async def test_a_hiccup_while_connecting_again_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: str
) -> None:
    for name, seconds in (("PING_SECONDS", 0.2), ("DEAD_SECONDS", 0.4), ("HANDSHAKE_SECONDS", 1.0)):
        monkeypatch.setattr(socket_mode, name, seconds)
    driver = await SlackDriver.open(tmp_path / "data")
    await until(lambda: len(driver.slack.sockets) == 2)
    driver.slack.hook = fault = Faulty("apps.connections.open", problem, 3)
    for socket in list(driver.slack.sockets):
        await socket.close()
    await until(lambda: not fault.left)
    await until(lambda: len(driver.slack.sockets) == 2)
    assert not driver.rig._tasks[-1].done()
    await driver.close()


@pytest.mark.parametrize("method", ["auth.test", "apps.connections.open"])
@pytest.mark.parametrize("problem", ["internal_error", "ratelimited", "500", "429", "drop"])
async def test_a_hiccup_at_the_start_is_not_taken_for_a_wrong_token(
    slack: SlackDriver, method: str, problem: str
) -> None:
    await until(lambda: len(slack.slack.sockets) == 2)
    slack.slack.hook = Faulty(method, problem, 1)
    settings = SlackSettings(bot_token=BOT_TOKEN, app_token=APP_TOKEN, api_url=slack.slack.api_url)
    adapter = SlackAdapter(settings, echo=lambda line: None)
    with pytest.raises(Unavailable) as caught:
        await adapter.listen(slack.rig.storage.inbox, slack.rig.desk)
    assert not caught.value.permanent
    await adapter.close()


async def test_an_event_that_the_inbox_could_not_keep_is_not_acknowledged(slack: SlackDriver) -> None:
    slack.people.ack_within = 0.2
    slack.people.retry_after = ()
    await slack.rig.storage.database.close()
    await slack.mention("ann", "How much leave do I get?")
    assert len(slack.people.unacked) == 2
