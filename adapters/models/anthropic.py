"""Anthropic's messages API."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING, Any

from adapters.models.client import LazyClient
from adapters.models.responses import (
    drain_response,
    json_body,
    parse_structured,
    read_event_stream,
    response_content_type,
)
from adapters.models.sdk_errors import translate_sdk_errors
from adapters.models.tools import ToolCallBuffer, is_tools_refusal, parse_arguments, replace_surrogates
from adapters.models.transport import http_client
from pipeline.errors import Unavailable, UnusableResponse
from pipeline.ports import ChatMessage, StreamEnd, T, TextDelta, Tool, ToolCall
from pipeline.ports.reply_schema import remove_limits
from pipeline.values import UNKNOWN_CAPACITY, Usage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "refusal": "content_filter",
}
_CACHED = {"cache_control": {"type": "ephemeral"}}
"""Marks a prompt's end for the API's cache: it keeps the text for five minutes, at a tenth of the price. A short text
is not kept."""


class AnthropicModel:
    """A `LanguageModel`. The client is made at the first call, off the event loop, and reused. The API takes no
    temperature."""

    capacity = UNKNOWN_CAPACITY

    def __init__(self, model: str, *, key: str, base_url: str | None = None, timeout: float = 30.0) -> None:
        self.name = f"anthropic:{model}"
        self._model = model
        self._unsupported: set[str] = set()
        self._client = LazyClient(self.name, lambda: _make_client(self.name, key, base_url, timeout))

    async def connect(self) -> None:
        """Import the SDK and make the client; see `LanguageModel`."""
        await self._client.get()

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[TextDelta | ToolCall | StreamEnd, None]:
        """See `LanguageModel`."""
        client = await self._client.get()
        parser = _StreamParser(self.name, tools=bool(tools))
        request = _build_request(self._model, messages, max_tokens)
        async with AsyncExitStack() as open_response:

            async def send(**request: Any) -> Any:
                response = client.messages.with_streaming_response.create(**request, stream=True)
                return await open_response.enter_async_context(response)

            with self._translate_errors():
                response = await self._send_supported(send, request, {"tools": _to_tools(tools)} if tools else {})
                async with aclosing(read_event_stream(self.name, response)) as events:
                    async for event in events:
                        if text := parser.feed(event):
                            yield TextDelta(text=text)
                        if parser.reason:
                            await drain_response(events)
                            break
                kind = response_content_type(response)
        if not parser.has_started:
            raise Unavailable(self.name, f"the stream ended before it began (content type {kind})")
        for piece in parser.finish():
            yield piece

    async def structured(self, messages: Sequence[ChatMessage], into: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        """See `LanguageModel`. A model without structured outputs is asked for plain JSON instead, and
        each one refuses a schema with limits."""
        client = await self._client.get()
        request = _build_request(self._model, messages, max_tokens)
        shape = {
            "output_config": {"format": {"type": "json_schema", "schema": remove_limits(into.model_json_schema())}}
        }
        with self._translate_errors():
            reply = await self._send_supported(client.messages.with_raw_response.create, request, shape)
        content, usage = _read_reply(self.name, json_body(self.name, reply))
        return parse_structured(self.name, content, into), usage

    async def close(self) -> None:
        await self._client.close()

    async def _send_supported(self, send: Any, request: Mapping[str, Any], optional: Mapping[str, Any]) -> Any:
        """`send` the request. Repeat it without an optional parameter that the server refuses, and leave that one out
        from then on."""
        import anthropic

        while True:
            supported = {name: value for name, value in optional.items() if name not in self._unsupported}
            try:
                return await send(**request, **supported)
            except anthropic.APIStatusError as error:
                refused_name = _refused_name(error, supported)
                if refused_name is None:
                    raise
                self._unsupported.add(refused_name)

    def _translate_errors(self) -> Any:
        import anthropic

        return translate_sdk_errors(anthropic, self.name, "ANTHROPIC_API_KEY")


def _make_client(service: str, key: str, base_url: str | None, timeout: float) -> AsyncAnthropic:
    import anthropic

    http = http_client(anthropic, service, timeout)
    return anthropic.AsyncAnthropic(api_key=key, base_url=base_url, max_retries=0, http_client=http)


def _refused_name(error: Any, optional: Mapping[str, object]) -> str | None:
    """Return the optional parameter that a server refused; None where it refused none."""
    if "tools" in optional and is_tools_refusal(error.status_code, error.message):
        return "tools"
    shape = "output_config" in error.message or "schema" in error.message
    return "output_config" if "output_config" in optional and error.status_code == 400 and shape else None


def _build_request(model: str, messages: Sequence[ChatMessage], max_tokens: int) -> dict[str, Any]:
    prompt = "\n\n".join(message.content for message in messages if message.role == "system")
    system = [{"type": "text", "text": prompt, **_CACHED}] if prompt.strip() else prompt
    return {"model": model, "max_tokens": max_tokens, "system": system, "messages": _to_messages(messages)}


def _to_messages(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """Return `messages` as the API takes them: the results of one turn's calls are one message."""
    chat: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "tool":
            if not results:
                chat.append({"role": "user", "content": results})
            results.append({"type": "tool_result", "tool_use_id": message.call_id, "content": message.content})
            continue
        results = []
        if message.calls:
            text = [{"type": "text", "text": replace_surrogates(message.content)}] if message.content.strip() else []
            chat.append({"role": message.role, "content": [*text, *map(_to_tool_use, message.calls)]})
        elif message.role != "system":
            chat.append({"role": message.role, "content": message.content})
    return chat


def _to_tool_use(call: ToolCall) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": parse_arguments(call)}


def _to_tools(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    return [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)} for tool in tools
    ]


class _StreamParser:
    """The content of one stream's events so far."""

    def __init__(self, service: str, *, tools: bool) -> None:
        self.has_started = False
        self.reason = ""
        self._service = service
        self._tools = tools
        self._tokens = [0, 0]
        self._calls = ToolCallBuffer(service)

    def feed(self, event: Any) -> str:
        """Return the text of `event`; other events are remembered."""
        self.has_started = True
        try:
            # `+ ""` raises TypeError for a value that is no text, which counts as an unknown shape
            match event["type"]:
                case "message_start":
                    self._tokens[0] = _input_tokens(event["message"]["usage"])
                case "content_block_start" if self._tools and event["content_block"]["type"] == "tool_use":
                    block = event["content_block"]
                    self._calls.add(
                        event["index"], id=(block.get("id") or "") + "", name=(block.get("name") or "") + ""
                    )
                case "content_block_delta" if event["delta"]["type"] == "text_delta":
                    return (event["delta"]["text"] or "") + ""
                case "content_block_delta" if self._tools and event["delta"]["type"] == "input_json_delta":
                    self._calls.add(event["index"], arguments=(event["delta"]["partial_json"] or "") + "")
                case "message_delta":
                    self._tokens[1] = int(event["usage"]["output_tokens"] or 0)
                    stop_reason = event["delta"]["stop_reason"]
                    self.reason = _REASONS.get(stop_reason, str(stop_reason)) if stop_reason else ""
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise UnusableResponse(f"{self._service}: an event of unknown shape") from error
        return ""

    def finish(self) -> Iterator[ToolCall | StreamEnd]:
        """Yield the calls and the end once the stream has ended."""
        reason, calls = self._calls.finish(self.reason)
        yield from calls
        yield StreamEnd(reason=reason, input_tokens=self._tokens[0], output_tokens=self._tokens[1])


def _input_tokens(usage: Any) -> int:
    """Return the tokens of the whole prompt, from the cache or not."""
    cached = (usage.get("cache_creation_input_tokens"), usage.get("cache_read_input_tokens"))
    return sum(int(tokens or 0) for tokens in (usage["input_tokens"], *cached))


def _read_reply(service: str, reply: Any) -> tuple[str, Usage]:
    try:
        content = "".join(block["text"] for block in reply["content"] if block["type"] == "text")
        stop_reason = _REASONS.get(reply["stop_reason"], reply["stop_reason"])
        token_counts = reply["usage"]
        usage = Usage(
            writer=service,
            input_tokens=_input_tokens(token_counts),
            output_tokens=int(token_counts["output_tokens"] or 0),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UnusableResponse(f"{service}: a reply of unknown shape") from error
    if stop_reason != "stop" or not content.strip():
        raise UnusableResponse(f"{service}: an empty or unfinished reply (stop reason {str(stop_reason)[:40]})")
    return content, usage
