"""Masking of sensitive data: an external model sees placeholders, and its output gets the values back."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from pipeline.ports import ChatMessage, LanguageModel, StreamEnd, T, TextDelta, Tool, ToolCall
from pipeline.screen.sensitive_data import SensitiveDataFinder, SensitiveSpan, drop_overlaps
from pipeline.values import ModelCapacity, Usage, replace

PLACEHOLDER_NOTE = """A text such as <mail-1>, <phone-1> or <key-1> stands for a value that you are not shown, \
always the same. Wherever you would give that value, write the placeholder exactly as it stands."""
_PLACEHOLDER = re.compile(r"<[a-z]{1,12}-[1-9]\d{0,5}>")
_PARTIAL_PLACEHOLDER = re.compile(r"<(?:[a-z]{1,12}(?:-(?:[1-9]\d{0,5})?)?)?\Z")
"""The beginning of a placeholder at the end of a text."""


class PlaceholderMap:
    """The placeholders of one conversation: a value has the same one everywhere."""

    def __init__(self, find: SensitiveDataFinder) -> None:
        self._find = find
        self._values: dict[str, str] = {}
        self._placeholders: dict[str, str] = {}
        self._counts: Counter[str] = Counter()

    def hide(self, text: str) -> str:
        """Return `text` with a placeholder for each value. Text that looks like a placeholder already gets one too."""
        lookalikes = (SensitiveSpan(*match.span(), "text") for match in _PLACEHOLDER.finditer(text))
        pieces, end = [], 0
        for span in drop_overlaps([*self._find(text), *lookalikes]):
            pieces += [text[end : span.start], self._placeholder(span.kind, text[span.start : span.end])]
            end = span.end
        return "".join([*pieces, text[end:]])

    def reveal(self, text: str) -> str:
        """Return `text` with the values of its placeholders; unknown ones stay."""
        return _PLACEHOLDER.sub(lambda match: self._values.get(match[0], match[0]), text)

    def hide_messages(self, messages: Sequence[ChatMessage]) -> Sequence[ChatMessage]:
        """Return `messages` with placeholders, and `PLACEHOLDER_NOTE` at the end of the first where there are any."""
        masked = [
            replace(
                message,
                content=self.hide(message.content),
                calls=tuple(_change_arguments(call, self.hide) for call in message.calls),
            )
            for message in messages
        ]
        if not self._values:
            return messages
        return [replace(masked[0], content=f"{masked[0].content}\n{PLACEHOLDER_NOTE}"), *masked[1:]]

    def reveal_call(self, call: ToolCall) -> ToolCall:
        return _change_arguments(call, self.reveal)

    def reveal_value(self, value: T) -> T:
        """Return `value` with the placeholders in its texts replaced by their values."""
        return type(value).model_validate(_map_texts(value.model_dump(), self.reveal)) if self._values else value

    def _placeholder(self, kind: str, value: str) -> str:
        if value not in self._placeholders:
            self._counts[kind] += 1
            placeholder = self._placeholders[value] = f"<{kind}-{self._counts[kind]}>"
            self._values[placeholder] = value
        return self._placeholders[value]


class MaskedModel:
    """A `LanguageModel` around an external one, which sees a placeholder for everything that `find` finds."""

    def __init__(self, model: LanguageModel, find: SensitiveDataFinder) -> None:
        self.name = model.name
        self._model = model
        self._find = find

    @property
    def capacity(self) -> ModelCapacity:
        return self._model.capacity

    async def connect(self) -> None:
        await self._model.connect()

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[TextDelta | ToolCall | StreamEnd, None]:
        """See `LanguageModel`. Text that may be the beginning of a placeholder is held back until that is decided."""
        mask = PlaceholderMap(self._find)
        masked = await asyncio.to_thread(mask.hide_messages, messages)
        pending = ""
        async with aclosing(self._model.stream(masked, max_tokens=max_tokens, tools=tools)) as pieces:
            async for piece in pieces:
                if isinstance(piece, TextDelta):
                    text = pending + piece.text
                    partial = _PARTIAL_PLACEHOLDER.search(text)
                    pending = partial[0] if partial else ""
                    if complete := text.removesuffix(pending):
                        yield TextDelta(text=mask.reveal(complete))
                    continue
                if pending:
                    yield TextDelta(text=pending)
                    pending = ""
                yield mask.reveal_call(piece) if isinstance(piece, ToolCall) else piece

    async def structured(self, messages: Sequence[ChatMessage], into: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        """See `LanguageModel`."""
        mask = PlaceholderMap(self._find)
        masked = await asyncio.to_thread(mask.hide_messages, messages)
        value, usage = await self._model.structured(masked, into, max_tokens=max_tokens)
        return mask.reveal_value(value), usage

    async def close(self) -> None:
        await self._model.close()


def is_external_server(url: str | None) -> bool:
    """Return True where a server is somebody else's: not on this machine, not in a private network and not under an
    internal name. Without an address it is the vendor's."""
    host = (urlsplit(url).hostname or "") if url else "a.maker"
    try:
        return not ip_address(host).is_private
    except ValueError:
        return "." in host and not host.endswith((".localhost", ".local", ".internal"))


def _change_arguments(call: ToolCall, change: Callable[[str], str]) -> ToolCall:
    """Return `call` with the texts in its arguments changed. Arguments that are no JSON are changed as one text."""
    try:
        arguments = json.dumps(_map_texts(json.loads(call.arguments), change), ensure_ascii=False)
    except (ValueError, RecursionError):
        arguments = change(call.arguments)
    return replace(call, arguments=arguments)


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return `value` with every text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {name: _map_texts(item, change) for name, item in value.items()}
    return [_map_texts(item, change) for item in value] if isinstance(value, list) else value
