"""The language model, who reads its sentences, and the embedder: each is asked for as little as it can answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from bot.config.settings import Settings
from bot.wiring import open_embedder
from bot.writers import EXTRACTIVE, model_spec, open_judge, open_language_model
from pipeline.errors import CitewellError, Misconfigured
from pipeline.ports import ChatMessage
from pipeline.values import BlockKind, Chunk, Document, Finding, RetrievedChunk, Sentence, Support, Unit
from pipeline.values.finding import bad, good, warning

SECONDS = 20.0
FIX = "Check the address, the key and the name of the model in CITEWELL_MODEL; till then extracts answer."
_SAID, _CLAIM = "The office opens at nine in the morning.", "In the morning the office opens at nine."


async def examine_models(settings: Settings) -> AsyncIterator[Finding]:
    """Costs a few tokens."""
    if settings.embedder != "minilm":
        yield await _embedder(settings)
    spec = model_spec(settings)
    if spec == EXTRACTIVE:
        yield good("language model", "none is set: answers are made of the documents' own sentences")
        return
    answering = await _model(settings, spec)
    yield answering
    if answering.fix == "" and settings.judge != "none":
        yield await _judge(settings)


async def _embedder(settings: Settings) -> Finding:
    try:
        async with open_embedder(settings) as embedder, asyncio.timeout(SECONDS):
            if embedder is None:
                return good("embedder", "none is set: documents are found by words alone")
            await embedder.embed_question("A short text.")
            return good("embedder", f"{embedder.name} embeds a text")
    except (CitewellError, TimeoutError) as error:
        fix = error.what_to_do if isinstance(error, Misconfigured) else ""
        return bad("embedder", str(error) or "it did not answer in time", fix or "Check its address, key and name.")


async def _model(settings: Settings, spec: str) -> Finding:
    try:
        async with open_language_model(settings, spec) as model, asyncio.timeout(SECONDS):
            async for _ in model.stream([ChatMessage(role="user", content="Say yes.")], max_tokens=16):
                pass
    except (CitewellError, TimeoutError) as error:
        fix = error.what_to_do if isinstance(error, CitewellError) else ""
        return bad("language model", str(error) or f"{spec} did not answer in time", fix or FIX)
    return good("language model", f"{spec} answers")


async def _judge(settings: Settings) -> Finding:
    """A claim that its passage states in other words."""
    chunk = Chunk(
        id="doctor#0", document_id="doctor", text=_SAID, units=(Unit(start=0, end=len(_SAID), kind=BlockKind.PROSE),)
    )
    passage = RetrievedChunk(chunk=chunk, document=Document(id="doctor", filename="doctor", title="Office"), score=1.0)
    sentence = Sentence(text=_CLAIM, chunk_ids=(chunk.id,))
    fix = "Name a model that fills in JSON in CITEWELL_JUDGE, or set it to none; until then its sentences are dropped."
    try:
        async with open_judge(settings) as judge, asyncio.timeout(SECONDS):
            if judge is None:
                return warning("sentence check", "no model reads what is no quotation: such sentences are dropped", fix)
            judgement, _ = await judge.review(sentence, [passage])
    except (CitewellError, TimeoutError) as error:
        return bad("sentence check", str(error) or "it did not answer in time", fix)
    if judgement.support in (Support.JUDGED, Support.VERBATIM):
        return good("sentence check", "the model tells what a passage says")
    return bad("sentence check", f"the model does not see that a passage says a claim ({judgement.reason})", fix)
