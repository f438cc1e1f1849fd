"""The capacity of a language model's server: told by it, or measured."""

from __future__ import annotations

from pipeline.values.base import Value


class ModelCapacity(Value):
    """The capacity of a model's server. None: not known (yet).

    All tokens are those of `estimate_tokens`, except for the window."""

    is_billed: bool = True
    """True where somebody pays for each token; False for a server of one's own."""
    window: int | None = None
    """Tokens of a prompt and its reply together, as the server counts them."""
    tokens_per_estimate: float = 1.0
    """Tokens that the server counts for each estimated one of the last prompt; 1 at least."""
    largest_prompt: int = 0
    """Tokens of the longest prompt that the server is known to have read whole."""
    slots: int | None = None
    """Number of requests that the server works on at the same time."""
    read_per_second: float | None = None
    """Tokens of a prompt read a second, without those that the server had cached; never known of a vendor's."""
    measured_prompt: int = 0
    """Tokens of the longest prompt that the speed was measured with."""
    write_per_second: float | None = None
    """Tokens written a second."""
    cached_share: float | None = None
    """Share of the last prompt that the server had cached; None where it does not say."""
    reasoning_tokens: int = 0
    """Tokens of the reasoning in front of the last reply."""
    takes_tools: bool = True
    """False where the list of tools does not reach the model."""

    def reading_seconds(self, tokens: float) -> float:
        """Return the seconds that reading a prompt of `tokens` takes; 0 where the speed is not known."""
        return tokens / self.read_per_second if self.read_per_second else 0.0

    def writing_seconds(self, tokens: float) -> float:
        """Return the seconds that writing `tokens` takes; 0 where the speed is not known."""
        return tokens / self.write_per_second if self.write_per_second else 0.0

    def can_reply_within(self, seconds: float, *, prompt: float, reply: float) -> bool:
        """Tell whether a whole reply can be had within `seconds`. True where the speed is not known."""
        return self.reading_seconds(prompt) + self.writing_seconds(reply) <= seconds


UNKNOWN_CAPACITY = ModelCapacity()
