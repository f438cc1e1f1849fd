"""The composition root: makes live objects of the settings. Also the entry for Python programs:

async with open_citewell(read_settings()) as citewell:
    answer = await citewell.answer("How many vacation days do I get?")
    print(answer.body, answer.citations)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

import structlog

from adapters.models.cross_encoder.minilm import MiniLMCrossEncoder
from adapters.models.minilm.embedder import MiniLMEmbedder
from adapters.models.onnx.embedder import open_onnx_embedder
from bot import registry
from bot.citewell import Citewell
from bot.config.settings import Settings, environment_name, platform_configs, secret_value
from bot.confirmations import ConfirmationIndex
from bot.documents.calibration import ScoreCalibrator
from bot.documents.reembedding import FallbackEmbedder
from bot.log import join_host_logging
from bot.models import make_pii_finder, open_model, open_reranker
from bot.services.link_targets import StoredLinkTargets
from pipeline.errors import Misconfigured, Unavailable
from pipeline.find.calibration import ScoreCalibration
from pipeline.find.retrieve import HybridRetriever
from pipeline.plan.rule_planner import RulePlanner
from pipeline.ports import Embedder
from pipeline.rules.access import AccessPolicy, AccessRule
from pipeline.values import AnswerLimits, AnswerOptions, Role, replace
from storage.documents.embeddings import EmbeddedDocuments
from storage.open import Storage, open_storage
from storage.people.feedback import SQLConfirmedAnswers

if TYPE_CHECKING:
    from adapters.models.openai_embedder import OpenAIEmbedder
    from bot.documents.indexing import Indexer

log = structlog.get_logger(__name__)


@asynccontextmanager
async def open_citewell(
    settings: Settings, *, exclusive: bool = False, make: bool = True, asked: bool = False
) -> AsyncIterator[Citewell]:
    """Open the data folder and everything that `settings` name; closed in reverse when the block ends.

    `exclusive` is for the process that answers on the platforms: a second one on the same folder is refused. `make`: a
    missing data folder is created. `asked`: a question waits, so the reader is loaded beside its search. Raises
    Misconfigured, or Unavailable when the data folder cannot be used.
    """
    join_host_logging()
    async with AsyncExitStack() as stack:
        embedder = await stack.enter_async_context(open_embedder(settings))
        reader = _reader(settings) if embedder else None
        if reader and asked:
            await stack.enter_async_context(_loading(reader))
        rules = _access_policy(settings)
        storage = await stack.enter_async_context(
            open_storage(
                settings.data,
                embedder=(lambda: embedder.name if embedder else "") if embedder else "",
                database=secret_value(settings.database),
                chroma_url=settings.chroma_url,
                exclusive=exclusive,
                make=make,
                visible_to=rules.visible_collections,
            )
        )
        embedder = await _with_fallback(stack, settings, storage, embedder)
        sources = StoredLinkTargets(storage.database, storage.library, rules)
        if links := registry.passage_links(platform_configs(settings), sources):
            await links()  # the key is made at the first start
        calibrator = ScoreCalibrator(storage.database, embedder)
        planner = RulePlanner(storage.index, storage.library, max_question=settings.max_question)
        yield Citewell(
            settings=settings,
            storage=storage,
            embedder=embedder,
            planner=planner,
            retriever=HybridRetriever(
                storage.index,
                storage.library,
                embedder,
                reranker=await stack.enter_async_context(open_reranker(settings)),
                reader=reader,
                scale=calibrator.current,
                tokenizer=_tokenizer(embedder),
                confirmations=_open_confirmations(stack, settings, storage, embedder, calibrator.current, rules),
                top_k=settings.top_k,
            ),
            calibration=calibrator.current,
            model=await stack.enter_async_context(open_model(settings, planner, storage)),
            open_indexer=partial(_open_indexer, stack, settings, storage, embedder),
            options=_answer_options(settings),
            rules=rules,
            roles={role: frozenset(getattr(settings.roles, role)) for role in Role},
            sources=sources,
            links=links,
        )


@asynccontextmanager
async def open_embedder(settings: Settings) -> AsyncIterator[Embedder | None]:
    """Open the embedder of the settings; None for lexical search alone; not connected yet. Raises Misconfigured."""
    setting = environment_name("embedder")
    kind, _, name = settings.embedder.partition(":")
    if kind == "none":
        yield None
    elif kind == "minilm":
        yield MiniLMEmbedder()
    elif kind == "onnx":
        yield open_onnx_embedder(Path(name), setting)
    elif kind == "fastembed":
        from adapters.models.fastembed_models import FastEmbedEmbedder

        yield FastEmbedEmbedder(name, setting)
    else:
        if not settings.openai_api_key:
            raise Misconfigured(
                "OPENAI_API_KEY",
                f"is not set, and CITEWELL_EMBEDDER={settings.embedder} needs it",
                what_to_do="Set it (any text for a server that asks for none), or CITEWELL_EMBEDDER=minilm.",
            )
        from adapters.models.openai_embedder import OpenAIEmbedder

        key, url = secret_value(settings.openai_api_key), settings.openai_base_url
        embedder = OpenAIEmbedder(name, key=key, base_url=url, find=make_pii_finder(settings))
        try:
            yield embedder
        finally:
            await embedder.close()


async def _with_fallback(
    stack: AsyncExitStack, settings: Settings, storage: Storage, target: Embedder | None
) -> Embedder | None:
    """Return the embedder `target`, or a fallback while vectors of another are searched that can still be opened."""
    documents = EmbeddedDocuments(storage.database)
    if _is_openai(target):
        target.restore_dimensions(await documents.embedders())
    searched = await documents.search_embedder()
    if target is None or searched in ("", target.name):
        return target
    previous = await _open_previous(stack, settings, searched)
    return FallbackEmbedder(target, previous, storage.database) if previous else target


async def _open_previous(stack: AsyncExitStack, settings: Settings, name: str) -> Embedder | None:
    """Open the embedder of that name; None if it is of an older version, or its key is gone."""
    spec = "minilm" if name == MiniLMEmbedder.name else name.rpartition(":")[0]
    if spec != "minilm" and not (name.startswith("openai:") and settings.openai_api_key):
        return None
    embedder = await stack.enter_async_context(open_embedder(replace(settings, embedder=spec)))
    if _is_openai(embedder):
        embedder.restore_dimensions([name])
    return embedder


def _is_openai(embedder: Embedder | None) -> TypeGuard[OpenAIEmbedder]:
    return embedder is not None and embedder.name.startswith("openai:")


def _open_indexer(stack: AsyncExitStack, settings: Settings, storage: Storage, embedder: Embedder | None) -> Indexer:
    from bot.documents.indexing import open_indexer

    indexer = open_indexer(settings, storage.library, embedder)
    stack.push_async_callback(indexer.reader.close)
    return indexer


def _reader(settings: Settings) -> MiniLMCrossEncoder | None:
    """Return the shipped reader, unless a reranker takes its place."""
    wanted = settings.reader == "minilm" and settings.reranker == "none"
    return MiniLMCrossEncoder(seconds=settings.reader_seconds) if wanted else None


@asynccontextmanager
async def _loading(reader: MiniLMCrossEncoder) -> AsyncIterator[None]:
    """Load the reader while the block runs. If it cannot be loaded, the search says so."""
    loading = asyncio.create_task(reader.load())
    try:
        yield
    finally:
        with suppress(Unavailable):
            await loading


def _tokenizer(embedder: Embedder | None) -> MiniLMEmbedder | None:
    """Return the shipped tokenizer, which knows words whichever model embeds them."""
    return embedder if embedder is None or isinstance(embedder, MiniLMEmbedder) else MiniLMEmbedder()


def _open_confirmations(
    stack: AsyncExitStack,
    settings: Settings,
    storage: Storage,
    embedder: Embedder | None,
    calibration: Callable[[], Awaitable[ScoreCalibration]],
    rules: AccessPolicy,
) -> ConfirmationIndex | None:
    """Return the index of confirmed answers; None if nobody's ratings count, or there is no embedder."""
    if settings.learn_from is None or embedder is None:
        return None
    store = SQLConfirmedAnswers(storage.database)
    learnt = ConfirmationIndex(store, storage.library, embedder, calibration, rules, settings.learn_from)
    stack.push_async_callback(learnt.close)
    return learnt


def _access_policy(settings: Settings) -> AccessPolicy:
    access_rules = {name: AccessRule(only=rule.only, public=rule.public) for name, rule in settings.collections.items()}
    homes = {
        config.platform.name: config.home_spaces
        for config in platform_configs(settings)
        if config.home_spaces is not None
    }
    return AccessPolicy(access_rules, registry.platforms(), homes)


def _answer_options(settings: Settings) -> AnswerOptions:
    return AnswerOptions(
        style=settings.style,
        citation_style=settings.citation_style,
        max_length=settings.max_length,
        history_turns=settings.history_turns,
        require_grounding=settings.require_grounding,
        limits=AnswerLimits(
            first_sentence_seconds=settings.first_sentence_seconds,
            total_seconds=settings.total_seconds,
            abstain=settings.abstain,
            minimum_sources=settings.minimum_sources,
            minimum_citations=settings.minimum_citations,
        ),
    )
