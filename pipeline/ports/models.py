"""Language models, and the count of their tokens."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from datetime import date
from typing import Any, Literal, Protocol, TypeVar

from pydantic import BaseModel

from pipeline.values import ModelCapacity, Usage, Value

T = TypeVar("T", bound=BaseModel)


class Tool(Value):
    """A function that a model may call."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON schema of an object."""


class ToolCall(Value):
    """A call of a tool by a model."""

    id: str
    name: str
    arguments: str
    """JSON as the model wrote it: neither parsed nor trusted."""


class ChatMessage(Value):
    """One message of the prompt."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    calls: tuple[ToolCall, ...] = ()
    """Tool calls of an assistant's message; the tools' messages that answer them follow right behind."""
    call_id: str = ""
    """Id of the call that a tool's message answers."""


class TextDelta(Value):
    """A piece of text, as it arrives."""

    text: str


class StreamEnd(Value):
    """How a model stopped: `stop`, `tool_calls`, `length` at the limit of tokens that was asked for, `window` where its
    window ended before that, `content_filter`, or "" when the stream was cut."""

    reason: str
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int | None = None
    """Tokens of the prompt that the server had cached; None where it does not say."""
    read_seconds: float | None = None
    """Seconds that the server says it took to read the rest of the prompt."""
    write_seconds: float | None = None
    """Seconds that the server says it took to write the reply."""
    reasoning_tokens: int = 0
    """Estimated tokens of reasoning, which is not part of the text."""


class LanguageModel(Protocol):
    """One model of one provider. It makes one request a call, and repeats it only to leave out a parameter that the
    server refused by name; deadlines and retries are the caller's."""

    name: str

    @property
    def capacity(self) -> ModelCapacity:
        """The capacity of the model's server, as far as it is known by now."""
        ...

    async def connect(self) -> None:
        """Open the connection ahead of the first request, while nobody waits. Sends nothing."""
        ...

    def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[TextDelta | ToolCall | StreamEnd, None]:
        """Yield text as it arrives, then the complete tool calls, then one StreamEnd. Calls come only where `tools` are
        given and the model stopped for them; a server without tools is asked without. Raises Unavailable,
        UnusableResponse, or PromptTooLong before anything came."""
        ...

    async def structured(self, messages: Sequence[ChatMessage], into: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        """Return a reply parsed as `into`, and its usage. Raises Unavailable or UnusableResponse."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class TokenLedger(Protocol):
    """The number of tokens that each subject (a person, a space) used on a day. Earlier days may be dropped."""

    async def reserve(self, limits: Mapping[str, int], tokens: int, day: date) -> bool:
        """Count `tokens` for every subject at once; return False, and count nothing, if any would pass its limit."""
        ...

    async def adjust(self, subjects: Collection[str], tokens: int, day: date) -> None:
        """Add `tokens`, which may be negative, to the count of each subject on `day`."""
        ...
