"""The walk from a question to its answer: the only module that knows the order of the stages.

recall -> plan -> retrieve -> draft, each sentence checked as it completes -> number -> compose -> record.
Nothing unchecked is ever yielded, and nothing yielded is ever taken back.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from pipeline.check.model import NOT_READ
from pipeline.compose.changes import changes
from pipeline.compose.cite import Numbering, Stale, never
from pipeline.compose.compose import Drafted, compose, failed, without_search
from pipeline.drafting.depth import deepened
from pipeline.drafting.drafts import SPENT, WROTE, write
from pipeline.drafting.nearest import SHOWN, beside
from pipeline.drafting.task import Model, Stopwatch, Task
from pipeline.errors import CitewellError
from pipeline.find.near_copies import further
from pipeline.find.retrieve import changed
from pipeline.find.thread import ThreadReader
from pipeline.plan.smalltalk import greeted
from pipeline.ports import AnswerStream, HistoryStore, Links, Look, Passages, Planner, Retriever, streaming
from pipeline.read import asked
from pipeline.read.evidence import gather
from pipeline.translations import Words
from pipeline.unasked import unless_idle
from pipeline.values import (
    Answer,
    Audience,
    BlockKind,
    Brief,
    Conversation,
    ConversationId,
    Event,
    Format,
    Found,
    Options,
    Parsed,
    Progress,
    Request,
    Retrieval,
    RetrievedChunk,
    Search,
    Stage,
    Style,
    Turn,
    Usage,
    Written,
    replace,
)
from pipeline.words import wording
from pipeline.words.language import shared, speaking, told
from pipeline.write.extract import completed

NOBODY = ConversationId(platform="", space="", channel="")


@dataclass
class _Allowance:
    """Whether a model may be asked, and what it has used; None as long as nobody knows."""

    granted: bool
    spent: int | None = None


@dataclass(frozen=True, kw_only=True)
class Responder:
    """Answers requests. One instance serves any number of them at once."""

    planner: Planner
    retriever: Retriever
    model: Model | None
    history: HistoryStore
    options: Options
    report: Callable[[str, Exception], None]
    """Takes the incident id and the error of what nobody foresaw."""
    warn: Callable[[str, str], None]
    """Is told why the model's draft was not used (`model_not_used`), and what did not work in the search
    (`search_degraded`)."""
    library: Passages | None = None
    """Has the other parts of a list that was cut into chunks; without it such a list is said in part."""
    links: Callable[[], Awaitable[Links]] | None = None
    """Where passages are opened, as of now; without it, only documents with an address of their own are."""
    stale: Stale = never
    """Which documents are older than what their source says holds, as of now."""

    def respond(self, request: Request) -> AnswerStream:
        """One answer, always, whatever goes wrong.

        To what nobody asked, that alone; SILENT where nothing is to be said."""
        stream = self._answered(request)
        return unless_idle(request, stream) if request.unasked else stream

    @streaming
    async def _answered(self, request: Request) -> AsyncGenerator[Event, None]:
        answer_id = secrets.token_hex(8)
        walker = self._over(request.thread) if request.thread else self
        try:
            async with walker._walk(request, answer_id) as stream:  # noqa: SLF001 one of ours
                async for event in stream:
                    yield event
                yield await stream.answer()
        except Exception as error:  # noqa: BLE001 - the one place where the unforeseen becomes an answer
            incident = secrets.token_hex(4)
            self.report(incident, error)
            yield failed(answer_id, request.text, incident, _words(request))

    def _over(self, thread: Parsed) -> Responder:
        """The same with a thread in the place of the documents. What an answer of theirs has to rest on is not asked of
        a summary."""
        reader = ThreadReader(thread)
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

    @streaming
    async def _walk(self, request: Request, answer_id: str) -> AsyncGenerator[Event, None]:
        watch = Stopwatch()
        yield Progress(stage=Stage.PLANNING)
        conversation = await self._recall(request)
        words = _words(request, conversation.turns)
        async with self._allowed(request) as allowance:
            model = self.model if allowance.granted and not request.extract else None
            with watch.stage("plan"):
                planner = (model and model.planner) or self.planner
                plan = await planner.plan(request.text, conversation, request.audience, words)
            allowance.spent = plan.tokens if isinstance(plan, Search) else 0
            if not isinstance(plan, Search):
                usage = Usage(writer="none", milliseconds=watch.read())
                yield without_search(answer_id, request.text, plan, usage, words)
                return
            yield Progress(stage=Stage.SEARCHING)
            if answer := await self._changes(request, plan, answer_id, words, watch):
                await self._record(request, answer)
                yield answer
                return
            with watch.stage("retrieve"):
                retrieval = await self.retriever.retrieve(plan, request.audience)
            words = _words(request, conversation.turns, retrieval.nearest)
            plan, above = retrieval.understood(plan), wording.understood(retrieval.corrections, words)
            above = _introduced(request.thread, words) if request.thread else above
            passages = retrieval.passages or (retrieval.nearest if request.always else ())
            brief = self._brief(request, plan)
            with watch.stage("read"):
                evidence = gather(asked.read(brief.question, brief.topic, plan.thread), passages or retrieval.nearest)
                made = None
                if self.library and passages:
                    evidence, made = await completed(brief, evidence, self.library)
            numbering = await self._numbering(evidence.passages)
            drafted = Drafted()
            if passages:
                yield Progress(stage=Stage.WRITING)
                deeper = await deepened(evidence, further(retrieval), self.library) if model else ()
                task = Task(
                    brief,
                    evidence,
                    conversation.turns,
                    self.options.limits,
                    grounded=self.options.require_grounding,
                    always=request.always,
                    watch=watch,
                    words=words,
                    further=deeper,
                    look=self._look(request.audience) if model and not request.thread else None,
                    retells=request.thread is not None,
                    made=made,
                )
                if model:
                    allowance.spent = None
                spent = self.model and not request.extract and not allowance.granted
                forgone = SPENT if spent else None
                async with aclosing(write(task, model, forgone)) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, Drafted):
                            drafted = piece
                            evidence = task.cited(drafted.checked)
                        elif isinstance(piece, Found):
                            task = task.finding(piece.passages)
                            numbering.knows(piece.passages)
                        else:
                            preface = piece.preface if numbering.sentences else _joined(above, piece.preface)
                            cited = numbering.cite(piece.sentence, piece.judgement)
                            yield Written(sentence=cited, preface=preface)
                allowance.spent = None if drafted.tokens is None else plan.tokens + drafted.tokens
        few = not numbering.sentences and len(passages) < SHOWN
        with watch.stage("compose"):
            answer = compose(
                answer_id,
                request.text,
                brief,
                drafted,
                numbering,
                beside(evidence.joined(retrieval.nearest) if few else evidence, numbering, drafted, words),
                evidence,
                style=request.citation_style or self.options.citation_style,
                flags=(*drafted.flags, *_flags(evidence.passages if passages else ())),
                words=words,
            )
        answer = self._accounted(answer, plan, retrieval, above, drafted, watch)
        if request.thread:
            answer = replace(answer, of_thread=True, standalone="", topic=request.thread.document.title)
        await self._record(request, answer)
        yield answer

    async def _changes(
        self, request: Request, plan: Search, answer_id: str, words: Words, watch: Stopwatch
    ) -> Answer | None:
        """The documents since a day, where that is asked."""
        if not (plan.since and self.library):
            return None
        with watch.stage("retrieve"):
            found = await changed(plan, request.audience, self.library, self.retriever)
        if not found:
            return None
        numbering = await self._numbering(found.passages)
        style = request.citation_style or self.options.citation_style
        answer = changes(answer_id, request.text, plan, found, numbering, style=style, words=words)
        return replace(answer, usage=Usage(milliseconds=watch.read()))

    def _accounted(
        self, answer: Answer, plan: Search, retrieval: Retrieval, above: str, drafted: Drafted, watch: Stopwatch
    ) -> Answer:
        """`answer` with what it cost and what did not work on the way; the operator is told that too."""
        degraded = ", ".join(retrieval.degraded)
        for event, reason in (("search_degraded", degraded), ("model_not_used", drafted.failure)):
            if reason:
                self.warn(event, reason)
        usage = answer.usage
        unread = NOT_READ if any(one.judgement.reason == NOT_READ for one in drafted.checked) else ""
        notes = (
            ("model_failed", drafted.failure),
            ("judge_failed", unread),
            ("search_degraded", degraded),
            ("reader_left_out", retrieval.unread),
        )
        return replace(
            answer,
            usage=replace(
                usage,
                milliseconds=watch.read(),
                input_tokens=usage.input_tokens + plan.tokens,
                notes=tuple(f"{what}: {why}" for what, why in notes if why),
                hindered=bool(degraded or unread or (drafted.failure and drafted.failure not in WROTE)),
            ),
            preface=_joined(above, answer.preface),
            corrections=retrieval.corrections,
            standalone=plan.said or plan.question,
            topic=plan.topic,
        )

    @asynccontextmanager
    async def _allowed(self, request: Request) -> AsyncIterator[_Allowance]:
        """Tokens for all that the model may be asked, if the day's are not spent; at the end what was used is counted.

        What nobody can count stays set aside."""
        space = request.conversation.space if request.conversation else ""
        budget = self.model and not request.extract and self.model.budget
        reservation = await budget.reserve(request.author, space) if budget else None
        allowance = _Allowance(granted=reservation is not None)
        try:
            yield allowance
        finally:
            if budget and reservation and allowance.spent is not None:
                with self._reported():
                    await budget.settle(reservation, allowance.spent)

    def _look(self, audience: Audience) -> Look:
        async def look(text: str) -> Sequence[RetrievedChunk]:
            found = await self.retriever.retrieve(Search(question=text), audience)
            return (*found.passages, *further(found))

        return look

    def _brief(self, request: Request, plan: Search) -> Brief:
        style = request.style or self.options.style
        return Brief(
            question=plan.question,
            queries=plan.queries,
            sides=plan.sides,
            topic=plan.topic,
            everything=plan.everything or request.everything,
            intent=plan.intent,
            format=request.format or (Format.BULLETS if style is Style.BULLET else plan.format),
            style=style,
            language=request.language,
            max_length=self.options.max_length,
        )

    async def _numbering(self, passages: Sequence[RetrievedChunk]) -> Numbering:
        return Numbering(passages, addresses=await self.links() if self.links else None, stale=self.stale)

    async def _recall(self, request: Request) -> Conversation:
        if request.conversation is None:
            return Conversation(id=NOBODY, turns=request.turns, around=request.around)
        recalled = await self.history.recall(request.conversation, self.options.history_turns)
        turns = await self._seen(recalled.turns, request.audience)
        return replace(recalled, around=request.around, turns=turns)

    async def _seen(self, turns: Sequence[Turn], audience: Audience) -> tuple[Turn, ...]:
        """`turns`, of those that rest on what `audience` may not see by now the question alone."""
        cited = [chunk for turn in turns for chunk in turn.chunk_ids]
        if not cited or self.library is None:
            return tuple(turns)
        there = await self.library.chunks(cited)
        seen = {chunk.id for chunk, document in there if document.collection in audience.collections}
        return tuple(turn if seen.issuperset(turn.chunk_ids) else turn.untold for turn in turns)

    async def _record(self, request: Request, answer: Answer) -> None:
        turn = answer.turn(request.author, datetime.now(UTC))
        if request.conversation and request.records and turn:
            with self._reported():
                await self.history.record(request.conversation, turn)

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """A store that fails behind an answer takes nothing back."""
        try:
            yield
        except CitewellError as error:
            self.report(secrets.token_hex(4), error)


def _words(request: Request, turns: Sequence[Turn] = (), found: Sequence[RetrievedChunk] = ()) -> Words:
    """A follow-up of few words is in the language of what was asked before, `tl;dr` in that of the thread; other few
    words in that of what was `found` for them."""
    before = [turn.question for turn in reversed(turns)] + ([request.thread.document.title] if request.thread else [])
    heard = [greeted(request.text), *map(told, (request.text, *before))]
    if not (request.language or any(heard)):
        texts = [one.chunk.text for one in found[:SHOWN]]
        heard.append(shared(request.text, texts, least=1 if request.locale else 0))
    return speaking(request.language, heard, request.locale)


def _introduced(thread: Parsed, words: Words) -> str:
    """How much was said, and with what it began; nothing where a message holds instructions to an assistant."""
    number = sum(block.kind is not BlockKind.HEADING for block in thread.blocks)
    return "" if thread.document.flagged else words.count(wording.OF_THREAD, number, title=thread.document.title)


def _joined(*lines: str) -> str:
    return "\n\n".join(filter(None, lines))


def _flags(passages: Sequence[RetrievedChunk]) -> tuple[str, ...]:
    """`injection_in_context` when a passage holds instructions addressed to an assistant."""
    return ("injection_in_context",) if any(passage.document.flagged for passage in passages) else ()
