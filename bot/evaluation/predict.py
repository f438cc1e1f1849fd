"""Predictions, one for each row, made by the parts that answer people."""

from __future__ import annotations

import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import structlog

from bot.citewell import Citewell
from bot.config.settings import Settings
from bot.evaluation.rows import parse_turns
from bot.wiring import open_citewell
from pipeline.errors import Refused
from pipeline.ingest.ingest import DocumentFailed
from pipeline.ports import Retriever
from pipeline.screen import screen_document, screen_message
from pipeline.values import Answer, AnswerRequest, Audience, Retrieval, SearchPlan

MAX_RETRIEVED = 10
"""Documents listed as retrieved."""

log = structlog.get_logger(__name__)


class RecordingRetriever:
    """A retriever that records the documents of the last search."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever
        self.documents: tuple[str, ...] = ()

    async def retrieve(self, search: SearchPlan, audience: Audience) -> Retrieval:
        retrieval = await self._retriever.retrieve(search, audience)
        self.documents = retrieval.document_ids
        return retrieval


class QuestionPredictor:
    """Answers questions one at a time over an index of its own."""

    def __init__(self, citewell: Citewell, *, last_turn: bool = False, always: bool = False) -> None:
        self._recording = RecordingRetriever(citewell.retriever)
        self._citewell = citewell.with_retriever(self._recording)
        self._last_turn = last_turn
        self._always = always

    async def predict(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the prediction for one `{id, question, history?}`; `ms` is the complete wait for the answer."""
        self._recording.documents = ()
        history = () if self._last_turn else parse_turns(row.get("history") or [])
        request = AnswerRequest(
            text=row["question"],
            audience=await self._citewell.all_collections(),
            turns=history,
            force_extract=self._always,
        )
        started = time.perf_counter()
        answer = await self._citewell.respond(request)
        milliseconds = (time.perf_counter() - started) * 1000
        return {
            "id": row["id"],
            "retrieved": list(self._recording.documents[:MAX_RETRIEVED]),
            "answer": join_shown_sentences(answer),
            "abstained": not answer.sentences,
            "confidence": round(answer.confidence.score, 4),
            "level": answer.confidence.level.value,
            "cited": list(dict.fromkeys(citation.document_id for citation in answer.citations)),
            "ms": round(milliseconds, 2),
        }


@asynccontextmanager
async def open_temporary_citewell(settings: Settings, documents: Path | None = None) -> AsyncIterator[Citewell]:
    """Open a Citewell with a temporary index. Raises Refused when there is nothing to index."""
    with tempfile.TemporaryDirectory(prefix="citewell-eval-") as folder:
        async with open_citewell(settings.isolated(Path(folder))) as citewell:
            if documents:
                await _index(citewell, documents)
            yield citewell


async def _index(citewell: Citewell, documents: Path) -> None:
    failures: list[DocumentFailed] = []
    summary = await citewell.index(
        [documents],
        prefix="",
        on_event=lambda event: failures.append(event) if isinstance(event, DocumentFailed) else None,
    )
    why = f": {failures[0].label}: {failures[0].reason}" if failures else ""
    if not summary.added:
        raise Refused(
            f"no document in {documents} could be read{why}",
            what_to_do="Name JSON Lines of {doc_id, text}, or files and folders as `citewell index` takes them.",
        )
    if failures:
        log.warning("documents_left_out", count=len(failures), first=why.removeprefix(": "))


def predict_injection(row: dict[str, Any]) -> dict[str, Any]:
    """Return the screen's prediction for `text`, or for `document`."""
    screening = screen_document(row["document"]) if "document" in row else screen_message(row["text"])
    return {
        "id": row["id"],
        "flag": screening.flag,
        "score": round(screening.score, 4),
    }


async def predict_poisoned(row: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Return the prediction with the pipeline's answer when only that document is indexed."""
    with tempfile.TemporaryDirectory(prefix="citewell-eval-") as folder:
        path = Path(folder) / "document.txt"
        path.write_text(row["document"], encoding="utf-8")
        async with open_temporary_citewell(settings, path) as citewell:
            answer: Answer = await citewell.respond(
                AnswerRequest(text=row["question"], audience=await citewell.all_collections())
            )
    return predict_injection(row) | {"answer": join_shown_sentences(answer)}


def join_shown_sentences(answer: Answer) -> str:
    """Return the shown sentences, without citation marks."""
    return " ".join(sentence.text for sentence in answer.sentences)
