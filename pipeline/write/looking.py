"""A model that writes searches again, in words of its own, by its vendor's tool calling."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from pipeline.errors import CitewellError
from pipeline.ports import ChatMessage, Look, Tool, ToolCall
from pipeline.values import Brief, RetrievedChunk, replace
from pipeline.values.documents import others
from pipeline.write.packing import pack
from pipeline.write.prompts import fenced

LOOKS = 2
"""Searches of an answer."""
LOOKING = 6
"""Of a prompt, one part in so many is kept for what all searches find."""
SEARCH = Tool(
    name="search",
    description="Search the same documents in other words, where the passages lack what the question asks for. "
    "Do not search where they answer it.",
    parameters={
        "type": "object",
        "properties": {"query": {"type": "string", "description": "What to look for, complete by itself."}},
        "required": ["query"],
        "additionalProperties": False,
    },
)
_LONGEST = 300
"""Characters of a query."""
NOTHING = "Nothing else was found."
NO_MORE = "There are no more searches: answer from the passages that you have."
NO_QUERY = "Give a query."


@dataclass
class Looking:
    """The searches of one answer."""

    look: Look
    brief: Brief
    mark: str
    _: KW_ONLY
    tokens: int
    """Of what one search finds."""
    left: int = LOOKS

    async def answered(
        self, calls: Sequence[ToolCall], known: Sequence[RetrievedChunk]
    ) -> tuple[list[ChatMessage], list[RetrievedChunk]]:
        """A result for each call, and the passages in them, numbered on from those `known`. Raises nothing."""
        results: list[ChatMessage] = []
        found: list[RetrievedChunk] = []
        for call in calls:
            text, new = await self._answer(call, [*known, *found])
            found += new
            results.append(ChatMessage(role="tool", content=text, call_id=call.id))
        return results, found

    async def _answer(self, call: ToolCall, known: Sequence[RetrievedChunk]) -> tuple[str, list[RetrievedChunk]]:
        query = _query(call)
        if not query:
            return NO_QUERY, []
        if not self.left:
            return NO_MORE, []
        self.left -= 1
        try:
            passages = await self.look(query)
        except CitewellError:
            return NOTHING, []
        brief = replace(self.brief, sides=())  # it was found for none of them
        new = others(passages, known)
        packed = pack(new, self.tokens, lambda piece: fenced(piece, brief, self.mark), first=len(known) + 1)
        text = "\n".join(fenced(piece, brief, self.mark) for piece in packed)
        return text or NOTHING, [piece.passage for piece in packed]


def _query(call: ToolCall) -> str:
    """What a model wants to look for; empty where it does not say so."""
    try:
        said = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return ""
    query = said.get("query") if isinstance(said, dict) and call.name == SEARCH.name else None
    return " ".join(query.split())[:_LONGEST] if isinstance(query, str) else ""
