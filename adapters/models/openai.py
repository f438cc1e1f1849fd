"""OpenAI's chat completions, and every server that speaks them: Azure, Gemini, Ollama, vLLM, LM Studio."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import Any

from adapters.models.client import openai_client
from adapters.models.responses import json_body, parse_structured, read_event_stream, response_content_type
from adapters.models.sdk_errors import translate_sdk_errors
from adapters.models.tools import SignedToolCall, ToolCallBuffer, is_tools_refusal, parse_arguments, replace_surrogates
from pipeline.errors import CitewellError, Unavailable, UnusableResponse
from pipeline.ports import ChatMessage, StreamEnd, T, TextDelta, Tool, ToolCall
from pipeline.ports.reply_schema import remove_limits
from pipeline.values import UNKNOWN_CAPACITY, Usage

# --- Requests, stream events and replies of the API -----------------------------------------------

_BEGIN, _END = "<think>", "</think>"


def to_openai_messages(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """Return `messages` as the API takes them."""
    return [_message(message) for message in messages]


def to_openai_tools(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """Return `tools` as the API takes them."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    ]


def _message(message: ChatMessage) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.content}
    if message.calls:
        calls = [_call(call) for call in message.calls]
        return {"role": message.role, "content": replace_surrogates(message.content), "tool_calls": calls}
    return {"role": message.role, "content": message.content}


def _call(call: ToolCall) -> dict[str, Any]:
    """Return an earlier call. Arguments that are no object are replaced: some servers read them, and refuse the whole
    request."""
    extra = {"extra_content": dict(call.extra)} if isinstance(call, SignedToolCall) else {}
    arguments = call.arguments if parse_arguments(call) else "{}"
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}, **extra}


class ChatStreamParser:
    """A parser of the events of one stream."""

    def __init__(self, service: str, *, tools: bool) -> None:
        self.has_started = False
        self.finish_reason = ""
        self._service = service
        self._tools = tools
        self._tokens = (0, 0)
        self._thinking = ReasoningFilter()
        self._calls = ToolCallBuffer(service)

    def feed(self, chunk: Any) -> str:
        """Return the text of the answer in `chunk`; the rest is remembered."""
        self.has_started = True
        try:
            if usage := chunk.get("usage"):
                self._tokens = (int(usage["prompt_tokens"] or 0), int(usage["completion_tokens"] or 0))
            for choice in chunk.get("choices") or ():
                return self._thinking.feed(self._read_choice(choice))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise UnusableResponse(f"{self._service}: an event of unknown shape") from error
        return ""

    def finish(self) -> Iterator[TextDelta | ToolCall | StreamEnd]:
        """Yield the text held back, the calls and the end once the stream has ended."""
        reason, calls = self._calls.finish(self.finish_reason)
        if text := self._thinking.close():
            yield TextDelta(text=text)
        yield from calls
        yield StreamEnd(reason=reason, input_tokens=self._tokens[0], output_tokens=self._tokens[1])

    def _read_choice(self, choice: Any) -> str:
        delta = choice.get("delta") or {}
        if delta.get("refusal"):
            self.finish_reason = "content_filter"
            return ""
        if self.finish_reason != "content_filter":
            self.finish_reason = str(choice.get("finish_reason") or "") or self.finish_reason
        # `+ ""` raises TypeError for a value that is no text, which counts as an unknown shape
        for call in (delta.get("tool_calls") or ()) if self._tools else ():
            function = call.get("function") or {}
            self._calls.add(
                call.get("index"),
                id=(call.get("id") or "") + "",
                name=(function.get("name") or "") + "",
                arguments=(function.get("arguments") or "") + "",
                extra=call.get("extra_content"),
            )
        return (delta.get("content") or "") + ""


def parse_completion(service: str, reply: Any) -> tuple[str, tuple[int, int]]:
    """Return the text and the token counts of a whole reply. Raises UnusableResponse."""
    try:
        choice = reply["choices"][0]
        content, finish_reason = choice["message"]["content"], choice["finish_reason"]
        usage = reply.get("usage")
        tokens = (int(usage["prompt_tokens"] or 0), int(usage["completion_tokens"] or 0)) if usage else (0, 0)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise UnusableResponse(f"{service}: a reply without choices") from error
    if finish_reason != "stop" or not isinstance(content, str) or not content.strip():
        raise UnusableResponse(f"{service}: an empty or unfinished reply (finish reason {str(finish_reason)[:40]})")
    return content, tokens


class ReasoningFilter:
    """A filter for the reasoning that some open models put in front of their answer as text. Feed it text as it
    arrives; it passes on the answer."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "before"

    def feed(self, text: str) -> str:
        """Return the text that belongs to the answer, from `text` and from what was held back."""
        if self._state == "after":
            return text
        self._held += text
        if self._state == "before":
            beginning = self._held.lstrip()
            if beginning.startswith(_BEGIN):
                self._state = "inside"
            elif not _BEGIN.startswith(beginning):
                return self._release(self._held)
        if self._state == "inside" and _END in self._held:
            return self._release(self._held.partition(_END)[2])
        return ""

    def close(self) -> str:
        """Return the text that was held back because it might have become reasoning."""
        return self._held if self._state == "before" else ""

    def _release(self, text: str) -> str:
        self._held, self._state = "", "after"
        return text


# --- The model ------------------------------------------------------------------------------------

_LIMIT_NAMES = ("max_completion_tokens", "max_tokens")
"""The limit's newer and older name: reasoning models refuse the older one, many other servers the newer."""
_OPTIONAL = (*_LIMIT_NAMES, "temperature", "reasoning_effort", "stream_options", "response_format", "tools")
"""Parameters that are left out from then on when a server refuses them by name."""
_OTHER_ERRORS = ("context_length_exceeded", "tool_use_failed")
"""Error codes that refuse no parameter: the prompt is too long; the model's call was malformed (Groq)."""


class OpenAIModel:
    """A `LanguageModel`. The client is made at the first call, off the event loop, and reused. `effort` is how long a
    reasoning model may think; a model without that parameter is asked without it. `usage_grace` is how many seconds a
    stream with complete text is awaited for its token counts."""

    capacity = UNKNOWN_CAPACITY

    def __init__(
        self,
        model: str,
        *,
        key: str,
        base_url: str | None = None,
        name: str = "",
        temperature: float | None = 0.2,
        effort: str | None = None,
        timeout: float = 30.0,
        usage_grace: float = 0.5,
    ) -> None:
        self.name = name or f"openai:{model}"
        self._model = model
        self._options: dict[str, object] = {"temperature": temperature, "reasoning_effort": effort}
        self._usage_grace = usage_grace
        # other servers than OpenAI's are asked with the older name first
        self._limit_names = _LIMIT_NAMES if base_url is None else _LIMIT_NAMES[::-1]
        self._takes_limits = base_url is not None  # OpenAI's own takes few of them, and needs none
        self._unsupported: set[str] = set()
        self._client = openai_client(self.name, key=key, base_url=base_url, timeout=timeout)

    async def connect(self) -> None:
        """Import the SDK and make the client; see `LanguageModel`."""
        await self._client.get()

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[TextDelta | ToolCall | StreamEnd, None]:
        """See `LanguageModel`. A server that refuses an optional parameter is asked again without it."""
        client = await self._client.get()
        optional = {"stream_options": {"include_usage": True}, "tools": to_openai_tools(tools) or None}
        parser = ChatStreamParser(self.name, tools=bool(tools))
        async with AsyncExitStack() as open_response:

            async def send(**request: Any) -> Any:
                response = client.chat.completions.with_streaming_response.create(**request, stream=True)
                return await open_response.enter_async_context(response)

            with self._translate_errors():
                response = await self._send_supported(send, messages, max_tokens, optional)
            async with aclosing(read_event_stream(self.name, response)) as events:
                while (chunk := await self._next(events, finished=bool(parser.finish_reason))) is not None:
                    if text := parser.feed(chunk):
                        yield TextDelta(text=text)
            kind = response_content_type(response)
        if not parser.has_started:
            raise Unavailable(self.name, f"the stream ended before it began (content type {kind})")
        for piece in parser.finish():
            yield piece

    async def structured(self, messages: Sequence[ChatMessage], into: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        """See `LanguageModel`. A server without structured outputs is asked for plain JSON instead."""
        client = await self._client.get()
        written = into.model_json_schema()
        schema = {
            "name": into.__name__,
            "schema": written if self._takes_limits else remove_limits(written),
            "strict": True,
        }
        optional = {"response_format": {"type": "json_schema", "json_schema": schema}}
        with self._translate_errors():
            reply = await self._send_supported(
                client.chat.completions.with_raw_response.create, messages, max_tokens, optional
            )
        content, tokens = parse_completion(self.name, json_body(self.name, reply))
        return parse_structured(self.name, content, into), Usage(
            writer=self.name, input_tokens=tokens[0], output_tokens=tokens[1]
        )

    async def close(self) -> None:
        await self._client.close()

    def _translate_errors(self) -> Any:
        import openai

        return translate_sdk_errors(openai, self.name, "OPENAI_API_KEY")

    async def _send_supported(
        self, send: Any, messages: Sequence[ChatMessage], max_tokens: int, optional: Mapping[str, object]
    ) -> Any:
        """`send` the request. Repeat it without an optional parameter that the server refuses by name."""
        import openai

        chat = to_openai_messages(messages)
        while True:
            limit = next(name for name in self._limit_names if name not in self._unsupported)
            parameters: dict[str, object] = {limit: max_tokens, **self._options, **optional}
            supported = {
                name: value for name, value in parameters.items() if name not in self._unsupported and value is not None
            }
            try:
                return await send(model=self._model, messages=chat, **supported)
            except openai.APIStatusError as error:
                refused_name = _refused_name(error, supported)
                if refused_name is None or self._unsupported | {refused_name} >= set(_LIMIT_NAMES):
                    raise
                self._unsupported.add(refused_name)

    async def _next(self, events: AsyncIterator[Any], *, finished: bool) -> Any:
        try:
            async with asyncio.timeout(self._usage_grace if finished else None):
                with self._translate_errors():
                    return await anext(events, None)
        except (TimeoutError, CitewellError):
            if finished:
                return None
            raise


def _refused_name(error: Any, optional: Mapping[str, object]) -> str | None:
    """Return the optional parameter that a server refused: tools in any words, else the one it names, or the first that
    its message mentions. None where it refused none."""
    if error.code in _OTHER_ERRORS:
        return None
    message = f"{error.message} {error.body}"
    # `messages[0].content` is about `messages`
    parameter = re.split(r"[.\[]", str(error.param or ""))[0]
    if "tools" in optional and parameter != "messages" and is_tools_refusal(error.status_code, message):
        return "tools"
    if error.status_code not in (400, 422):
        return None
    if parameter:
        return parameter if parameter in optional and parameter in _OPTIONAL else None
    mentioned = [name for name in _OPTIONAL if name in optional and name in message]
    return min(mentioned, key=message.index, default=None)
