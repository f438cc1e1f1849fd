"""How the two vendors put a reply on the wire."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Protocol

from tests.doubles.llm.faults import Act, Broken, Cut, Ending, Hollow, Stall, Text

INPUT_TOKENS, OUTPUT_TOKENS = 120, 30


class Shape(Protocol):
    def whole(self, act: Act) -> dict[str, Any]: ...

    def events(self, act: Act) -> Iterator[bytes]: ...


def pieces(act: Act) -> list[str]:
    text = "" if isinstance(act, Hollow) else getattr(act, "text", "")
    size = act.size if isinstance(act, Text) else 7
    return [text[start : start + size] for start in range(0, len(text), size)]


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
        reason = act.reason if isinstance(act, Ending) else "stop"
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
        yield self._chunk({"role": "assistant", "content": None if isinstance(act, Hollow) else ""})
        for piece in pieces(act):
            yield self._chunk({"content": piece})
        if isinstance(act, Hollow) and act.without == "choices":
            yield sse(self._envelope([]))
        if isinstance(act, Broken):
            yield sse({"error": {"message": "The server had an error", "type": "server_error", "code": None}})
        if isinstance(act, Cut | Stall | Broken):
            return
        reason = act.reason if isinstance(act, Ending) else "stop"
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

    def _envelope(self, choices: list[Any]) -> dict[str, Any]:
        return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}

    def _chunk(self, delta: dict[str, Any], reason: str | None = None) -> bytes:
        return sse(self._envelope([{"index": 0, "delta": delta, "finish_reason": reason}]))


class Anthropic:
    """message, and the events of its stream."""

    reasons = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}  # noqa: RUF012

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
        yield self._event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        yield sse({"type": "ping"}, "ping")
        for piece in pieces(act):
            yield self._event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
        if isinstance(act, Broken):
            yield sse({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "error")
        if isinstance(act, Cut | Stall | Broken):
            return
        yield self._event("content_block_stop", index=0)
        if not (isinstance(act, Hollow) and act.without == "choices"):
            delta = {"stop_reason": self._reason(act), "stop_sequence": None}
            yield self._event("message_delta", delta=delta, usage={"output_tokens": OUTPUT_TOKENS})
        yield self._event("message_stop")

    def _reason(self, act: Act) -> str:
        reason = act.reason if isinstance(act, Ending) else "stop"
        return self.reasons.get(reason, reason)

    def _message(self) -> dict[str, Any]:
        return {"id": "m1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
                "stop_sequence": None}  # fmt: skip

    def _event(self, kind: str, **fields: object) -> bytes:
        return sse({"type": kind, **fields}, kind)


OPENAI: Shape = OpenAI()
ANTHROPIC: Shape = Anthropic()
