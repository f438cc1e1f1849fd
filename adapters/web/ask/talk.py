"""A conversation as a page, and what is being written in it as events."""

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
from adapters.chat.reply.answer import reply, source
from adapters.chat.reply.parts import Look, Reply, Source
from adapters.web import pages
from adapters.web.ask import wording
from adapters.web.ask.asking import LONGEST, conversation
from adapters.web.ask.live import Live
from adapters.web.forms import locale, number
from adapters.web.guard import too_often
from adapters.web.pages import fragment
from adapters.web.platform import WEB
from adapters.web.visitor import Site, Visitor
from pipeline.compose.cite import listed
from pipeline.translations import Words
from pipeline.values import Answer, CitationStyle, ConversationId, Value
from pipeline.values.people import Exchange, Standing, Talk, TalkPart
from pipeline.words import wording as said


class Beside(Value):
    """A source, and the passage that opens beside a sentence."""

    number: int
    mark: str
    source: Source
    passage: Reply


def shown(answer: Answer, look: Look) -> Reply:
    return reply(answer, look)


def beside(answer: Answer, words: Words) -> Sequence[Beside]:
    """Each source of an answer, with what stands there."""
    style = answer.citation_style if answer.citation_style is CitationStyle.FOOTNOTE else CitationStyle.NUMBERED
    return [
        Beside(
            number=one.number,
            mark=listed(one.number, style),
            source=source(one, style, speech=words),
            passage=panels.passage(one, words),
        )
        for one in answer.sources
    ]


def drawn(parts: Reply, words: Words) -> str:
    """What there is of an answer."""
    return fragment("reply.html", words, part=parts)


LISTED = 30
"""Conversations that the page names."""
SHOWN = 10
"""Exchanges on one page, which stays as light as the others."""
NOTHING = TalkPart(exchanges=(), start=0, total=0)
LOOK_SECONDS = 0.25
"""Between two looks into the database, where another process may be answering."""
STREAMS = 20
"""Of events that one person may have open: connections are for everybody."""
MOST_SECONDS = 600.0
"""How long events are sent at most; the page asks again."""


class Entry(Value):
    """An exchange as somebody may see it now."""

    exchange: Exchange
    answer: Answer | None = None
    """None while there is none, and for whoever may not see it any more."""


class _Events(StreamingResponse):
    """Events, and what is to be done once they have ended or nobody reads them any more."""

    def __init__(self, events: AsyncIterator[str], headers: Mapping[str, str], ended: Callable[[], None]) -> None:
        super().__init__(events, media_type="text/event-stream", headers=headers)
        self._on_end = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._on_end()


class TalkPages:
    def __init__(self, site: Site, live: Live) -> None:
        self._site = site
        self._live = live
        self._streams: Counter[str] = Counter()
        """How many streams of events each person has open."""

    async def first(self, request: Request, visitor: Visitor) -> Response:
        """Where a conversation begins, with those of before."""
        words = await self._words(request, visitor)
        talks = await self._site.archive.talks(visitor.person, WEB.name, LISTED)
        return self._page(request, visitor, words, talks=talks)

    async def show(self, request: Request, visitor: Visitor) -> Response:
        words = await self._words(request, visitor)
        where = conversation(request.path_params["id"])
        part = NOTHING
        if where:
            part = await self._site.archive.exchanges(where, visitor.person, SHOWN, number(request, "start"))
        if not where or not part.exchanges:
            return pages.page(
                request,
                "told.html",
                visitor,
                words,
                status=404,
                text=wording,
                told=words(wording.NOT_THERE_WHY),
                heading=words(wording.NOT_THERE),
                back="/",
            )
        entries = [await self._seen(exchange, visitor) for exchange in part.exchanges]
        return self._page(request, visitor, words, part=part, entries=entries, id_=where.channel)

    async def events(self, request: Request, visitor: Visitor) -> Response:
        """`draft`, each time that a checked sentence was added, and `answer`, the whole entry, when all is there."""
        words = await self._words(request, visitor)
        where = conversation(request.path_params["id"])
        own = bool(where and await self._site.archive.asked(where, visitor.person))
        if self._streams[visitor.person] >= STREAMS:
            return too_often(request, visitor)
        self._streams[visitor.person] += 1
        stream = self._told(where, visitor, words) if where and own else _nothing()
        headers = {**pages.HEADERS, "X-Accel-Buffering": "no"}
        return _Events(stream, headers, lambda: self._ended(visitor.person))

    def _ended(self, person: str) -> None:
        self._streams -= Counter({person: 1})

    async def _told(self, where: ConversationId, visitor: Visitor, words: Words) -> AsyncIterator[str]:
        end = asyncio.get_running_loop().time() + MOST_SECONDS
        last = ""
        while asyncio.get_running_loop().time() < end:
            draft = self._live.draft(where)
            if draft is None:
                if not await self._site.archive.waits(where, visitor.person):
                    for exchange in (await self._site.archive.exchanges(where, visitor.person, 1)).exchanges:
                        entry = await self._seen(exchange, visitor)
                        yield _event("answer", self._entry(entry, visitor, words, where.channel))
                    return
            elif (html := drawn(draft, words)) != last:
                last = html
                yield _event("draft", html)
            await self._live.changed(LOOK_SECONDS)

    async def _seen(self, exchange: Exchange, visitor: Visitor) -> Entry:
        answer = await self._site.desk.answer(exchange.answer_id, visitor.readers) if exchange.answer_id else None
        return Entry(exchange=exchange, answer=answer)

    def _entry(self, entry: Entry, visitor: Visitor, words: Words, id_: str) -> str:
        return pages.fragment("entry.html", words, **self._drawing(entry, visitor, id_))

    def _drawing(self, entry: Entry, visitor: Visitor, id_: str) -> dict[str, Any]:
        """What the template of one entry is given."""
        answer, speech = entry.answer, Words(entry.answer.language if entry.answer else "en")
        return {
            "entry": entry,
            "reply": shown(answer, self._site.look) if answer else None,
            "beside": beside(answer, speech) if answer else (),
            "level": answer.confidence.level.value if answer else "",
            "labels": labels.LABELS,
            "withheld": said.NO_ANSWER,
            "text": wording,
            "visitor": visitor,
            "id": id_,
        }

    def _page(
        self,
        request: Request,
        visitor: Visitor,
        words: Words,
        *,
        talks: Sequence[Talk] = (),
        part: TalkPart = NOTHING,
        entries: Sequence[Entry] = (),
        id_: str = "",
    ) -> Response:
        return pages.page(
            request,
            "ask.html",
            visitor,
            words,
            text=wording,
            talks=talks,
            part=part,
            step=SHOWN,
            drawings=[self._drawing(entry, visitor, id_) for entry in entries],
            waiting=any(entry.exchange.standing is Standing.WAITING for entry in entries),
            id=id_,
            longest=LONGEST,
            once=secrets.token_hex(16),
            admin=self._site.admin(visitor.actor),
        )

    async def _words(self, request: Request, visitor: Visitor) -> Words:
        return await self._site.desk.words(visitor.person, locale=locale(request))


def _event(name: str, html: str) -> str:
    return f"event: {name}\ndata: {json.dumps(html)}\n\n"


async def _nothing() -> AsyncIterator[str]:
    return
    yield
