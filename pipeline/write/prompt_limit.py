"""The size of a prompt that a model's server can read in time and that fits its window."""

from __future__ import annotations

from pipeline.values import ModelCapacity, Value

FIRST_SENTENCE_TOKENS = 60
"""Estimated tokens of a first sentence: nine of ten of people's answers have 38 (doc2dial), 47 (mtrag_cloud), 62
(clapnq) at most."""
_READING_SHARE = 0.75
"""Share of the time left that a prompt may take by the speed measured before: a busy machine reads at a third."""
_GROWTH = 3
"""Factor on the longest prompt measured up to which the speed is taken to hold: long ones are read slower."""
_WINDOW_MARGIN = 96
"""Tokens of a window that are left for the template and for estimates that are too low."""
_REPLY_DIVISOR, _MIN_REPLY = 4, 128
"""The reply gets a quarter of a window at least, and this many tokens."""


class PromptLimit(Value):
    """The sizes of one request, in estimated tokens."""

    prompt: int
    """Most tokens of the prompt."""
    reply: int
    """Most tokens of the reply."""
    by_speed: bool = False
    """True where the model's speed limits the prompt, and nothing else."""


def fit_request(
    capacity: ModelCapacity,
    *,
    prompt: int,
    unproven: int,
    reply: int,
    seconds: float | None,
    cached: int = 0,
) -> PromptLimit:
    """Return the sizes of a request of at most `prompt` and `reply` tokens whose first sentence comes within `seconds`
    (None: whenever); `cached` tokens of the prompt need no reading. A team's own server gets at most `unproven` tokens
    until its window and its speed are known, or it has read a longer prompt."""
    if capacity.window:
        reply = min(reply, max(capacity.window // _REPLY_DIVISOR, _MIN_REPLY))
        room = capacity.window - reply - _WINDOW_MARGIN
        prompt = min(prompt, int(room / capacity.tokens_per_estimate))
    if not capacity.is_billed and (capacity.window is None or capacity.read_per_second is None):
        prompt = min(prompt, max(unproven, capacity.largest_prompt))
    if seconds is None or capacity.read_per_second is None:
        return PromptLimit(prompt=prompt, reply=reply)
    writing = capacity.writing_seconds(FIRST_SENTENCE_TOKENS + capacity.reasoning_tokens)
    left = max(0.0, seconds - writing)
    readable = _READING_SHARE * left * capacity.read_per_second
    if cached + readable >= prompt:
        return PromptLimit(prompt=prompt, reply=reply)
    in_time = cached + int(min(readable, _GROWTH * capacity.measured_prompt))
    return PromptLimit(prompt=min(prompt, in_time), reply=reply, by_speed=True)
