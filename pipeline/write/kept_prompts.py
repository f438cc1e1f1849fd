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


@dataclass
class KeptPrompts:
    """The passages of the last prompts, by conversation, in memory only."""

    holds: bool = True
    """False where the server turned out to have lost a conversation's prompt after another one."""
    latest: str = ""
    """The conversation of the last prompt of all."""
    _kept: OrderedDict[str, tuple[PromptPassage, ...]] = field(default_factory=OrderedDict)

    def keep(self, conversation: str, numbered: Sequence[PromptPassage]) -> None:
        """Keep the passages of a prompt in place of the one before; none forget the conversation."""
        self.latest = conversation
        self._kept.pop(conversation, None)
        if conversation and numbered:
            self._kept[conversation] = tuple(numbered)
        while len(self._kept) > _MAX_CONVERSATIONS:
            self._kept.popitem(last=False)

    def chunk_ids(self, conversation: str) -> tuple[str, ...]:
        """Return the ids of the chunks of a conversation's last prompt."""
        return tuple(piece.passage.chunk.id for piece in self._kept.get(conversation, ()))

    def recall(self, conversation: str, allowed: Sequence[RetrievedChunk]) -> tuple[PromptPassage, ...]:
        """Return the beginning of a conversation's last prompt, up to the first passage that is not `allowed` as it
        stood."""
        found = {passage.chunk.id: passage for passage in allowed}

        def stands(piece: PromptPassage) -> bool:
            passage = found.get(piece.passage.chunk.id)
            return passage is not None and (passage.chunk, passage.document) == (
                piece.passage.chunk,
                piece.passage.document,
            )

        return tuple(takewhile(stands, self._kept.get(conversation, ())))
