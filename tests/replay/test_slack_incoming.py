"""What Slack sends, replayed: each file holds an Events API body and what it must be read as (null: not for us)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adapters.chat.intake import AppMentioned, MessageDeleted, MessageEdited, MessagePosted, StopRequested
from adapters.slack.events.incoming import SlackBot, parse_event

BODIES = sorted((Path(__file__).parent / "slack").glob("*.json"))
ME = SlackBot(team="T0TEAM", user="U0BOT", bot="B0BOT", workflows=frozenset({"A0FLOW"}))


@pytest.mark.parametrize("file", BODIES, ids=lambda file: file.stem)
def test_a_body_is_read_as_what_happened(file: Path) -> None:
    case = json.loads(file.read_text())
    assert told(parse_event(case["body"], ME)) == case["read"]


def told(happened: object) -> Any:
    match happened:
        case MessagePosted(question=asked) if asked:
            message = asked.message
            files = {"files": [one.name for one in message.attachments]} if message.attachments else {}
            addressed = {
                "key": message.key,
                "conversation": str(message.conversation),
                "author": message.author,
                "text": message.text,
                "manner": message.manner,
                "external": message.external,
                **files,
                **({"pointed": message.pointed} if message.pointed else {}),
            }
            return {"addressed": addressed}
        case MessageEdited(key=key, text=text) if text is not None:
            return {"edited": str(key), "text": text}
        case MessageDeleted(key=key):
            return {"deleted": str(key)}
        case StopRequested(conversation=conversation):
            return {"stopped": [conversation.channel, conversation.thread]}
        case AppMentioned(app=app):
            return {"program": app}
    return None
