"""Language models, and the count of what they use."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from datetime import date
from typing import Any, Literal, Protocol, TypeVar

from pydantic import BaseModel

from pipeline.values import Usage, Value

T = TypeVar("T", bound=BaseModel)


class Tool(Value):
    """What a model may ask for besides answering."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """The JSON schema of an object."""


class ToolCall(Value):
    id: str
    name: str
    arguments: str
    """JSON as the model wrote it: not parsed, not trusted."""


class ChatMessage(Value):
    role: Literal["system", "user", "assistant", "tool"]
    content: str
    calls: tuple[ToolCall, ...] = ()
    """Of an assistant: what it asked for, each answered by a tool's message right behind."""
    call_id: str = ""
    """Of a tool: the call that this is the result of."""


class TextDelta(Value):
    text: str


class StreamEnd(Value):
    """How a model stopped: `stop`, `tool_calls`, `length`, `content_filter`, or "" when the stream was cut."""

    reason: str
    input_tokens: int = 0
    output_tokens: int = 0


class LanguageModel(Protocol):
    """One model of one provider. Makes one request a call, and another one only without a parameter that the server
    refused by name; deadlines and retries are the caller's."""

    name: str

    async def connect(self) -> None:
        """Get ready now rather than at the first call, while someone waits; sends nothing."""
        ...

    def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[TextDelta | ToolCall | StreamEnd, None]:
        """Yield text as it arrives, then the calls, each whole, then one StreamEnd. Calls come only where `tools` are
        given and the model stopped for them; a server that has no tools is asked without. Raises Unavailable or
        Unusable."""
        ...

    async def structured(self, messages: Sequence[ChatMessage], into: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        """Fill in `into`. Raises Unavailable or Unusable."""
        ...

    async def close(self) -> None: ...


class TokenLedger(Protocol):
    """How many tokens each subject (a person, a space) used on a day. What is older than the day asked about may go."""

    async def reserve(self, limits: Mapping[str, int], tokens: int, day: date) -> bool:
        """Count `tokens` for every subject, at once; False, and nothing counted, if any would pass its limit."""
        ...

    async def adjust(self, subjects: Collection[str], tokens: int, day: date) -> None:
        """Add `tokens`, which may be negative, to what each subject used on `day`."""
        ...
