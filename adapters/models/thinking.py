"""Reasoning that some open models put in front of their answer as text: `<think>...</think>`."""

from __future__ import annotations

_BEGIN, _END = "<think>", "</think>"


class Thinking:
    """Feed it text as it arrives; it passes on what follows the reasoning."""

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
