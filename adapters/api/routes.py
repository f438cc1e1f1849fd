"""The API's calls, and its description as one page that loads nothing from other hosts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager
from html import escape
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, HTTPException, Path, Query, Request
from fastapi.routing import APIRoute
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount

from adapters.api.answers import ApiAnswers, collect_answer, encode_events
from adapters.api.problems import Problem, add_problem_handlers, problem_responses
from adapters.api.schemas import (
    ApiDocument,
    ApiSource,
    AskRequest,
    AskResponse,
    DocumentsResponse,
    FeedbackRequest,
    FeedbackResponse,
    HealthResponse,
    PassagesResponse,
    SearchRequest,
    SearchResponse,
    SourcesResponse,
)
from adapters.http.auth import Caller, CallerAuthenticator
from pipeline.compose.plain_text import plain_name
from pipeline.ports import BotServices, IdempotencyStore, QueryService
from pipeline.values import Document, Rating
from pipeline.words.links import safe_web_address
from pipeline.words.text import to_single_line

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
STYLESHEET = """
:root { color-scheme: light dark; --paper: #fcfcfb; --ink: #1d1f21; --act: #1f3a5f; --line: #c9ccd0; --faint: #5c6268; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181a; --ink: #e9eaeb; --act: #8ab4e8; --line: #44494e; --faint: #a8aeb4; }
}
a { color: var(--act); }
body { background: var(--paper); color: var(--ink); }
body { font: 1rem/1.55 system-ui, sans-serif; max-width: 48rem; margin: 0 auto; padding: 1rem; }
section { border-block-start: 1px solid var(--line); padding-block: .5rem; }
h2 { font-size: 1.1rem; } code, pre { font: .9em/1.45 ui-monospace, monospace; }
pre { overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; }
.faint { color: var(--faint); }
"""


def render_api_page(description: Mapping[str, Any]) -> str:
    """Render `openapi.json` as a page for people."""
    calls = "".join(_render_calls(description["paths"]))
    shapes = "".join(_render_shapes(description["components"]["schemas"]))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Citewell API</title>'
        '<link rel="stylesheet" href="/api/style.css"></head><body><main>'
        f"<h1>Citewell API</h1><p>{escape(description['info'].get('summary', ''))} "
        'For programs: <a href="/api/v1/openapi.json">openapi.json</a>.</p>'
        "<p>An admin makes a key with <code>citewell keys add</code>. Send it as "
        f"<code>Authorization: Bearer …</code>.</p>{calls}<h1>Schemas</h1>{shapes}</main></body></html>"
    )


def _render_calls(paths: Mapping[str, Any]) -> Iterator[str]:
    for path, methods in paths.items():
        for method, call in methods.items():
            responses = ", ".join(
                f"{status} {escape(response['description'])}" for status, response in call["responses"].items()
            )
            yield (
                f"<section><h2><code>{method.upper()} /api{escape(path)}</code></h2>"
                f"<p>{escape(call.get('summary', ''))}. {escape(call.get('description', ''))}</p>"
                f"{_render_fields(call)}<p class='faint'>{responses}</p></section>"
            )


def _render_fields(call: Mapping[str, Any]) -> str:
    schema = call.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    parameters = "".join(
        f"<li><code>{escape(item['name'])}</code> ({escape(item['in'])}) {escape(item.get('description', ''))}</li>"
        for item in call.get("parameters", ())
    )
    body = (
        f"<li>body: <code>{escape(schema['$ref'].rpartition('/')[2])}</code></li>"
        if schema and "$ref" in schema
        else ""
    )
    return f"<ul>{parameters}{body}</ul>" if parameters or body else ""


def _render_shapes(shapes: Mapping[str, Any]) -> Iterator[str]:
    for name, shape in sorted(shapes.items()):
        fields = escape(json.dumps(shape.get("properties", shape.get("enum", {})), indent=1))
        yield (
            f"<section><h2><code>{escape(name)}</code></h2><p>{escape(shape.get('description', ''))}</p>"
            f'<pre tabindex="0">{fields}</pre></section>'
        )


VERSION = "1"
EVENT_STREAM_TYPE = "text/event-stream"
AnswerId = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")]


class _AuthenticatedRoute(APIRoute):
    """A call that authenticates before its body is parsed: FastAPI would parse the body before it looks at
    dependencies."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_authenticated(request: Request) -> Response:
            callers: CallerAuthenticator = request.app.state.callers
            request.state.caller = await callers.authenticate(request)
            return await handle(request)

        return handle_authenticated


def _authenticated_caller(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller


AuthenticatedCaller = Annotated[Caller, Depends(_authenticated_caller)]
IdempotencyKey = Annotated[str, Header(alias="Idempotency-Key", max_length=200, pattern=r"^[!-~]*$")]
NOT_FOUND = "There is nothing with that id that you may see."


@asynccontextmanager
async def open_api(
    queries: QueryService, services: BotServices, callers: CallerAuthenticator, idempotency: IdempotencyStore
) -> AsyncIterator[list[BaseRoute]]:
    """Open the routes below `/api`, which answer while the block is open."""
    answers = ApiAnswers(queries, idempotency)
    try:
        yield _routes(queries, services, callers, answers)
    finally:
        await answers.close()


def _routes(
    queries: QueryService, services: BotServices, callers: CallerAuthenticator, answers: ApiAnswers
) -> list[BaseRoute]:
    app = FastAPI(
        title="Citewell",
        version=VERSION,
        summary="Answers from your team's own documents, and where every sentence comes from.",
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        separate_input_output_schemas=False,
        redirect_slashes=False,
    )
    add_problem_handlers(app)
    _describe(app)
    app.state.callers = callers
    app.router.route_class = _AuthenticatedRoute
    _Calls(queries, services, answers).add_routes(app)

    async def show_page(_: Request) -> Response:
        return HTMLResponse(render_api_page(app.openapi()), headers=dict(HEADERS))

    async def show_stylesheet(_: Request) -> Response:
        return Response(STYLESHEET, media_type="text/css", headers={"X-Content-Type-Options": "nosniff"})

    app.add_route("/", show_page)
    app.add_route("/style.css", show_stylesheet)
    return [Mount("/api", app)]


def _describe(app: FastAPI) -> None:
    """Add the bearer key and the shape of problems to the OpenAPI description."""
    make_openapi = app.openapi

    def describe() -> dict[str, Any]:
        openapi = make_openapi()
        parts = openapi.setdefault("components", {})
        parts.setdefault("schemas", {}).setdefault("Problem", Problem.model_json_schema())
        parts["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        openapi["security"] = [{"key": []}]
        openapi["servers"] = [{"url": "/api"}]
        return openapi

    app.openapi = describe  # type: ignore[method-assign] # as FastAPI's documentation says


class _Calls:
    def __init__(self, queries: QueryService, services: BotServices, answers: ApiAnswers) -> None:
        self._queries = queries
        self._services = services
        self._answers = answers

    def add_routes(self, app: FastAPI) -> None:
        """Add every call of the API to `app`."""

        @app.post(
            "/v1/ask",
            response_model=AskResponse,
            responses={200: {"content": {EVENT_STREAM_TYPE: {"schema": {"type": "string"}}}}, **problem_responses(409)},
            summary="Ask a question",
            description="The checked answer, with a citation for every sentence. With `Accept: text/event-stream` it "
            "arrives as events: `progress` (its `stage`, and how many questions are `ahead` while it is `waiting` for "
            "the language model), a `sentence` for each checked sentence, and last `answer`, or `error` with a "
            "problem. With `Idempotency-Key`, the same request is answered once. "
            "All text is plain text: escape it in Markdown and HTML.",
        )
        async def ask(
            caller: AuthenticatedCaller, asked: AskRequest, request: Request, once: IdempotencyKey = ""
        ) -> Response:
            events = await self._answers.stream(caller, asked, once)
            if EVENT_STREAM_TYPE in request.headers.get("accept", ""):
                return StreamingResponse(
                    encode_events(events), media_type=EVENT_STREAM_TYPE, headers={"X-Accel-Buffering": "no"}
                )
            return Response(await collect_answer(events), media_type="application/json")

        @app.post("/v1/search", responses=problem_responses(), summary="Search passages")
        async def search(caller: AuthenticatedCaller, searched: SearchRequest) -> SearchResponse:
            results = await self._queries.search(searched.text, caller.audience, searched.limit)
            return SearchResponse(passages=list(results))

        @app.get("/v1/documents", responses=problem_responses(), summary="List documents")
        async def documents(
            caller: AuthenticatedCaller,
            start: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
            limit: Annotated[int, Query(ge=1, le=1000)] = 100,
        ) -> DocumentsResponse:
            found_documents = await self._queries.list_documents(caller.audience)
            shown_documents = [_to_document(document) for document in found_documents[start : start + limit]]
            return DocumentsResponse(documents=shown_documents, total=len(found_documents))

        @app.get("/v1/passages", responses=problem_responses(404), summary="Read a document's passages")
        async def passages(
            caller: AuthenticatedCaller,
            document: Annotated[str, Query(min_length=1, max_length=2000, description="The id of a document")],
            start: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
            limit: Annotated[int, Query(ge=1, le=100)] = 20,
        ) -> PassagesResponse:
            excerpt = await self._queries.read_document(document, caller.audience, start, limit)
            if excerpt is None:
                raise HTTPException(404, NOT_FOUND)
            source, total, chunks = excerpt
            return PassagesResponse(document=_to_document(source), total=total, passages=list(chunks))

        @app.post("/v1/answers/{id}/feedback", responses=problem_responses(404), summary="Say whether an answer helped")
        async def feedback(caller: AuthenticatedCaller, id: AnswerId, given: FeedbackRequest) -> FeedbackResponse:  # noqa: A002 - the name in the address
            if not await self._answers.is_own_answer(caller, id):
                raise HTTPException(404, NOT_FOUND)
            await self._services.rate(
                Rating(answer_id=id, person=caller.id, vote=given.vote, reason=given.reason, comment=given.comment)
            )
            return FeedbackResponse(answer=id)

        @app.get("/v1/sources", responses=problem_responses(), summary="List the sources of documents")
        async def sources(caller: AuthenticatedCaller) -> SourcesResponse:
            counts = Counter(
                (document.collection, document.source)
                for document in await self._queries.list_documents(caller.audience)
            )
            api_sources = [
                ApiSource(collection=collection, source=source, documents=count)
                for (collection, source), count in sorted(counts.items())
            ]
            return SourcesResponse(sources=api_sources)

        @app.get("/v1/health", responses=problem_responses(), summary="Check that the API answers")
        async def health(caller: AuthenticatedCaller) -> HealthResponse:
            return HealthResponse(documents=len(await self._queries.list_documents(caller.audience)))


def _to_document(document: Document) -> ApiDocument:
    return ApiDocument(
        id=document.id,
        title=plain_name(document.title),
        collection=document.collection,
        filename=to_single_line(document.filename),
        link=safe_web_address(document.url),
        flagged=document.flagged,
    )
