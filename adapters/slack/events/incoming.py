"""Translation of Slack's events into chat events. Pure: without calls and state."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from adapters.chat.intake import (
    AppMentioned,
    ChannelClosed,
    ChatEvent,
    MessageDeleted,
    MessageEdited,
    MessagePosted,
    PersonMessage,
    QuestionCandidate,
    ReactionChanged,
    StopRequested,
)
from adapters.slack.events.plain_text import MENTION_START, mention_pattern, message_to_text
from pipeline.values import (
    Attachment,
    ConversationId,
    IncomingMessage,
    MessageKey,
    MessageTrigger,
    PersonId,
    PlaceId,
    Value,
)

SlackPayload = Mapping[str, Any]

MALFORMED_ERRORS = (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
"""Raised when a body has none of the shapes that Slack documents; the last two by an invalid time and by deep
nesting."""
PERSON_SUBTYPES = frozenset({None, "file_share", "me_message", "thread_broadcast"})
"""Subtypes of `message` that a person wrote to be read; joins, topics and the like are not among them."""
ACCEPTED_REACTION, EXCLUDED_REACTION = "white_check_mark", "no_entry_sign"
"""Reactions to a message: it solved the question; it is off the record."""
CHANNEL_GONE_EVENTS = frozenset({"channel_deleted", "channel_left", "group_deleted", "group_left"})
"""Events of a channel that the bot is not in any more."""


class SlackBot(Value):
    """The bot's own account: its workspace, its user id and its bot id."""

    team: str
    user: str
    bot: str = ""
    workflows: frozenset[str] = frozenset()
    """Apps, by app or bot id, that may ask by a mention."""

    def place(self, channel: str = "") -> PlaceId:
        """Return the place of a channel, or of the workspace."""
        return PlaceId(platform="slack", space=self.team, channel=channel)

    def places(self, channel: str) -> tuple[PlaceId, ...]:
        """Return the workspace and the channel; for a direct message only the workspace."""
        return self.place("" if channel.startswith("D") else channel).chain


def parse_event(body: SlackPayload, me: SlackBot) -> ChatEvent | None:
    """Return the chat event of an Events API body; None for one that does not concern the bot. The workspace is that of
    the authorization the event was sent for, never one named in the event."""
    if _team_of(body) != me.team:
        return None
    event = body.get("event") or {}
    item = event.get("item") or event
    channel = str(item.get("channel") or "")
    said_in, shared = me.places(channel), bool(body.get("is_ext_shared_channel"))
    match event.get("type"), event.get("subtype"):
        case "agent_session_stopped", _:
            return StopRequested(conversation=_conversation(me, channel, str(event.get("thread_ts") or "")))
        case "message", "message_deleted":
            return MessageDeleted(said_in=said_in, is_shared=shared, key=_key(me, channel, event.get("deleted_ts")))
        case "message", "message_changed":
            return _parse_edit(body, event, channel, me)
        case "app_mention", _ if app := _unallowed_app(event, me):
            return AppMentioned(
                said_in=said_in, is_shared=shared, app=app, allow_setting=f"CITEWELL_SLACK_WORKFLOWS={app} allows it"
            )
        case (("message" | "app_mention"), subtype) if subtype in PERSON_SUBTYPES or _is_from_app(event):
            return MessagePosted(
                said_in=said_in,
                is_shared=shared,
                key=_key(me, channel, event.get("ts")),
                person_message=_person_message(event, channel, me),
                question=_question(body, event, channel, me),
                is_edited="edited" in event,
            )
        case (("reaction_added" | "reaction_removed"), _) if event.get("reaction") in (
            ACCEPTED_REACTION,
            EXCLUDED_REACTION,
        ):
            return ReactionChanged(said_in=said_in, is_shared=shared, key=_key(me, channel, item.get("ts")))
        case type_, _ if type_ in CHANNEL_GONE_EVENTS or (
            type_ == "member_left_channel" and event.get("user") == me.user
        ):
            return ChannelClosed(said_in=said_in, is_shared=shared)
    return None


def text_holders(message: Any) -> list[dict[str, Any]]:
    """Return the dictionaries that hold text of a message: its own, and those of messages it forwards."""
    if not isinstance(message, dict):
        return []
    return [
        message,
        *(
            attachment
            for attachment in message.get("attachments") or ()
            if isinstance(attachment, dict) and attachment.get("is_share")
        ),
    ]


def message_key(team: str, channel: str, message_id: str) -> MessageKey:
    """Return the identity of a message, the same in every event about it."""
    return MessageKey(platform="slack", space=team, channel=channel, message=message_id)


def person_id(team: str, user: str) -> PersonId:
    return PersonId(platform="slack", space=team, user=user)


def person_key(team: str, user: str) -> str:
    return str(person_id(team, user))


def _team_of(body: SlackPayload) -> str:
    authorizations = body.get("authorizations") or [{}]
    return str(authorizations[0].get("team_id") or body.get("team_id") or "")


def _key(me: SlackBot, channel: str, ts: object) -> MessageKey:
    return MessageKey(platform="slack", space=me.team, channel=channel, message=str(ts or ""))


def _conversation(me: SlackBot, channel: str, thread: str) -> ConversationId:
    return ConversationId(platform="slack", space=me.team, channel=channel, thread=thread)


def _person_message(event: SlackPayload, channel: str, me: SlackBot) -> PersonMessage | None:
    """Return a person's new message; a mention is delivered twice, and only its `message` event counts."""
    if event.get("type") != "message" or not is_from_person(event, me):
        return None
    thread = str(event.get("thread_ts") or "")
    return PersonMessage(
        key=_key(me, channel, event.get("ts")),
        author=person_key(me.team, str(event["user"])),
        text=message_to_text(str(event.get("text") or ""), me.user),
        reply_targets=(str(message_key(me.team, channel, thread)),) if thread and thread != event.get("ts") else (),
        is_for_bot=True,  # a reply is for us where it says so or we take part, and not by being one
    )


def _question(body: SlackPayload, event: SlackPayload, channel: str, me: SlackBot) -> QuestionCandidate | None:
    user, ts = str(event.get("user") or ""), str(event.get("ts") or "")
    workflow = event["type"] == "app_mention" and _is_allowed(event, me)
    if not channel or not ts or not (is_from_person(event, me) or workflow):
        return None
    text = str(event.get("text") or "")
    own_text, passed_on = message_to_text(text, me.user), forwarded_text(event, me)
    thread = str(event.get("thread_ts") or "")
    if event.get("channel_type") == "im" or channel.startswith("D"):
        manner = MessageTrigger.DIRECT
    elif event["type"] == "app_mention" or mention_pattern(me.user).search(text):
        manner = MessageTrigger.MENTION
    elif text and not MENTION_START.search(text):
        manner = MessageTrigger.OVERHEARD
    else:
        return None
    message = IncomingMessage(
        place=message_key(me.team, channel, ts),
        conversation=_conversation(me, channel, thread or ts),
        asker=person_id(me.team, user or str(event.get("bot_id"))),
        text=own_text or passed_on,
        pointed=passed_on if own_text else "",
        attachments=tuple(parse_attachment(file) for file in event.get("files") or ()),
        sent_at=datetime.fromtimestamp(float(ts), UTC),
        manner=manner,
        external=bool(body.get("is_ext_shared_channel")) or _is_stranger(event, me),
        event_id=str(body.get("event_id") or ""),
        said_in=me.places(channel),
        action_token=str(event.get("action_token") or (event.get("assistant_thread") or {}).get("action_token") or ""),
    )
    return QuestionCandidate(message=message)


def _parse_edit(body: SlackPayload, event: SlackPayload, channel: str, me: SlackBot) -> MessageEdited | MessageDeleted:
    """Return an edit. Of changes by Slack itself, such as a preview, only that something changed."""
    current, previous = event.get("message") or {}, event.get("previous_message") or {}
    said_in, shared, key = (
        me.places(channel),
        bool(body.get("is_ext_shared_channel")),
        _key(me, channel, current.get("ts")),
    )
    if current.get("subtype") == "tombstone":
        return MessageDeleted(said_in=said_in, is_shared=shared, key=key)
    if not is_from_person(current, me) or current.get("text") == previous.get("text"):
        return MessageEdited(said_in=said_in, is_shared=shared, key=key)
    text, question = (
        message_to_text(str(current.get("text") or ""), me.user),
        _question(body, {"type": "message", **current}, channel, me),
    )
    return MessageEdited(said_in=said_in, is_shared=shared, key=key, text=text, question=question)


def forwarded_text(event: SlackPayload, me: SlackBot) -> str:
    """Return the text of the messages that a message forwards, without unfurled links."""
    forwarded = (attachment for attachment in event.get("attachments") or () if attachment.get("is_share"))
    return "\n".join(
        filter(None, (message_to_text(str(attachment.get("text") or ""), me.user) for attachment in forwarded))
    )


def _app_id(event: SlackPayload) -> str:
    profile = event.get("bot_profile") or {}
    return str(event.get("app_id") or profile.get("app_id") or event.get("bot_id") or "")


def _is_from_app(event: SlackPayload) -> bool:
    """Return True if an app mentions the bot. Such a message is only a question, never a message of people."""
    return event.get("type") == "app_mention" and event.get("subtype") == "bot_message"


def _unallowed_app(event: SlackPayload, me: SlackBot) -> str:
    """Return the app (a workflow, an integration) that mentions the bot and may not ask, or ""."""
    mentions = event.get("bot_id") and not event.get("user")
    return _app_id(event) if mentions and not _is_allowed(event, me) and event["bot_id"] != me.bot else ""


def _is_allowed(event: SlackPayload, me: SlackBot) -> bool:
    """Return True if an app that may ask wrote it."""
    bot = str(event.get("bot_id") or "")
    return bool(bot) and bot != me.bot and not event.get("user") and not me.workflows.isdisjoint({bot, _app_id(event)})


def is_from_person(event: SlackPayload, me: SlackBot) -> bool:
    return bool(event.get("user")) and event["user"] != me.user and not event.get("bot_id")


def _is_stranger(event: SlackPayload, me: SlackBot) -> bool:
    home = event.get("user_team") or event.get("team")
    return bool(home) and home != me.team


def parse_attachment(file: SlackPayload) -> Attachment:
    return Attachment(
        id=str(file.get("id") or ""),
        name=str(file.get("name") or file.get("title") or "file"),
        media_type=str(file.get("mimetype") or ""),
        size=int(file.get("size") or 0),
        url=str(file.get("url_private_download") or ""),
    )


def is_external(record: SlackPayload, team: str) -> bool:
    """Return True if a user or channel, as Slack describes it, is a guest, a stranger, or shared with strangers."""
    if record.get("deleted"):
        return False
    marks = ("is_restricted", "is_ultra_restricted", "is_stranger", "is_ext_shared", "is_pending_ext_shared")
    homes = [record.get("team_id", team), *((record.get("enterprise_user") or {}).get("teams") or ())]
    return any(record.get(mark) for mark in marks) or team not in homes
