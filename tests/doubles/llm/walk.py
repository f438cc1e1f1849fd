"""The walk from question to answer over given passages, a real writer and the loopback model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date

from adapters.models.factory import make_model
from adapters.models.masking import MaskedModel
from adapters.models.resilience import GuardedModel
from pipeline.budget import TokenBudget
from pipeline.check.model_judge import ModelJudge
from pipeline.drafting.task import AnswerModel
from pipeline.errors import CitewellError
from pipeline.ports import HistoryStore
from pipeline.respond import Responder
from pipeline.screen.sensitive_data import find_sensitive_data
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values import (
    Answer,
    AnswerEvent,
    AnswerLimits,
    AnswerOptions,
    AnswerRequest,
    Audience,
    BlockKind,
    Chunk,
    Conversation,
    ConversationId,
    Document,
    Plan,
    Retrieval,
    RetrievedChunk,
    SearchPlan,
    Turn,
    Unit,
)
from pipeline.write.model_writer import ModelWriter
from pipeline.write.prompt_fitting import PromptFitter
from pipeline.write.prompts import PromptOptions
from tests.doubles.llm.server import LlmServer

EVERYBODY = Audience(collections=frozenset({"default"}))


def passage(name: str, *sentences: str, title: str = "Leave policy", score: float = 0.95) -> RetrievedChunk:
    """A passage of whole sentences, each a unit that fits the question well."""
    units, start = [], 0
    for sentence in sentences:
        units.append(Unit(start=start, end=start + len(sentence), kind=BlockKind.PROSE))
        start += len(sentence) + 1
    return RetrievedChunk(
        chunk=Chunk(id=name, document_id=f"doc-{name}", text=" ".join(sentences), units=tuple(units)),
        document=Document(id=f"doc-{name}", filename=f"{name}.md", title=title),
        score=score,
        unit_scores=(0.9,) * len(units),
    )


class Straight:
    """Plans and retrieves without thinking: the question as it is, the passages as given; those of `elsewhere` for a
    question that it names, or what goes wrong there."""

    def __init__(
        self,
        passages: Sequence[RetrievedChunk],
        elsewhere: Mapping[str, Sequence[RetrievedChunk] | CitewellError] | None = None,
    ) -> None:
        self._passages = tuple(passages)
        self._elsewhere = elsewhere or {}

    async def plan(
        self, text: str, conversation: Conversation, audience: Audience, translator: Translator = ENGLISH_TRANSLATOR
    ) -> Plan:
        return SearchPlan(question=text, queries=(text,))

    async def retrieve(self, search: SearchPlan, audience: Audience) -> Retrieval:
        found = self._elsewhere.get(search.question, self._passages)
        if isinstance(found, CitewellError):
            raise found
        return Retrieval(passages=tuple(found), nearest=tuple(found))


class NoHistory:
    async def recall(self, conversation: ConversationId, limit: int) -> Conversation:
        return Conversation(id=conversation)

    async def record(self, conversation: ConversationId, turn: Turn) -> None: ...


class Tally:
    """A `TokenLedger` in memory."""

    def __init__(self) -> None:
        self.used: dict[str, int] = {}

    async def reserve(self, limits: Mapping[str, int], tokens: int, day: date) -> bool:
        if any(self.used.get(subject, 0) + tokens > limit for subject, limit in limits.items()):
            return False
        await self.adjust(limits, tokens, day)
        return True

    async def adjust(self, subjects: Collection[str], tokens: int, day: date) -> None:
        for subject in subjects:
            self.used[subject] = max(self.used.get(subject, 0) + tokens, 0)


@dataclass
class Walk:
    """A responder, and what it told the operator."""

    responder: Responder
    reasons: list[str] = field(default_factory=list)
    incidents: list[Exception] = field(default_factory=list)

    async def events(self, question: str) -> list[AnswerEvent]:
        conversation = ConversationId(platform="console", space="", channel="c")
        request = AnswerRequest(text=question, audience=EVERYBODY, conversation=conversation)
        stream = self.responder.respond(request)
        return [*[event async for event in stream], await stream.answer()]

    async def answer(self, question: str) -> Answer:
        answer = (await self.events(question))[-1]
        assert isinstance(answer, Answer)
        return answer


@asynccontextmanager
async def walking(
    server: LlmServer,
    passages: Sequence[RetrievedChunk],
    *,
    provider: str = "openai",
    limits: AnswerLimits | None = None,
    budget: TokenBudget | None = None,
    require_grounding: bool = True,
    history: HistoryStore | None = None,
    judged: bool = False,
    elsewhere: Mapping[str, Sequence[RetrievedChunk] | CitewellError] | None = None,
    masked: bool = False,
) -> AsyncIterator[Walk]:
    """A whole walk that asks `server` as `provider` would be asked; `judged`: also about what words do not decide.

    `elsewhere`: what is found for other questions. `masked`: as a foreign model is asked."""
    model = make_model(
        f"{provider}:m",
        openai_key="k",
        anthropic_key="k",
        openai_base_url=f"{server.url}/v1",
        anthropic_base_url=server.url,
    )
    await model.connect()
    model = MaskedModel(model, find_sensitive_data) if masked else model
    guarded = GuardedModel(model, pause=0.01, patience=0.1)
    straight = Straight(passages, elsewhere)
    walk = Walk(responder=None)  # type: ignore[arg-type]
    walk.responder = Responder(
        planner=straight,
        retriever=straight,
        model=AnswerModel(
            name=guarded.name,
            writer=ModelWriter(PromptFitter(guarded, PromptOptions())),
            budget=budget or TokenBudget(Tally(), per_person=0, per_space=0, per_answer=5000),
            judge=ModelJudge(guarded) if judged else None,
        ),
        history=history or NoHistory(),
        options=AnswerOptions(limits=limits or AnswerLimits(), require_grounding=require_grounding),
        report=lambda _, error: walk.incidents.append(error),
        warn=lambda _, reason: walk.reasons.append(reason),
    )
    try:
        yield walk
    finally:
        await guarded.close()
