"""What people do in the workspace, and how Slack tells the app of it: events sent again when unacked, and clicks."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import aiohttp

from tests.doubles import recorder
from tests.doubles.slack.rules import BY_KIND, EVENTS, Json
from tests.doubles.slack.server import SECRET, SlackServer
from tests.doubles.slack.workspace import SOON, Message, Workspace


class People:
    """Acts, and delivers what follows over Socket Mode, or over HTTP when `request_url` is set."""

    def __init__(
        self,
        slack: SlackServer,
        subscriptions: Sequence[str],
        request_url: str = "",
        workspace: Workspace | None = None,
    ) -> None:
        self.slack = slack
        self.workspace = workspace or slack.workspace
        self.subscriptions = frozenset(subscriptions)
        self.request_url = request_url
        self.ack_within = SOON
        self.retry_after = (0.0, 0.5, 1.0)
        """Seconds before each of three further deliveries; Slack: at once, a minute, five minutes."""
        self.team = self.workspace.team
        """The workspace that people are of."""
        self.lose_ack = lambda: False
        self.latencies: list[float] = []
        self.unacked: list[Json] = []
        self._turn = 0

    # --- Messages -----------------------------------------------------------------------------

    async def say(self, user: str, channel: str, text: str, *, thread: str = "", files: Sequence[Json] = ()) -> Message:
        """Write in a channel, thread or direct message; mentions of the bot are told twice, as Slack does."""
        message = self.write(user, channel, text, thread=thread, files=files)
        await asyncio.gather(*(self.event(event) for event in self.told(message)))
        return message

    def write(self, user: str, channel: str, text: str, *, thread: str = "", files: Sequence[Json] = ()) -> Message:
        """Put a message there without telling the app yet."""
        return self.workspace.put(channel, user, text, thread_ts=thread, files=list(files))

    def told(self, message: Message) -> list[Json]:
        """The events of a message."""
        event = {**message.as_json(), "channel": message.channel, "event_ts": message.ts, "team": self.workspace.team}
        if "search:read.public" in self.slack.scopes:
            event["action_token"] = secrets.token_hex(8)
            self.workspace.action_tokens.add(event["action_token"])
        if message.files:
            event |= {"subtype": "file_share", "files": message.files}
        kind = self.workspace.channels[message.channel].kind
        types = {"channel": "channel", "private": "group", "im": "im", "mpim": "mpim"}
        told = [{**event, "channel_type": types[kind]}]
        if kind != "im" and f"<@{self.workspace.bot}" in message.text:
            told.append({**event, "type": "app_mention"})
        return told

    async def mention(self, user: str, channel: str, text: str, *, thread: str = "") -> Message:
        return await self.say(user, channel, f"<@{self.workspace.bot}> {text}", thread=thread)

    async def edit(self, message: Message, text: str) -> None:
        before = message.as_json()
        message.text, message.edited, message.edits = text, self.workspace.next_ts(), message.edits + 1
        await self.event(
            {
                "type": "message",
                "subtype": "message_changed",
                "channel": message.channel,
                "channel_type": "channel",
                "message": {**message.as_json(), "edited": {"user": message.user, "ts": message.edited}},
                "previous_message": before,
                "ts": self.workspace.next_ts(),
            }
        )

    async def delete(self, message: Message) -> None:
        self.workspace.messages.pop((message.channel, message.ts), None)
        await self.event(
            {
                "type": "message",
                "subtype": "message_deleted",
                "channel": message.channel,
                "channel_type": "channel",
                "deleted_ts": message.ts,
                "previous_message": message.as_json(),
                "ts": self.workspace.next_ts(),
            }
        )

    async def join(self, user: str, channel: str, *, listed: bool = True) -> None:
        """Join a channel; unless `listed`, as somebody whom the list of people does not name."""
        self.workspace.join(channel, user)
        if not listed:
            self.workspace.people.remove(user)
        kind = {"channel": "C", "private": "G"}[self.workspace.channels[channel].kind]
        event = {"type": "member_joined_channel", "user": user, "channel": channel, "channel_type": kind}
        event["team"] = self.workspace.team
        await self.event({**event, "event_ts": self.workspace.next_ts()})

    async def react(self, user: str, message: Message, name: str, *, remove: bool = False) -> None:
        """Add a reaction to a message, or take it away."""
        who = message.reactions.setdefault(name, [])
        who.remove(user) if remove else who.append(user)
        kind = "reaction_removed" if remove else "reaction_added"
        item = {"type": "message", "channel": message.channel, "ts": message.ts}
        event = {"type": kind, "user": user, "reaction": name, "item": item, "item_user": message.user}
        await self.event({**event, "event_ts": self.workspace.next_ts()})

    async def leave(self, user: str, channel: str) -> None:
        """Leave a channel, or be taken out of it."""
        self.workspace.channels[channel].members.discard(user)
        if user == self.workspace.bot:
            self.workspace.channels[channel].member = False
            told = {"channel": "channel_left", "private": "group_left"}[self.workspace.channels[channel].kind]
            await self.event({"type": told, "channel": channel, "event_ts": self.workspace.next_ts()})
            return
        kind = {"channel": "C", "private": "G"}[self.workspace.channels[channel].kind]
        event = {"type": "member_left_channel", "user": user, "channel": channel, "channel_type": kind}
        await self.event({**event, "team": self.workspace.team, "event_ts": self.workspace.next_ts()})

    async def open_home(self, user: str, tab: str = "home") -> None:
        await self.event({"type": "app_home_opened", "user": user, "tab": tab, "channel": self.workspace.dm(user).id})

    async def remove_the_bot(self) -> bool:
        """Uninstall the app: its token is dead before anybody is told. Whether the app took it in."""
        self.slack.installed = {token: one for token, one in self.slack.installed.items() if one is not self.workspace}
        told = [{"type": "tokens_revoked", "tokens": {"bot": [self.workspace.bot]}}, {"type": "app_uninstalled"}]
        return all([await self.event(event) for event in told])

    async def stop(self, channel: str, thread: str, user: str) -> None:
        event = {"type": "agent_session_stopped", "channel": channel, "thread_ts": thread, "user": user}
        await self.event({**event, "streaming_message_ts": []})

    # --- Commands and clicks --------------------------------------------------------------------

    async def command(self, user: str, channel: str, text: str, *, command: str = "/ask") -> list[Json]:
        """A slash command; returns what will arrive at its response URL, growing."""
        url, arrived = self._response_url()
        body = {
            "command": command,
            "text": text,
            "team_id": self.workspace.team,
            "channel_id": channel,
            "user_id": user,
            "trigger_id": self._trigger(),
            "response_url": url,
        }
        acked = await self._send("slash_commands", body)
        if acked is None:
            raise TimeoutError("the command was not acknowledged")
        if acked:
            arrived.append({"acked": True, "replaced": bool(arrived), **acked})
        return arrived

    async def shortcut(self, user: str, message: Message, callback: str = "answer_message") -> list[Json]:
        """A shortcut of the message's menu."""
        url, arrived = self._response_url()
        body = {
            "type": "message_action",
            "callback_id": callback,
            "channel": {"id": message.channel},
            "message": message.as_json() | ({"files": message.files} if message.files else {}),
            **self._who(user),
            "response_url": url,
        }
        await self._send("interactive", body)
        return arrived

    async def click(
        self,
        user: str,
        action: str,
        value: str,
        *,
        message: Message | None = None,
        selected: bool = False,
        conversation: bool = False,
    ) -> list[Json]:
        """Click a button of `message`, of a private answer in the first channel, or with no channel in the Home."""
        url, arrived = self._response_url()
        where: Json = {"container": {"type": "view"}}
        if message:
            where = {
                "container": {"type": "message", "message_ts": message.ts, "channel_id": message.channel},
                "channel": {"id": message.channel},
                "message": message.as_json(),
                "response_url": url,
            }
        given: Json = {"selected_option": {"value": value}} if selected else {"value": value}
        if conversation:
            given = {"selected_conversation": value}
        body = {"type": "block_actions", **self._who(user), **where, "actions": [{"action_id": action, **given}]}
        await self._send("interactive", body)
        return arrived

    async def click_private(
        self, user: str, channel: str, action: str, value: str, shown: list[Json], at: int, *, thread: str = ""
    ) -> list[Json]:
        """Click a button of the ephemeral message `shown[at]` in `channel`, or in a thread there."""
        url, arrived = self._response_url()
        self.workspace.clicked[url.rpartition("/")[2]] = (shown, at)
        body = {
            "type": "block_actions",
            **self._who(user),
            "container": {"type": "message", "is_ephemeral": True, "channel_id": channel, "thread_ts": thread},
            "channel": {"id": channel},
            "response_url": url,
            "actions": [{"action_id": action, "value": value}],
        }
        await self._send("interactive", body)
        return arrived

    async def submit(self, user: str, view: Json, reason: str | None, comment: str | None) -> None:
        """Send the form behind the thumbs-down."""
        values = {
            "reason": {"reason": {"selected_option": {"value": reason} if reason else None}},
            "comment": {"comment": {"value": comment}},
        }
        await self.fill(user, view, values)

    async def fill(self, user: str, view: Json, values: Json) -> Json:
        """Send any form; what the app answers, such as errors below its fields."""
        view = {**view, "state": {"values": values}}
        return await self._send("interactive", {"type": "view_submission", **self._who(user), "view": view}) or {}

    def _who(self, user: str) -> Json:
        return {
            "user": {"id": user, "name": named(user), "team_id": self.team},
            "team": {"id": self.workspace.team},
            "trigger_id": self._trigger(),
        }

    def _trigger(self) -> str:
        trigger = secrets.token_hex(8)
        self.workspace.triggers[trigger] = time.monotonic()
        return trigger

    def _response_url(self) -> tuple[str, list[Json]]:
        name = secrets.token_hex(6)
        self.workspace.responses[name] = []
        return f"{self.slack.base}/response/{name}", self.workspace.responses[name]

    # --- Delivery -------------------------------------------------------------------------------

    def body(self, event: Json, event_id: str = "") -> Json:
        """An Events API body."""
        channel = self.workspace.channels.get(str(event.get("channel")))
        return {
            "type": "event_callback",
            "team_id": self.workspace.team,
            "event_id": event_id or f"Ev{secrets.token_hex(6)}",
            "event_time": int(time.time()),
            "event": event,
            "authorizations": [{"team_id": self.workspace.team, "user_id": self.workspace.bot, "is_bot": True}],
            "is_ext_shared_channel": bool(channel and channel.shared),
        }

    def subscribed(self, event: Json) -> bool:
        """Whether the app asked for this event and may have it."""
        name = str(event["type"])
        if name == "message":
            channel = self.workspace.channels[event["channel"]]
            name = {"channel": "channels", "private": "groups", "im": "im", "mpim": "mpim"}[channel.kind]
            name = f"message.{name}"
        needed = EVENTS[name]
        if name == "member_joined_channel":
            needed = BY_KIND["conversations.members"][self.workspace.channels[event["channel"]].kind]
        return name in self.subscriptions and (not needed or needed in self.slack.scopes)

    async def event(self, event: Json) -> bool:
        """Deliver an event, again and again until acked; False when Slack gives up."""
        if not self.subscribed(event):
            return False
        body = self.body(event)
        for attempt, wait in enumerate((0.0, *self.retry_after)):
            await asyncio.sleep(wait)
            if await self._send("events_api", body, attempt) is not None:
                return True
        self.unacked.append(body)
        return False

    async def _send(self, kind: str, body: Json, attempt: int = 0) -> Json | None:
        """One delivery; what the ack carried, or None without an ack."""
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self.ack_within):
                answer = await (
                    self._post(kind, body, attempt) if self.request_url else self._push(kind, body, attempt)
                )
        except (TimeoutError, aiohttp.ClientError, ConnectionError):
            return None
        self.latencies.append(time.perf_counter() - started)
        recorder.acknowledged("slack", body, answer or {})
        return None if self.lose_ack() else answer

    async def _push(self, kind: str, body: Json, attempt: int) -> Json:
        await self.slack.connected.wait()
        self._turn += 1
        socket = self.slack.sockets[self._turn % len(self.slack.sockets)]
        envelope: Json = {"type": kind, "envelope_id": secrets.token_hex(8), "payload": body}
        if attempt:
            envelope |= {"retry_attempt": attempt, "retry_reason": "timeout"}
        waiting: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self.slack.acks[envelope["envelope_id"]] = waiting
        await socket.send_json(envelope)
        return await waiting

    async def _post(self, kind: str, body: Json, attempt: int) -> Json | None:
        raw, content = encoded(kind, body)
        headers = {"Content-Type": content, **signature(raw)}
        if attempt:
            headers |= {"X-Slack-Retry-Num": str(attempt), "X-Slack-Retry-Reason": "http_timeout"}
        async with aiohttp.ClientSession() as session, session.post(self.request_url, data=raw, headers=headers) as got:
            text = await got.text()
            if got.status != 200:
                return None
            return dict(json.loads(text)) if text.startswith("{") else {"text": text} if text else {}


def named(user: str) -> str:
    """What the workspace calls a person: `U0ANN` is ann."""
    return user.removeprefix("U0").lower()


def encoded(kind: str, body: Json) -> tuple[bytes, str]:
    """A body as Slack's HTTP requests carry it."""
    match kind:
        case "events_api":
            return json.dumps(body).encode(), "application/json"
        case "slash_commands":
            return urlencode(body).encode(), "application/x-www-form-urlencoded"
    return urlencode({"payload": json.dumps(body)}).encode(), "application/x-www-form-urlencoded"


def signature(raw: bytes, *, at: float | None = None, secret: str = SECRET) -> dict[str, Any]:
    """The headers Slack signs a request with."""
    timestamp = str(int(time.time() if at is None else at))
    digest = hmac.new(secret.encode(), b"v0:" + timestamp.encode() + b":" + raw, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": f"v0={digest}"}
