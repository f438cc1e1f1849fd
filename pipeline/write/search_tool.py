"""A search tool that the writing model can call, in words of its own."""

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
"""Maximum number of searches of an answer."""
SEARCH_BUDGET_DIVISOR = 6
"""Divisor of a prompt's token budget for the results of all searches."""
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
_MAX_QUERY = 300
"""Maximum length in characters of a query."""
NO_SEARCH_RESULTS = "Nothing else was found."
SEARCHES_EXHAUSTED = "There are no more searches: answer from the passages that you have."
QUERY_MISSING = "Give a query."


@dataclass
class SearchToolRunner:
    """A runner of the searches of one answer."""

    search: SearchFunction
    brief: WritingBrief
    nonce: str
    _: KW_ONLY
    tokens_per_search: int
    """Token budget of the results of one search."""
    searches_left: int = MAX_SEARCHES

    async def run(
        self, calls: Sequence[ToolCall], known: Sequence[RetrievedChunk]
    ) -> tuple[list[ChatMessage], list[RetrievedChunk]]:
        """Return a result for each call, and the passages in them, numbered on from the `known` ones. Raises
        nothing."""
        results: list[ChatMessage] = []
        passages: list[RetrievedChunk] = []
        for call in calls:
            text, new_passages = await self._answer(call, [*known, *passages])
            passages += new_passages
            results.append(ChatMessage(role="tool", content=text, call_id=call.id))
        return results, passages

    async def _answer(self, call: ToolCall, known: Sequence[RetrievedChunk]) -> tuple[str, list[RetrievedChunk]]:
        query = _parse_query(call)
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
        new_passages = exclude_known(passages, known)
        packed = pack_passages(
            new_passages,
            self.tokens_per_search,
            lambda piece: fence_passage(piece, brief, self.nonce),
            first=len(known) + 1,
        )
        text = "\n".join(fence_passage(piece, brief, self.nonce) for piece in packed)
        return text or NO_SEARCH_RESULTS, [piece.passage for piece in packed]


def _parse_query(call: ToolCall) -> str:
    """Return the query of a tool call; empty where it has none."""
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return ""
    query = arguments.get("query") if isinstance(arguments, dict) and call.name == SEARCH_TOOL.name else None
    return " ".join(query.split())[:_MAX_QUERY] if isinstance(query, str) else ""
