"""The cost of a reply as servers tell it: tokens, those of them from a cache, seconds. A figure of an odd shape is
left out: no reply is lost over one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.ports import StreamEnd
from pipeline.values import Usage, Value

_MOST_TOKENS = 10**9
_MOST_MILLISECONDS = 10**9


class TokenCounts(Value):
    """The cost of one reply."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int | None = None
    read_seconds: float | None = None
    write_seconds: float | None = None
    reasoning_tokens: int = 0

    def usage(self, writer: str) -> Usage:
        """Return the cost as `Usage` of `writer`."""
        return Usage(
            writer=writer,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cached_tokens=self.cached_tokens or 0,
        )

    def end(self, reason: str, *, max_tokens: int, reasoning_tokens: int) -> StreamEnd:
        """Return the end of a stream that stopped for `reason`; `reasoning_tokens` are those that came as text."""
        return StreamEnd(
            reason=self.length_reason(reason, max_tokens),
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cached_tokens=self.cached_tokens,
            read_seconds=self.read_seconds,
            write_seconds=self.write_seconds,
            reasoning_tokens=reasoning_tokens or self.reasoning_tokens,
        )

    def length_reason(self, reason: str, max_tokens: int) -> str:
        """Return `window` where a reply of fewer than `max_tokens` ended for its length, and `reason` otherwise. One
        token is left to those who count the end."""
        return "window" if reason == "length" and 0 < self.output_tokens < max_tokens - 1 else reason


def read_token_counts(event: Mapping[str, Any]) -> TokenCounts | None:
    """Return the counts in a reply or an event of OpenAI's API; None where it holds none. `timings` is llama.cpp's,
    which has no `usage` in a stream unless it was asked for."""
    usage, timings = _object(event, "usage"), _object(event, "timings")
    if not usage and not timings:
        return None
    cached = _tokens(_object(usage, "prompt_tokens_details"), "cached_tokens")
    cached = _tokens(timings, "cache_n") if cached is None else cached
    prompt = _tokens(usage, "prompt_tokens")
    written = _tokens(usage, "completion_tokens")
    return TokenCounts(
        input_tokens=(cached or 0) + (_tokens(timings, "prompt_n") or 0) if prompt is None else prompt,
        output_tokens=(_tokens(timings, "predicted_n") or 0) if written is None else written,
        cached_tokens=cached,
        read_seconds=_seconds(timings, "prompt_ms"),
        write_seconds=_seconds(timings, "predicted_ms"),
        reasoning_tokens=_tokens(_object(usage, "completion_tokens_details"), "reasoning_tokens") or 0,
    )


def _object(parent: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = parent.get(name)
    return value if isinstance(value, dict) else {}


def _tokens(parent: Mapping[str, Any], name: str) -> int | None:
    value = parent.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS else None


def _seconds(parent: Mapping[str, Any], name: str) -> float | None:
    """Return as seconds what is given in milliseconds."""
    value = parent.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value / 1000 if 0 <= value <= _MOST_MILLISECONDS else None
