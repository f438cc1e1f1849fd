"""What stands around a message, looked at only where the message cannot be understood by itself."""

from __future__ import annotations

from pipeline.plan.pointing import looks_back
from pipeline.plan.question import clean
from pipeline.plan.smalltalk import Talk, greeted, small_talk
from pipeline.ports import AmongPeople, PlatformAdapter
from pipeline.unasked import asks
from pipeline.values import Around, IncomingMessage, Manner, Request, replace
from pipeline.words.language import speaking


async def with_surroundings(request: Request, message: IncomingMessage, adapter: PlatformAdapter) -> Request:
    """`request`, made of `message`, with what people said around it if it leans on that, and with all of its thread if
    that is to be summed up. Raises Unavailable where the thread cannot be read now."""
    if message.pointed:
        return replace(request, around=Around(pointed=message.pointed))
    if not isinstance(adapter, AmongPeople):
        return request
    alone = message.manner in (Manner.DIRECT, Manner.COMMAND, Manner.AWAITED)
    if not (alone or request.unasked) and small_talk(clean(request.text)) is Talk.SUMMARY:
        words = speaking(request.language, (greeted(request.text),), message.locale)
        return replace(request, thread=await adapter.thread(message, words))
    alone = alone or (request.unasked and not asks(request.text))
    if alone or not looks_back(request.text):
        return request
    return replace(request, around=await adapter.around(message))
