"""Delivery: one leased message, from its answer to the posted reply, with apologies in place of an answer or above a
late one."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Protocol

import structlog

from bot.log import log_failures
from bot.run.live_search import LiveSearch
from bot.run.posting import Poster, PostInProgress
from pipeline.auto_answers import parse_mute_command
from pipeline.compose.answer import bot_answer, failed_answer
from pipeline.errors import QuestionWithdrawn
from pipeline.ports import AnswerStream, Inbox, PlatformAdapter, ReplyStream, SupportsEphemeral, answer_stream
from pipeline.rules.tenancy import workspace_scope
from pipeline.translations import TranslatableText, Translator
from pipeline.values import (
    Answer,
    AnswerEvent,
    AnswerOutcome,
    AnswerRequest,
    AnswerSettings,
    Audience,
    IncomingMessage,
    LeasedMessage,
    MessageTrigger,
    PlaceId,
    replace,
)
from pipeline.words import language, wording


class Answerer(Protocol):
    """`pipeline.respond.Responder`, and wrappers that observe it."""

    def respond(self, request: AnswerRequest) -> AnswerStream: ...


def make_apology(work: LeasedMessage, said: TranslatableText | None = None) -> Answer:
    """Return an answer that says `text`; without it, an apology with an incident that the log names."""
    words = Translator(work.language)
    incident = "" if said else secrets.token_hex(4)
    return failed_answer(secrets.token_hex(8), work.message.text, incident, words, text=words(said) if said else "")


def with_apology(answer: Answer) -> Answer:
    preface = f"{Translator(answer.language)(wording.LATE_ANSWER)} {answer.preface}".strip()
    return replace(answer, preface=preface)


@answer_stream
async def stream_single_answer(answer: Answer) -> AsyncGenerator[AnswerEvent, None]:
    yield answer


APOLOGY_SECONDS = 30.0
"""Seconds that the apology after the last attempt may take."""
ATTEMPTS_EXHAUSTED = "no attempt came to an end"
VisibleAnswer = Callable[[str, Audience], Awaitable[Answer | None]]
"""Returns the stored answer of that id as an audience may see it now; None if it shows something that they may not."""

log = structlog.get_logger(__name__)


class Delivery:
    """Answers leased messages, any number at once; `at_a_time` of them are computed while the others are posted.

    `expire_late`: late messages get no answer, but a note. `on_quota_spent` is called when a place has used up its
    automatic answers of an hour.
    """

    def __init__(
        self,
        inbox: Inbox,
        responder: Answerer,
        adapters: Mapping[str, PlatformAdapter],
        request: Callable[[IncomingMessage, AnswerSettings, PlatformAdapter], Awaitable[AnswerRequest]],
        chosen: Callable[[IncomingMessage], Awaitable[AnswerSettings]],
        *,
        at_a_time: int,
        expire_late: bool,
        live: LiveSearch | None,
        spent: Callable[[PlaceId], Awaitable[None]],
        shown: VisibleAnswer,
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

    async def deliver(self, work: LeasedMessage) -> None:
        """Answer `work` and close it, or release it. Raises only what the inbox raises.

        Everything read and written meanwhile belongs to its workspace, and every log line names the message.
        """
        with (
            workspace_scope(work.message.conversation.workspace),
            structlog.contextvars.bound_contextvars(key=work.key),
        ):
            await self._poster.deliver(work)

    async def _show(self, way: PostInProgress[LeasedMessage]) -> None:
        message = way.item.message
        chosen = await self._asked(way)
        if way.item.answer and not way.item.crashed_last_attempt:
            way.item = replace(way.item, answer=await self._still_shown(way.item, way.item.answer, chosen))
        nobody_asks = message.manner.is_background and (not way.item.answer or way.item.crashed_last_attempt)
        if nobody_asks and not await self._worth_saying(way, chosen):
            return
        late = way.item.is_late and self._expire_late and not way.item.answer
        stream = (
            stream_single_answer(make_apology(way.item, wording.QUESTION_EXPIRED))
            if late
            else self._answer(way, chosen)
        )
        async with stream:
            await self._adapter(way.item).post(ReplyStream(way.item, stream), way)
        await (self._inbox.mark_expired(message.key) if late else self._inbox.mark_done(message.key))

    async def _asked(self, way: PostInProgress[LeasedMessage]) -> AnswerSettings:
        """Return the settings for a message, and set the language of the bot's own words."""
        message = way.item.message
        chosen = await self._chosen(message)
        words = language.choose_words(
            chosen.language, (language.detect_supported_language(message.text),), message.locale
        )
        way.item = replace(
            way.item, language=words.language, is_late=way.item.is_late and message.manner is not MessageTrigger.AWAITED
        )
        return chosen

    async def _worth_saying(self, way: PostInProgress[LeasedMessage], chosen: AnswerSettings) -> bool:
        """Compute an answer that nobody waits for. Return True if it is to be posted, and then save it; else close the
        message."""
        work = way.item
        if work.last and work.message.manner is MessageTrigger.AWAITED:
            log.error("given_up", key=work.key, reason=ATTEMPTS_EXHAUSTED, attempts=work.attempt)
            await self._inbox.mark_failed(work.key, ATTEMPTS_EXHAUSTED)
            return False
        answer = await self._unasked(work, chosen)
        if answer is None or answer.outcome is AnswerOutcome.SILENT:
            await self._inbox.mark_ignored(work.key, again=answer is None or answer.usage.hindered)
            return False
        if answer.alone:  # nobody can look for it after a crash: it is closed first
            await self._inbox.mark_ignored(work.key, told=True)
            adapter = self._adapter(work)
            if isinstance(adapter, SupportsEphemeral):
                await adapter.post_ephemeral(work.message, answer)
            return False
        way.item = replace(way.item, answer=await self._saved(way, answer))
        return True

    @answer_stream
    async def _answer(
        self, way: PostInProgress[LeasedMessage], chosen: AnswerSettings
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Yield the saved answer, if its readers may still see all of it, else a new one that is saved before it is
        shown."""
        work = way.item
        if work.answer and not work.crashed_last_attempt:
            yield work.answer
            return
        if work.last:
            sorry = make_apology(work)
            log.error("question_not_answered", key=work.key, incident=sorry.incident, attempts=work.attempt)
            yield sorry
            return
        if (order := await self._order(work)) is not None:
            yield await self._saved(way, order)
            return
        adapter = self._adapter(work)
        request = await self._request(work.message, chosen, adapter)
        asked = self._responder.respond(request)
        looked = self._live.with_fallback(asked, request, work.message, adapter) if self._live else asked
        async with self._thinking, looked as stream:
            async for event in stream:
                yield event
            button = wording.handoff_button_label(request.ask, Translator(work.language))
            yield await self._saved(way, (await stream.answer()).with_handoff_button(button))

    async def _still_shown(self, work: LeasedMessage, answer: Answer, chosen: AnswerSettings) -> Answer | None:
        """Return a saved answer, which may have waited for hours, as its readers may see it now; None if they
        may not."""
        if answer.of_thread or not answer.document_ids:
            return answer
        request = await self._request(work.message, chosen, self._adapter(work))
        shown = await self._shown(answer.id, request.audience)
        return shown and (answer if shown.corrections else answer.without_corrections())

    async def _order(self, work: LeasedMessage) -> Answer | None:
        """Return the reply to a message that only silences the bot or calls it back; None for any other."""
        message = work.message
        away = (
            parse_mute_command(message.text)
            if message.manner in (MessageTrigger.MENTION, MessageTrigger.THREAD)
            else None
        )
        if away is None:
            return None
        if away:
            await self._inbox.mute(message.conversation)
        words = Translator(work.language)
        text = words(wording.SILENCED if away else wording.UNSILENCED)
        return bot_answer(secrets.token_hex(8), message.text, text, words)

    async def _unasked(self, work: LeasedMessage, chosen: AnswerSettings) -> Answer | None:
        """Return an answer that nobody waits for, computed without a typing indicator; None if it was not computed."""
        message = work.message
        if work.is_late or work.last:
            return None
        request = await self._request(message, chosen, self._adapter(work))
        if message.manner is MessageTrigger.AWAITED:
            wanted = request.known_chunk_ids is not None
        else:
            wanted = await self._inbox.is_participant(message.conversation, message.sent_at)
        auto = None if wanted else request.auto
        if not (wanted or auto):
            return None
        answer = await self._responder.respond(request).answer()
        silent = answer.outcome is AnswerOutcome.SILENT
        if silent or auto is None or await self._inbox.consume_auto_quota(message.key, auto.place, auto.per_hour):
            return answer
        log.warning("auto_per_hour_reached", place=str(auto.place), per_hour=auto.per_hour)
        await self._spent(auto.place)
        return None

    async def _saved(self, way: PostInProgress[LeasedMessage], answer: Answer) -> Answer:
        """Save the answer and return it; for a question that is gone, return the note that ends a visible reply."""
        answer = with_apology(answer) if way.item.is_late else answer
        try:
            await self._inbox.save_answer(
                way.item.key, answer.without_live_content(Translator(answer.language)(wording.LIVE_RESULTS_NOT_SAVED))
            )
        except QuestionWithdrawn as withdrawn:
            if withdrawn.changed or not way.may_be_visible:
                raise
            return replace(make_apology(way.item, wording.QUESTION_ERASED), question="")
        return answer

    async def _apologise(self, way: PostInProgress[LeasedMessage]) -> str:
        """Post a plain apology where a saved answer could not be shown. Return its incident."""
        work = way.item
        if not work.answer or work.reference or work.message.manner.is_background:
            return ""
        with log_failures(log, "apology_failed", key=work.key):
            async with asyncio.timeout(APOLOGY_SECONDS):
                await self._asked(way)
                sorry = make_apology(way.item)
                way.item = replace(way.item, answer=sorry)
                await self._adapter(work).post(ReplyStream(way.item, stream_single_answer(sorry)), way)
            return sorry.incident
        return ""

    def _adapter(self, work: LeasedMessage) -> PlatformAdapter:
        return self._adapters[work.platform]
