"""Chat completions on the wire: what is asked, and what the events of a stream and a whole reply say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from adapters.models.tools import Calls, SignedCall, arguments_of, sendable
from pipeline.errors import Unusable
from pipeline.ports import ChatMessage, StreamEnd, TextDelta, Tool, ToolCall

_BEGIN, _END = "<think>", "</think>"


def chat(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """`messages` as the API takes them."""
    return [_message(message) for message in messages]


def offered(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """`tools` as the API takes them."""
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
        return {"role": message.role, "content": sendable(message.content), "tool_calls": calls}
    return {"role": message.role, "content": message.content}


def _call(call: ToolCall) -> dict[str, Any]:
    """Some servers read the arguments of earlier calls, and refuse the whole request for one that is no object."""
    extra = {"extra_content": dict(call.extra)} if isinstance(call, SignedCall) else {}
    arguments = call.arguments if arguments_of(call) else "{}"
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}, **extra}


class StreamReading:
    """What the events of one stream have said so far."""

    def __init__(self, service: str, *, tools: bool) -> None:
        self.begun = False
        self.reason = ""
        self._service = service
        self._tools = tools
        self._tokens = (0, 0)
        self._thinking = Thinking()
        self._calls = Calls(service)

    def take(self, chunk: Any) -> str:
        """What of the answer `chunk` lets go on; the rest is remembered."""
        self.begun = True
        try:
            if used := chunk.get("usage"):
                self._tokens = (int(used["prompt_tokens"] or 0), int(used["completion_tokens"] or 0))
            for choice in chunk.get("choices") or ():
                return self._thinking.feed(self._choice(choice))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise Unusable(f"{self._service}: an event of unknown shape") from error
        return ""

    def end(self) -> Iterator[TextDelta | ToolCall | StreamEnd]:
        """What there is once the stream has ended."""
        reason, calls = self._calls.end(self.reason)
        if held := self._thinking.close():
            yield TextDelta(text=held)
        yield from calls
        yield StreamEnd(reason=reason, input_tokens=self._tokens[0], output_tokens=self._tokens[1])

    def _choice(self, choice: Any) -> str:
        delta = choice.get("delta") or {}
        if delta.get("refusal"):
            self.reason = "content_filter"
            return ""
        if self.reason != "content_filter":
            self.reason = str(choice.get("finish_reason") or "") or self.reason
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


def read_reply(service: str, reply: Any) -> tuple[str, tuple[int, int]]:
    """The text and the token counts of a whole reply. Raises Unusable."""
    try:
        choice = reply["choices"][0]
        content, why = choice["message"]["content"], choice["finish_reason"]
        used = reply.get("usage")
        tokens = (int(used["prompt_tokens"] or 0), int(used["completion_tokens"] or 0)) if used else (0, 0)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise Unusable(f"{service}: a reply without choices") from error
    if why != "stop" or not isinstance(content, str) or not content.strip():
        raise Unusable(f"{service}: an empty or unfinished reply (finish reason {str(why)[:40]})")
    return content, tokens


class Thinking:
    """Reasoning that some open models put in front of their answer as text. Feed it text as it arrives; it passes on
    what follows."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "before"

    def feed(self, text: str) -> str:
        """What of `text`, and of what was held back, belongs to the answer."""
        if self._state == "after":
            return text
        self._held += text
        if self._state == "before":
            begun = self._held.lstrip()
            if begun.startswith(_BEGIN):
                self._state = "inside"
            elif not _BEGIN.startswith(begun):
                return self._pass_on(self._held)
        if self._state == "inside" and _END in self._held:
            return self._pass_on(self._held.partition(_END)[2])
        return ""

    def close(self) -> str:
        """What was held back because it might have become reasoning."""
        return self._held if self._state == "before" else ""

    def _pass_on(self, text: str) -> str:
        self._held, self._state = "", "after"
        return text
