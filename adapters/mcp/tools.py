"""The tools that an editor may call."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

import mcp_types as types
import structlog
from pydantic import BaseModel, ValidationError

from adapters.http.auth import Caller
from adapters.mcp import schemas
from pipeline.compose.plain_text import plain_name, plain_sentence
from pipeline.errors import CitewellError, Refused
from pipeline.ports import QueryService
from pipeline.values import Answer, AnswerRequest, AnswerStage, ConversationId, ProgressEvent, SentenceEvent
from pipeline.words.text import strip_invisible
from pipeline.words.wording import progress_line

# --- Error messages -------------------------------------------------------------------------------

UNREACHABLE = "A service that Citewell needs cannot be reached. Try again later."

log = structlog.get_logger(__name__)


def error_message(error: Exception) -> str:
    """Return the message for the caller. An unexpected error is logged with a number, and the message holds only the
    number."""
    match error:
        case Refused():
            return f"{error}. {error.what_to_do}".strip()
        case CitewellError():
            log.warning("mcp_unavailable", reason=str(error))
            return UNREACHABLE
        case _:
            incident = secrets.token_hex(4)
            log.error("mcp_failed", incident=incident, exc_info=error)
            return f"Something went wrong here. If it happens again, tell the operator the number {incident}."


# --- The tools ------------------------------------------------------------------------------------

PLATFORM = "mcp"
MAX_ERROR_CHARS = 1000
"""Characters of an error message."""
NOT_FOUND = "There is no such document that you may see. `search` gives the ids of those that there are."
ReportProgress = Callable[[float, str], Awaitable[None]]
"""Reports progress: a count and a sentence."""


class McpTool(NamedTuple):
    """A tool's texts, input and output."""

    title: str
    description: str
    input_model: type[BaseModel]
    output_model: type[BaseModel]


TOOLS: Mapping[str, McpTool] = {
    "search": McpTool(
        "Search the documents",
        "Find passages of the team's documents, with title, place, link and score. Use it to read what they say.",
        schemas.SearchToolInput,
        schemas.SearchToolOutput,
    ),
    "ask": McpTool(
        "Ask the documents",
        "Get a checked answer to a question: every sentence names the passages that support it. It says so if the "
        "documents do not answer.",
        schemas.AskToolInput,
        schemas.AskToolOutput,
    ),
    "read": McpTool(
        "Read a document",
        "Read passages of one document in order, around one that search or ask gave.",
        schemas.ReadToolInput,
        schemas.ReadToolOutput,
    ),
}
"""The tools. Their descriptions are ours: no text of a document is in them."""


def tool_definitions() -> list[types.Tool]:
    """Return the tools as the protocol describes them."""
    hints = types.ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    return [
        types.Tool(
            name=name,
            title=tool.title,
            description=tool.description,
            input_schema=tool.input_model.model_json_schema(),
            output_schema=tool.output_model.model_json_schema(mode="serialization"),
            annotations=hints,
        )
        for name, tool in TOOLS.items()
    ]


class McpToolHandler:
    """The handler of tool calls."""

    def __init__(self, queries: QueryService) -> None:
        self._queries = queries

    async def call(
        self, name: str, arguments: Mapping[str, object], caller: Caller, tell: ReportProgress
    ) -> types.CallToolResult:
        """Run a tool and return its result. A wrong call becomes a result that tells the caller how to mend it."""
        tool = TOOLS.get(name)
        if tool is None:
            return _to_error(f"There is no tool {name!r}; there are {', '.join(TOOLS)}.")
        try:
            tool_input = tool.input_model.model_validate(arguments)
        except ValidationError as error:
            return _to_error(
                "; ".join(f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}" for detail in error.errors())
            )
        try:
            match tool_input:
                case schemas.SearchToolInput():
                    passages = await self._queries.search(tool_input.query, caller.audience, tool_input.limit)
                    return _to_result(schemas.SearchToolOutput(passages=list(passages)))
                case schemas.AskToolInput():
                    return _to_result(schemas.AskToolOutput.from_answer(await self._answer(tool_input, caller, tell)))
                case schemas.ReadToolInput():
                    return await self._read(tool_input, caller)
        except CitewellError as error:
            return _to_error(error_message(error))
        raise AssertionError(name)

    async def _answer(self, tool_input: schemas.AskToolInput, caller: Caller, tell: ReportProgress) -> Answer:
        request = AnswerRequest(
            text=tool_input.question,
            audience=caller.audience,
            conversation=ConversationId(platform=PLATFORM, space=caller.id, channel=secrets.token_hex(16)),
            author=caller.id,
            style=tool_input.style,
        )
        told = 0
        async with self._queries.respond(request) as stream:
            async for event in stream:
                match event:
                    case SentenceEvent():
                        text = plain_sentence(event.sentence).text
                    case ProgressEvent(stage=AnswerStage.WAITING):
                        text = progress_line(event)
                    case _:
                        continue
                told += 1
                await tell(told, text)
            return await stream.answer()

    async def _read(self, tool_input: schemas.ReadToolInput, caller: Caller) -> types.CallToolResult:
        excerpt = await self._queries.read_document(
            tool_input.document, caller.audience, tool_input.start, tool_input.count
        )
        if excerpt is None:
            return _to_error(NOT_FOUND)
        document, total, passages = excerpt
        return _to_result(
            schemas.ReadToolOutput(
                document=document.id, title=plain_name(document.title), total=total, passages=list(passages)
            )
        )


def _to_result(value: BaseModel) -> types.CallToolResult:
    """Return a result as structured content, and as text for clients that read only that."""
    text = types.TextContent(type="text", text=value.model_dump_json(indent=1))
    return types.CallToolResult(content=[text], structured_content=value.model_dump(mode="json"))


def _to_error(message: str) -> types.CallToolResult:
    text = strip_invisible(message)[:MAX_ERROR_CHARS]
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)
