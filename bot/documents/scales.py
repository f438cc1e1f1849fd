"""The scale of an embedder's cosines: measured on what is indexed, and kept beside it."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import structlog

from adapters.models.minilm.embedder import MiniLM
from bot.documents.serving import at_this_moment
from pipeline.errors import Unavailable
from pipeline.find.scale import AS_THEY_ARE, Sample, Scale, Table, halves, measured
from pipeline.ingest.unit_texts import unit_texts
from pipeline.ports import Embedder, Vectors
from pipeline.words.language import told
from storage.database import Database
from storage.documents.embedded import EmbeddedDocuments
from storage.documents.revision import generation
from storage.settings import set_to, setting

PASSAGES, EACH = 128, 2
"""A sample: so many passages, and of each so many units."""
QUESTIONS = 64
"""Made from as many units of the sample."""
AT_ONCE = 8
WORDS = 5
"""The least of a unit that a question is made from."""
FEWEST = 32
"""Units in English below which the sample is of all languages."""
GROWN = 2.0
"""How many times more or fewer passages there are when it is measured again."""
_NAME = "scale"

log = structlog.get_logger(__name__)


class Scales:
    """The scale of `embedder`; that of MiniLM is the one that all are carried over to."""

    def __init__(self, database: Database, embedder: Embedder | None) -> None:
        self._database = database
        self._documents = EmbeddedDocuments(database)
        self._embedder = embedder
        self._measuring = asyncio.Lock()
        self._known: tuple[str, int, Scale] = ("", -1, AS_THEY_ARE)

    async def now(self) -> Scale:
        """Measured where it was not, or the library has grown or shrunk much since: a few seconds. Raises Unavailable
        where it is not known and cannot be measured."""
        embedder = at_this_moment(self._embedder)
        if embedder is None or embedder.name == MiniLM.name:
            return AS_THEY_ARE
        async with self._measuring:
            at = await self._database.read(generation)
            if self._known[:2] != (embedder.name, at):
                self._known = (embedder.name, at, await self._current(embedder))
            return self._known[2]

    async def _current(self, embedder: Embedder) -> Scale:
        kept = await self._database.read(lambda db: json.loads(setting(db, _NAME) or "{}"))
        same = kept.get("embedder") == embedder.name
        count = await self._documents.count(embedder.name)
        if same and count and 1 / GROWN <= count / kept["passages"] <= GROWN:
            return _scale(kept)
        try:
            found = await self._measured(embedder)
        except Unavailable as error:
            if not same:
                raise
            log.warning("scale_not_measured", reason=str(error))
            return _scale(kept)
        if found is None:
            return AS_THEY_ARE
        text = json.dumps({"embedder": embedder.name, "passages": count, **_numbers(found)})
        await self._database.write(lambda db: set_to(db, _NAME, text))
        return found

    async def _measured(self, embedder: Embedder) -> Scale | None:
        """None where nothing is embedded that a question could be made from."""
        texts, vectors = await self._sample(embedder.name)
        spoken = [row for row, text in enumerate(texts) if told(text) == "en"]
        english = len(spoken) >= FEWEST
        if english:
            texts, vectors = [texts[row] for row in spoken], vectors[spoken]
        if len(texts) < 2:
            return None
        questions = [halves(text) for text in texts[:QUESTIONS]]
        here = Sample(vectors, await _asked(embedder, questions), await embedder.embed(questions))
        minilm = MiniLM()
        alike = await minilm.embed(questions)
        return measured(here, Sample(await minilm.embed(texts), alike, alike), english=english)

    async def _sample(self, embedder: str) -> tuple[list[str], Vectors]:
        """Texts of units with their vectors; those of passages far from each other first."""
        texts: dict[str, Vectors] = {}
        for title, chunk, vectors in await self._documents.sample(embedder, PASSAGES):
            units = zip(unit_texts(chunk, title), vectors, strict=True)
            long = [(text, vector) for text, vector in units if len(text.split()) >= WORDS]
            texts.update(long[:: max(len(long) // EACH, 1)][:EACH])
        order = np.random.default_rng(0).permutation(len(texts))
        listed = list(texts.items())
        return [listed[row][0] for row in order], np.array([listed[row][1] for row in order], np.float32)


async def _asked(embedder: Embedder, questions: list[str]) -> Vectors:
    turns = asyncio.Semaphore(AT_ONCE)

    async def asked(question: str) -> Vectors:
        async with turns:
            return await embedder.embed_question(question)

    return np.stack(await asyncio.gather(*map(asked, questions)))


def _numbers(scale: Scale) -> dict[str, list[float]]:
    means = {"questions": scale.questions, "units": scale.units}
    tables = {"asked": scale.asked, "alike": scale.alike}
    return {
        **{name: mean.tolist() for name, mean in means.items() if mean is not None},
        **{name: table.here.tolist() for name, table in tables.items() if table},
        **{f"{name}_there": table.there.tolist() for name, table in tables.items() if table},
    }


def _scale(kept: dict[str, list[float]]) -> Scale:
    """The inverse."""
    here = {name: Table(np.array(kept[name]), np.array(kept[f"{name}_there"])) for name in ("asked", "alike")}
    means = {name: np.array(kept[name], np.float32) for name in ("questions", "units")}
    return Scale(means["questions"], means["units"], here["asked"], here["alike"])
