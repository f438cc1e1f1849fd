"""Checks of the language model, the sentence judge, the embedder and the reader, each with a request."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

from adapters.models.cross_encoder.minilm import MiniLMCrossEncoder
from adapters.models.resilience import RERANK_TIMEOUT_SECONDS as RERANK_SECONDS
from bot.config.settings import Settings
from bot.doctor.language_model import check_language_model
from bot.models import EXTRACTIVE, model_spec, open_judge, open_language_model, open_reranker
from bot.wiring import open_embedder
from pipeline.check.judge_prompt import PendingClaim
from pipeline.errors import CitewellError
from pipeline.find.rerank import RERANK_LIMIT
from pipeline.values import (
    BlockKind,
    Chunk,
    Document,
    DraftSentence,
    Finding,
    FindingState,
    RetrievedChunk,
    SupportBasis,
    Unit,
)
from pipeline.values.diagnostics import error_finding, ok_finding, skipped, warning_finding

SECONDS = 20.0
_SAID, _CLAIM = "The office opens at nine in the morning.", "In the morning the office opens at nine."
_ASKED, _BESIDE = "When does the office open?", "The pump must be primed before it is started."
_LONG = " ".join([_SAID] * 45)
"""A text as long as the longest passages."""
_STRETCH = " ".join([_SAID] * 7)
PASSAGES_PER_CALL = 8
_REINSTALL = "Install Citewell again: a file of its reader is missing or damaged."


async def diagnose_models(settings: Settings) -> AsyncIterator[Finding]:
    """Check the models. Costs the tokens of one question."""
    if settings.embedder != "minilm":
        yield await _embedder(settings)
    if settings.reranker != "none":
        yield await _reranker(settings)
    elif settings.reader != "none" and settings.embedder != "none":
        yield await _reader(settings)
    spec = model_spec(settings)
    if spec == EXTRACTIVE:
        yield ok_finding("language model", "none is set: answers are made of the documents' own sentences")
        return
    answering = await check_language_model(settings, spec)
    yield answering
    if settings.judge == "none":
        return
    if answering.state is FindingState.GOOD:
        yield await _judge(settings)
    else:
        yield skipped("sentence check", "the language model does not answer")


async def examine_offline(settings: Settings) -> AsyncIterator[Finding]:
    """Try to open the models of the settings, without a request. Yields nothing when all can be opened."""
    spec = model_spec(settings)
    opening: dict[str, Callable[[], AbstractAsyncContextManager[object]]] = {
        "embedder": lambda: open_embedder(settings),
        "reranker": lambda: open_reranker(settings),
    }
    if spec != EXTRACTIVE:
        opening["language model"] = lambda: open_language_model(settings, spec)
    for subject, opened in opening.items():
        try:
            async with opened():
                pass
        except CitewellError as error:
            yield error_finding(subject, str(error), error.what_to_do or "Check its address, key and name.")


async def _embedder(settings: Settings) -> Finding:
    try:
        async with open_embedder(settings) as embedder, asyncio.timeout(SECONDS):
            if embedder is None:
                return ok_finding("embedder", "none is set: documents are found by words alone")
            near, far = await embedder.embed([_SAID, _BESIDE]) @ await embedder.embed_question(_ASKED)
    except (CitewellError, TimeoutError) as error:
        fix = error.what_to_do if isinstance(error, CitewellError) else ""
        return error_finding(
            "embedder", str(error) or "it did not answer in time", fix or "Check its address, key and name."
        )
    if near > far:
        return ok_finding("embedder", f"{embedder.name} tells which text is nearer to a question")
    return error_finding(
        "embedder",
        f"{embedder.name} ranks a text about something else above the answer",
        "Choose another model, or correct pooling and prefixes in its manifest: docs/operations/models.md.",
    )


async def _reranker(settings: Settings) -> Finding:
    try:
        async with open_reranker(settings, seconds=SECONDS) as reranker:
            if reranker is None:
                return ok_finding("reranker", "none is set: passages stay in the order of their own scores")
            answer, beside = await reranker.score(_ASKED, [_SAID, _BESIDE])
            began = time.monotonic()
            await reranker.score(_ASKED, [_LONG] * RERANK_LIMIT)
            took = time.monotonic() - began
    except CitewellError as error:
        fix = error.what_to_do or "Check CITEWELL_RERANKER and its address and key."
        return error_finding("reranker", f"{error}; until then passages stay in the order of their own scores", fix)
    if answer <= beside:
        message = f"{settings.reranker} ranks a passage about something else above the answer"
        return error_finding(
            "reranker", message, "Choose a model that is made for questions and passages: a cross-encoder."
        )
    reads = f"{settings.reranker} reads {RERANK_LIMIT} long passages in {took:.1f} seconds"
    if took > RERANK_SECONDS:
        late = f"{reads}, and no question waits longer than {RERANK_SECONDS:g}: its result always comes too late"
        return warning_finding(
            "reranker", late, "Choose a smaller model, one on a faster machine, or smaller passages."
        )
    return ok_finding("reranker", reads)


async def _reader(settings: Settings) -> Finding:
    reader = MiniLMCrossEncoder(seconds=SECONDS)
    try:
        await reader.load()
        began = time.monotonic()
        await reader.score(_ASKED, [_STRETCH] * PASSAGES_PER_CALL)
        took = time.monotonic() - began
    except CitewellError as error:
        return error_finding(
            "reader", f"{error}; until then passages stay in the order of their own scores", _REINSTALL
        )
    reads = f"it reads {PASSAGES_PER_CALL} stretches, as many as for most answers, in {took:.2f} seconds"
    if took > settings.reader_seconds:
        late = f"{reads}, and no answer waits longer than {settings.reader_seconds:g}: its result always comes too late"
        return warning_finding("reader", late, "Set CITEWELL_READER=none, or CITEWELL_READER_SECONDS higher.")
    return ok_finding("reader", reads)


def _describe_judge(writer: str, judge: str) -> str:
    if judge != writer:
        return f"{judge} tells what a passage says, and checks what {writer} writes"
    return (
        f"{judge} tells what a passage says, and checks what it writes itself: where words do not decide, answers are "
        "of medium confidence at most. CITEWELL_JUDGE=provider:model lets another one check"
    )


async def _judge(settings: Settings) -> Finding:
    """Check that the judge finds a claim in a passage that states it in other words."""
    chunk = Chunk(
        id="doctor#0", document_id="doctor", text=_SAID, units=(Unit(start=0, end=len(_SAID), kind=BlockKind.PROSE),)
    )
    passage = RetrievedChunk(chunk=chunk, document=Document(id="doctor", filename="doctor", title="Office"), score=1.0)
    sentence = DraftSentence(text=_CLAIM, chunk_ids=(chunk.id,))
    fix = "Name a model that fills in JSON in CITEWELL_JUDGE, or set it to none; until then its sentences are dropped."
    try:
        async with open_judge(settings) as judge, asyncio.timeout(SECONDS):
            if judge is None:
                return warning_finding(
                    "sentence check", "no model checks paraphrased sentences, so they are dropped", fix
                )
            (judgement,), _ = await judge.review([PendingClaim(sentence)], [passage])
    except (CitewellError, TimeoutError) as error:
        return error_finding("sentence check", str(error) or "it did not answer in time", fix)
    if judgement.support in (SupportBasis.JUDGED, SupportBasis.VERBATIM):
        return ok_finding("sentence check", _describe_judge(model_spec(settings), judge.name))
    return error_finding(
        "sentence check", f"the model does not see that a passage supports a claim ({judgement.reason})", fix
    )
