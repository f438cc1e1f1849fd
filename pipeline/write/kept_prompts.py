"""The passages of each conversation's last prompt, which a server may still have cached."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from pipeline.values import RetrievedChunk
from pipeline.write.prompts import PromptPassage

_MAX_CONVERSATIONS = 64
"""Number of conversations whose passages are kept: a server keeps far fewer prompts."""


@dataclass(frozen=True)
class KeptPrompts:
    """The passages of the last prompts, by conversation, in memory only."""

    _kept: OrderedDict[str, tuple[PromptPassage, ...]] = field(default_factory=OrderedDict)

    def keep(self, conversation: str, numbered: Sequence[PromptPassage]) -> None:
        """Keep the passages of a prompt in place of the one before; none forget the conversation."""
        self._kept.pop(conversation, None)
        if conversation and numbered:
            self._kept[conversation] = tuple(numbered)
        while len(self._kept) > _MAX_CONVERSATIONS:
            self._kept.popitem(last=False)

    def chunk_ids(self, conversation: str) -> tuple[str, ...]:
        """Return the ids of the chunks of a conversation's last prompt."""
        return tuple(piece.passage.chunk.id for piece in self._kept.get(conversation, ()))

    def is_latest(self, conversation: str) -> bool:
        """Tell whether the last prompt of all was of this conversation."""
        return next(reversed(self._kept), None) == conversation

    def recall(self, conversation: str, allowed: Sequence[RetrievedChunk]) -> tuple[PromptPassage, ...]:
        """Return the beginning of a conversation's last prompt, up to the first passage that is not `allowed` as it
        stood."""
        texts = {passage.chunk.id: (passage.chunk, passage.document) for passage in allowed}

        def stands(piece: PromptPassage) -> bool:
            passage = piece.passage
            return texts.get(passage.chunk.id) == (passage.chunk, passage.document)

        return tuple(takewhile(stands, self._kept.get(conversation, ())))
