"""Tool calls as the vendors agree on them: calls assembled from the pieces of a stream, and refusals of tools."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pipeline.errors import UnusableResponse
from pipeline.ports import ToolCall

MAX_TOOL_CALLS = 8
MAX_ARGUMENT_CHARS = 10_000
"""Characters of the arguments of all calls in a reply together."""
_TOOLS = re.compile(r"\btools?\b|\bfunction.call", re.IGNORECASE)
"""`... does not support tools` (Ollama), `"auto" tool choice requires --enable-auto-tool-choice` (vLLM), `tools param
requires --jinja flag` (llama.cpp), `Function calling is not enabled for ...` (Gemini)."""
_NOT_SUPPORTED = re.compile(r"support|require", re.IGNORECASE)


class SignedToolCall(ToolCall):
    """A call with extra fields that its server wants back: Gemini refuses one without its signature."""

    extra: Mapping[str, Any]


@dataclass
class _CallPieces:
    id: str = ""
    name: str = ""
    arguments: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


class ToolCallBuffer:
    """A buffer that assembles the calls of one stream. Calls and arguments beyond the bounds are dropped."""

    def __init__(self, service: str) -> None:
        self._service = service
        self._pieces: list[_CallPieces] = []
        self._by_index: dict[object, _CallPieces] = {}
        self._last: _CallPieces | None = None
        self._room = MAX_ARGUMENT_CHARS

    def add(
        self,
        index: object,
        *,
        id: str = "",  # noqa: A002 - the vendors' name for it
        name: str = "",
        arguments: str = "",
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a piece of the call at `index`. Some servers give no index, or the same one to every call: another id is
        another call, and so is, without an index, another name."""
        call = self._last if index is None else self._by_index.get(index)
        if call is None or (id and call.id and id != call.id) or (index is None and name and call.name):
            call = _CallPieces()
            self._pieces.append(call)
        self._last = self._by_index[index] = call
        call.id = call.id or id
        call.name = call.name or name
        call.extra |= extra or {}
        if len(self._pieces) <= MAX_TOOL_CALLS:
            call.arguments += arguments[: self._room]
            self._room -= min(len(arguments), self._room)

    def finish(self, reason: str) -> tuple[str, tuple[ToolCall, ...]]:
        """Return why the model stopped, and its calls: none where it was stopped in the middle of them. Raise
        UnusableResponse for a call without a name."""
        if not self._pieces or reason in ("", "length", "window", "content_filter"):
            return reason, ()
        return "tool_calls", tuple(self._build_call(call) for call in self._pieces[:MAX_TOOL_CALLS])

    def _build_call(self, call: _CallPieces) -> ToolCall:
        if not call.name:
            raise UnusableResponse(f"{self._service}: a call without a name")
        fields = {
            "id": replace_surrogates(call.id) or f"call_{secrets.token_hex(8)}",
            "name": replace_surrogates(call.name),
            "arguments": replace_surrogates(call.arguments) or "{}",
        }
        return SignedToolCall(**fields, extra=call.extra) if call.extra else ToolCall(**fields)


def replace_surrogates(text: str) -> str:
    """Return a model's text fit to be sent back: half surrogate pairs are no UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def parse_arguments(call: ToolCall) -> dict[str, Any]:
    """Return the object in a call's arguments; an empty one where they hold none that can be sent back."""
    try:
        arguments = json.loads(call.arguments)
        json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return {}
    return arguments if isinstance(arguments, dict) else {}


def is_tools_refusal(status: int, message: str) -> bool:
    """Return True where a server refused a request because of its tools. OpenRouter does so with status 404, DeepInfra
    with 405, llama.cpp with 500."""
    if status in (400, 422):
        return bool(_TOOLS.search(message))
    return status in (404, 405, 500, 501) and bool(_TOOLS.search(message) and _NOT_SUPPORTED.search(message))
