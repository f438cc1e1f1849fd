"""Confirmed answers, learnt from ratings: the port `Confirmations` over stored ratings and answers, for people of a
role.

Nothing is stored for it but vectors of questions, in memory, to find candidates. Each use reads whether an answer still
counts: one that was changed, forgotten or is too old does not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import structlog

from pipeline.errors import CitewellError
from pipeline.find.calibration import ScoreCalibration
from pipeline.ports import ChunkReader, Embedder, Vectors
from pipeline.rules.access import AccessPolicy
from pipeline.rules.tenancy import ALL_WORKSPACES, current_workspace
from pipeline.values import Audience, MessageKey, Readers, Role
from storage.people.feedback import RatedQuestion, RatingStamp, ShownPassages, SQLConfirmedAnswers

ALIKE_COSINE = 0.8
"""The least cosine of two similar questions.

Of questions of squad2 that ask for something else than the confirmed one, 4 of 494 lost their answer with .7, none of
175 with .8.
"""
MAX_ALIKE_ANSWERS = 8
"""Answers that are read for a question."""
EMBED_WAIT_SECONDS = 1.0
"""Seconds that a question waits for the vectors of new confirmations; it goes on without."""
EMBED_BATCH = 64
BLOCK = 256
"""Rows that are compared at a time: see `storage.sqlite.exact_search`."""

log = structlog.get_logger(__name__)


class _Space(NamedTuple):
    """The confirmed answers of one workspace: a row each."""

    answers: list[str]
    vectors: Vectors


class ConfirmationIndex:
    """Passages of answers that people with the role `least_role`, or a higher one, found helpful."""

    def __init__(
        self,
        store: SQLConfirmedAnswers,
        passages: ChunkReader,
        embedder: Embedder,
        calibration: Callable[[], Awaitable[ScoreCalibration]],
        rules: AccessPolicy,
        least_role: Role,
    ) -> None:
        """`calibration` returns how vectors of the `embedder` are compared."""
        self._store = store
        self._passages = passages
        self._embedder = embedder
        self._calibration = calibration
        self._rules = rules
        self._roles = list(Role)[: list(Role).index(least_role) + 1]
        self._stamp: tuple[str, RatingStamp] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._passages_by_answer: Mapping[str, ShownPassages] = {}
        """Passages by answer."""
        self._vectors: Mapping[str, Vectors] = {}
        """Vectors by question."""
        self._spaces: Mapping[str, _Space] = {}
        """Confirmed answers by workspace; ALL_WORKSPACES: those that are not another organisation's."""
        self._compared: tuple[_Space, ScoreCalibration, Vectors] | None = None

    async def find_similar(self, question: Vectors, audience: Audience) -> Mapping[str, int]:
        await self._refresh()
        answers = await self._nearest(question)
        if not answers:
            return {}
        people = await self._store.confirming_people(answers, self._roles)
        confirmed = [
            (passages, supporters)
            for answer, supporters in people.items()
            if supporters and (passages := self._passages_by_answer.get(answer))
        ]
        stored = await self._passages.get_chunks(
            list({chunk for passages, _ in confirmed for chunk in passages.all_ids})
        )
        visible = {chunk.id for chunk, document in stored if document.collection in audience.collections}
        supporters_by_chunk: dict[str, set[str]] = {}
        for passages, supporters in confirmed:
            if visible.issuperset(passages.all_ids):
                supporters_by_chunk.setdefault(passages.first_cited, set()).update(supporters)
        return {chunk: len(supporters) for chunk, supporters in supporters_by_chunk.items()}

    async def close(self) -> None:
        if self._reading:
            self._reading.cancel()

    async def _nearest(self, question: Vectors) -> list[str]:
        """Return the answers in this workspace to questions like this one, the nearest first."""
        space = self._spaces.get(current_workspace())
        if space is None or space.vectors.shape[1:] != question.shape:
            return []
        calibration = await self._calibration()
        units, target = self._centered(space, calibration), calibration.center_question(question)
        blocks = range(0, len(units), BLOCK)
        cosines = calibration.calibrate(np.concatenate([units[first : first + BLOCK] @ target for first in blocks]))
        alike = np.flatnonzero(cosines >= ALIKE_COSINE)
        return [space.answers[row] for row in alike[np.argsort(-cosines[alike], kind="stable")][:MAX_ALIKE_ANSWERS]]

    def _centered(self, space: _Space, calibration: ScoreCalibration) -> Vectors:
        """Return its vectors as they are compared on `calibration`, cached while both stay the same."""
        if self._compared is None or self._compared[0] is not space or self._compared[1] is not calibration:
            self._compared = (space, calibration, calibration.center_units(space.vectors))
        return self._compared[2]

    async def _refresh(self) -> None:
        """Read the confirmations again if they changed."""
        as_of = (self._embedder.name, await self._store.stamp())
        if as_of != self._stamp and (self._reading is None or self._reading.done()):
            self._reading = asyncio.create_task(self._read(as_of))
        if self._reading and not self._reading.done():
            await asyncio.wait({self._reading}, timeout=EMBED_WAIT_SECONDS)

    async def _read(self, as_of: tuple[str, RatingStamp]) -> None:
        try:
            questions = await self._store.rated_questions()
            passages = {
                rated.answer_id: self._passages_by_answer[rated.answer_id]
                for rated in questions
                if rated.answer_id in self._passages_by_answer
            }
            for answers in _batches(rated.answer_id for rated in questions if rated.answer_id not in passages):
                passages.update(await self._store.shown_passages(answers))
            questions = [rated for rated in questions if rated.answer_id in passages]
            cached = self._vectors if self._stamp and self._stamp[0] == as_of[0] else {}
            vectors = {rated.question: cached[rated.question] for rated in questions if rated.question in cached}
            for texts in _batches(rated.question for rated in questions if rated.question not in vectors):
                vectors.update(zip(texts, await self._embedder.embed(texts), strict=True))
        except CitewellError as error:
            log.warning("learning_failed", reason=str(error))
            return
        self._stamp, self._passages_by_answer, self._vectors = as_of, passages, vectors
        self._spaces = self._by_space(questions, vectors)

    def _by_space(self, questions: Sequence[RatedQuestion], vectors: Mapping[str, Vectors]) -> Mapping[str, _Space]:
        by_space: dict[str, list[RatedQuestion]] = {ALL_WORKSPACES: []}
        for question in questions:
            space = MessageKey.parse(question.message_key).workspace
            by_space.setdefault(space, []).append(question)
            if self._rules.can_see_question(Readers(groups=frozenset()), space):
                by_space[ALL_WORKSPACES].append(question)
        return {
            space: _Space(
                [question.answer_id for question in group], np.stack([vectors[question.question] for question in group])
            )
            for space, group in by_space.items()
            if group
        }


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Return batches of `texts`, each text once."""
    distinct = list(dict.fromkeys(texts))
    return (distinct[first : first + EMBED_BATCH] for first in range(0, len(distinct), EMBED_BATCH))
