"""Questions that wait for a person's answer, which may be just the next message in the channel."""

from __future__ import annotations

from pipeline.unasked import asks
from pipeline.values import IncomingMessage


class Waiting:
    """The last one of each channel, as far as this process heard it."""

    def __init__(self) -> None:
        self._last: dict[str, str] = {}

    def keep(self, message: IncomingMessage) -> None:
        """`message` waits: if it asks something, the next message in its channel may answer it."""
        if asks(message.text):
            self._last[message.place.channel] = message.key

    def answered(self, channel: str) -> tuple[str, ...]:
        """The key of what the next thing that is said there, in reply to nothing, may answer."""
        return (self._last[channel],) if channel in self._last else ()
