"""Calibration of an embedder's cosines: measured on the index, and stored with it."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import structlog

from adapters.models.minilm.embedder import MiniLMEmbedder
from bot.documents.reembedding import active_embedder
from pipeline.errors import Unavailable
from pipeline.find.calibration import (
    NO_CALIBRATION,
    CalibrationSample,
    CalibrationTable,
    ScoreCalibration,
    fit_calibration,
    synthetic_question,
)
from pipeline.ingest.embedding_inputs import embedding_texts
from pipeline.ports import Embedder, Vectors
from pipeline.words.language import detect_supported_language
from storage.database import Database
from storage.documents.embeddings import EmbeddedDocuments
from storage.documents.revision import library_generation
from storage.settings import read_setting, write_setting

PASSAGES, EACH = 128, 2
"""Passages of a sample, and units of each."""
SAMPLE_QUESTIONS = 64
"""Questions, made from as many units of the sample."""
SAMPLE_BATCH = 8
MIN_UNIT_WORDS = 5
"""Least words of a unit that a question is made from."""
MIN_ENGLISH_UNITS = 32
"""English units below which the sample is of all languages."""
REMEASURE_FACTOR = 2.0
"""Factor by which the number of passages changes before the calibration is measured again."""
_NAME = "scale"

log = structlog.get_logger(__name__)


class ScoreCalibrator:
    """The calibration of `embedder`; MiniLM's scores are the reference for all."""

    def __init__(self, database: Database, embedder: Embedder | None) -> None:
        self._database = database
        self._documents = EmbeddedDocuments(database)
        self._embedder = embedder
        self._measuring = asyncio.Lock()
        self._known: tuple[str, int, ScoreCalibration] = ("", -1, NO_CALIBRATION)

    async def current(self) -> ScoreCalibration:
        """Return the calibration, measured if it is missing or the number of passages has changed much: a few seconds.

        Raises Unavailable when it is unknown and cannot be measured.
        """
        embedder = active_embedder(self._embedder)
        if embedder is None or embedder.name == MiniLMEmbedder.name:
            return NO_CALIBRATION
        async with self._measuring:
            at = await self._database.read(library_generation)
            if self._known[:2] != (embedder.name, at):
                self._known = (embedder.name, at, await self._current(embedder))
            return self._known[2]

    async def _current(self, embedder: Embedder) -> ScoreCalibration:
        stored = await self._database.read(lambda db: json.loads(read_setting(db, _NAME) or "{}"))
        same = stored.get("embedder") == embedder.name
        count = await self._documents.count_passages(embedder.name)
        if same and count and 1 / REMEASURE_FACTOR <= count / stored["passages"] <= REMEASURE_FACTOR:
            return _from_numbers(stored)
        try:
            calibration = await self._measure(embedder)
        except Unavailable as error:
            if not same:
                raise
            log.warning("calibration_not_measured", reason=str(error))
            return _from_numbers(stored)
        if calibration is None:
            return NO_CALIBRATION
        text = json.dumps({"embedder": embedder.name, "passages": count, **_to_numbers(calibration)})
        await self._database.write(lambda db: write_setting(db, _NAME, text))
        return calibration

    async def _measure(self, embedder: Embedder) -> ScoreCalibration | None:
        """Measure the calibration. Return None if nothing is embedded that a question could be made from."""
        texts, vectors = await self._sample(embedder.name)
        spoken = [row for row, text in enumerate(texts) if detect_supported_language(text) == "en"]
        english = len(spoken) >= MIN_ENGLISH_UNITS
        if english:
            texts, vectors = [texts[row] for row in spoken], vectors[spoken]
        if len(texts) < 2:
            return None
        questions = [synthetic_question(text) for text in texts[:SAMPLE_QUESTIONS]]
        sample = CalibrationSample(
            vectors, await _embed_questions(embedder, questions), await embedder.embed(questions)
        )
        minilm = MiniLMEmbedder()
        reference = await minilm.embed(questions)
        return fit_calibration(
            sample, CalibrationSample(await minilm.embed(texts), reference, reference), english=english
        )

    async def _sample(self, embedder: str) -> tuple[list[str], Vectors]:
        """Return texts of units with their vectors; those of passages far from each other first."""
        texts: dict[str, Vectors] = {}
        for title, chunk, vectors in await self._documents.sample(embedder, PASSAGES):
            units = zip(embedding_texts(chunk, title), vectors, strict=True)
            long_units = [(text, vector) for text, vector in units if len(text.split()) >= MIN_UNIT_WORDS]
            texts.update(long_units[:: max(len(long_units) // EACH, 1)][:EACH])
        order = np.random.default_rng(0).permutation(len(texts))
        listed = list(texts.items())
        return [listed[row][0] for row in order], np.array([listed[row][1] for row in order], np.float32)


async def _embed_questions(embedder: Embedder, questions: list[str]) -> Vectors:
    turns = asyncio.Semaphore(SAMPLE_BATCH)

    async def asked(question: str) -> Vectors:
        async with turns:
            return await embedder.embed_question(question)

    return np.stack(await asyncio.gather(*map(asked, questions)))


def _to_numbers(calibration: ScoreCalibration) -> dict[str, list[float]]:
    means = {"questions": calibration.question_mean, "units": calibration.unit_mean}
    tables = {"asked": calibration.question_table, "alike": calibration.unit_table}
    return {
        **{name: mean.tolist() for name, mean in means.items() if mean is not None},
        **{name: table.source.tolist() for name, table in tables.items() if table},
        **{f"{name}_there": table.reference.tolist() for name, table in tables.items() if table},
    }


def _from_numbers(stored: dict[str, list[float]]) -> ScoreCalibration:
    """Return the calibration from its stored numbers."""
    tables = {
        name: CalibrationTable(np.array(stored[name]), np.array(stored[f"{name}_there"])) for name in ("asked", "alike")
    }
    means = {name: np.array(stored[name], np.float32) for name in ("questions", "units")}
    return ScoreCalibration(means["questions"], means["units"], tables["asked"], tables["alike"])
