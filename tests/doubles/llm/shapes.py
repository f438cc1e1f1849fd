"""How the two vendors put a reply on the wire."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Protocol

from tests.doubles.llm.faults import Act, Asking, Broken, Call, Cut, Ending, Hollow, Stall, Text

INPUT_TOKENS, OUTPUT_TOKENS = 120, 30
Block = tuple[dict[str, Any], list[dict[str, str]]]
"""Of Anthropic's: how it starts, and what comes of it."""


class Shape(Protocol):
    def whole(self, act: Act) -> dict[str, Any]: ...

    def events(self, act: Act) -> Iterator[bytes]: ...

    def complaint(self, body: dict[str, Any]) -> str:
        """What the vendor refuses of the calls and results in a request."""
        ...


def pieces(act: Act) -> list[str]:
    text = "" if isinstance(act, Hollow) else getattr(act, "text", "")
    return split(text, act.size if isinstance(act, Text) else 7)


def split(text: str, size: int = 7) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def argument_pieces(act: Asking, call: Call) -> list[str]:
    """All of them, or the first half where the stream is cut in this call."""
    whole = split(call.arguments)
    return whole[: len(whole) // 2] if act.cut and call is act.calls[-1] else whole


def is_cut(act: Act) -> bool:
    return isinstance(act, Cut | Stall | Broken) or (isinstance(act, Asking) and act.cut)


def reason_of(act: Act) -> str:
    return act.reason if isinstance(act, Ending | Asking) else "stop"


def _json(data: object) -> str:
    """As the vendors write it: only what has to be escaped is, and half surrogate pairs."""
    raw = json.dumps(data, ensure_ascii=False)
    return raw if raw.isascii() or not any("\ud800" <= c <= "\udfff" for c in raw) else json.dumps(data)


def sse(data: object, event: str = "") -> bytes:
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {data if isinstance(data, str) else _json(data)}\n\n".encode()


class OpenAI:
    """chat.completion and chat.completion.chunk."""

    usage = {"prompt_tokens": INPUT_TOKENS, "completion_tokens": OUTPUT_TOKENS, "total_tokens": 150}  # noqa: RUF012

    def whole(self, act: Act) -> dict[str, Any]:
        reason = reason_of(act)
        message: dict[str, Any] = {"role": "assistant", "content": "".join(pieces(act)) or None}
        if reason == "refusal":
            message, reason = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}, "stop"
        choices = [{"index": 0, "message": message, "finish_reason": reason}]
        if isinstance(act, Hollow) and act.without == "choices":
            choices = []
        return {
            "id": "c1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": choices,
            "usage": self.usage,
        }

    def events(self, act: Act) -> Iterator[bytes]:
        if isinstance(act, Hollow) and act.without == "events":
            yield sse("[DONE]")
            return
        silent = isinstance(act, Hollow) or (isinstance(act, Asking) and not act.text)
        yield self._chunk({"role": "assistant", "content": None if silent else ""})
        for piece in pieces(act):
            yield self._chunk({"content": piece})
        if isinstance(act, Asking):
            yield from self._asking(act)
        if isinstance(act, Hollow) and act.without == "choices":
            yield sse(self._envelope([]))
        if isinstance(act, Broken):
            yield sse({"error": {"message": "The server had an error", "type": "server_error", "code": None}})
        if is_cut(act):
            return
        reason = reason_of(act)
        if reason == "refusal":
            yield self._chunk({"refusal": "I cannot help with that."})
            reason = "stop"
        if not (isinstance(act, Hollow) and act.without == "choices"):
            yield self._chunk({}, reason)
        if isinstance(act, Ending) and act.hang:
            return
        if not (isinstance(act, Hollow) and act.without == "usage"):
            yield sse({**self._envelope([]), "usage": self.usage})
        yield sse("[DONE]")

    def complaint(self, body: dict[str, Any]) -> str:
        open_calls: list[str] = []
        for message in body["messages"]:
            if message["role"] == "tool":
                if message["tool_call_id"] not in open_calls:
                    return "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
                open_calls.remove(message["tool_call_id"])
            elif open_calls:
                break
            else:
                open_calls = [call["id"] for call in message.get("tool_calls", ())]
        return f"'tool_calls' must be followed by tool messages: {open_calls}" if open_calls else ""

    def _asking(self, act: Asking) -> Iterator[bytes]:
        """The first piece of a call names it, those behind it only say where they belong."""
        for index, call in enumerate(act.calls):
            begun = {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
            named = {key: value for key, value in begun.items() if value}
            yield self._chunk({"tool_calls": [{"index": index, **named}]})
            for piece in argument_pieces(act, call):
                yield self._chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
        for piece in split(act.after):
            yield self._chunk({"content": piece})

    def _envelope(self, choices: list[Any]) -> dict[str, Any]:
        return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}

    def _chunk(self, delta: dict[str, Any], reason: str | None = None) -> bytes:
        return sse(self._envelope([{"index": 0, "delta": delta, "finish_reason": reason}]))


class Anthropic:
    """message, and the events of its stream."""

    reasons = {  # noqa: RUF012
        "stop": "end_turn",
        "tool_calls": "tool_use",
        "length": "max_tokens",
        "content_filter": "refusal",
    }

    def whole(self, act: Act) -> dict[str, Any]:
        reason = self._reason(act)
        text = "".join(pieces(act))
        content = [{"type": "text", "text": text}] if text else []
        usage = {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS}
        return {**self._message(), "content": content, "stop_reason": reason, "usage": usage}

    def events(self, act: Act) -> Iterator[bytes]:
        if isinstance(act, Hollow) and act.without == "events":
            return
        usage = {"input_tokens": INPUT_TOKENS, "output_tokens": 1}
        yield self._event("message_start", message={**self._message(), "usage": usage})
        blocks = self._called(act) if isinstance(act, Asking) else [self._text(pieces(act))]
        for index, (block, deltas) in enumerate(blocks):
            yield self._event("content_block_start", index=index, content_block=block)
            if index == 0:
                yield sse({"type": "ping"}, "ping")
            for delta in deltas:
                yield self._event("content_block_delta", index=index, delta=delta)
            if isinstance(act, Broken):
                yield sse({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "error")
            if is_cut(act) and index == len(blocks) - 1:
                return
            yield self._event("content_block_stop", index=index)
        if not (isinstance(act, Hollow) and act.without == "choices"):
            delta = {"stop_reason": self._reason(act), "stop_sequence": None}
            yield self._event("message_delta", delta=delta, usage={"output_tokens": OUTPUT_TOKENS})
        yield self._event("message_stop")

    def complaint(self, body: dict[str, Any]) -> str:
        open_calls: list[str] = []
        for message in body["messages"]:
            blocks = [block for block in message["content"] if isinstance(block, dict)]
            if any(block["type"] == "text" and not block["text"].strip() for block in blocks):
                return "messages: text content blocks must be non-empty"
            answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
            if sorted(answered) != sorted(open_calls):
                return f"`tool_use` ids {open_calls} and `tool_result` blocks {answered} do not match"
            open_calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        return f"`tool_use` ids were found without `tool_result` blocks: {open_calls}" if open_calls else ""

    def _called(self, act: Asking) -> list[Block]:
        """A call's arguments are nothing at first, and come as JSON in pieces, the first of them empty."""
        blocks = [self._text(split(act.text))] if act.text else []
        for call in act.calls:
            given = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
            deltas = [
                {"type": "input_json_delta", "partial_json": piece} for piece in ["", *argument_pieces(act, call)]
            ]
            blocks.append(({key: value for key, value in given.items() if value != ""}, deltas))
        return [*blocks, self._text(split(act.after))] if act.after else blocks

    def _text(self, texts: list[str]) -> Block:
        return {"type": "text", "text": ""}, [{"type": "text_delta", "text": text} for text in texts]

    def _reason(self, act: Act) -> str:
        reason = reason_of(act)
        return self.reasons.get(reason, reason)

    def _message(self) -> dict[str, Any]:
        return {"id": "m1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
                "stop_sequence": None}  # fmt: skip

    def _event(self, kind: str, **fields: object) -> bytes:
        return sse({"type": kind, **fields}, kind)


OPENAI: Shape = OpenAI()
ANTHROPIC: Shape = Anthropic()
