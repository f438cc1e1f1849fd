"""What Slack sends, replayed: each file holds an Events API body and what it must be read as (null: not for us)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adapters.slack.events.incoming import Addressed, Deleted, Edited, Me, Stopped, program, read

BODIES = sorted((Path(__file__).parent / "slack").glob("*.json"))
ME = Me(team="T0TEAM", user="U0BOT", bot="B0BOT", workflows=frozenset({"A0FLOW"}))


@pytest.mark.parametrize("file", BODIES, ids=lambda file: file.stem)
def test_a_body_is_read_as_what_happened(file: Path) -> None:
    case = json.loads(file.read_text())
    assert told(read(case["body"], ME)) == case["read"]


def told(happened: object) -> Any:
    match happened:
        case Addressed(message=message):
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
        case Edited(key=key, text=text):
            return {"edited": key, "text": text}
        case Deleted(key=key):
            return {"deleted": key}
        case Stopped(channel=channel, thread=thread):
            return {"stopped": [channel, thread]}
    return None


def test_a_workflow_that_may_not_ask_is_known_by_its_app() -> None:
    bodies = {name: json.loads((BODIES[0].parent / f"{name}.json").read_text())["body"] for name in TOLD}
    assert {name: program(body, ME) for name, body in bodies.items()} == TOLD


TOLD = {"workflow_not_allowed": "A0OTHER", "workflow_allowed": "", "app_mention": "", "another_bot": ""}
