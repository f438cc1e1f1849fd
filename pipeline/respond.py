"""The walk from a question to its answer: the only module that knows the order of the stages.

recall -> plan -> retrieve -> draft, each sentence checked as it completes -> number -> compose -> record.
Nothing unchecked is ever yielded, and nothing yielded is ever retracted.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pipeline.auto_answers import suppress_unhelpful
from pipeline.budget import TokenCounter
from pipeline.compose.answer import DraftResult, answer_without_search, compose_answer, failed_answer
from pipeline.compose.changed_documents import compose_changes
from pipeline.compose.citations import CitationRegistry, StalenessCheck, is_never_stale
from pipeline.drafting.draft import BUDGET_SPENT_DRAFT, REJECTED_DRAFT_FAILURES, write_draft
from pipeline.drafting.model_context import extend_context
from pipeline.drafting.nearest_passages import MAX_NEAREST_EXCERPTS, cite_nearest
from pipeline.drafting.task import AnswerModel, DraftTask, Stopwatch
from pipeline.errors import CitewellError
from pipeline.evidence import question_analysis
from pipeline.evidence.gather import Evidence, gather_evidence
from pipeline.find.near_duplicates import remaining_passages
from pipeline.find.retrieve import find_changes
from pipeline.find.thread_retriever import ThreadRetriever
from pipeline.pacing import LoopPacer
from pipeline.plan.smalltalk import greeting_language
from pipeline.ports import (
    AnswerStream,
    ChunkReader,
    HistoryStore,
    PassageLinks,
    Planner,
    Retriever,
    SearchFunction,
    answer_stream,
)
from pipeline.translations import Translator
from pipeline.values import (
    NOT_CHECKED,
    AdditionalPassages,
    Answer,
    AnswerEvent,
    AnswerFormat,
    AnswerOptions,
    AnswerRequest,
    AnswerStage,
    AnswerStyle,
    Audience,
    BlockKind,
    Conversation,
    ConversationId,
    ParsedDocument,
    ProgressEvent,
    Retrieval,
    RetrievedChunk,
    SearchPlan,
    SentenceEvent,
    Turn,
    Usage,
    WritingBrief,
    replace,
)
from pipeline.values.documents import exclude_known
from pipeline.words import wording
from pipeline.words.language import choose_words, detect_supported_language, infer_question_language
from pipeline.write.draft_failures import MODEL_TOO_SLOW
from pipeline.write.extractive import complete_lists

EMPTY_CONVERSATION_ID = ConversationId(platform="", space="", channel="")


@dataclass(frozen=True)
class _Allowance:
    """Permission to ask a model, and the count of the tokens that it uses."""

    granted: bool
    counter: TokenCounter = field(default_factory=TokenCounter)


@dataclass(frozen=True, kw_only=True)
class Responder:
    """Answers requests. One instance serves any number of them at once."""

    planner: Planner
    retriever: Retriever
    model: AnswerModel | None
    history: HistoryStore
    options: AnswerOptions
    report: Callable[[str, Exception], None]
    """Takes the incident id and an unforeseen error."""
    warn: Callable[[str, str], None]
    """Takes an event and its reason: the model's draft was not used (`model_not_used`), a stage of the search did not
    work (`search_degraded`)."""
    library: ChunkReader | None = None
    """Reads the other parts of a list that was cut into chunks; without it such a list is shown in part."""
    links: Callable[[], Awaitable[PassageLinks]] | None = None
    """Makes links to passages; without it, only documents with an address of their own have links."""
    is_stale: StalenessCheck = is_never_stale
    """Tells which documents are older than their source's `stale_after`."""
    pacer: LoopPacer = field(default_factory=LoopPacer)

    def respond(self, request: AnswerRequest) -> AnswerStream:
        """Return the stream of one answer, which never fails.

        For an unprompted request it yields the answer alone, SILENT where nothing is worth posting."""
        stream = self._answer_safely(request)
        return suppress_unhelpful(request, stream) if request.is_unprompted else stream

    @answer_stream
    async def _answer_safely(self, request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        answer_id = secrets.token_hex(8)
        walker = self._for_thread(request.thread) if request.thread else self
        try:
            async with walker._walk(request, answer_id) as stream:  # noqa: SLF001 one of ours
                async for event in stream:
                    yield event
                yield await stream.answer()
        except Exception as error:  # noqa: BLE001 - the one place where the unforeseen becomes an answer
            incident = secrets.token_hex(4)
            self.report(incident, error)
            yield failed_answer(answer_id, request.text, incident, _choose_translator(request))

    def _for_thread(self, thread: ParsedDocument) -> Responder:
        """Return a responder over a thread in place of the documents. The operator's minimum of sources and citations
        does not hold for a summary."""
        reader = ThreadRetriever(thread)
        limits = replace(self.options.limits, minimum_sources=1, minimum_citations=1)
        return replace(
            self,
            planner=reader,
            retriever=reader,
            model=self.model and replace(self.model, planner=None),
            options=replace(self.options, limits=limits),
            library=None,
            links=None,
        )

    @answer_stream
    async def _walk(self, request: AnswerRequest, answer_id: str) -> AsyncGenerator[AnswerEvent, None]:
        stopwatch = Stopwatch()
        yield ProgressEvent(stage=AnswerStage.PLANNING)
        conversation = await self._recall(request)
        translator = _choose_translator(request, conversation.turns)
        async with self._reserve_tokens(request) as allowance:
            model = self.model if allowance.granted and not request.extract else None
            with stopwatch.stage("plan"):
                planner = (model and model.planner) or self.planner
                plan = await planner.plan(request.text, conversation, request.audience, translator)
            if not isinstance(plan, SearchPlan):
                usage = Usage(writer="none", milliseconds=stopwatch.timings())
                yield answer_without_search(answer_id, request.text, plan, usage, translator)
                return
            allowance.counter.tokens += plan.tokens
            yield ProgressEvent(stage=AnswerStage.SEARCHING)
            if answer := await self._answer_changes(request, plan, answer_id, translator, stopwatch):
                await self._record(request, answer)
                yield answer
                return
            with stopwatch.stage("retrieve"):
                retrieval = await self.retriever.retrieve(plan, request.audience)
            translator = _choose_translator(request, conversation.turns, retrieval.nearest)
            plan = retrieval.corrected_search(plan)
            introduction = (
                _thread_introduction(request.thread, translator)
                if request.thread
                else wording.corrections_line(retrieval.corrections, translator)
            )
            passages = retrieval.passages or (retrieval.nearest if request.force_extract else ())
            brief = self._build_brief(request, plan)
            await self.pacer.turn()
            with stopwatch.stage("read"):
                evidence = gather_evidence(
                    question_analysis.analyze_question(brief.question, brief.topic, plan.thread),
                    passages or retrieval.nearest,
                )
                extract = None
                if self.library and passages:
                    evidence, extract = await complete_lists(brief, evidence, self.library)
            numbering = await self._create_registry(evidence.passages)
            drafted = DraftResult()
            await self.pacer.turn()
            if passages:
                yield ProgressEvent(stage=AnswerStage.WRITING)
                deeper = await self._extra_passages(request, evidence, retrieval, model) if model else ()
                task = DraftTask(
                    brief,
                    evidence,
                    conversation.turns,
                    self.options.limits,
                    grounded=self.options.require_grounding,
                    always_show_extract=request.force_extract,
                    stopwatch=stopwatch,
                    counter=allowance.counter,
                    translator=translator,
                    extra_passages=deeper,
                    search=self._search_function(request.audience) if model and not request.thread else None,
                    is_summary=request.thread is not None,
                    prepared_extract=extract,
                )
                is_spent = self.model and not request.extract and not allowance.granted
                failed_draft = BUDGET_SPENT_DRAFT if is_spent else None
                async with aclosing(write_draft(task, model, failed_draft)) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, DraftResult):
                            drafted = piece
                            evidence = task.cited_evidence(drafted.checked)
                        elif isinstance(piece, AdditionalPassages):
                            task = task.with_passages(piece.passages)
                            numbering.add_passages(piece.passages)
                        elif isinstance(piece, ProgressEvent):
                            yield piece
                        else:
                            preface = piece.preface if numbering.sentences else _join_lines(introduction, piece.preface)
                            cited = numbering.cite(piece.sentence, piece.judgement)
                            yield SentenceEvent(sentence=cited, preface=preface)
        await self.pacer.turn()
        is_short = not numbering.sentences and len(passages) < MAX_NEAREST_EXCERPTS
        with stopwatch.stage("compose"):
            answer = compose_answer(
                answer_id,
                request.text,
                brief,
                drafted,
                numbering,
                cite_nearest(
                    evidence.with_passages(retrieval.nearest) if is_short else evidence, numbering, drafted, translator
                ),
                evidence,
                style=request.citation_style or self.options.citation_style,
                flags=(*drafted.flags, *_injection_flags(evidence.passages if passages else ())),
                translator=translator,
            )
        answer = self._add_usage(answer, plan, retrieval, introduction, drafted, stopwatch)
        if request.thread:
            answer = replace(answer, of_thread=True, standalone="", topic=request.thread.document.title)
        await self._record(request, answer)
        yield answer

    async def _answer_changes(
        self, request: AnswerRequest, plan: SearchPlan, answer_id: str, translator: Translator, stopwatch: Stopwatch
    ) -> Answer | None:
        """Return an answer that lists the changed documents, where the plan asks for them."""
        if not (plan.since and self.library):
            return None
        with stopwatch.stage("retrieve"):
            changes = await find_changes(plan, request.audience, self.library, self.retriever)
        if not changes:
            return None
        numbering = await self._create_registry(changes.passages)
        style = request.citation_style or self.options.citation_style
        answer = compose_changes(answer_id, request.text, plan, changes, numbering, style=style, translator=translator)
        return replace(answer, usage=Usage(milliseconds=stopwatch.timings()))

    def _add_usage(
        self,
        answer: Answer,
        plan: SearchPlan,
        retrieval: Retrieval,
        introduction: str,
        drafted: DraftResult,
        stopwatch: Stopwatch,
    ) -> Answer:
        """Add cost and failures to `answer`, and report the failures to the operator."""
        degraded = ", ".join(retrieval.degraded)
        for event, reason in (("search_degraded", degraded), ("model_not_used", drafted.failure)):
            if reason not in ("", MODEL_TOO_SLOW):  # the writer reports that once
                self.warn(event, reason)
        usage = answer.usage
        unread = NOT_CHECKED if any(sentence.judgement.is_unchecked for sentence in drafted.checked) else ""
        notes = (
            ("model_failed", drafted.failure),
            ("judge_failed", unread),
            ("search_degraded", degraded),
            ("reader_left_out", retrieval.scorer_skipped),
        )
        return replace(
            answer,
            usage=replace(
                usage,
                milliseconds=stopwatch.timings(),
                input_tokens=usage.input_tokens + plan.tokens,
                notes=tuple(f"{event}: {reason}" for event, reason in notes if reason),
                hindered=bool(
                    degraded or unread or (drafted.failure and drafted.failure not in REJECTED_DRAFT_FAILURES)
                ),
            ),
            preface=_join_lines(introduction, answer.preface),
            corrections=retrieval.corrections,
            standalone=plan.user_wording or plan.question,
            topic=plan.topic,
        )

    @asynccontextmanager
    async def _reserve_tokens(self, request: AnswerRequest) -> AsyncIterator[_Allowance]:
        """Reserve tokens for all calls of the model, if the day's limit allows; at the end, count what they did cost
        instead, whether the answer is whole, failed, or was not waited for."""
        space = request.conversation.space if request.conversation else ""
        budget = self.model and not request.extract and self.model.budget
        reservation = await budget.reserve(request.author, space) if budget else None
        allowance = _Allowance(granted=reservation is not None)
        try:
            yield allowance
        finally:
            if budget and reservation:
                with self._report_errors():
                    await budget.settle(reservation, allowance.counter.tokens)

    def _search_function(self, audience: Audience) -> SearchFunction:
        async def search(text: str) -> Sequence[RetrievedChunk]:
            retrieval = await self.retriever.retrieve(SearchPlan(question=text), audience)
            return (*retrieval.passages, *remaining_passages(retrieval))

        return search

    def _build_brief(self, request: AnswerRequest, plan: SearchPlan) -> WritingBrief:
        style = request.style or self.options.style
        return WritingBrief(
            question=plan.question,
            queries=plan.queries,
            sides=plan.sides,
            topic=plan.topic,
            wants_all=plan.wants_all or request.wants_all,
            intent=plan.intent,
            format=request.format or (AnswerFormat.BULLETS if style is AnswerStyle.BULLET else plan.format),
            style=style,
            language=request.language,
            max_length=self.options.max_length,
            conversation=_conversation_key(request),
        )

    async def _extra_passages(
        self, request: AnswerRequest, evidence: Evidence, retrieval: Retrieval, model: AnswerModel
    ) -> Sequence[RetrievedChunk]:
        """Return what a model may read besides the evidence, with the passages of the conversation's last prompt that
        the asker may still see."""
        deeper = await extend_context(evidence, remaining_passages(retrieval), self.library)
        kept = model.writer.kept_chunks(_conversation_key(request)) if self.library and not request.thread else ()
        if not (kept and self.library):
            return deeper
        readable = [
            RetrievedChunk(chunk=chunk, document=document, score=0.0)
            for chunk, document in await self.library.get_chunks(kept)
            if document.collection in request.audience.collections
        ]
        return (*deeper, *exclude_known(readable, (*evidence.passages, *deeper)))

    async def _create_registry(self, passages: Sequence[RetrievedChunk]) -> CitationRegistry:
        return CitationRegistry(passages, addresses=await self.links() if self.links else None, stale=self.is_stale)

    async def _recall(self, request: AnswerRequest) -> Conversation:
        if request.conversation is None:
            return Conversation(id=EMPTY_CONVERSATION_ID, turns=request.turns, around=request.around)
        recalled = await self.history.recall(request.conversation, self.options.history_turns)
        turns = await self._hide_unreadable(recalled.turns, request.audience)
        return replace(recalled, around=request.around, turns=turns)

    async def _hide_unreadable(self, turns: Sequence[Turn], audience: Audience) -> tuple[Turn, ...]:
        """Reduce turns that rest on chunks which `audience` may not see any more to their question."""
        cited = [chunk for turn in turns for chunk in turn.chunk_ids]
        if not cited or self.library is None:
            return tuple(turns)
        chunks = await self.library.get_chunks(cited)
        visible_ids = {chunk.id for chunk, document in chunks if document.collection in audience.collections}
        return tuple(turn if visible_ids.issuperset(turn.chunk_ids) else turn.question_only for turn in turns)

    async def _record(self, request: AnswerRequest, answer: Answer) -> None:
        turn = answer.to_turn(request.author, datetime.now(UTC))
        if request.conversation and request.save_turn and turn:
            with self._report_errors():
                await self.history.record(request.conversation, turn)

    @contextmanager
    def _report_errors(self) -> Iterator[None]:
        """Report errors of a store behind an answer, which stays as it is."""
        try:
            yield
        except CitewellError as error:
            self.report(secrets.token_hex(4), error)


def _conversation_key(request: AnswerRequest) -> str:
    return str(request.conversation) if request.conversation else ""


def _choose_translator(
    request: AnswerRequest, turns: Sequence[Turn] = (), passages: Sequence[RetrievedChunk] = ()
) -> Translator:
    """Choose the language of our own texts.

    A follow-up of few words is in the language of the earlier questions, `tl;dr` in that of the thread; other few words
    are in that of the `passages` found for them."""
    earlier = [turn.question for turn in reversed(turns)] + ([request.thread.document.title] if request.thread else [])
    languages = [greeting_language(request.text), *map(detect_supported_language, (request.text, *earlier))]
    if not (request.language or any(languages)):
        texts = [passage.chunk.text for passage in passages[:MAX_NEAREST_EXCERPTS]]
        languages.append(infer_question_language(request.text, texts, minimum=1 if request.locale else 0))
    return choose_words(request.language, languages, request.locale)


def _thread_introduction(thread: ParsedDocument, translator: Translator) -> str:
    """Return how many messages the thread has, and its title; empty where a message holds instructions to an
    assistant."""
    number = sum(block.kind is not BlockKind.HEADING for block in thread.blocks)
    return (
        ""
        if thread.document.flagged
        else translator.pluralize(wording.THREAD_LENGTH, number, title=thread.document.title)
    )


def _join_lines(*lines: str) -> str:
    return "\n\n".join(filter(None, lines))


def _injection_flags(passages: Sequence[RetrievedChunk]) -> tuple[str, ...]:
    """Return `injection_in_context` when a passage holds instructions addressed to an assistant."""
    return ("injection_in_context",) if any(passage.document.flagged for passage in passages) else ()
