"""A conversation as a page, and the answer being written in it as server-sent events."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from adapters.chat.reply import labels, panels
from adapters.chat.reply.builder import build_reply, build_source
from adapters.chat.reply.draft import Draft
from adapters.chat.reply.parts import RenderOptions, Reply, ReplySource
from adapters.web import pages
from adapters.web.ask import wording
from adapters.web.ask.live_drafts import LiveDrafts
from adapters.web.ask.questions import MAX_QUESTION_CHARS, parse_conversation
from adapters.web.context import Visitor, WebContext
from adapters.web.forms import browser_locale, query_number
from adapters.web.guard import too_many_requests
from adapters.web.pages import render_fragment
from adapters.web.platform import WEB
from pipeline.compose.citations import list_mark
from pipeline.translations import Translator
from pipeline.values import Answer, CitationStyle, ConversationId, Value
from pipeline.values.people import ConversationSummary, Exchange, ExchangePage, ExchangeStatus
from pipeline.words import wording as said


class SourcePreview(Value):
    """A source, and the passage that opens beside a sentence."""

    number: int
    mark: str
    source: ReplySource
    passage: Reply


def make_web_reply(answer: Answer, options: RenderOptions) -> Reply:
    """Return the reply of an answer as the page shows it."""
    return build_reply(answer, options)


def source_previews(answer: Answer, translator: Translator) -> Sequence[SourcePreview]:
    """Return a preview for each source of an answer."""
    style = answer.citation_style if answer.citation_style is CitationStyle.FOOTNOTE else CitationStyle.NUMBERED
    return [
        SourcePreview(
            number=source.number,
            mark=list_mark(source.number, style),
            source=build_source(source, style, translator=translator),
            passage=panels.passage_panel(source, translator),
        )
        for source in answer.sources
    ]


def render_draft_html(parts: Reply, translator: Translator) -> str:
    """Render the part of an answer that is written so far."""
    return render_fragment("reply.html", translator, part=parts)


def _render_progress(draft: Draft, translator: Translator) -> str:
    """Render the draft; while nothing is written, what is being done or waited for."""
    if draft.is_begun:
        return render_draft_html(draft.partial_reply, translator)
    return render_fragment("status.html", translator, status=draft.status)


MAX_CONVERSATIONS = 30
"""Conversations that the page lists."""
EXCHANGES_PER_PAGE = 10
"""Exchanges on one page, so that a long conversation stays as light as others."""
EMPTY_PART = ExchangePage(exchanges=(), start=0, total=0)
POLL_SECONDS = 0.25
"""Seconds between two looks into the database, where another process may be answering."""
MAX_STREAMS = 20
"""Event streams that one person may have open: connections are shared by everybody."""
MAX_STREAM_SECONDS = 600.0
"""Seconds that an event stream stays open at most; the page connects again."""


class ConversationEntry(Value):
    """An exchange as its reader may see it now."""

    exchange: Exchange
    answer: Answer | None = None
    """None while there is no answer, and for a reader who may not see it any more."""


class _Events(StreamingResponse):
    """A stream of events that calls `on_end` once it has ended or its reader is gone."""

    def __init__(self, events: AsyncIterator[str], headers: Mapping[str, str], on_end: Callable[[], None]) -> None:
        super().__init__(events, media_type="text/event-stream", headers=headers)
        self._on_end = on_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._on_end()


class ConversationEndpoints:
    """The pages and events of conversations."""

    def __init__(self, context: WebContext, drafts: LiveDrafts) -> None:
        self._context = context
        self._drafts = drafts
        self._streams: Counter[str] = Counter()
        """Open event streams of each person."""

    async def index(self, request: Request, visitor: Visitor) -> Response:
        """Show the start page: a new question, and earlier conversations."""
        translator = await self._translator(request, visitor)
        summaries = await self._context.conversations.list_conversations(visitor.person, WEB.name, MAX_CONVERSATIONS)
        return self._render(request, visitor, translator, summaries=summaries)

    async def show(self, request: Request, visitor: Visitor) -> Response:
        """Show a conversation; 404 for one that is not the visitor's."""
        translator = await self._translator(request, visitor)
        conversation = parse_conversation(request.path_params["id"])
        part = EMPTY_PART
        if conversation:
            part = await self._context.conversations.list_exchanges(
                conversation, visitor.person, EXCHANGES_PER_PAGE, query_number(request, "start")
            )
        if not conversation or not part.exchanges:
            return pages.render_page(
                request,
                "told.html",
                visitor,
                translator,
                status=404,
                text=wording,
                told=translator(wording.NOT_THERE_WHY),
                heading=translator(wording.NOT_THERE),
                back="/",
            )
        entries = [await self._load_entry(exchange, visitor) for exchange in part.exchanges]
        return self._render(request, visitor, translator, part=part, entries=entries, id_=conversation.channel)

    async def events(self, request: Request, visitor: Visitor) -> Response:
        """Stream `draft` each time that a checked sentence was added or the status changed, and `answer` with the
        whole entry at the end."""
        translator = await self._translator(request, visitor)
        conversation = parse_conversation(request.path_params["id"])
        is_own = bool(conversation and await self._context.conversations.has_asked(conversation, visitor.person))
        if self._streams[visitor.person] >= MAX_STREAMS:
            return too_many_requests(request, visitor)
        self._streams[visitor.person] += 1
        stream = self._stream_events(conversation, visitor, translator) if conversation and is_own else _no_events()
        headers = {**pages.HEADERS, "X-Accel-Buffering": "no"}
        return _Events(stream, headers, lambda: self._count_ended(visitor.person))

    def _count_ended(self, person: str) -> None:
        # subtraction of counters drops entries of zero, `subtract()` would keep them
        self._streams -= Counter({person: 1})

    async def _stream_events(
        self, conversation: ConversationId, visitor: Visitor, translator: Translator
    ) -> AsyncIterator[str]:
        end = asyncio.get_running_loop().time() + MAX_STREAM_SECONDS
        last = ""
        while asyncio.get_running_loop().time() < end:
            draft = self._drafts.draft(conversation)
            if draft is None:
                if not await self._context.conversations.has_pending(conversation, visitor.person):
                    for exchange in (
                        await self._context.conversations.list_exchanges(conversation, visitor.person, 1)
                    ).exchanges:
                        entry = await self._load_entry(exchange, visitor)
                        yield _encode_event(
                            "answer", self._render_entry(entry, visitor, translator, conversation.channel)
                        )
                    return
            elif (html := _render_progress(draft, translator)) != last:
                last = html
                yield _encode_event("draft", html)
            await self._drafts.wait_for_change(POLL_SECONDS)

    async def _load_entry(self, exchange: Exchange, visitor: Visitor) -> ConversationEntry:
        answer = (
            await self._context.services.find_answer(exchange.answer_id, visitor.readers)
            if exchange.answer_id
            else None
        )
        return ConversationEntry(exchange=exchange, answer=answer)

    def _render_entry(self, entry: ConversationEntry, visitor: Visitor, translator: Translator, id_: str) -> str:
        return pages.render_fragment("entry.html", translator, **self._template_values(entry, visitor, id_))

    def _template_values(self, entry: ConversationEntry, visitor: Visitor, id_: str) -> dict[str, Any]:
        """Return the values for the template of one entry."""
        answer, speech = entry.answer, Translator(entry.answer.language if entry.answer else "en")
        return {
            "entry": entry,
            "reply": make_web_reply(answer, self._context.render_options) if answer else None,
            "beside": source_previews(answer, speech) if answer else (),
            "level": answer.confidence.level.value if answer else "",
            "labels": labels.BUTTON_LABELS,
            "withheld": said.ANSWER_UNAVAILABLE,
            "text": wording,
            "visitor": visitor,
            "id": id_,
        }

    def _render(
        self,
        request: Request,
        visitor: Visitor,
        translator: Translator,
        *,
        summaries: Sequence[ConversationSummary] = (),
        part: ExchangePage = EMPTY_PART,
        entries: Sequence[ConversationEntry] = (),
        id_: str = "",
    ) -> Response:
        return pages.render_page(
            request,
            "ask.html",
            visitor,
            translator,
            text=wording,
            talks=summaries,
            part=part,
            step=EXCHANGES_PER_PAGE,
            drawings=[self._template_values(entry, visitor, id_) for entry in entries],
            waiting=any(entry.exchange.status is ExchangeStatus.WAITING for entry in entries),
            id=id_,
            longest=MAX_QUESTION_CHARS,
            once=secrets.token_hex(16),
            admin=self._context.is_admin(visitor.actor),
        )

    async def _translator(self, request: Request, visitor: Visitor) -> Translator:
        return await self._context.services.translator_for(visitor.person, locale=browser_locale(request))


def _encode_event(name: str, html: str) -> str:
    return f"event: {name}\ndata: {json.dumps(html)}\n\n"


async def _no_events() -> AsyncIterator[str]:
    # the `yield` that is never reached makes it a generator
    return
    yield
