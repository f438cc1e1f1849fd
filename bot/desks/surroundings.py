"""What stands around a message, looked at only where the message cannot be understood by itself."""

from __future__ import annotations

from pipeline.plan.pointing import looks_back
from pipeline.ports import PlatformAdapter
from pipeline.unasked import asks
from pipeline.values import IncomingMessage, Manner, Request


async def with_surroundings(request: Request, message: IncomingMessage, adapter: PlatformAdapter) -> Request:
    """`request`, made of `message`, with what people said around it if it leans on that."""
    alone = message.manner in (Manner.DIRECT, Manner.COMMAND, Manner.AWAITED)
    alone = alone or (request.unasked and not asks(request.text))
    if alone or not looks_back(request.text):
        return request
    return request.model_copy(update={"around": await adapter.around(message)})
