"""Anthropic's messages API."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from adapters.models.client import LazyClient
from adapters.models.replies import body, content_type, parse, read_events, read_rest
from adapters.models.translate import translated
from adapters.models.transport import http_client
from pipeline.errors import Unavailable, Unusable
from pipeline.ports import ChatMessage, StreamEnd, T, TextDelta
from pipeline.values import Usage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_REASONS = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "refusal": "content_filter"}


class AnthropicModel:
    """A `LanguageModel`. The client is made at the first call, off the event loop, and reused.

    The API takes no temperature.
    """

    def __init__(self, model: str, *, key: str, base_url: str | None = None, timeout: float = 30.0) -> None:
        self.name = f"anthropic:{model}"
        self._model = model
        self._schemas = True
        self._client = LazyClient(self.name, lambda: _make_client(self.name, key, base_url, timeout))

    async def connect(self) -> None:
        """See `LanguageModel`: imports the SDK and makes the client."""
        await self._client.get()

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int
    ) -> AsyncGenerator[TextDelta | StreamEnd, None]:
        """See `LanguageModel`."""
        client = await self._client.get()
        reading = _StreamReading(self.name)
        request = self._request(messages, max_tokens)
        with self._translated():
            async with client.messages.with_streaming_response.create(**request, stream=True) as response:
                async with aclosing(read_events(self.name, response)) as events:
                    async for event in events:
                        if text := reading.take(event):
                            yield TextDelta(text=text)
                        if reading.reason:
                            await read_rest(events)
                            break
                kind = content_type(response)
        if not reading.begun:
            raise Unavailable(self.name, f"the stream ended before it began (content type {kind})")
        yield StreamEnd(reason=reading.reason, input_tokens=reading.input_tokens, output_tokens=reading.output_tokens)

    async def structured(self, messages: Sequence[ChatMessage], into: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        """See `LanguageModel`. A model without structured outputs is asked for plain JSON instead."""
        client = await self._client.get()
        with self._translated():
            reply = await self._ask(client, self._request(messages, max_tokens), into)
        content, usage = _read_reply(self.name, body(self.name, reply))
        return parse(self.name, content, into), usage

    async def close(self) -> None:
        await self._client.close()

    async def _ask(self, client: AsyncAnthropic, request: dict[str, Any], into: type[T]) -> Any:
        import anthropic

        create: Any = client.messages.with_raw_response.create
        if self._schemas:
            shape = {"format": {"type": "json_schema", "schema": into.model_json_schema()}}
            try:
                return await create(**request, output_config=shape)
            except anthropic.BadRequestError as error:
                if "output_config" not in error.message and "schema" not in error.message:
                    raise
                self._schemas = False
        return await create(**request)

    def _translated(self) -> Any:
        import anthropic

        return translated(anthropic, self.name, "ANTHROPIC_API_KEY")

    def _request(self, messages: Sequence[ChatMessage], max_tokens: int) -> dict[str, Any]:
        system = "\n\n".join(message.content for message in messages if message.role == "system")
        chat = [message.model_dump() for message in messages if message.role != "system"]
        return {"model": self._model, "max_tokens": max_tokens, "system": system, "messages": chat}


def _make_client(service: str, key: str, base_url: str | None, timeout: float) -> AsyncAnthropic:
    import anthropic

    http = http_client(anthropic, service, timeout)
    return anthropic.AsyncAnthropic(api_key=key, base_url=base_url, max_retries=0, http_client=http)


class _StreamReading:
    """What the events of one stream have said so far."""

    def __init__(self, service: str) -> None:
        self.begun = False
        self.reason = ""
        self.input_tokens = self.output_tokens = 0
        self._service = service

    def take(self, event: Any) -> str:
        """The text of `event`; other events are remembered."""
        self.begun = True
        try:
            match event["type"]:
                case "message_start":
                    self.input_tokens = int(event["message"]["usage"]["input_tokens"] or 0)
                case "content_block_delta" if event["delta"]["type"] == "text_delta":
                    return (event["delta"]["text"] or "") + ""
                case "message_delta":
                    self.output_tokens = int(event["usage"]["output_tokens"] or 0)
                    why = event["delta"]["stop_reason"]
                    self.reason = _REASONS.get(why, str(why)) if why else ""
        except (KeyError, TypeError, ValueError) as error:
            raise Unusable(f"{self._service}: an event of unknown shape") from error
        return ""


def _read_reply(service: str, reply: Any) -> tuple[str, Usage]:
    try:
        content = "".join(block["text"] for block in reply["content"] if block["type"] == "text")
        why = _REASONS.get(reply["stop_reason"], reply["stop_reason"])
        used = reply["usage"]
        usage = Usage(writer=service, input_tokens=used["input_tokens"] or 0, output_tokens=used["output_tokens"] or 0)
    except (KeyError, TypeError, ValueError) as error:
        raise Unusable(f"{service}: a reply of unknown shape") from error
    if why != "stop" or not content.strip():
        raise Unusable(f"{service}: an empty or unfinished reply (stop reason {str(why)[:40]})")
    return content, usage
