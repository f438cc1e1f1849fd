"""A team's own machine as `OwnServer` plays it, what it did for a request, and how it puts that on the wire."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.doubles.llm import shapes


@dataclass(frozen=True)
class Machine:
    """What the server can do."""

    reads: float = 100_000.0
    """Tokens of a prompt a second."""
    writes: float = 50_000.0
    """Tokens of a reply a second."""
    window: int = 8192
    """Tokens of a prompt and its reply together."""
    slots: int = 1
    batch: int = 512
    """Tokens that are read before it looks whether anybody waits for them."""
    program: Literal["llama.cpp", "ollama"] = "llama.cpp"
    takes_tools: bool = False
    reasoning: str = ""
    """What it thinks before each reply."""
    reasoning_in: Literal["field", "tags", "open tags"] = "field"
    """A field of its own, the text within `<think>` and `</think>`, or the same without the opening tag."""


def too_long(tokens: int, window: int) -> dict[str, Any]:
    """Return llama.cpp's error for a prompt that does not fit."""
    message = f"request ({tokens} tokens) exceeds the available context size ({window} tokens), try increasing it"
    error = {"code": 400, "message": message, "type": "exceed_context_size_error"}
    return {**error, "n_prompt_tokens": tokens, "n_ctx": window}


@dataclass
class Job:
    """What was done for one request."""

    prompt: int
    """Tokens of the whole prompt."""
    cached: int = 0
    read: int = 0
    """Tokens read by now, without those cached."""
    written: int = 0
    """Tokens of reasoning and text written by now."""
    reason: str = ""
    is_given_up: bool = False
    is_done: bool = False
    pieces: asyncio.Queue[tuple[str, str] | None] = field(default_factory=asyncio.Queue, repr=False)
    """("text" or "reasoning", piece) as they are written; None behind the last."""

    @property
    def usage(self) -> dict[str, int]:
        return {
            "prompt_tokens": self.prompt,
            "completion_tokens": self.written,
            "total_tokens": self.prompt + self.written,
        }


class ChatWire:
    """A job as chat completions."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._field = "reasoning_content" if machine.program == "llama.cpp" else "reasoning"

    def begin(self, _: Job) -> Iterator[bytes]:
        yield self._chunk({"role": "assistant", "content": None})

    def piece(self, kind: str, text: str) -> Iterator[bytes]:
        yield self._chunk({"content": text} if kind == "text" else {self._field: text})

    def end(self, job: Job) -> Iterator[bytes]:
        yield self._chunk({}, job.reason)
        yield shapes.sse({**_CHUNK, "choices": [], **self._cost(job)})
        yield shapes.sse("[DONE]")

    def whole(self, job: Job, text: str, reasoning: str) -> dict[str, Any]:
        thought = {self._field: reasoning} if reasoning else {}
        message = {"role": "assistant", "content": text, **thought}
        choice = {"index": 0, "finish_reason": job.reason, "message": message}
        return {**_CHUNK, "object": "chat.completion", "choices": [choice], **self._cost(job)}

    def _cost(self, job: Job) -> dict[str, Any]:
        if self._machine.program == "ollama":
            return {"usage": job.usage}
        return {
            "usage": {**job.usage, "prompt_tokens_details": {"cached_tokens": job.cached}},
            "timings": {
                "cache_n": job.cached,
                "prompt_n": job.read,
                "prompt_ms": 1000 * job.read / self._machine.reads,
                "predicted_n": job.written,
                "predicted_ms": 1000 * job.written / self._machine.writes,
            },
        }

    def _chunk(self, delta: dict[str, Any], reason: str | None = None) -> bytes:
        return shapes.sse({**_CHUNK, "choices": [{"index": 0, "finish_reason": reason, "delta": delta}]})


_CHUNK = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}


class MessagesWire:
    """A job as Anthropic's messages."""

    _reasons = {"stop": "end_turn", "length": "max_tokens"}  # noqa: RUF012

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._blocks: list[str] = []

    def begin(self, job: Job) -> Iterator[bytes]:
        yield _event("message_start", message={**_MESSAGE, "content": [], "usage": self._usage(job, 1)})

    def piece(self, kind: str, text: str) -> Iterator[bytes]:
        block = "text" if kind == "text" else "thinking"
        if self._blocks[-1:] != [block]:
            yield from self._close()
            self._blocks.append(block)
            yield _event("content_block_start", index=self._index, content_block={"type": block, block: ""})
        yield _event("content_block_delta", index=self._index, delta={"type": f"{block}_delta", block: text})

    def end(self, job: Job) -> Iterator[bytes]:
        yield from self._close()
        delta = {"stop_reason": self._reasons.get(job.reason, job.reason), "stop_sequence": None}
        yield _event("message_delta", delta=delta, usage={"output_tokens": job.written})
        yield _event("message_stop")

    def whole(self, job: Job, text: str, reasoning: str) -> dict[str, Any]:
        thought = [{"type": "thinking", "thinking": reasoning, "signature": ""}] if reasoning else []
        said = [{"type": "text", "text": text}] if text else []
        reason = self._reasons.get(job.reason, job.reason)
        return {
            **_MESSAGE,
            "content": [*thought, *said],
            "stop_reason": reason,
            "usage": self._usage(job, job.written),
        }

    @property
    def _index(self) -> int:
        return len(self._blocks) - 1

    def _close(self) -> Iterator[bytes]:
        if self._blocks:
            yield _event("content_block_stop", index=self._index)

    def _usage(self, job: Job, written: int) -> dict[str, int]:
        """The tokens from the cache are no part of the input tokens."""
        cached = job.cached
        return {"input_tokens": job.prompt - cached, "cache_read_input_tokens": cached, "output_tokens": written}


_MESSAGE = {
    "id": "m1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "stop_reason": None,
    "stop_sequence": None,
}
Wire = ChatWire | MessagesWire


def _event(kind: str, **fields: object) -> bytes:
    return shapes.sse({"type": kind, **fields}, kind)
