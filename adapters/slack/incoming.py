"""What Slack sends -> what Citewell understands. Without calls and state; what is asked in private is dated now."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from pipeline.values import Attachment, ConversationId, IncomingMessage, Manner, MessageKey, PersonId, Value

Body = Mapping[str, Any]

SPOKEN = frozenset({None, "file_share", "thread_broadcast"})
"""Subtypes of `message` that a person wrote to be read; joins, topics and the like are not among them."""

ASKED = "ask-"
"""How the message id of a command begins."""


class Me(Value):
    """Who the bot is: its workspace, its user id and its bot id."""

    team: str
    user: str
    bot: str = ""


class Addressed(Value):
    """A message that may be for us: one that was overheard only if we have answered in its conversation, or it begins
    one where that is wanted."""

    message: IncomingMessage
    edited: bool = False
    """It is not as it was first written."""


class Edited(Value):
    key: str
    text: str
    addressed: Addressed | None = None
    """The message as it is now, if it may be for us."""


class Deleted(Value):
    key: str


class Stopped(Value):
    """Somebody pressed the stop button of the session in this thread."""

    channel: str
    thread: str


Happened = Addressed | Edited | Deleted | Stopped


def read(body: Body, me: Me) -> Happened | None:
    """An Events API body as what happened; None for everything that is not ours to answer.

    The workspace is that of the authorization the event was sent for, never one named in the event."""
    if _installation(body) != me.team:
        return None
    event = body.get("event") or {}
    channel = str(event.get("channel") or "")
    match event.get("type"), event.get("subtype"):
        case "agent_session_stopped", _:
            return Stopped(channel=channel, thread=str(event.get("thread_ts") or ""))
        case "message", "message_deleted":
            return Deleted(key=message_key(me.team, channel, str(event.get("deleted_ts") or "")))
        case "message", "message_changed":
            return _changed(body, event, channel, me)
        case (("message" | "app_mention"), subtype) if subtype in SPOKEN:
            return _spoken(body, event, channel, me)
    return None


def replied_to(body: Body, me: Me) -> tuple[str, str] | None:
    """The key of the message that somebody replied to in its thread, and who did."""
    event = body.get("event") or {}
    thread, ts = str(event.get("thread_ts") or ""), event.get("ts")
    if event.get("type") != "message" or event.get("subtype") not in SPOKEN or not thread or thread == ts:
        return None
    if _installation(body) != me.team or not is_human(event, me):
        return None
    return message_key(me.team, str(event.get("channel") or ""), thread), person(me.team, str(event["user"]))


def command(body: Body, me: Me) -> IncomingMessage:
    """A slash command as a question answered in private."""
    return _private(
        me,
        channel=str(body["channel_id"]),
        user=str(body["user_id"]),
        team=str(body.get("team_id") or me.team),
        trigger=f"{ASKED}{body['trigger_id']}",
        text=plain(str(body.get("text") or ""), me),
        reply_to=str(body["response_url"]),
    )


def shortcut(body: Body, me: Me) -> IncomingMessage:
    """`Answer this message`: the message as a question of whoever chose the shortcut, answered in private."""
    return _private(
        me,
        channel=str(body["channel"]["id"]),
        user=str(body["user"]["id"]),
        team=str((body.get("user") or {}).get("team_id") or (body.get("team") or {}).get("id") or me.team),
        trigger=f"menu-{body['trigger_id']}",
        text=plain(str(body["message"].get("text") or ""), me),
        reply_to=str(body["response_url"]),
        files=body["message"].get("files") or (),
    )


def _private(
    me: Me, *, channel: str, user: str, team: str, trigger: str, text: str, reply_to: str, files: Iterable[Body] = ()
) -> IncomingMessage:
    return IncomingMessage(
        key=message_key(me.team, channel, trigger),
        conversation=ConversationId(platform="slack", space=me.team, channel=channel, thread=f"ask-{user}"),
        author=person(me.team, user),
        text=text,
        attachments=tuple(_attachment(file) for file in files),
        sent_at=datetime.now(UTC),
        manner=Manner.COMMAND,
        external=team != me.team,
        reply_to=reply_to,
    )


def announced(message: IncomingMessage) -> bool:
    """Whether a line of ours stands where the answer will: a command was acknowledged with one."""
    return message.place.message.startswith(ASKED)


def message_key(team: str, channel: str, message_id: str) -> str:
    """The logical identity of a message, the same in every event that speaks of it."""
    return str(MessageKey(platform="slack", space=team, channel=channel, message=message_id))


def person(team: str, user: str) -> str:
    return str(PersonId(platform="slack", space=team, user=user))


def _installation(body: Body) -> str:
    authorizations = body.get("authorizations") or [{}]
    return str(authorizations[0].get("team_id") or body.get("team_id") or "")


def _spoken(body: Body, event: Body, channel: str, me: Me) -> Addressed | None:
    user, ts = str(event.get("user") or ""), str(event.get("ts") or "")
    if not channel or not ts or not is_human(event, me):
        return None
    text = str(event.get("text") or "")
    thread = str(event.get("thread_ts") or "")
    if event.get("channel_type") == "im" or channel.startswith("D"):
        manner = Manner.DIRECT
    elif event["type"] == "app_mention" or _mention(me.user).search(text):
        manner = Manner.MENTION
    elif text and not _MENTIONS_SOMEBODY.search(text):
        manner = Manner.OVERHEARD
    else:
        return None
    message = IncomingMessage(
        key=message_key(me.team, channel, ts),
        conversation=ConversationId(platform="slack", space=me.team, channel=channel, thread=thread or ts),
        author=person(me.team, user),
        text=plain(text, me),
        attachments=tuple(_attachment(file) for file in event.get("files") or ()),
        sent_at=datetime.fromtimestamp(float(ts), UTC),
        manner=manner,
        external=bool(body.get("is_ext_shared_channel")) or _stranger(event, me),
        event_id=str(body.get("event_id") or ""),
    )
    return Addressed(message=message, edited="edited" in event)


def _changed(body: Body, event: Body, channel: str, me: Me) -> Edited | Deleted | None:
    now, before = event.get("message") or {}, event.get("previous_message") or {}
    key = message_key(me.team, channel, str(now.get("ts") or ""))
    if now.get("subtype") == "tombstone":
        return Deleted(key=key)
    if not is_human(now, me) or now.get("text") == before.get("text"):
        return None
    addressed = _spoken(body, {"type": "message", **now}, channel, me)
    return Edited(key=key, text=plain(str(now.get("text") or ""), me), addressed=addressed)


def is_human(event: Body, me: Me) -> bool:
    return bool(event.get("user")) and event["user"] != me.user and not event.get("bot_id")


def _stranger(event: Body, me: Me) -> bool:
    home = event.get("user_team") or event.get("team")
    return bool(home) and home != me.team


def _attachment(file: Body) -> Attachment:
    return Attachment(
        name=str(file.get("name") or file.get("title") or "file"),
        media_type=str(file.get("mimetype") or ""),
        size=int(file.get("size") or 0),
        url=str(file.get("url_private_download") or ""),
    )


# --- The text of a message ----------------------------------------------------------------------

_MENTIONS_SOMEBODY = re.compile(r"<(?:@|!subteam\^)")
_EMOJI = re.compile(r"(?<![\w:]):[a-z0-9_'+-]+:(?::skin-tone-[2-6]:)?(?![\w:])")
_TOKEN = re.compile(r"<([^<>|]*)(?:\|([^<>]*))?>")


def _mention(user: str) -> re.Pattern[str]:
    return re.compile(rf"<@{re.escape(user)}(?:\|[^<>]*)?>")


def plain(text: str, me: Me) -> str:
    """Slack's markup as the words a person sees, our own mention left out.

    `<#C1|general>` -> `#general`, `<https://x|label>` -> `label`, `&lt;` -> `<`; of people and places without a name,
    of dates and of emoji nothing."""
    mention = _mention(me.user).pattern
    text = re.sub(rf"(?<![\s,])[\s,]*+{mention}(?=\s*[?!.])|{mention}", " ", text)
    text = html.unescape(_EMOJI.sub(" ", _TOKEN.sub(_words, text)))
    lines = (re.sub(r"\s+([?!.,])", r"\1", " ".join(line.split())) for line in text.splitlines())
    return "\n".join(lines).strip()


def _words(token: re.Match[str]) -> str:
    target, label = token.group(1), token.group(2)
    match target[:1]:
        case "@" | "#":
            return f"{target[0]}{label.lstrip('@#')}" if label else ""
        case "!":
            return "" if target.startswith("!date") else label or f"@{target[1:].partition('^')[0]}"
    return label or target
