"""A Slack workspace in memory: what is in it, and what each Web API method does to it."""

from __future__ import annotations

import mimetypes
import re
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from tests.doubles.slack.rules import Json, wrong_blocks, wrong_message, wrong_view

TEAM, BOT, BOT_ID = "T0TEAM", "U0BOT", "B0BOT"
SOON = 10.0
"""Seconds within which Slack wants an ack, and a trigger used: 3 there, where no other test takes up the machine."""


class Error(Exception):
    """An error code of the Web API."""

    def __init__(self, code: str, **more: Any) -> None:
        super().__init__(code)
        self.code = code
        self.more = more


@dataclass
class Channel:
    id: str
    kind: str = "channel"
    """channel, private, im, mpim."""
    member: bool = True
    """Whether the bot is in it."""
    shared: bool = False
    archived: bool = False
    members: set[str] = field(default_factory=set)
    name: str = ""
    created: int = 1_700_000_000


@dataclass
class Message:
    ts: str
    channel: str
    user: str
    text: str
    thread_ts: str = ""
    blocks: list[Json] = field(default_factory=list)
    metadata: Json | None = None
    streaming: bool = False
    edits: int = 0
    edited: str = ""
    """When a person edited it last."""
    visible_at: float = 0.0
    files: list[Json] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)
    """Messages that it passes on."""
    by_bot: bool = False
    reactions: dict[str, list[str]] = field(default_factory=dict)
    """Whose, by name."""

    @property
    def shown(self) -> str:
        """What a person reads: the Markdown and texts of the blocks, or the text without blocks."""
        return "\n".join(_texts(self.blocks)) if self.blocks else self.text

    def as_json(self) -> Json:
        thread = {"thread_ts": self.thread_ts} if self.thread_ts else {}
        bot = {"bot_id": BOT_ID} if self.by_bot else {}
        meta = {"metadata": self.metadata} if self.metadata else {}
        passed = {"attachments": self.attachments} if self.attachments else {}
        return {
            "type": "message",
            "ts": self.ts,
            "user": self.user,
            "text": self.text,
            **thread,
            **bot,
            **meta,
            **passed,
        }


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("text"), str):
            yield value["text"]
        for part in value.values():
            yield from _texts(part) if isinstance(part, dict | list) else ()
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


class Workspace:
    """State, and one method for each Web API method (`chat.postMessage` -> `chat_postMessage`)."""

    def __init__(self, team: str = TEAM, bot: str = BOT, name: str = "Acme") -> None:
        self.team, self.bot, self.name = team, bot, name
        self.channels: dict[str, Channel] = {}
        self.messages: dict[tuple[str, str], Message] = {}
        self.ephemerals: list[Json] = []
        self.statuses: list[tuple[str, str, str]] = []
        self.status_lines: dict[tuple[str, str], list[str]] = {}
        """What a status shows in turn, by channel and thread."""
        self.sessions: dict[tuple[str, str], str] = {}
        self.reactions: set[tuple[str, str, str]] = set()
        self.views: dict[str, Json] = {}
        self.modals: list[Json] = []
        self.prompts: dict[str, list[Json]] = {}
        self.files: list[Json] = []
        self.uploads: dict[str, str] = {}
        self.shared_files: dict[str, tuple[Json, bytes]] = {}
        """What people shared, by id: what `files.info` says of it, and the content."""
        self.triggers: dict[str, float] = {}
        self.action_tokens: set[str] = set()
        """Given with events, for a search."""
        self.responses: dict[str, list[Json]] = {}
        self.clicked: dict[str, tuple[list[Json], int]] = {}
        """The private message that was clicked for a response URL: where it stands among those of its own URL."""
        self.without: dict[str, str] = {}
        """Method -> the error it gives, for features this workspace does not have."""
        self.people: set[str] = {bot}
        self.guests: set[str] = set()
        self.deleted: set[str] = set()
        self.user_groups: dict[str, set[str]] = {}
        self.of_grid: set[str] = set()
        """Members of this and of another workspace of the same organisation."""
        self.page = 1000
        """People on one page at most."""
        self.clock = time.time
        self.lag = 0.0
        """Seconds until a message shows up in `conversations.replies`."""
        self._last_ts = 0.0
        self._cursors: set[int] = set()
        self._threads: dict[tuple[str, str], list[str]] = {}

    def add(self, channel_id: str, kind: str = "channel", **more: Any) -> Channel:
        self.channels[channel_id] = Channel(channel_id, kind, **{"members": {self.bot}, **more})
        return self.channels[channel_id]

    def dm(self, user: str) -> Channel:
        """The direct messages of the bot with `user`."""
        name = "D" + user.removeprefix("U")
        return self.channels.get(name) or self.add(name, "im")

    def join(self, channel: str, *users: str) -> None:
        """Make people members of a channel, and of the workspace."""
        self.people.update(users)
        if channel in self.channels:
            self.channels[channel].members.update(users)

    def next_ts(self) -> str:
        self._last_ts = max(self.clock(), self._last_ts + 0.000002)
        return f"{self._last_ts:.6f}"

    def put(self, channel: str, user: str, text: str, **more: Any) -> Message:
        self.join(channel, user)
        more |= {"visible_at": time.monotonic() + self.lag, "by_bot": user == self.bot}
        message = Message(self.next_ts(), channel, user, text, **more)
        self.messages[channel, message.ts] = message
        self._threads.setdefault((channel, message.thread_ts or message.ts), []).append(message.ts)
        return message

    def thread(self, channel: str, ts: str) -> list[Message]:
        """Everything in a thread, its first message included, oldest first."""
        stamps = self._threads.get((channel, ts), ())
        return [self.messages[channel, one] for one in stamps if (channel, one) in self.messages]

    def roots(self, channel: str) -> list[Message]:
        """What stands in a channel itself."""
        standing = [message for (place, _), message in self.messages.items() if place == channel]
        return [message for message in standing if message.thread_ts in ("", message.ts)]

    def replies(self, question: Message) -> list[Message]:
        """The bot's messages in the question's thread that came after it."""
        thread = self.thread(question.channel, question.thread_ts or question.ts)
        return [m for m in thread if m.user == self.bot and float(m.ts) > float(question.ts)]

    # --- Methods ----------------------------------------------------------------------------

    def auth_test(self, arguments: Json) -> Json:
        return {
            "url": "https://acme.slack.com/",
            "team": self.name,
            "user": "docs-answers",
            "team_id": self.team,
            "user_id": self.bot,
            "bot_id": BOT_ID,
        }

    def users_conversations(self, arguments: Json) -> Json:
        kinds = {"public_channel": "channel", "private_channel": "private"}
        wanted = {kinds[kind] for kind in arguments["types"].split(",")}
        found = [one.id for one in self.channels.values() if one.kind in wanted and one.member]
        listed = [{"id": one, "name": self.channels[one].name} for one in found]
        return {"channels": listed, "response_metadata": {"next_cursor": ""}}

    def chat_postMessage(self, arguments: Json) -> Json:
        channel = arguments["channel"]
        if channel.startswith("U"):
            channel = self.dm(channel).id
        self._writable(channel)
        if thread := arguments.get("thread_ts"):
            self._root(channel, thread)
        self._fits(wrong_message(arguments))
        message = self.put(
            channel,
            self.bot,
            arguments.get("text", ""),
            thread_ts=arguments.get("thread_ts", ""),
            blocks=arguments.get("blocks", []),
            metadata=_metadata(arguments),
        )
        self._clear_status(message)
        return {"channel": channel, "ts": message.ts, "message": message.as_json()}

    def chat_delete(self, arguments: Json) -> Json:
        message = self._own(arguments["channel"], arguments["ts"])
        del self.messages[message.channel, message.ts]
        return {"channel": message.channel, "ts": message.ts}

    def chat_getPermalink(self, arguments: Json) -> Json:
        channel, ts = arguments["channel"], arguments["message_ts"]
        if (channel, ts) not in self.messages:
            raise Error("message_not_found")
        return {"permalink": f"https://acme.slack.com/archives/{channel}/p{ts.replace('.', '')}"}

    def chat_postEphemeral(self, arguments: Json) -> Json:
        self._writable(arguments["channel"])
        self._fits(wrong_message(arguments))
        self.ephemerals.append(arguments)
        return {"message_ts": self.next_ts()}

    def chat_update(self, arguments: Json) -> Json:
        message = self._own(arguments["channel"], arguments["ts"])
        self._fits(wrong_message(arguments, update=True))
        if message.streaming:
            raise Error("streaming_state_conflict")
        message.text, message.blocks = arguments.get("text", ""), arguments.get("blocks", [])
        message.metadata = _metadata(arguments) or message.metadata
        message.edits += 1
        return {"channel": message.channel, "ts": message.ts, "text": message.text}

    def chat_startStream(self, arguments: Json) -> Json:
        channel = self._writable(arguments["channel"])
        self._root(channel.id, arguments["thread_ts"])
        if channel.kind != "im" and not arguments.get("recipient_team_id"):
            raise Error("missing_recipient_team_id")
        if channel.kind != "im" and not arguments.get("recipient_user_id"):
            raise Error("missing_recipient_user_id")
        text = arguments.get("markdown_text", "")
        self._fits("msg_too_long" if len(text) > 12_000 else None)
        message = self.put(channel.id, self.bot, text, thread_ts=arguments["thread_ts"], streaming=True)
        self._clear_status(message)
        return {"channel": channel.id, "ts": message.ts}

    def chat_appendStream(self, arguments: Json) -> Json:
        message = self._stream(arguments)
        text = arguments["markdown_text"]
        self._fits("msg_too_long" if len(text) > 12_000 else None)
        message.text += text
        return {"channel": message.channel, "ts": message.ts}

    def chat_stopStream(self, arguments: Json) -> Json:
        message = self._stream(arguments)
        self._fits(wrong_blocks(arguments.get("blocks") or []))
        message.text += arguments.get("markdown_text", "")
        message.blocks = [{"type": "markdown", "text": message.text}, *arguments.get("blocks", [])]
        message.metadata = _metadata(arguments)
        message.streaming = False
        return {"channel": message.channel, "ts": message.ts, "message": message.as_json()}

    def conversations_replies(self, arguments: Json) -> Json:
        """The first message of a thread, and its newer ones, oldest first."""
        self._writable(arguments["channel"])
        asked = self.messages.get((arguments["channel"], arguments["ts"]))
        root = asked.thread_ts or asked.ts if asked else arguments["ts"]
        everything = self.thread(arguments["channel"], root)
        if not everything:
            raise Error("thread_not_found")
        inside = [m for m in everything if _between(m, arguments) or m.ts == root]
        return self._page(inside, arguments)

    def conversations_history(self, arguments: Json) -> Json:
        """What stands in a channel itself, newest first; replies stand in their threads."""
        self._writable(arguments["channel"])
        roots = [m for m in self.roots(arguments["channel"]) if _between(m, arguments)]
        return self._page(sorted(roots, key=lambda m: float(m.ts), reverse=True), arguments)

    def _page(self, messages: list[Message], arguments: Json) -> Json:
        """One page, of messages that have had the time to show up."""
        limit = int(arguments.get("limit") or 100)
        if not 0 < limit < 1000:
            raise Error("invalid_limit")
        listed = [m for m in messages if m.visible_at <= time.monotonic()]
        start = int(arguments.get("cursor") or 0)
        following = str(start + limit) if len(listed) > start + limit else ""
        page = [self._listed(m) for m in listed[start : start + limit]]
        if str(arguments.get("include_all_metadata")) not in ("1", "True", "true"):
            page = [{k: v for k, v in one.items() if k != "metadata"} for one in page]
        return {"messages": page, "has_more": bool(following), "response_metadata": {"next_cursor": following}}

    def _listed(self, message: Message) -> Json:
        """A message as lists have it: with its files, and what has become of it since."""
        *_, latest = (message, *self.thread(message.channel, message.ts))
        answered = latest is not message
        count = len(self.thread(message.channel, message.ts)) - 1
        more = {"thread_ts": message.ts, "latest_reply": latest.ts, "reply_count": count} if answered else {}
        edited = {"edited": {"user": message.user, "ts": message.edited or message.ts}} if message.edits else {}
        files = {"files": message.files} if message.files else {}
        files |= {"blocks": message.blocks} if message.blocks else {}
        reacted = [{"name": name, "users": who, "count": len(who)} for name, who in message.reactions.items() if who]
        files |= {"reactions": reacted} if reacted else {}
        return {**message.as_json(), "team": self.team, **more, **edited, **files}

    def conversations_info(self, arguments: Json) -> Json:
        channel = self._known(arguments["channel"])
        private = {"is_private": channel.kind != "channel", "name": channel.name, "created": channel.created}
        return {"channel": {"id": channel.id, "is_ext_shared": channel.shared, **private}}

    def conversations_open(self, arguments: Json) -> Json:
        return {"channel": {"id": self.dm(arguments["users"]).id}}

    def conversations_members(self, arguments: Json) -> Json:
        return self._members(sorted(self._known(arguments["channel"]).members), arguments)

    def users_info(self, arguments: Json) -> Json:
        return {"user": self._account(arguments["user"])}

    def users_list(self, arguments: Json) -> Json:
        return self._members([self._account(user) for user in sorted(self.people | self.guests)], arguments)

    def usergroups_list(self, arguments: Json) -> Json:
        groups = self.user_groups.items()
        handles = {name: name.removeprefix("S0").lower() for name in self.user_groups}
        return {"usergroups": [{"id": name, "handle": handles[name], "users": sorted(users)} for name, users in groups]}

    def assistant_search_context(self, arguments: Json) -> Json:
        """What people said in public channels that has a word of the query, those with most of them first."""
        if arguments.get("action_token") not in self.action_tokens:
            raise Error("invalid_action_token")
        if int(arguments.get("limit") or 20) > 20 or arguments.get("channel_types") != "public_channel":
            raise Error("invalid_arguments")
        asked = _words(arguments["query"])
        public = [one for one in self.messages.values() if self.channels[one.channel].kind == "channel"]
        shared = ((len(asked & _words(one.text)), one) for one in public)
        found = [one for _, one in sorted((pair for pair in shared if pair[0]), key=lambda pair: -pair[0])]
        messages = [
            {
                "author_user_id": one.user,
                "team_id": self.team,
                "channel_id": one.channel,
                "channel_name": self.channels[one.channel].name,
                "message_ts": one.ts,
                "content": one.text,
                "is_author_bot": one.by_bot,
                "permalink": f"https://acme.slack.com/archives/{one.channel}/p{one.ts.replace('.', '')}",
            }
            for one in found[: int(arguments.get("limit") or 20)]
        ]
        return {"results": {"messages": messages}, "response_metadata": {"next_cursor": ""}}

    def assistant_threads_setStatus(self, arguments: Json) -> Json:
        self._writable(arguments["channel_id"])
        if len(arguments.get("loading_messages", [])) > 10 or any(
            not 0 < len(text) <= 50 for text in arguments.get("loading_messages", [])
        ):
            raise Error("invalid_arguments")
        self.statuses.append((arguments["channel_id"], arguments["thread_ts"], arguments["status"]))
        self.status_lines[arguments["channel_id"], arguments["thread_ts"]] = arguments.get("loading_messages", [])
        return {}

    def assistant_threads_setSuggestedPrompts(self, arguments: Json) -> Json:
        if len(arguments["prompts"]) > 4:
            raise Error("invalid_arguments")
        self.prompts[arguments["channel_id"]] = arguments["prompts"]
        return {}

    def agents_sessions_setStatus(self, arguments: Json) -> Json:
        if arguments["status"] not in ("processing", "active", "suspended", "closed"):
            raise Error("invalid_arguments")
        self.sessions[arguments["channel_id"], arguments["thread_ts"]] = arguments["status"]
        return {}

    def reactions_add(self, arguments: Json) -> Json:
        reaction = (arguments["channel"], arguments["timestamp"], arguments["name"])
        if (arguments["channel"], arguments["timestamp"]) not in self.messages:
            raise Error("message_not_found")
        if reaction in self.reactions:
            raise Error("already_reacted")
        self.reactions.add(reaction)
        return {}

    def reactions_remove(self, arguments: Json) -> Json:
        reaction = (arguments["channel"], arguments["timestamp"], arguments["name"])
        if reaction not in self.reactions:
            raise Error("no_reaction")
        self.reactions.remove(reaction)
        return {}

    def views_open(self, arguments: Json) -> Json:
        issued = self.triggers.pop(arguments["trigger_id"], None)
        if issued is None:
            raise Error("exchanged_trigger_id")
        if time.monotonic() - issued > SOON:
            raise Error("expired_trigger_id")
        self._fits(wrong_view(arguments["view"]))
        self.modals.append(arguments["view"])
        return {"view": {"id": f"V{len(self.modals)}", **arguments["view"]}}

    def views_publish(self, arguments: Json) -> Json:
        self._fits(wrong_view(arguments["view"]))
        self.views[arguments["user_id"]] = arguments["view"]
        return {}

    def share(self, base: str, name: str, content: bytes, **more: Any) -> Json:
        """A file of somebody's, as messages show it."""
        file_id = f"F{secrets.token_hex(4).upper()}"
        shown: Json = {
            "id": file_id,
            "name": name,
            "mimetype": mimetypes.guess_type(name)[0] or "text/plain",
            "size": len(content),
            "mode": "hosted",
            "url_private_download": f"{base}/files/{file_id}/{quote(name)}",
            "permalink": f"https://acme.slack.com/files/U0ANN/{file_id}/{quote(name)}",
            **more,
        }
        self.shared_files[file_id] = (shown, content)
        return shown

    def files_info(self, arguments: Json) -> Json:
        if arguments["file"] not in self.shared_files:
            raise Error("file_not_found")
        return {"file": self.shared_files[arguments["file"]][0]}

    def files_getUploadURLExternal(self, arguments: Json) -> Json:
        file_id = f"F{secrets.token_hex(4)}"
        self.uploads[file_id] = ""
        return {"file_id": file_id, "upload_url": f"{arguments['_base']}/upload/{file_id}"}

    def files_completeUploadExternal(self, arguments: Json) -> Json:
        listed = arguments["files"]
        for one in listed:
            file = {"channel": arguments.get("channel_id"), "title": one["title"], "content": self.uploads[one["id"]]}
            self.files.append(file)
            if thread := arguments.get("thread_ts"):
                file["name"] = one["title"]
                self.put(str(arguments["channel_id"]), self.bot, "", thread_ts=thread, files=[file])
        return {"files": [{"id": one["id"], "title": one["title"]} for one in listed]}

    def _account(self, user: str) -> Json:
        marks = {"deleted": user in self.deleted, "is_restricted": user in self.guests}
        grid = (
            {"team_id": "T0OTHER", "enterprise_user": {"teams": ["T0OTHER", self.team]}} if user in self.of_grid else {}
        )
        profile = {"display_name": user.removeprefix("U0").lower()}
        return {"id": user, "team_id": self.team, "profile": profile, **marks, **grid}

    def _members(self, everyone: list[Any], arguments: Json) -> Json:
        """One page; a cursor is only good if it was given."""
        limit = int(arguments.get("limit") or 0)
        if not 0 < limit <= 1000:
            raise Error("limit_required" if not limit else "invalid_limit")
        start = int(arguments.get("cursor") or 0)
        if start and start not in self._cursors:
            raise Error("invalid_cursor")
        end = start + min(limit, self.page)
        self._cursors.add(end)
        following = str(end) if end < len(everyone) else ""
        return {"members": everyone[start:end], "response_metadata": {"next_cursor": following}}

    # --- Checks -----------------------------------------------------------------------------

    def _known(self, channel: str) -> Channel:
        if channel not in self.channels:
            raise Error("channel_not_found")
        return self.channels[channel]

    def _writable(self, channel: str) -> Channel:
        known = self._known(channel)
        if not known.member:
            raise Error("not_in_channel")
        if known.archived:
            raise Error("is_archived")
        return known

    def _root(self, channel: str, thread: str) -> None:
        root = self.messages.get((channel, thread))
        if root is None:
            raise Error("thread_not_found")
        if root.thread_ts and root.thread_ts != root.ts:
            raise Error("double_reply_to_a_reply")

    def _own(self, channel: str, ts: str) -> Message:
        message = self.messages.get((channel, ts))
        if message is None:
            raise Error("message_not_found")
        if message.user != self.bot:
            raise Error("cant_update_message")
        return message

    def _stream(self, arguments: Json) -> Message:
        message = self._own(arguments["channel"], arguments["ts"])
        if not message.streaming:
            raise Error("message_not_in_streaming_state")
        return message

    def _clear_status(self, message: Message) -> None:
        self.statuses.append((message.channel, message.thread_ts, ""))
        self.status_lines.pop((message.channel, message.thread_ts), None)

    def _fits(self, code: str | None) -> None:
        if code:
            raise Error(code)


def _between(message: Message, arguments: Json) -> bool:
    """Whether a message is between `oldest` and `latest`, which count themselves where that is asked for."""
    oldest, latest = float(arguments.get("oldest") or 0), float(arguments.get("latest") or "inf")
    at = float(message.ts)
    return oldest < at < latest or (str(arguments.get("inclusive")) in ("1", "True", "true") and at in (oldest, latest))


@lru_cache(maxsize=1 << 15)
def _words(text: str) -> frozenset[str]:
    """What a message is searched by."""
    return frozenset(re.findall(r"\w{4,}", text.lower()))


def _metadata(arguments: Json) -> Json | None:
    metadata = arguments.get("metadata")
    if metadata is not None and not (metadata.get("event_type") and isinstance(metadata.get("event_payload"), dict)):
        raise Error("invalid_metadata_format")
    return metadata
