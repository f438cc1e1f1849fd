"""What travels over REST: bodies, refusals, and whole message objects."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web
from aiohttp.web_request import FileField

from tests.doubles.discord.limits import refused
from tests.doubles.discord.world import Payload, World


class Refusal(Exception):
    """Becomes Discord's error answer."""

    def __init__(self, status: int, code: int, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"code": code, "message": message, **more}


def reasons(wrong: list[str]) -> Payload:
    return {"_errors": [{"code": "INVALID", "message": one} for one in wrong]}


async def body_of(request: web.Request) -> Payload:
    """The JSON body, with files put under `attachments` when it came as a form."""
    if not request.content_type.startswith("multipart/"):
        return dict(await request.json()) if request.body_exists else {}
    form = await request.post()
    payload: Payload = json.loads(str(form["payload_json"]))
    files = [value for key, value in form.items() if key.startswith("files[")]
    target = payload.get("data", payload)
    bodies = [(one.filename, one.file.read().decode()) for one in files if isinstance(one, FileField)]
    target["attachments"] = [attachment(name, body) for name, body in bodies]
    return payload


def attachment(name: str, body: str = "") -> Payload:
    """A file as Discord shows it; its content is there for tests to look at."""
    where = f"http://cdn.invalid/{name}"
    return {"id": "1", "filename": name, "size": len(body), "url": where, "proxy_url": where, "body": body}


def build(world: World, channel_id: str, author: Payload, payload: Payload) -> Payload:
    """A whole message object out of what somebody sent."""
    message_id = world.snowflake()
    reference = payload.get("message_reference")
    message: Payload = {
        "id": message_id, "channel_id": channel_id, "author": author, "content": payload.get("content") or "",
        "timestamp": world.timestamp(), "edited_timestamp": None, "tts": False, "mention_everyone": False,
        "mentions": payload.get("mentions") or [], "mention_roles": payload.get("mention_roles") or [],
        "attachments": payload.get("attachments") or [], "embeds": payload.get("embeds") or [], "pinned": False,
        "type": 19 if reference else 0, "flags": int(payload.get("flags") or 0),
        "components": payload.get("components") or [], "allowed_mentions": payload.get("allowed_mentions"),
    }  # fmt: skip
    if payload.get("nonce"):
        message["nonce"] = payload["nonce"]
    if snapshots := payload.get("message_snapshots"):  # a forward: it refers to what it passes on, and is no reply
        return message | {"type": 0, "message_reference": reference, "message_snapshots": snapshots}
    if reference:
        target = world.channels[channel_id].messages.get(str(reference["message_id"]))
        message["message_reference"] = {
            **reference,
            "message_id": str(reference["message_id"]),
            "channel_id": channel_id,
        }
        shown = {k: v for k, v in target.items() if k != "referenced_message"} if target else None
        message["referenced_message"] = shown
    return message


def change(message: Payload, payload: Payload, world: World) -> None:
    """Apply an edit; refuses what Discord refuses."""
    if wrong := refused(payload, flags=message["flags"], editing=True):
        raise Refusal(400, 50035, "Invalid Form Body", errors=reasons(wrong))
    keys = ("content", "embeds", "components", "attachments", "allowed_mentions")
    message |= {key: payload[key] for key in keys if key in payload and payload[key] is not None}
    message["flags"] |= int(payload.get("flags") or 0)
    message["edited_timestamp"] = world.timestamp()
