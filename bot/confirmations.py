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
        scale: Callable[[], Awaitable[ScoreCalibration]],
        rules: AccessPolicy,
        least: Role,
    ) -> None:
        """`calibration` returns how vectors of the `embedder` are compared."""
        self._store = store
        self._passages = passages
        self._embedder = embedder
        self._scale = scale
        self._rules = rules
        self._by = list(Role)[: list(Role).index(least) + 1]
        self._as_of: tuple[str, RatingStamp] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._shown: Mapping[str, ShownPassages] = {}
        """Passages by answer."""
        self._vectors: Mapping[str, Vectors] = {}
        """Vectors by question."""
        self._spaces: Mapping[str, _Space] = {}
        """Confirmed answers by workspace; ALL_WORKSPACES: those that are not another organisation's."""
        self._compared: tuple[_Space, ScoreCalibration, Vectors] | None = None

    async def find_similar(self, question: Vectors, audience: Audience) -> Mapping[str, int]:
        await self._look()
        answers = await self._nearest(question)
        if not answers:
            return {}
        people = await self._store.confirming_people(answers, self._by)
        shown = [(one, who) for answer, who in people.items() if who and (one := self._shown.get(answer))]
        there = await self._passages.get_chunks(list({chunk for one, _ in shown for chunk in one.all_ids}))
        seen = {chunk.id for chunk, document in there if document.collection in audience.collections}
        found: dict[str, set[str]] = {}
        for one, who in shown:
            if seen.issuperset(one.all_ids):
                found.setdefault(one.first_cited, set()).update(who)
        return {chunk: len(who) for chunk, who in found.items()}

    async def close(self) -> None:
        if self._reading:
            self._reading.cancel()

    async def _nearest(self, question: Vectors) -> list[str]:
        """Return the answers in this workspace to questions like this one, the nearest first."""
        space = self._spaces.get(current_workspace())
        if space is None or space.vectors.shape[1:] != question.shape:
            return []
        scale = await self._scale()
        left, wanted = self._left(space, scale), scale.center_question(question)
        blocks = range(0, len(left), BLOCK)
        cosines = scale.calibrate(np.concatenate([left[first : first + BLOCK] @ wanted for first in blocks]))
        alike = np.flatnonzero(cosines >= ALIKE_COSINE)
        return [space.answers[row] for row in alike[np.argsort(-cosines[alike], kind="stable")][:MAX_ALIKE_ANSWERS]]

    def _left(self, space: _Space, scale: ScoreCalibration) -> Vectors:
        """Return its vectors as they are compared on `calibration`, cached while both stay the same."""
        if self._compared is None or self._compared[0] is not space or self._compared[1] is not scale:
            self._compared = (space, scale, scale.center_units(space.vectors))
        return self._compared[2]

    async def _look(self) -> None:
        """Read the confirmations again if they changed."""
        as_of = (self._embedder.name, await self._store.stamp())
        if as_of != self._as_of and (self._reading is None or self._reading.done()):
            self._reading = asyncio.create_task(self._read(as_of))
        if self._reading and not self._reading.done():
            await asyncio.wait({self._reading}, timeout=EMBED_WAIT_SECONDS)

    async def _read(self, as_of: tuple[str, RatingStamp]) -> None:
        try:
            asked = await self._store.rated_questions()
            shown = {one.answer_id: self._shown[one.answer_id] for one in asked if one.answer_id in self._shown}
            for answers in _batches(one.answer_id for one in asked if one.answer_id not in shown):
                shown.update(await self._store.shown_passages(answers))
            asked = [one for one in asked if one.answer_id in shown]
            known = self._vectors if self._as_of and self._as_of[0] == as_of[0] else {}
            vectors = {one.question: known[one.question] for one in asked if one.question in known}
            for texts in _batches(one.question for one in asked if one.question not in vectors):
                vectors.update(zip(texts, await self._embedder.embed(texts), strict=True))
        except CitewellError as error:
            log.warning("nothing_learnt", reason=str(error))
            return
        self._as_of, self._shown, self._vectors = as_of, shown, vectors
        self._spaces = self._by_space(asked, vectors)

    def _by_space(self, asked: Sequence[RatedQuestion], vectors: Mapping[str, Vectors]) -> Mapping[str, _Space]:
        found: dict[str, list[RatedQuestion]] = {ALL_WORKSPACES: []}
        for one in asked:
            space = MessageKey.parse(one.message_key).workspace
            found.setdefault(space, []).append(one)
            if self._rules.can_see_question(Readers(groups=frozenset()), space):
                found[ALL_WORKSPACES].append(one)
        return {
            space: _Space([one.answer_id for one in of], np.stack([vectors[one.question] for one in of]))
            for space, of in found.items()
            if of
        }


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Return batches of `texts`, each text once."""
    distinct = list(dict.fromkeys(texts))
    return (distinct[first : first + EMBED_BATCH] for first in range(0, len(distinct), EMBED_BATCH))
