"""One leased message, from its answer to the posted reply, and what is posted in the place of an answer or above one
that comes late."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Protocol

import structlog

from bot.log import failures_logged
from bot.run.live import LiveSearch
from bot.run.posting import OnItsWay, Poster
from pipeline.compose.compose import failed, told
from pipeline.errors import Withdrawn
from pipeline.ports import AnswerStream, Growing, Inbox, PlatformAdapter, Whispers, streaming
from pipeline.rules.tenancy import bound
from pipeline.translations import Message, Words
from pipeline.unasked import silencing
from pipeline.values import (
    Answer,
    Audience,
    Chosen,
    Event,
    IncomingMessage,
    Manner,
    Outcome,
    PlaceId,
    Request,
    Work,
    replace,
)
from pipeline.words import language, wording


class Answering(Protocol):
    """`pipeline.respond.Responder`, and whatever watches one."""

    def respond(self, request: Request) -> AnswerStream: ...


def apology(work: Work, said: Message | None = None) -> Answer:
    """What is `said` in the place of an answer; without it, an incident that the log names."""
    words = Words(work.language)
    incident = "" if said else secrets.token_hex(4)
    return failed(secrets.token_hex(8), work.message.text, incident, words, text=words(said) if said else "")


def with_apology(answer: Answer) -> Answer:
    preface = f"{Words(answer.language)(wording.LATE)} {answer.preface}".strip()
    return replace(answer, preface=preface)


@streaming
async def only(answer: Answer) -> AsyncGenerator[Event, None]:
    yield answer


APOLOGY_SECONDS = 30.0
"""How long the apology after the last attempt may take."""
NO_END = "no attempt came to an end"
Shown = Callable[[str, Audience], Awaitable[Answer | None]]
"""The kept answer of that id as an audience may see it now; None where it shows something that they may not."""

log = structlog.get_logger(__name__)


class Delivery:
    """Answers leased messages, any number at once, of which `at_a_time` are thought about while the others are posted.
    `expire_late`: what is late is not answered, and told so. `spent`: a place has had its answers of an hour that
    nobody asked for."""

    def __init__(
        self,
        inbox: Inbox,
        responder: Answering,
        adapters: Mapping[str, PlatformAdapter],
        request: Callable[[IncomingMessage, Chosen, PlatformAdapter], Awaitable[Request]],
        chosen: Callable[[IncomingMessage], Awaitable[Chosen]],
        *,
        at_a_time: int,
        expire_late: bool,
        live: LiveSearch | None,
        spent: Callable[[PlaceId], Awaitable[None]],
        shown: Shown,
        grace_seconds: float,
        retry_seconds: float,
    ) -> None:
        self._inbox = inbox
        self._spent = spent
        self._shown = shown
        self._responder = responder
        self._adapters = adapters
        self._request = request
        self._chosen = chosen
        self._thinking = asyncio.Semaphore(at_a_time)
        self._expire_late = expire_late
        self._live = live
        self._poster = Poster(
            inbox, adapters, self._show, self._apologise, grace_seconds=grace_seconds, retry_seconds=retry_seconds
        )

    async def bring_to_an_end(self, work: Work) -> None:
        """Answer `work` and close it, or give it back to the inbox. Raises only what the inbox raises.

        Whatever is read and written meanwhile is of its workspace, and whatever is logged, by whichever part, names the
        message."""
        with bound(work.message.conversation.workspace), structlog.contextvars.bound_contextvars(key=work.key):
            await self._poster.bring_to_an_end(work)

    async def _show(self, way: OnItsWay[Work]) -> None:
        message = way.item.message
        chosen = await self._asked(way)
        if way.item.answer and not way.item.hopeless:
            way.item = replace(way.item, answer=await self._still_shown(way.item, way.item.answer, chosen))
        nobody_asks = message.manner.unannounced and (not way.item.answer or way.item.hopeless)
        if nobody_asks and not await self._worth_saying(way, chosen):
            return
        late = way.item.late and self._expire_late and not way.item.answer
        stream = only(apology(way.item, wording.EXPIRED)) if late else self._answer(way, chosen)
        async with stream:
            await self._adapter(way.item).post(Growing(way.item, stream), way)
        await (self._inbox.expired(message.key) if late else self._inbox.done(message.key))

    async def _asked(self, way: OnItsWay[Work]) -> Chosen:
        """What is chosen there; its language is that of our own words from now on."""
        message = way.item.message
        chosen = await self._chosen(message)
        words = language.speaking(chosen.language, (language.told(message.text),), message.locale)
        way.item = replace(
            way.item, language=words.language, late=way.item.late and message.manner is not Manner.AWAITED
        )
        return chosen

    async def _worth_saying(self, way: OnItsWay[Work], chosen: Chosen) -> bool:
        """Whether there is an answer to what nobody asks now, which is saved then; else the message is closed."""
        work = way.item
        if work.last and work.message.manner is Manner.AWAITED:
            log.error("given_up", key=work.key, reason=NO_END, attempts=work.attempt)
            await self._inbox.failed(work.key, NO_END)
            return False
        answer = await self._unasked(work, chosen)
        if answer is None or answer.outcome is Outcome.SILENT:
            await self._inbox.ignored(work.key, again=answer is None or answer.usage.hindered)
            return False
        if answer.alone:  # nobody can look for it after a crash: it is closed first
            await self._inbox.ignored(work.key, told=True)
            adapter = self._adapter(work)
            if isinstance(adapter, Whispers):
                await adapter.whisper(work.message, answer)
            return False
        way.item = replace(way.item, answer=await self._saved(way, answer))
        return True

    @streaming
    async def _answer(self, way: OnItsWay[Work], chosen: Chosen) -> AsyncGenerator[Event, None]:
        """The saved answer, if its readers may still see all of it, else a new one that is saved before it is told."""
        work = way.item
        if work.answer and not work.hopeless:
            yield work.answer
            return
        if work.last:
            sorry = apology(work)
            log.error("question_not_answered", key=work.key, incident=sorry.incident, attempts=work.attempt)
            yield sorry
            return
        if (order := await self._order(work)) is not None:
            yield await self._saved(way, order)
            return
        adapter = self._adapter(work)
        request = await self._request(work.message, chosen, adapter)
        asked = self._responder.respond(request)
        looked = self._live.beside(asked, request, work.message, adapter) if self._live else asked
        async with self._thinking, looked as stream:
            async for event in stream:
                yield event
            button = wording.ask_button(request.ask, Words(work.language))
            yield await self._saved(way, (await stream.answer()).offering(button))

    async def _still_shown(self, work: Work, answer: Answer, chosen: Chosen) -> Answer | None:
        """A saved answer, which may have waited for hours, as whoever reads along may see it now; None where they may
        not."""
        if answer.of_thread or not answer.documents:
            return answer
        request = await self._request(work.message, chosen, self._adapter(work))
        shown = await self._shown(answer.id, request.audience)
        return shown and (answer if shown.corrections else answer.uncorrected())

    async def _order(self, work: Work) -> Answer | None:
        """What is said when all of a message among people sends the bot away or calls it back; None for any other."""
        message = work.message
        away = silencing(message.text) if message.manner in (Manner.MENTION, Manner.THREAD) else None
        if away is None:
            return None
        if away:
            await self._inbox.silence(message.conversation)
        words = Words(work.language)
        text = words(wording.SILENCED if away else wording.CALLED_BACK)
        return told(secrets.token_hex(8), message.text, text, words)

    async def _unasked(self, work: Work, chosen: Chosen) -> Answer | None:
        """The answer to what nobody asks now, found without a sign of it; None where none was looked for."""
        message = work.message
        if work.late or work.last:
            return None
        request = await self._request(message, chosen, self._adapter(work))
        if message.manner is Manner.AWAITED:
            wanted = request.awaited is not None
        else:
            wanted = await self._inbox.takes_part(message.conversation, message.sent_at)
        auto = None if wanted else request.auto
        if not (wanted or auto):
            return None
        answer = await self._responder.respond(request).answer()
        silent = answer.outcome is Outcome.SILENT
        if silent or auto is None or await self._inbox.spend(message.key, auto.place, auto.per_hour):
            return answer
        log.warning("auto_per_hour_reached", place=str(auto.place), per_hour=auto.per_hour)
        await self._spent(auto.place)
        return None

    async def _saved(self, way: OnItsWay[Work], answer: Answer) -> Answer:
        """The answer as it was saved; in the place of one to a question that is gone, what ends a visible reply."""
        answer = with_apology(answer) if way.item.late else answer
        try:
            await self._inbox.answered(way.item.key, answer.kept(Words(answer.language)(wording.FOUND_NOT_KEPT)))
        except Withdrawn as withdrawn:
            if withdrawn.changed or not way.begun:
                raise
            return replace(apology(way.item, wording.WITHDRAWN), question="")
        return answer

    async def _apologise(self, way: OnItsWay[Work]) -> str:
        """Where a saved answer could not be shown, a plain apology may still be."""
        work = way.item
        if not work.answer or work.reference or work.message.manner.unannounced:
            return ""
        with failures_logged(log, "apology_failed", key=work.key):
            async with asyncio.timeout(APOLOGY_SECONDS):
                await self._asked(way)
                sorry = apology(way.item)
                way.item = replace(way.item, answer=sorry)
                await self._adapter(work).post(Growing(way.item, only(sorry)), way)
            return sorry.incident
        return ""

    def _adapter(self, work: Work) -> PlatformAdapter:
        return self._adapters[work.platform]
