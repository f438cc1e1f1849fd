"""Commands, clicks and modals: callbacks within three seconds, follow-ups while the token lives."""

from __future__ import annotations

from aiohttp import web

from tests.doubles.discord.limits import modal_refused, refused
from tests.doubles.discord.messages import Messages
from tests.doubles.discord.payloads import Refusal, body_of, build, change, reasons
from tests.doubles.discord.world import EPHEMERAL, Interaction, Payload, World

MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE, MODAL = 4, 5, 6, 7, 9
FIRST_RESPONSE_SECONDS, TOKEN_SECONDS = 3.0, 900.0


class Interactions:
    def __init__(self, world: World, messages: Messages) -> None:
        self._world = world
        self._messages = messages

    async def callback(self, request: web.Request) -> Payload:
        record = self._world.interactions.get(request.match_info["token"])
        if record is None or self._world.now() - record.created > FIRST_RESPONSE_SECONDS:
            raise Refusal(404, 10062, "Unknown interaction")
        if record.acknowledged:
            raise Refusal(400, 40060, "Interaction has already been acknowledged")
        payload = await body_of(request)
        kind, data = payload["type"], payload.get("data") or {}
        if kind == MODAL:
            if wrong := modal_refused(data):
                raise Refusal(400, 50035, "Invalid Form Body", errors=reasons(wrong))
            record.modal = data
        elif kind in (UPDATE, DEFERRED_UPDATE):
            pressed = record.payload["message"]
            record.original, record.pressed = pressed["id"], pressed
            if kind == UPDATE:
                change(pressed, data, self._world)
        elif kind in (MESSAGE, DEFERRED):
            record.ephemeral = bool(int(data.get("flags") or 0) & EPHEMERAL)
            if kind == MESSAGE:
                record.original = (await self._say(record, data))["id"]
            else:
                record.original = self._world.snowflake()
        record.acknowledged = kind
        resource = {"type": kind, **({"message": record.messages[record.original]} if kind == MESSAGE else {})}
        interaction = {
            "id": record.payload["id"],
            "type": record.payload["type"],
            "response_message_id": record.original,
        }
        return {"interaction": {k: v for k, v in interaction.items() if v}, "resource": resource}

    def _record(self, request: web.Request) -> Interaction:
        record = self._world.interactions.get(request.match_info["token"])
        if record is None or record.expired or self._world.now() - record.created > TOKEN_SECONDS:
            raise Refusal(401, 50027, "Invalid Webhook Token")
        if not record.acknowledged:
            raise Refusal(404, 10015, "Unknown Webhook")
        return record

    async def follow_up(self, request: web.Request) -> Payload:
        return await self._say(self._record(request), await body_of(request))

    async def edit(self, request: web.Request) -> Payload:
        record, payload = self._record(request), await body_of(request)
        name = request.match_info["message"]
        message_id = record.original if name == "@original" else name
        if record.pressed and message_id == record.original:
            change(record.pressed, payload, self._world)
            return record.pressed
        if message_id == record.original and message_id not in record.messages:
            return await self._say(record, payload, message_id=message_id, ephemeral=record.ephemeral)
        if message_id not in record.messages:
            raise Refusal(404, 10008, "Unknown Message")
        change(record.messages[message_id], payload, self._world)
        return record.messages[message_id]

    async def _say(
        self, record: Interaction, payload: Payload, *, message_id: str = "", ephemeral: bool = False
    ) -> Payload:
        if wrong := refused(payload):
            raise Refusal(400, 50035, "Invalid Form Body", errors=reasons(wrong))
        hidden = ephemeral or int(payload.get("flags") or 0) & EPHEMERAL
        named = {"id": message_id} if message_id else {}
        if hidden:
            message = build(self._world, record.channel, self._world.bot, payload) | named
            message["flags"] |= EPHEMERAL
        else:
            message = await self._messages.put(record.channel, self._world.bot, payload, type=20, **named)
        record.messages[message["id"]] = message
        return message
