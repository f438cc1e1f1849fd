"""What an answer has gathered so far: the sentences shown, their citation numbers, and every claim judged."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pipeline.check.judge import judge
from pipeline.compose.cite import Numbering
from pipeline.values import BlockKind, CitedSentence, Claim, Judgement, RetrievedChunk, Sentence


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


class Manuscript:
    """Grows sentence by sentence; what it has taken stays."""

    def __init__(
        self, passages: Sequence[RetrievedChunk], *, question: str, require_grounding: bool, watch: Stopwatch
    ) -> None:
        self.numbering = Numbering(passages)
        self.sentences: list[CitedSentence] = []
        self.judged: list[tuple[Sentence, Judgement]] = []
        self._passages = passages
        self._question = question
        self._require_grounding = require_grounding
        self._watch = watch

    def judge(self, sentence: Sentence) -> Judgement:
        """Judge one sentence and remember the verdict, without showing it."""
        with self._watch.stage("validate"):
            judgement = judge(sentence, self._passages, question=self._question, header=self.header(sentence))
        self.judged.append((sentence, judgement))
        return judgement

    def header(self, sentence: Sentence) -> str:
        """The header row that a row stands under; empty where that is not shown."""
        if sentence.kind is not BlockKind.ROW:
            return ""
        above = (one for one in reversed(self.judged) if one[0].kind is not BlockKind.ROW)
        before, judgement = next(above, (None, None))
        shown = before and judgement and before.kind is BlockKind.HEADER and judgement.supported
        return before.text if before and shown else ""

    def show(self, sentence: Sentence, judgement: Judgement) -> CitedSentence | None:
        """The sentence with its numbers, or None when it must not be shown."""
        if judgement.forbidden or (not judgement.supported and self._require_grounding):
            return None
        shown = CitedSentence(
            text=sentence.text,
            kind=sentence.kind,
            numbers=self.numbering.number(judgement.chunk_ids, judgement.quote) if judgement.supported else (),
            opens=sentence.opens,
            language=sentence.language,
            section=sentence.section,
            verified=judgement.supported,
        )
        self.sentences.append(shown)
        return shown

    @property
    def supported(self) -> list[tuple[Sentence, Judgement]]:
        return [(sentence, judgement) for sentence, judgement in self.judged if judgement.supported]

    @property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(
            Claim(
                claim=sentence.text,
                supported=judgement.supported,
                source=judgement.chunk_ids[0] if judgement.supported and judgement.chunk_ids else "",
            )
            for sentence, judgement in self.judged
        )
