"""OpenAI's chat completions, and every server that speaks them: Azure, Gemini, Ollama, vLLM, LM Studio."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import Any

from adapters.models.client import openai_client
from adapters.models.reasoning import ReasoningFilter, ReasoningSwitch, read_reasoning, split_reasoning
from adapters.models.responses import json_body, parse_structured, read_event_stream, response_content_type
from adapters.models.schemas import drop_bounds
from adapters.models.sdk_errors import translate_sdk_errors
from adapters.models.token_counts import TokenCounts, read_token_counts
from adapters.models.tools import SignedToolCall, ToolCallBuffer, is_tools_refusal, parse_arguments, replace_surrogates
from adapters.models.vendor_errors import prompt_too_long, read_vendor_error
from pipeline.errors import CitewellError, PromptTooLong, Unavailable, UnusableResponse
from pipeline.ports import ChatMessage, StreamEnd, T, TextDelta, Tool, ToolCall
from pipeline.values import UNKNOWN_CAPACITY, Usage, Value
from pipeline.words.text import estimate_tokens

# --- Requests, stream events and replies of the API -----------------------------------------------


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

    def __init__(self, service: str, *, tools: bool, max_tokens: int, begins_inside: bool = False) -> None:
        self.has_started = False
        self.has_text = False
        self.finish_reason = ""
        self.reasoning = ReasoningFilter(begins_inside=begins_inside)
        self._service = service
        self._tools = tools
        self._max_tokens = max_tokens
        self._counts = TokenCounts()
        self._calls = ToolCallBuffer(service)

    def feed(self, chunk: Any) -> str:
        """Return the text of the answer in `chunk`; the rest is remembered."""
        self.has_started = True
        try:
            self._counts = read_token_counts(chunk) or self._counts
            for choice in chunk.get("choices") or ():
                text = self.reasoning.feed(self._read_choice(choice))
                self.has_text = self.has_text or bool(text)
                return text
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise UnusableResponse(f"{self._service}: an event of unknown shape") from error
        return ""

    def finish(self) -> Iterator[TextDelta | ToolCall | StreamEnd]:
        """Yield the text held back, the calls and the end once the stream has ended."""
        reasoning_tokens = self.reasoning.tokens
        reason, calls = self._calls.finish(self.finish_reason)
        if text := self.reasoning.close():
            self.has_text = True
            yield TextDelta(text=text)
        yield from calls
        yield self._counts.end(reason, max_tokens=self._max_tokens, reasoning_tokens=reasoning_tokens)

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
        self.reasoning.note(read_reasoning(delta))
        return (delta.get("content") or "") + ""


class Completion(Value):
    """A whole reply."""

    text: str
    reasoning: str
    finish_reason: str
    counts: TokenCounts

    def require_text(self, service: str) -> str:
        """Return the text. Raise UnusableResponse where there is none, or where it is not whole."""
        if self.finish_reason == "length":
            raise UnusableResponse(f"{service}: ran out of tokens before its reply was whole")
        if self.finish_reason != "stop" or not self.text.strip():
            raise UnusableResponse(f"{service}: an empty or unfinished reply (finish reason {self.finish_reason[:40]})")
        return self.text


def parse_completion(service: str, reply: Any) -> Completion:
    """Return a whole reply. Raises UnusableResponse."""
    try:
        choice = reply["choices"][0]
        message, finish_reason = choice["message"], choice["finish_reason"]
        content = message["content"]
        reasoning, text = split_reasoning(content if isinstance(content, str) else "")
        return Completion(
            text=text,
            reasoning=read_reasoning(message) + reasoning,
            finish_reason=str(finish_reason),
            counts=read_token_counts(reply) or TokenCounts(),
        )
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise UnusableResponse(f"{service}: a reply without choices") from error


# --- The model ------------------------------------------------------------------------------------

_LIMIT_NAMES = ("max_completion_tokens", "max_tokens")
"""The limit's newer and older name: reasoning models refuse the older one, many other servers the newer."""
_OPTIONAL = (
    *_LIMIT_NAMES,
    "temperature",
    "reasoning_effort",
    "chat_template_kwargs",
    "stream_options",
    "response_format",
    "tools",
)
"""Parameters that are left out from then on when a server refuses them by name."""
_MALFORMED_CALL = "tool_use_failed"
"""Error code that refuses no parameter: the model's call was malformed (Groq)."""
_NO_REASONING = re.compile(r"\bthink|\breasoning", re.IGNORECASE)
"""`... does not support thinking` (Ollama) refuses an effort without its name."""


class OpenAIModel:
    """A `LanguageModel`. The client is made at the first call, off the event loop, and reused. `effort` is how long a
    reasoning model may think; a model without that parameter is asked without it. `is_own` says that the server is the
    team's own: it gets the bounds of a schema, and is asked for less reasoning once some was seen. `usage_grace` is how
    many seconds a stream with complete text is awaited for its token counts."""

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
        is_own: bool = False,
        timeout: float = 30.0,
        usage_grace: float = 0.5,
    ) -> None:
        self.name = name or f"openai:{model}"
        self._model = model
        self._options: dict[str, object] = {"temperature": temperature, "reasoning_effort": effort}
        self._usage_grace = usage_grace
        self._is_own = is_own
        self._switch = ReasoningSwitch()
        # other servers than OpenAI's are asked with the older name first
        self._limit_names = _LIMIT_NAMES if base_url is None else _LIMIT_NAMES[::-1]
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
        parser = ChatStreamParser(
            self.name, tools=bool(tools), max_tokens=max_tokens, begins_inside=self._switch.begins_inside
        )
        try:
            async with AsyncExitStack() as open_response:

                async def send(**request: Any) -> Any:
                    response = client.chat.completions.with_streaming_response.create(**request, stream=True)
                    return await open_response.enter_async_context(response)

                with self._translate_errors():
                    response = await self._send_supported(send, messages, max_tokens, optional)
                async with aclosing(read_event_stream(self.name, response)) as events:
                    while (chunk := await self._next(events, parser)) is not None:
                        if text := parser.feed(chunk):
                            yield TextDelta(text=text)
                kind = response_content_type(response)
            if not parser.has_started:
                raise Unavailable(self.name, f"the stream ended before it began (content type {kind})")
            for piece in parser.finish():
                yield piece
        finally:  # a reply that was given up tells most
            if parser.has_started:
                reasoning = parser.reasoning
                self._learn(reasoning.tokens, reasoning.has_lone_end, has_text=parser.has_text, max_tokens=max_tokens)

    async def structured(self, messages: Sequence[ChatMessage], into: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        """See `LanguageModel`. A server without structured outputs is asked for plain JSON instead."""
        client = await self._client.get()
        shape = into.model_json_schema()
        schema = {"name": into.__name__, "schema": shape if self._is_own else drop_bounds(shape), "strict": True}
        optional = {"response_format": {"type": "json_schema", "json_schema": schema}}
        with self._translate_errors():
            reply = await self._send_supported(
                client.chat.completions.with_raw_response.create, messages, max_tokens, optional
            )
        completion = parse_completion(self.name, json_body(self.name, reply))
        tokens = estimate_tokens(completion.reasoning)
        self._learn(tokens, has_lone_end=False, has_text=bool(completion.text.strip()), max_tokens=max_tokens)
        value = parse_structured(self.name, completion.require_text(self.name), into)
        return value, completion.counts.usage(self.name)

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
            parameters: dict[str, object] = {limit: max_tokens, **self._options, **self._switch.parameters, **optional}
            supported = {
                name: value for name, value in parameters.items() if name not in self._unsupported and value is not None
            }
            try:
                return await send(model=self._model, messages=chat, **_arguments(supported))
            except openai.APIStatusError as error:
                refused_name = _refused_name(error, supported)
                if refused_name is None or self._unsupported | {refused_name} >= set(_LIMIT_NAMES):
                    raise
                self._unsupported.add(refused_name)

    def _learn(self, tokens: int, has_lone_end: bool, *, has_text: bool, max_tokens: int) -> None:
        """Learn from a reply of a server of one's own how its model reasons."""
        if self._is_own:
            self._switch.learn(tokens, has_lone_end=has_lone_end, has_text=has_text, max_tokens=max_tokens)

    async def _next(self, events: AsyncIterator[Any], parser: ChatStreamParser) -> Any:
        """Return the next event; None behind the last, and where a reply ran into the window in its middle."""
        finished = bool(parser.finish_reason)
        try:
            async with asyncio.timeout(self._usage_grace if finished else None):
                with self._translate_errors():
                    return await anext(events, None)
        except (TimeoutError, CitewellError) as error:
            if isinstance(error, PromptTooLong) and parser.has_text:
                parser.finish_reason = parser.finish_reason or "window"
            elif not finished:
                raise
            return None


def _arguments(parameters: Mapping[str, object]) -> dict[str, object]:
    """Return `parameters` as the SDK takes them: it knows no `chat_template_kwargs`."""
    known = {name: value for name, value in parameters.items() if name != "chat_template_kwargs"}
    extra = {name: value for name, value in parameters.items() if name not in known}
    return {**known, "extra_body": extra} if extra else known


def _refused_name(error: Any, optional: Mapping[str, object]) -> str | None:
    """Return the optional parameter that a server refused: tools in any words, else the one it names, or the first that
    its message mentions. None where it refused none."""
    reported = read_vendor_error(error.body)
    if reported.code == _MALFORMED_CALL or prompt_too_long("", reported, error.status_code):
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
    unnamed = "reasoning_effort" if "reasoning_effort" in optional and _NO_REASONING.search(reported.message) else None
    return min(mentioned, key=message.index, default=unnamed)
