"""One leased message, from its answer to the posted reply: tried again, given back or given up when it goes wrong."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

import structlog

from bot.answering import Answering
from bot.apology import apology, only, with_apology
from bot.waits import grace_left, pause_after
from pipeline import language, wording
from pipeline.compose.compose import told
from pipeline.errors import CitewellError, Misconfigured, Unavailable, Withdrawn
from pipeline.ports import Inbox, PlatformAdapter
from pipeline.streams import closing
from pipeline.tenancy import bound
from pipeline.translations import Words
from pipeline.unasked import silencing
from pipeline.values import Answer, Chosen, Event, IncomingMessage, Manner, Outcome, Request, Work

DELIVERY_SECONDS, APOLOGY_SECONDS = 540.0, 30.0
"""How long a delivery and the apology after the last one may take: together less than a lease lasts."""
NO_END = "no attempt came to an end"

log = structlog.get_logger(__name__)


class Delivery:
    """Answers leased messages, any number at once, of which `at_a_time` are thought about while the others are posted.
    `expire_late`: what is late is not answered, and told so."""

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
        grace_seconds: float,
        retry_seconds: float,
    ) -> None:
        self._inbox = inbox
        self._responder = responder
        self._adapters = adapters
        self._request = request
        self._chosen = chosen
        self._thinking = asyncio.Semaphore(at_a_time)
        self._expire_late = expire_late
        self._grace = grace_seconds
        self._retry = retry_seconds

    async def bring_to_an_end(self, work: Work) -> None:
        """Answer `work` and close it, or give it back to the inbox. Raises only what the inbox raises.

        Whatever is read and written meanwhile is of its workspace, and whatever is logged, by whichever part, names the
        message."""
        with bound(work.message.conversation.workspace), structlog.contextvars.bound_contextvars(key=work.message.key):
            await self._bring_to_an_end(work)

    async def _bring_to_an_end(self, work: Work) -> None:
        key = work.message.key
        receipt = _Receipt(self._inbox, work)
        try:
            async with asyncio.timeout(DELIVERY_SECONDS):
                chosen = await self._chosen(work.message)
                words = language.speaking(chosen.language, (language.told(work.message.text),), work.message.locale)
                late = work.late and work.message.manner is not Manner.AWAITED
                work = work.model_copy(update={"language": words.language, "late": late})
                await self._answer(work, chosen, receipt)
        except Withdrawn:
            log.info("question_withdrawn", key=key)
            await self._inbox.release(key, counts=False)
        except asyncio.CancelledError:
            await asyncio.shield(self._inbox.release(key, counts=False))
            raise
        except (Unavailable, Misconfigured) as error:
            log.warning("platform_unreachable", key=key, reason=str(error), what_to_do=error.what_to_do)
            await self._inbox.release(key, delay=pause_after(error, self._retry), counts=False)
        except Exception as error:  # a poisonous message must not stop the others
            log.exception("delivery_failed", key=key, attempt=work.attempt)
            if work.last:
                await self._give_up(work, receipt, error)
            else:
                await self._inbox.release(key, delay=self._retry * 2.0**work.attempt)

    async def _answer(self, work: Work, chosen: Chosen, receipt: _Receipt) -> None:
        key = work.message.key
        adapter = self._adapters[work.message.conversation.platform]
        if work.posting_since and not work.reference:
            if (wait := grace_left(work.posting_since, self._grace)) > 0:
                await self._inbox.release(key, delay=wait, counts=False)
                return
            if found := await adapter.find(work):
                await receipt.posted(found)
                work = work.model_copy(update={"reference": found})
        if work.message.manner.unannounced and (not work.answer or work.hopeless):
            if work.last and work.message.manner is Manner.AWAITED:
                log.error("question_given_up", key=key, reason=NO_END, attempts=work.attempt)
                await self._inbox.failed(key, NO_END)
                return
            answer = await self._unasked(work, chosen, adapter)
            if answer is None or answer.outcome is Outcome.SILENT:
                await self._inbox.ignored(key, again=answer is None or answer.usage.hindered)
                return
            work = work.model_copy(update={"answer": await self._saved(work, answer, receipt)})
        late = work.late and self._expire_late and not work.answer
        events = only(apology(work, wording.EXPIRED)) if late else self._events(work, chosen, adapter, receipt)
        async with closing(events):
            await adapter.deliver(work, events, receipt)
        await (self._inbox.expired(key) if late else self._inbox.done(key))

    async def _events(
        self, work: Work, chosen: Chosen, adapter: PlatformAdapter, receipt: _Receipt
    ) -> AsyncIterator[Event]:
        """The saved answer, or a new one that is saved before it is handed on."""
        if work.answer and not work.hopeless:
            yield work.answer
            return
        if work.last:
            sorry = apology(work)
            log.error("question_not_answered", key=work.message.key, incident=sorry.incident, attempts=work.attempt)
            yield sorry
            return
        if (order := await self._order(work)) is not None:
            yield await self._saved(work, order, receipt)
            return
        request = await self._request(work.message, chosen, adapter)
        async with self._thinking, closing(self._responder.respond(request)) as events:
            async for event in events:
                if isinstance(event, Answer):
                    button = wording.ask_button(request.ask, Words(work.language))
                    yield await self._saved(work, event.offering(button), receipt)
                else:
                    yield event

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

    async def _unasked(self, work: Work, chosen: Chosen, adapter: PlatformAdapter) -> Answer | None:
        """The answer to what nobody asks now, found without a sign of it; None where none was looked for."""
        message = work.message
        if work.late or work.last:
            return None
        request = await self._request(message, chosen, adapter)
        if message.manner is Manner.AWAITED:
            wanted = request.awaited is not None
        else:
            wanted = await self._inbox.takes_part(message.conversation, message.sent_at)
        auto = None if wanted else request.auto
        if not (wanted or auto):
            return None
        async with closing(self._responder.respond(request)) as events:
            async for event in events:
                if not isinstance(event, Answer):
                    continue
                silent = event.outcome is Outcome.SILENT
                if silent or auto is None or await self._inbox.spend(message.key, auto.place, auto.per_hour):
                    return event
        return None

    async def _saved(self, work: Work, answer: Answer, receipt: _Receipt) -> Answer:
        """The answer as it was saved; in the place of one to a question that is gone, what ends a visible reply."""
        answer = with_apology(answer) if work.late else answer
        try:
            await self._inbox.answered(work.message.key, answer)
        except Withdrawn as withdrawn:
            if withdrawn.changed or not receipt.begun:
                raise
            return apology(work, wording.WITHDRAWN).model_copy(update={"question": ""})
        return answer

    async def _give_up(self, work: Work, receipt: _Receipt, error: Exception) -> None:
        """Close the message for good. Where a saved answer could not be shown, a plain apology may still be."""
        key = work.message.key
        adapter = self._adapters[work.message.conversation.platform]
        sorry = apology(work)
        if work.answer and not receipt.reference and not work.message.manner.unannounced:
            try:
                async with asyncio.timeout(APOLOGY_SECONDS):
                    await adapter.deliver(work.model_copy(update={"answer": sorry}), only(sorry), receipt)
            except Exception as again:
                log.warning("apology_failed", key=key, exc_info=again)
        reason = str(error) if isinstance(error, CitewellError) else type(error).__name__
        log.error("question_given_up", key=key, incident=sorry.incident, reason=reason, attempts=work.attempt)
        await self._inbox.failed(key, reason)


class _Receipt:
    def __init__(self, inbox: Inbox, work: Work) -> None:
        self._inbox = inbox
        self._key = work.message.key
        self.reference = work.reference
        self.begun = bool(work.reference)
        """Something may be visible."""

    async def posting(self) -> None:
        await self._inbox.posting(self._key)
        self.begun = True

    async def posted(self, reference: str) -> None:
        self.reference, self.begun = reference, True
        await self._inbox.posted(self._key, reference)
