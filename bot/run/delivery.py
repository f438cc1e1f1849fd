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
from bot.run.reply_record import ReplyRecord
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


def make_apology(leased: LeasedMessage, text: TranslatableText | None = None) -> Answer:
    """Return an answer that says `text`; without it, an apology with an incident that the log names."""
    translator = Translator(leased.language)
    incident = "" if text else secrets.token_hex(4)
    return failed_answer(
        secrets.token_hex(8), leased.message.text, incident, translator, text=translator(text) if text else ""
    )


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
        make_request: Callable[[IncomingMessage, AnswerSettings, PlatformAdapter], Awaitable[AnswerRequest]],
        choose_settings: Callable[[IncomingMessage], Awaitable[AnswerSettings]],
        *,
        at_a_time: int,
        expire_late: bool,
        live: LiveSearch | None,
        on_quota_spent: Callable[[PlaceId], Awaitable[None]],
        visible_answer: VisibleAnswer,
        grace_seconds: float,
        retry_seconds: float,
    ) -> None:
        self._inbox = inbox
        self._on_quota_spent = on_quota_spent
        self._visible_answer = visible_answer
        self._responder = responder
        self._adapters = adapters
        self._make_request = make_request
        self._choose_settings = choose_settings
        self._answering = asyncio.Semaphore(at_a_time)
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

    async def _show(self, post: PostInProgress[LeasedMessage]) -> None:
        message, record = post.item.message, ReplyRecord(self._inbox, post)
        settings = await self._choose_settings_for(post)
        if post.item.answer and not post.item.crashed_last_attempt:
            post.item = replace(post.item, answer=await self._recheck_visibility(post.item, post.item.answer, settings))
        nobody_asks = message.manner.is_background and (not post.item.answer or post.item.crashed_last_attempt)
        if nobody_asks and not await self._answer_unprompted(record, settings):
            return
        late = post.item.is_late and self._expire_late and not post.item.answer
        record.may_close = not late
        stream = (
            stream_single_answer(make_apology(post.item, wording.QUESTION_EXPIRED))
            if late
            else self._answer(record, settings)
        )
        try:
            async with stream:
                await self._adapter(post.item).post(ReplyStream(post.item, stream), record)
        finally:
            await record.flush()
        if not record.is_closed:
            await (self._inbox.mark_expired(message.key) if late else self._inbox.mark_done(message.key))

    async def _choose_settings_for(self, post: PostInProgress[LeasedMessage]) -> AnswerSettings:
        """Return the settings for a message, and set the language of the bot's own words."""
        message = post.item.message
        settings = await self._choose_settings(message)
        translator = language.choose_words(
            settings.language, (language.detect_supported_language(message.text),), message.locale
        )
        post.item = replace(
            post.item,
            language=translator.language,
            is_late=post.item.is_late and message.manner is not MessageTrigger.AWAITED,
        )
        return settings

    async def _answer_unprompted(self, record: ReplyRecord, settings: AnswerSettings) -> bool:
        """Compute an answer that nobody waits for. Return True if it is to be posted; it is then in the item, and
        saved with the intent. Else close the message."""
        post, leased = record.post, record.post.item
        if leased.last and leased.message.manner is MessageTrigger.AWAITED:
            log.error("delivery_given_up", key=leased.key, reason=ATTEMPTS_EXHAUSTED, attempts=leased.attempt)
            await self._inbox.mark_failed(leased.key, ATTEMPTS_EXHAUSTED)
            return False
        answer = await self._find_unprompted_answer(leased, settings)
        if answer is None or answer.outcome is AnswerOutcome.SILENT:
            await self._inbox.mark_ignored(leased.key, again=answer is None or answer.usage.hindered)
            return False
        if answer.alone:  # nobody can look for it after a crash: it is closed first
            await self._inbox.mark_ignored(leased.key, told=True)
            adapter = self._adapter(leased)
            if isinstance(adapter, SupportsEphemeral):
                await adapter.post_ephemeral(leased.message, answer)
            return False
        post.item = replace(post.item, answer=await self._save(record, answer))
        return True

    @answer_stream
    async def _answer(self, record: ReplyRecord, settings: AnswerSettings) -> AsyncGenerator[AnswerEvent, None]:
        """Yield the saved answer, if its readers may still see all of it, else a new one, which the record saves
        before it is shown."""
        leased = record.post.item
        if leased.answer and not leased.crashed_last_attempt:
            yield leased.answer
            return
        if leased.last:
            apology = make_apology(leased)
            log.error("question_not_answered", key=leased.key, incident=apology.incident, attempts=leased.attempt)
            yield apology
            return
        if (order := await self._answer_mute_command(leased)) is not None:
            yield await self._save(record, order)
            return
        adapter = self._adapter(leased)
        request = await self._make_request(leased.message, settings, adapter)
        direct = self._responder.respond(request)
        searched = self._live.with_fallback(direct, request, leased.message, adapter) if self._live else direct
        async with self._answering, searched as stream:
            async for event in stream:
                yield event
            button = wording.handoff_button_label(request.ask, Translator(leased.language))
            yield await self._save(record, (await stream.answer()).with_handoff_button(button))

    async def _recheck_visibility(
        self, leased: LeasedMessage, answer: Answer, settings: AnswerSettings
    ) -> Answer | None:
        """Return a saved answer, which may have waited for hours, as its readers may see it now; None if they
        may not."""
        if answer.of_thread or not answer.document_ids:
            return answer
        request = await self._make_request(leased.message, settings, self._adapter(leased))
        visible = await self._visible_answer(answer.id, request.audience)
        return visible and (answer if visible.corrections else answer.without_corrections())

    async def _answer_mute_command(self, leased: LeasedMessage) -> Answer | None:
        """Return the reply to a message that only silences the bot or calls it back; None for any other."""
        message = leased.message
        away = (
            parse_mute_command(message.text)
            if message.manner in (MessageTrigger.MENTION, MessageTrigger.THREAD)
            else None
        )
        if away is None:
            return None
        if away:
            await self._inbox.mute(message.conversation)
        translator = Translator(leased.language)
        text = translator(wording.SILENCED if away else wording.UNSILENCED)
        return bot_answer(secrets.token_hex(8), message.text, text, translator)

    async def _find_unprompted_answer(self, leased: LeasedMessage, settings: AnswerSettings) -> Answer | None:
        """Return an answer that nobody waits for, computed without a typing indicator; None if it was not computed."""
        message = leased.message
        if leased.is_late or leased.last:
            return None
        request = await self._make_request(message, settings, self._adapter(leased))
        if message.manner is MessageTrigger.AWAITED:
            is_wanted = request.known_chunk_ids is not None
        else:
            is_wanted = await self._inbox.is_participant(message.conversation, message.sent_at)
        auto = None if is_wanted else request.auto
        if not (is_wanted or auto):
            return None
        answer = await self._responder.respond(request).answer()
        silent = answer.outcome is AnswerOutcome.SILENT
        if silent or auto is None or await self._inbox.consume_auto_quota(message.key, auto.place, auto.per_hour):
            return answer
        log.warning("auto_per_hour_reached", place=str(auto.place), per_hour=auto.per_hour)
        await self._on_quota_spent(auto.place)
        return None

    async def _save(self, record: ReplyRecord, answer: Answer) -> Answer:
        """Hand the answer to the record, and return it; for a question that is gone, return the note that ends a
        visible reply."""
        post = record.post
        answer = with_apology(answer) if post.item.is_late else answer
        try:
            await record.save(answer.without_live_content(Translator(answer.language)(wording.LIVE_RESULTS_NOT_SAVED)))
        except QuestionWithdrawn as withdrawn:
            if withdrawn.changed or not post.may_be_visible:
                raise
            return replace(make_apology(post.item, wording.QUESTION_ERASED), question="")
        return answer

    async def _apologise(self, post: PostInProgress[LeasedMessage]) -> str:
        """Post a plain apology where a saved answer could not be shown. Return its incident."""
        leased = post.item
        if not leased.answer or leased.reference or leased.message.manner.is_background:
            return ""
        with log_failures(log, "apology_failed", key=leased.key):
            async with asyncio.timeout(APOLOGY_SECONDS):
                await self._choose_settings_for(post)
                apology = make_apology(post.item)
                post.item = replace(post.item, answer=apology)
                await self._adapter(leased).post(ReplyStream(post.item, stream_single_answer(apology)), post)
            return apology.incident
        return ""

    def _adapter(self, leased: LeasedMessage) -> PlatformAdapter:
        return self._adapters[leased.platform]
