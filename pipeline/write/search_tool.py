"""A model that writes searches again, in words of its own, by its vendor's tool calling."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from pipeline.errors import CitewellError
from pipeline.ports import ChatMessage, SearchFunction, Tool, ToolCall
from pipeline.values import RetrievedChunk, WritingBrief, replace
from pipeline.values.documents import exclude_known
from pipeline.write.packing import pack_passages
from pipeline.write.prompts import fence_passage

MAX_SEARCHES = 2
"""Searches of an answer."""
SEARCH_BUDGET_DIVISOR = 6
"""Of a prompt, one part in so many is kept for what all searches find."""
SEARCH_TOOL = Tool(
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
NO_SEARCH_RESULTS = "Nothing else was found."
SEARCHES_EXHAUSTED = "There are no more searches: answer from the passages that you have."
QUERY_MISSING = "Give a query."


@dataclass
class SearchToolRunner:
    """The searches of one answer."""

    search: SearchFunction
    brief: WritingBrief
    nonce: str
    _: KW_ONLY
    tokens_per_search: int
    """Of what one search finds."""
    searches_left: int = MAX_SEARCHES

    async def run(
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
            return QUERY_MISSING, []
        if not self.searches_left:
            return SEARCHES_EXHAUSTED, []
        self.searches_left -= 1
        try:
            passages = await self.search(query)
        except CitewellError:
            return NO_SEARCH_RESULTS, []
        brief = replace(self.brief, sides=())  # it was found for none of them
        new = exclude_known(passages, known)
        packed = pack_passages(
            new, self.tokens_per_search, lambda piece: fence_passage(piece, brief, self.nonce), first=len(known) + 1
        )
        text = "\n".join(fence_passage(piece, brief, self.nonce) for piece in packed)
        return text or NO_SEARCH_RESULTS, [piece.passage for piece in packed]


def _query(call: ToolCall) -> str:
    """What a model wants to look for; empty where it does not say so."""
    try:
        said = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return ""
    query = said.get("query") if isinstance(said, dict) and call.name == SEARCH_TOOL.name else None
    return " ".join(query.split())[:_LONGEST] if isinstance(query, str) else ""
