"""The walk from a question to its answer: the only module that knows the order of the stages.

recall -> reserve -> plan -> retrieve -> write, each sentence judged as it completes -> assess -> compose -> record.
Nothing unchecked is ever yielded, and nothing yielded is ever taken back.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from pipeline import wording
from pipeline.compose.compose import Draft, compose, failed, without_search
from pipeline.errors import CitewellError
from pipeline.ports import HistoryStore, Planner, Retriever, Writer
from pipeline.response.budget import Reservation
from pipeline.response.drafting import Drafting
from pipeline.response.manuscript import Manuscript, Stopwatch
from pipeline.response.pen import Pen
from pipeline.response.request import Options, Request
from pipeline.streams import closing
from pipeline.values import (
    Answer,
    Brief,
    Conversation,
    ConversationId,
    Event,
    Format,
    Outcome,
    Progress,
    Retrieval,
    RetrievedChunk,
    Search,
    Stage,
    Style,
    Usage,
    Written,
)

NOBODY = ConversationId(platform="", space="", channel="")


class Responder:
    """Answers requests. One instance serves any number of them at once."""

    def __init__(
        self,
        *,
        planner: Planner,
        retriever: Retriever,
        extractive: Writer,
        pen: Pen | None,
        history: HistoryStore,
        options: Options,
        report: Callable[[str, Exception], None],
        warn: Callable[[str, str], None],
    ) -> None:
        """`report` takes the incident id and the error of what nobody foresaw. `warn` is told why the model's draft was
        not used (`model_not_used`), and what did not work in the search (`search_degraded`)."""
        self._planner = planner
        self._retriever = retriever
        self._extractive = extractive
        self._pen = pen
        self._history = history
        self._options = options
        self._report = report
        self._warn = warn

    async def respond(self, request: Request) -> AsyncIterator[Event]:
        """Yield the events of one answer; the last is the `Answer`, always, whatever goes wrong."""
        answer_id = secrets.token_hex(8)
        try:
            async with closing(self._walk(request, answer_id)) as events:
                async for event in events:
                    yield event
        except Exception as error:  # noqa: BLE001 - the one place where the unforeseen becomes an answer
            incident = secrets.token_hex(4)
            self._report(incident, error)
            yield failed(answer_id, request.text, incident)

    async def _walk(self, request: Request, answer_id: str) -> AsyncIterator[Event]:
        watch = Stopwatch()
        yield Progress(stage=Stage.PLANNING)
        conversation = await self._recall(request)
        reservation = await self._reserve(request)
        helped = self._pen.planner if self._pen and reservation else None
        with watch.stage("plan"):
            plan = await (helped or self._planner).plan(request.text, conversation, request.audience)
        if not isinstance(plan, Search):
            await self._settle(reservation, 0)
            yield without_search(answer_id, request.text, plan, Usage(writer="none", milliseconds=watch.read()))
            return
        yield Progress(stage=Stage.SEARCHING)
        with watch.stage("retrieve"):
            retrieval = await self._retrieve(plan, request, reservation)
        degraded = ", ".join(retrieval.degraded)
        if degraded:
            self._warn("search_degraded", degraded)
        passages = retrieval.passages or (retrieval.nearest if request.always else ())
        asked = " ".join((plan.question, *plan.sides))
        manuscript = Manuscript(
            passages, question=asked, require_grounding=self._options.require_grounding, watch=watch
        )
        draft = Draft(outcome=Outcome.NOT_FOUND, abstain_reason=wording.NO_PASSAGE)
        spent: int | None = 0
        brief = self._brief(request, plan)
        if passages:
            yield Progress(stage=Stage.WRITING)
            drafting = Drafting(brief, passages, conversation.turns, manuscript, self._options.limits, watch)
            async for written in self._draft(drafting, request, reservation):
                yield written
            draft, spent = drafting.draft(), drafting.tokens
        if spent is not None:
            await self._settle(reservation, plan.tokens + spent)
        with watch.stage("compose"):
            draft = draft.model_copy(
                update={
                    "flags": (*plan.flags, *draft.flags, *_flags(passages)),
                    "format": brief.format or Format.PROSE,
                    "style": request.citation_style or self._options.citation_style,
                }
            )
            answer = compose(answer_id, request.text, draft, manuscript.numbering, passages or retrieval.nearest)
        tokens = answer.usage.input_tokens + plan.tokens
        notes = (*answer.usage.notes, *([f"search_degraded: {degraded}"] if degraded else ()))
        usage = {"milliseconds": watch.read(), "input_tokens": tokens, "notes": notes}
        answer = answer.model_copy(update={"usage": answer.usage.model_copy(update=usage), "standalone": plan.question})
        await self._record(request, answer)
        yield answer

    async def _retrieve(self, plan: Search, request: Request, reservation: Reservation | None) -> Retrieval:
        try:
            return await self._retriever.retrieve(plan, request.audience)
        except CitewellError:
            await self._settle(reservation, plan.tokens)
            raise

    async def _reserve(self, request: Request) -> Reservation | None:
        """Tokens for all that the model may be asked; None when there is no model or the day's are spent."""
        space = request.conversation.space if request.conversation else ""
        return await self._pen.budget.reserve(request.author, space) if self._pen else None

    async def _settle(self, reservation: Reservation | None, spent: int) -> None:
        """What cannot be counted stays set aside; the answer stands."""
        if self._pen and reservation:
            with self._reported():
                await self._pen.budget.settle(reservation, spent)

    async def _draft(
        self, drafting: Drafting, request: Request, reservation: Reservation | None
    ) -> AsyncIterator[Written]:
        asked = self._pen is not None and (request.always or not drafting.hopeless)
        if self._pen and asked:
            if reservation is None:
                drafting.forgo()
            else:
                async with closing(drafting.model(self._pen)) as sentences:
                    async for written in sentences:
                        yield written
            if drafting.failure:
                self._warn("model_not_used", drafting.failure)
            if not drafting.wants_extract:
                return
        extract = drafting.extract(self._extractive, always=request.always, instead_of_model=asked)
        async with closing(extract) as sentences:
            async for written in sentences:
                yield written

    def _brief(self, request: Request, plan: Search) -> Brief:
        style = request.style or self._options.style
        return Brief(
            question=plan.question,
            queries=plan.queries,
            sides=plan.sides,
            intent=plan.intent,
            format=request.format or (Format.BULLETS if style is Style.BULLET else plan.format),
            style=style,
            language=request.language,
            max_length=self._options.max_length,
        )

    async def _recall(self, request: Request) -> Conversation:
        if request.conversation is None:
            return Conversation(id=NOBODY, turns=request.turns)
        return await self._history.recall(request.conversation, self._options.history_turns)

    async def _record(self, request: Request, answer: Answer) -> None:
        turn = answer.turn(request.author, datetime.now(UTC))
        if request.conversation and request.records and turn:
            with self._reported():
                await self._history.record(request.conversation, turn)

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """A store that fails behind an answer takes nothing back."""
        try:
            yield
        except CitewellError as error:
            self._report(secrets.token_hex(4), error)


def _flags(passages: Sequence[RetrievedChunk]) -> tuple[str, ...]:
    """`injection_in_context` when a passage holds instructions addressed to an assistant."""
    return ("injection_in_context",) if any(passage.document.flagged for passage in passages) else ()
