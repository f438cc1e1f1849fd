"""Reasoning of open models: kept out of their text, counted, and asked for less of."""

from __future__ import annotations

import re
from typing import Any

from pipeline.words.text import estimate_tokens

_TAGS = {"<think>": "</think>", "<thinking>": "</thinking>"}
_ANY_TAG = re.compile(r"<(/?)think(?:ing)?>")
_ALL_TAGS = (*_TAGS, *_TAGS.values())
_FIELDS = ("reasoning_content", "reasoning")
"""Fields of a message beside its text: the first of llama.cpp and DeepSeek, the second of Ollama, vLLM and
OpenRouter."""


def read_reasoning(message: Any) -> str:
    """Return the reasoning in the fields of a message, or of a piece of one."""
    texts = (message.get(name) for name in _FIELDS)
    return next((text for text in texts if isinstance(text, str) and text), "")


def split_reasoning(content: str) -> tuple[str, str]:
    """Return the reasoning at the beginning of a whole reply, and the rest. The opening tag may be missing: some
    templates write it themselves."""
    beginning = content.lstrip()
    for opening, closing in _TAGS.items():
        if beginning.startswith(opening):
            reasoning, _, rest = beginning.removeprefix(opening).partition(closing)
            return reasoning, rest
    tag = _ANY_TAG.search(content)
    return (content[: tag.start()], content[tag.end() :]) if tag and tag[1] else ("", content)


class ReasoningFilter:
    """A filter for the reasoning in front of an answer. Feed it text as it arrives; it passes on the answer.

    An end without a beginning means that the template of the prompt wrote the opening tag. What came before it has been
    passed on by then: the next reply is read as one that begins with reasoning (`begins_inside`)."""

    def __init__(self, *, begins_inside: bool = False) -> None:
        self.has_lone_end = False
        """True once reasoning ended that had not begun."""
        self._reasoning: list[str] = []
        self._held = ""
        self._state = "assumed" if begins_inside else "before"
        self._closing = ""

    @property
    def tokens(self) -> int:
        """Estimated tokens of reasoning so far, without what was passed on."""
        inside = self._held if self._state in ("inside", "assumed") else ""
        return estimate_tokens("".join([*self._reasoning, inside]))

    def note(self, reasoning: str) -> None:
        """Count `reasoning` that came beside the text. Text behind it is no reasoning."""
        if reasoning:
            self._reasoning.append(reasoning)
            self._state = "before" if self._state == "assumed" else self._state

    def feed(self, text: str) -> str:
        """Return the text that belongs to the answer, from `text` and from what was held back."""
        self._held += text
        if self._state in ("before", "assumed"):
            self._find_beginning()
        if self._state == "inside" and self._closing in self._held:
            self._end_reasoning(*self._held.split(self._closing, 1))
        elif self._state in ("text", "assumed"):
            self._find_lone_end()
        return self._release() if self._state in ("text", "after") else ""

    def close(self) -> str:
        """Return the text that was held back because it might have become reasoning."""
        text = "" if self._state == "inside" else self._held
        self._state = "inside" if self._state == "inside" else "after"
        return text

    def _find_beginning(self) -> None:
        beginning = self._held.lstrip()
        opening = next((tag for tag in _TAGS if beginning.startswith(tag)), "")
        if opening:
            self._held = beginning.removeprefix(opening)
            self._state, self._closing = "inside", _TAGS[opening]
        elif self._state == "before" and (
            beginning in _TAGS.values() or not any(tag.startswith(beginning) for tag in _ALL_TAGS)
        ):
            self._state = "text"

    def _find_lone_end(self) -> None:
        tag = _ANY_TAG.search(self._held)
        if tag and tag[1]:
            self.has_lone_end = True
            before, behind = self._held[: tag.start()], self._held[tag.end() :]
            self._end_reasoning(before, behind) if self._state == "assumed" else self._pass_end(before, behind)
        elif tag and self._state == "text":  # the answer is about such tags
            self._state = "after"

    def _end_reasoning(self, reasoning: str, rest: str) -> None:
        self._reasoning.append(reasoning)
        self._held, self._state = rest, "after"

    def _pass_end(self, before: str, behind: str) -> None:
        self._held, self._state = f"{before}\n{behind}", "after"

    def _release(self) -> str:
        """Return what is held, except for what may become a tag."""
        kept = 0
        if self._state == "text":
            sizes = range(min(len(self._held), max(map(len, _ALL_TAGS)) - 1), 0, -1)
            kept = next((n for n in sizes if any(tag.startswith(self._held[-n:]) for tag in _ALL_TAGS)), 0)
        text = self._held[: len(self._held) - kept]
        self._held = self._held[len(self._held) - kept :]
        return text


_OFF = 2
"""The level of a `ReasoningSwitch` at which no reasoning is asked for."""


class ReasoningSwitch:
    """A switch for the length of an open model's reasoning, so that it takes no longer than there is time.

    Nothing at first. Once reasoning was seen, `reasoning_effort: low`; once it took more than half of a reply's tokens
    or left no text, `none`, and `enable_thinking: false` for templates that know no effort."""

    def __init__(self) -> None:
        self.begins_inside = False
        """True where the next reply will begin with reasoning without a tag."""
        self._level = 0

    @property
    def parameters(self) -> dict[str, object]:
        """Parameters of the next request."""
        match self._level:
            case 0:
                return {}
            case 1:
                return {"reasoning_effort": "low"}
        return {"reasoning_effort": "none", "chat_template_kwargs": {"enable_thinking": False}}

    def learn(self, tokens: int, *, has_lone_end: bool, has_text: bool, max_tokens: int) -> None:
        """Learn from a reply, whole or given up, with `tokens` of reasoning."""
        was_off = self._level == _OFF
        if has_lone_end or tokens:
            is_too_much = not has_text or tokens > max_tokens / 2
            self._level = max(self._level, _OFF if is_too_much else 1)
        # a server that reasons although it was asked not to will do so again
        self.begins_inside = has_lone_end and (was_off or self._level < _OFF)
