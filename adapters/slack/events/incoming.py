"""What Slack sends -> what Citewell understands. Without calls and state."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from adapters.chat.hear import Asked, Closed, Deleted, Edited, Happened, Program, Reacted, Remark, Spoke, Stopped
from adapters.slack.events.spoken import MENTIONS_SOMEBODY, mention_of, plain
from pipeline.values import Attachment, ConversationId, IncomingMessage, Manner, MessageKey, PersonId, PlaceId, Value

Body = Mapping[str, Any]

MALFORMED = (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
"""What reading a body raises that has none of the shapes that Slack documents; the last two of a time that is none and
of what is nested too deep."""
SPOKEN = frozenset({None, "file_share", "me_message", "thread_broadcast"})
"""Subtypes of `message` that a person wrote to be read; joins, topics and the like are not among them."""
ACCEPTED, KEPT_OUT = "white_check_mark", "no_entry_sign"
"""Reactions: to what solved it, and to what is not to be read."""
GONE = frozenset({"channel_deleted", "channel_left", "group_deleted", "group_left"})
"""What is told of a channel that we are not in any more."""


class Me(Value):
    """Who the bot is: its workspace, its user id and its bot id."""

    team: str
    user: str
    bot: str = ""
    workflows: frozenset[str] = frozenset()
    """The apps, by app or bot id, whose mentions are answered though no person speaks."""

    def place(self, channel: str = "") -> PlaceId:
        """A channel, or the workspace."""
        return PlaceId(platform="slack", space=self.team, channel=channel)

    def places(self, channel: str) -> tuple[PlaceId, ...]:
        """The workspace and the channel; of a direct message the workspace alone."""
        return self.place("" if channel.startswith("D") else channel).chain


def read(body: Body, me: Me) -> Happened | None:
    """An Events API body as what happened; None for everything that is nothing to us.

    The workspace is that of the authorization the event was sent for, never one named in the event."""
    if _installation(body) != me.team:
        return None
    event = body.get("event") or {}
    item = event.get("item") or event
    channel = str(item.get("channel") or "")
    said_in, shared = me.places(channel), bool(body.get("is_ext_shared_channel"))
    match event.get("type"), event.get("subtype"):
        case "agent_session_stopped", _:
            return Stopped(conversation=_conversation(me, channel, str(event.get("thread_ts") or "")))
        case "message", "message_deleted":
            return Deleted(said_in=said_in, shared=shared, key=_key(me, channel, event.get("deleted_ts")))
        case "message", "message_changed":
            return _changed(body, event, channel, me)
        case "app_mention", _ if app := _program(event, me):
            return Program(said_in=said_in, shared=shared, app=app, allow=f"CITEWELL_SLACK_WORKFLOWS={app} allows it")
        case (("message" | "app_mention"), subtype) if subtype in SPOKEN or _from_program(event):
            return Spoke(
                said_in=said_in,
                shared=shared,
                key=_key(me, channel, event.get("ts")),
                remark=_remark(event, channel, me),
                asked=_asked(body, event, channel, me),
                edited="edited" in event,
            )
        case (("reaction_added" | "reaction_removed"), _) if event.get("reaction") in (ACCEPTED, KEPT_OUT):
            return Reacted(said_in=said_in, shared=shared, key=_key(me, channel, item.get("ts")))
        case type_, _ if type_ in GONE or (type_ == "member_left_channel" and event.get("user") == me.user):
            return Closed(said_in=said_in, shared=shared)
    return None


def unspelled(message: Any) -> list[dict[str, Any]]:
    """Whatever holds text of a message: itself, and what it passes on."""
    if not isinstance(message, dict):
        return []
    return [
        message,
        *(one for one in message.get("attachments") or () if isinstance(one, dict) and one.get("is_share")),
    ]


def message_key(team: str, channel: str, message_id: str) -> MessageKey:
    """The logical identity of a message, the same in every event that speaks of it."""
    return MessageKey(platform="slack", space=team, channel=channel, message=message_id)


def person_id(team: str, user: str) -> PersonId:
    return PersonId(platform="slack", space=team, user=user)


def person(team: str, user: str) -> str:
    return str(person_id(team, user))


def _installation(body: Body) -> str:
    authorizations = body.get("authorizations") or [{}]
    return str(authorizations[0].get("team_id") or body.get("team_id") or "")


def _key(me: Me, channel: str, ts: object) -> MessageKey:
    return MessageKey(platform="slack", space=me.team, channel=channel, message=str(ts or ""))


def _conversation(me: Me, channel: str, thread: str) -> ConversationId:
    return ConversationId(platform="slack", space=me.team, channel=channel, thread=thread)


def _remark(event: Body, channel: str, me: Me) -> Remark | None:
    """A new message of a person: a mention is told once more, as that."""
    if event.get("type") != "message" or not is_human(event, me):
        return None
    thread = str(event.get("thread_ts") or "")
    return Remark(
        key=_key(me, channel, event.get("ts")),
        author=person(me.team, str(event["user"])),
        text=plain(str(event.get("text") or ""), me.user),
        replied_to=(str(message_key(me.team, channel, thread)),) if thread and thread != event.get("ts") else (),
        names_us=True,  # a reply is for us where it says so or we take part, and not by being one
    )


def _asked(body: Body, event: Body, channel: str, me: Me) -> Asked | None:
    user, ts = str(event.get("user") or ""), str(event.get("ts") or "")
    workflow = event["type"] == "app_mention" and _allowed(event, me)
    if not channel or not ts or not (is_human(event, me) or workflow):
        return None
    text = str(event.get("text") or "")
    said, passed_on = plain(text, me.user), forwarded(event, me)
    thread = str(event.get("thread_ts") or "")
    if event.get("channel_type") == "im" or channel.startswith("D"):
        manner = Manner.DIRECT
    elif event["type"] == "app_mention" or mention_of(me.user).search(text):
        manner = Manner.MENTION
    elif text and not MENTIONS_SOMEBODY.search(text):
        manner = Manner.OVERHEARD
    else:
        return None
    message = IncomingMessage(
        place=message_key(me.team, channel, ts),
        conversation=_conversation(me, channel, thread or ts),
        asker=person_id(me.team, user or str(event.get("bot_id"))),
        text=said or passed_on,
        pointed=passed_on if said else "",
        attachments=tuple(attachment(file) for file in event.get("files") or ()),
        sent_at=datetime.fromtimestamp(float(ts), UTC),
        manner=manner,
        external=bool(body.get("is_ext_shared_channel")) or _stranger(event, me),
        event_id=str(body.get("event_id") or ""),
        said_in=me.places(channel),
        action_token=str(event.get("action_token") or (event.get("assistant_thread") or {}).get("action_token") or ""),
    )
    return Asked(message=message)


def _changed(body: Body, event: Body, channel: str, me: Me) -> Edited | Deleted:
    """Of what Slack added by itself, such as a preview, only that something changed."""
    now, before = event.get("message") or {}, event.get("previous_message") or {}
    said_in, shared, key = me.places(channel), bool(body.get("is_ext_shared_channel")), _key(me, channel, now.get("ts"))
    if now.get("subtype") == "tombstone":
        return Deleted(said_in=said_in, shared=shared, key=key)
    if not is_human(now, me) or now.get("text") == before.get("text"):
        return Edited(said_in=said_in, shared=shared, key=key)
    text, asked = plain(str(now.get("text") or ""), me.user), _asked(body, {"type": "message", **now}, channel, me)
    return Edited(said_in=said_in, shared=shared, key=key, text=text, asked=asked)


def forwarded(event: Body, me: Me) -> str:
    """The text of the messages that a message passes on; of links that Slack unfurls nothing."""
    shared = (one for one in event.get("attachments") or () if one.get("is_share"))
    return "\n".join(filter(None, (plain(str(one.get("text") or ""), me.user) for one in shared)))


def _app(event: Body) -> str:
    profile = event.get("bot_profile") or {}
    return str(event.get("app_id") or profile.get("app_id") or event.get("bot_id") or "")


def _from_program(event: Body) -> bool:
    """Whether a program mentions us: what it says counts as that alone, and never as what people say."""
    return event.get("type") == "app_mention" and event.get("subtype") == "bot_message"


def _program(event: Body, me: Me) -> str:
    """The app that mentions us and is not allowed to ask: a workflow, an integration; empty where it is none."""
    mentions = event.get("bot_id") and not event.get("user")
    return _app(event) if mentions and not _allowed(event, me) and event["bot_id"] != me.bot else ""


def _allowed(event: Body, me: Me) -> bool:
    """Whether it is said by a program that may ask."""
    bot = str(event.get("bot_id") or "")
    return bool(bot) and bot != me.bot and not event.get("user") and not me.workflows.isdisjoint({bot, _app(event)})


def is_human(event: Body, me: Me) -> bool:
    return bool(event.get("user")) and event["user"] != me.user and not event.get("bot_id")


def _stranger(event: Body, me: Me) -> bool:
    home = event.get("user_team") or event.get("team")
    return bool(home) and home != me.team


def attachment(file: Body) -> Attachment:
    return Attachment(
        id=str(file.get("id") or ""),
        name=str(file.get("name") or file.get("title") or "file"),
        media_type=str(file.get("mimetype") or ""),
        size=int(file.get("size") or 0),
        url=str(file.get("url_private_download") or ""),
    )


def is_outside(found: Body, team: str) -> bool:
    """Whether a user or a channel, as Slack describes it, is a guest's, a stranger's or shared with strangers."""
    if found.get("deleted"):
        return False
    marks = ("is_restricted", "is_ultra_restricted", "is_stranger", "is_ext_shared", "is_pending_ext_shared")
    homes = [found.get("team_id", team), *((found.get("enterprise_user") or {}).get("teams") or ())]
    return any(found.get(mark) for mark in marks) or team not in homes
