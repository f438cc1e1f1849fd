"""A model whose capacity is known, and which remembers what it was asked."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from pipeline.ports import ChatMessage, StreamEnd, T, TextDelta, Tool, ToolCall
from pipeline.values import UNKNOWN_CAPACITY, ModelCapacity, Usage


class MeasuredModel:
    """A `LanguageModel` that gives one of `replies` a call, or raises it, and the last one ever after."""

    name = "measured"

    def __init__(self, *replies: Mapping[str, Any] | Exception, capacity: ModelCapacity = UNKNOWN_CAPACITY) -> None:
        self.capacity = capacity
        self.replies = list(replies)
        self.prompts: list[Sequence[ChatMessage]] = []

    async def connect(self) -> None: ...

    async def close(self) -> None: ...

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[TextDelta | ToolCall | StreamEnd, None]:
        yield StreamEnd(reason="stop")

    async def structured(self, messages: Sequence[ChatMessage], into: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        self.prompts.append(messages)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return into.model_validate(reply), Usage(input_tokens=100, output_tokens=50)
