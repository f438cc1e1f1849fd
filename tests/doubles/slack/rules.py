"""What Slack accepts: scopes, arguments and block limits, as its method pages and block reference state them."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]

SCOPES: dict[str, frozenset[str]] = {
    "agents.sessions.setStatus": frozenset({"chat:write"}),
    "assistant.search.context": frozenset({"search:read.public"}),
    "assistant.threads.setStatus": frozenset({"chat:write"}),
    "assistant.threads.setSuggestedPrompts": frozenset({"assistant:write"}),
    "auth.test": frozenset(),
    "chat.appendStream": frozenset({"chat:write"}),
    "chat.delete": frozenset({"chat:write"}),
    "chat.getPermalink": frozenset(),
    "chat.postEphemeral": frozenset({"chat:write"}),
    "chat.postMessage": frozenset({"chat:write"}),
    "chat.startStream": frozenset({"chat:write"}),
    "chat.stopStream": frozenset({"chat:write"}),
    "chat.update": frozenset({"chat:write"}),
    "conversations.history": frozenset({"channels:history", "groups:history", "im:history", "mpim:history"}),
    "conversations.info": frozenset({"channels:read", "groups:read", "im:read", "mpim:read"}),
    "conversations.members": frozenset({"channels:read", "groups:read", "im:read", "mpim:read"}),
    "conversations.open": frozenset({"im:write"}),
    "conversations.replies": frozenset({"channels:history", "groups:history", "im:history", "mpim:history"}),
    "files.info": frozenset({"files:read"}),
    "files.completeUploadExternal": frozenset({"files:write"}),
    "files.getUploadURLExternal": frozenset({"files:write"}),
    "reactions.add": frozenset({"reactions:write"}),
    "reactions.remove": frozenset({"reactions:write"}),
    "users.conversations": frozenset({"channels:read", "groups:read"}),
    "users.info": frozenset({"users:read"}),
    "users.list": frozenset({"users:read"}),
    "usergroups.list": frozenset({"usergroups:read"}),
    "views.open": frozenset(),
    "views.publish": frozenset(),
}
"""Bot scopes of each method; where several are named, the kind of conversation decides which one is needed."""

EVENTS = {
    "agent_session_stopped": "chat:write",
    "app_home_opened": "",
    "app_uninstalled": "",
    "app_mention": "app_mentions:read",
    "channel_deleted": "channels:read",
    "channel_left": "channels:read",
    "group_deleted": "groups:read",
    "group_left": "groups:read",
    "member_joined_channel": "channels:read",
    "member_left_channel": "channels:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
    "reaction_added": "reactions:read",
    "reaction_removed": "reactions:read",
    "tokens_revoked": "",
}
"""The scope an event subscription needs; those of members of a private channel need `groups:read`."""

_LOOKING = {"channel": "channels:read", "private": "groups:read", "im": "im:read", "mpim": "mpim:read"}
_HISTORY = {"channel": "channels:history", "private": "groups:history", "im": "im:history", "mpim": "mpim:history"}
BY_KIND = {
    "conversations.history": _HISTORY,
    "conversations.info": _LOOKING,
    "conversations.members": _LOOKING,
    "conversations.replies": _HISTORY,
}

READS = frozenset(
    {
        "auth.test",
        "chat.getPermalink",
        "conversations.history",
        "conversations.info",
        "conversations.members",
        "conversations.replies",
        "files.info",
        "usergroups.list",
        "users.conversations",
        "users.info",
        "users.list",
    }
)
"""Methods that take no JSON."""

_MESSAGE = {"channel", "text", "blocks", "thread_ts", "metadata", "parse", "unfurl_links", "unfurl_media"}
_PAGE = {"cursor", "include_all_metadata", "inclusive", "latest", "limit", "oldest"}
ARGUMENTS: dict[str, set[str]] = {
    "agents.sessions.setStatus": {"channel_id", "thread_ts", "status", "title", "initiator_user_id"},
    "assistant.search.context": {"query", "action_token", "channel_types", "content_types", "limit", "cursor"},
    "assistant.threads.setStatus": {"channel_id", "thread_ts", "status", "loading_messages"},
    "assistant.threads.setSuggestedPrompts": {"channel_id", "thread_ts", "title", "prompts"},
    "chat.appendStream": {"channel", "ts", "markdown_text", "chunks"},
    "chat.delete": {"channel", "ts"},
    "chat.getPermalink": {"channel", "message_ts"},
    "chat.postEphemeral": _MESSAGE - {"metadata", "unfurl_links", "unfurl_media"} | {"user"},
    "chat.postMessage": _MESSAGE | {"markdown_text"},
    "chat.startStream": {"channel", "thread_ts", "markdown_text", "recipient_team_id", "recipient_user_id", "chunks"},
    "chat.stopStream": {"channel", "ts", "markdown_text", "blocks", "metadata", "chunks", "session_status"},
    "chat.update": _MESSAGE - {"thread_ts"} | {"ts"},
    "conversations.history": _PAGE | {"channel"},
    "conversations.members": {"channel", "cursor", "limit"},
    "conversations.open": {"users"},
    "conversations.replies": _PAGE | {"channel", "ts"},
    "files.info": {"file", "count", "cursor", "limit", "page"},
    "reactions.add": {"channel", "timestamp", "name"},
    "reactions.remove": {"channel", "timestamp", "name"},
    "usergroups.list": {"include_count", "include_disabled", "include_users", "team_id"},
    "users.list": {"cursor", "include_locale", "limit", "team_id"},
    "views.open": {"trigger_id", "view"},
    "views.publish": {"user_id", "view"},
}


def wrong_message(arguments: Json, *, update: bool = False) -> str | None:
    """The error code for a message Slack would not take."""
    text = arguments.get("text") or ""
    if update and len(text) > 4000:
        return "msg_too_long"
    if "blocks" in arguments and arguments.get("markdown_text"):
        return "markdown_text_conflict"
    if not text and not arguments.get("blocks") and not arguments.get("markdown_text"):
        return "no_text"
    if arguments.get("parse") != "none" or arguments.get("link_names"):
        return "double_wants_parse_none"
    return wrong_blocks(arguments.get("blocks") or [])


def wrong_blocks(blocks: list[Json], *, most: int = 50) -> str | None:
    """The error code for blocks Slack would not take."""
    if not isinstance(blocks, list) or len(blocks) > most:
        return "invalid_blocks"
    if len(json.dumps(blocks, ensure_ascii=False)) > 13_000:
        return "msg_blocks_too_long"
    if sum(len(block.get("text", "")) for block in blocks if block.get("type") == "markdown") > 12_000:
        return "invalid_blocks"
    return next(("invalid_blocks" for block in blocks if not _block_fits(block)), None)


def wrong_view(view: Json) -> str | None:
    title = view.get("title", {}).get("text", "")
    if view.get("type") not in ("home", "modal") or len(title) > 24:
        return "invalid_arguments"
    if len(str(view.get("private_metadata", ""))) > 3000:
        return "invalid_arguments"
    return wrong_blocks(view["blocks"], most=100)


def _block_fits(block: Json) -> bool:
    match block.get("type"):
        case "markdown":
            return isinstance(block["text"], str) and 0 < len(block["text"]) <= 12_000
        case "section":
            return _text_fits(block["text"], 3000) and set(block) <= {"type", "text", "accessory", "block_id"}
        case "context":
            return 0 < len(block["elements"]) <= 10 and all(_text_fits(one, 3000) for one in block["elements"])
        case "header":
            return block["text"]["type"] == "plain_text" and _text_fits(block["text"], 150)
        case "actions":
            return 0 < len(block["elements"]) <= 25 and all(_element_fits(one) for one in block["elements"])
        case "context_actions":
            return 0 < len(block["elements"]) <= 5 and all(_element_fits(one) for one in block["elements"])
        case "input":
            hinted = _text_fits(block.get("hint", block["label"]), 2000)
            return _text_fits(block["label"], 2000) and hinted and _element_fits(block["element"])
        case "rich_text":
            return all(_rich_fits(one) for one in block["elements"])
        case "divider":
            return True
    return False


def _text_fits(text: Json, limit: int) -> bool:
    known = {"type", "text", "verbatim"} if text.get("type") == "mrkdwn" else {"type", "text", "emoji"}
    return text.get("type") in ("mrkdwn", "plain_text") and 0 < len(text["text"]) <= limit and set(text) <= known


def _element_fits(element: Json) -> bool:
    if len(element.get("action_id", "")) > 255:
        return False
    match element.get("type"):
        case "button":
            return _text_fits(element["text"], 75) and len(element.get("value", "")) <= 2000
        case "feedback_buttons":
            sides = (element["positive_button"], element["negative_button"])
            return all(_text_fits(side["text"], 75) and len(side["value"]) <= 2000 for side in sides)
        case "static_select" | "radio_buttons":
            options = element["options"]
            fits = all(_text_fits(one["text"], 75) and 0 < len(one["value"]) <= 150 for one in options)
            return fits and 0 < len(options) <= 100 and element.get("initial_option", options[0]) in options
        case "checkboxes":
            options = element["options"]
            fits = all(_text_fits(one["text"], 75) and 0 < len(one["value"]) <= 150 for one in options)
            ticked = element.get("initial_options", options)
            return fits and 0 < len(options) <= 10 and bool(ticked) and all(one in options for one in ticked)
        case "conversations_select":
            return _text_fits(element["placeholder"], 150) and set(element["filter"]["include"]) <= {
                "public",
                "private",
            }
        case "plain_text_input":
            return 0 < element.get("max_length", 1) <= 3000
    return False


def _rich_fits(element: Json) -> bool:
    kinds = {"rich_text_section", "rich_text_quote", "rich_text_preformatted"}
    parts = element.get("elements", [])
    return element.get("type") in kinds and all(one["type"] == "text" and one["text"] for one in parts)
