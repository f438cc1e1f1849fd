"""What is to be answered, by which model, and how long that has taken."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from pipeline.budget import TokenBudget
from pipeline.check.exhibits import Said
from pipeline.check.judge import judge
from pipeline.compose.compose import Checked
from pipeline.compose.confidence import Assessment, assess, retold
from pipeline.drafting.proposal import Drafter
from pipeline.ports import Look, Planner, Writer
from pipeline.read.evidence import Evidence
from pipeline.translations import ENGLISH, Words
from pipeline.values import Brief, Extent, Intent, Judgement, Limits, RetrievedChunk, Sentence, Turn, replace
from pipeline.values.documents import others
from pipeline.words import wording
from pipeline.write.extract import Extract


class Judge(Protocol):
    """Reads sentences and the passages they may rest on where words do not decide."""

    @property
    def name(self) -> str:
        """Of the model that reads: one that is the writer's is less of a witness."""
        ...

    async def review(
        self, said: Sequence[Said], passages: Sequence[RetrievedChunk], *, question: str = "", heard: str = ""
    ) -> tuple[Sequence[Judgement], int]:
        """A judgement for each, and the tokens they cost; names in what was `heard` are known. Never raises."""
        ...


@dataclass(frozen=True)
class Model:
    """A language model's part in an answer. It is asked for nothing that `budget` has set no tokens aside for."""

    name: str
    writer: Writer
    budget: TokenBudget
    judge: Judge | None = None
    planner: Planner | None = None
    drafter: Drafter | None = None


class Stopwatch:
    """Milliseconds by stage; a stage entered twice adds up."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._stages: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self._stages[name] = self._stages.get(name, 0.0) + (time.perf_counter() - started) * 1000

    @property
    def elapsed(self) -> float:
        """Seconds since it was started."""
        return time.perf_counter() - self._started

    def read(self) -> dict[str, float]:
        """Every stage so far and `total`, rounded to microseconds."""
        return {name: round(value, 3) for name, value in (*self._stages.items(), ("total", self.elapsed * 1000))}


@dataclass(frozen=True)
class Task:
    """What is to be answered, from what, and how long that may take; the limits count from when `watch` was started."""

    brief: Brief
    evidence: Evidence
    history: Sequence[Turn]
    limits: Limits
    grounded: bool = True
    """Off: what the check does not support is shown as well, and marked."""
    always: bool = False
    """Show the best extract even where it does not answer."""
    watch: Stopwatch = field(default_factory=Stopwatch)
    words: Words = ENGLISH
    further: Sequence[RetrievedChunk] = ()
    """What a model may be given to read besides the evidence."""
    found: Sequence[RetrievedChunk] = ()
    """What it was given, or found, besides the evidence."""
    look: Look | None = None
    """Searches again, in words of a model's own."""
    retells: bool = False
    """All that there is is told in short, whatever it is about."""
    made: Extract | None = None
    """The extract of the evidence, where it was made before."""

    @property
    def passages(self) -> Sequence[RetrievedChunk]:
        """All that a sentence may rest on."""
        return (*self.evidence.passages, *self.found)

    @property
    def material(self) -> Sequence[RetrievedChunk]:
        """What a model's prompt is filled from, best first."""
        return (*self.evidence.passages, *self.further)

    def finding(self, passages: Sequence[RetrievedChunk]) -> Task:
        """The same where a sentence may rest on `passages`, too."""
        return replace(self, found=(*self.found, *others(passages, self.passages)))

    @property
    def question(self) -> str:
        """All words that were asked with."""
        return " ".join((self.brief.question, *self.brief.sides))

    @property
    def heard(self) -> str:
        """What was said before: the names in it are known."""
        return "\n".join(f"{turn.question}\n{turn.said}" for turn in self.history)

    def cited(self, checked: Sequence[Checked]) -> Evidence:
        """The evidence, with what is cited besides it."""
        cited = {chunk_id for one in checked if one.judgement.supported for chunk_id in one.judgement.chunk_ids}
        return self.evidence.joined([passage for passage in self.found if passage.chunk.id in cited])

    def judged(self, sentence: Sentence, header: Sequence[str] = ()) -> Judgement:
        """What words alone decide of a sentence; `header` is what a table row stands under."""
        with self.watch.stage("validate"):
            return judge(sentence, self.passages, question=self.question, header=header, heard=self.heard)

    def assessed(self, checked: Sequence[Checked], writer: str, extent: Extent | None = None) -> Assessment:
        with self.watch.stage("assess"):
            if self.retells:
                return retold([(one.sentence, one.judgement) for one in checked], generator=writer, words=self.words)
            return assess(
                self.cited(checked),
                [(one.sentence, one.judgement) for one in checked],
                generator=writer,
                several=bool(self.brief.sides),
                listing=self.brief.intent in (Intent.LIST, Intent.PROCEDURE),
                extent=extent,
                words=self.words,
            )

    def too_few(self, checked: Sequence[Checked]) -> str:
        """Why what is supported must not be shown; empty when it rests on as much as the operator asks for."""
        cited = {chunk_id for one in checked if one.judgement.supported for chunk_id in one.judgement.chunk_ids}
        documents = {passage.document.id for passage in self.passages if passage.chunk.id in cited}
        if len(documents) < self.limits.minimum_sources:
            wanted = self.limits.minimum_sources
            return self.words.count(wording.TOO_FEW_DOCUMENTS, len(documents), wanted=wanted)
        if len(cited) < self.limits.minimum_citations:
            return self.words.count(wording.TOO_FEW_PASSAGES, len(cited), wanted=self.limits.minimum_citations)
        return ""
