"""Models that write, plan, judge and rerank, as the settings name them, and masking for them; none of them is
needed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from bot.config.settings import Settings, environment_name, secret_value
from pipeline.budget import TokenBudget
from pipeline.drafting.task import AnswerModel
from pipeline.ports import LanguageModel, Planner
from pipeline.screen.sensitive_data import SensitiveDataFinder, find_sensitive_data
from storage.open import Storage

if TYPE_CHECKING:
    from pipeline.check.model_judge import ModelJudge
    from pipeline.ports import Reranker
    from pipeline.write.prompts import PromptOptions


# --- What models on other people's servers are not shown ------------------------------------------


def make_pii_finder(settings: Settings) -> SensitiveDataFinder | None:
    """Return the finder of data to mask; None if models are shown everything. Raises Misconfigured."""
    if settings.masking == "none":
        return None
    if settings.masking == "exact":
        return find_sensitive_data
    from adapters.models.presidio import open_presidio

    return open_presidio(settings.masking.partition(":")[2], environment_name("masking"))


# --- What puts the passages that were found in order ----------------------------------------------

RERANKER_VARIABLE = environment_name("reranker")


@asynccontextmanager
async def open_reranker(settings: Settings, *, seconds: float | None = None) -> AsyncIterator[Reranker | None]:
    """Open the reranker of the settings, which gives up after `seconds`; None if none is set.

    Nothing is loaded or connected yet. The default deadline is how long a question may wait. Raises Misconfigured.
    """
    if settings.reranker == "none":
        yield None
        return
    from adapters.models.resilience import RERANK_TIMEOUT_SECONDS, GuardedReranker

    async with AsyncExitStack() as stack:
        reranker = await _make_reranker(settings, stack)
        yield GuardedReranker(reranker, f"reranker {settings.reranker}", seconds=seconds or RERANK_TIMEOUT_SECONDS)


async def _make_reranker(settings: Settings, stack: AsyncExitStack) -> Reranker:
    kind, _, name = settings.reranker.partition(":")
    if kind == "onnx":
        from adapters.models.onnx.reranker import open_onnx_reranker

        return open_onnx_reranker(Path(name), RERANKER_VARIABLE)
    if kind == "fastembed":
        from adapters.models.fastembed_models import FastEmbedReranker

        return FastEmbedReranker(name, RERANKER_VARIABLE)
    from adapters.models.rerank_server import ServerReranker

    url, key = settings.reranker_url or "", secret_value(settings.reranker_key)
    server = ServerReranker(settings.reranker, url=url, key=key, find=make_pii_finder(settings))
    stack.push_async_callback(server.close)
    return server


# --- Writers, planners, judges --------------------------------------------------------------------

EXTRACTIVE = "extractive"
_PREFERRED = {"anthropic": "anthropic:claude-sonnet-5", "openai": "openai:gpt-5-mini"}
"""The models of `auto` when only a key is set."""

_CONTEXT_TOKENS = 12_000
"""Tokens of a prompt: a document that answers is in .885 of the prompts of mtrag_cloud (.828 with a third less)."""
_REVIEWS = 3
"""Calls to the judge about the sentences of one answer (`pipeline/drafting/checked_stream.py`)."""

_TOKENS_PERSON, _TOKENS_SPACE = 600_000, 6_000_000
"""Tokens a day, where the settings do not say and somebody pays for them."""

log = structlog.get_logger(__name__)


@asynccontextmanager
async def open_model(settings: Settings, planner: Planner, storage: Storage) -> AsyncIterator[AnswerModel | None]:
    """Open the models of `settings`, with `planner` to help; None when none is named. They begin to connect.

    Raises Misconfigured when a key is missing.
    """
    spec = model_spec(settings)
    if spec == EXTRACTIVE:
        yield None
        return
    from bot.model_server import open_prepared_model
    from pipeline.drafting.proposal import ProposalDrafter
    from pipeline.plan.model_planner import ModelPlanner
    from pipeline.write.model_writer import ModelWriter

    async with AsyncExitStack() as stack:
        masking, options = make_pii_finder(settings), prompt_options(settings)
        writing = await stack.enter_async_context(open_prepared_model(settings, spec, masking, options))
        model, judging = writing.opened.model, writing
        if settings.judge not in ("auto", "none", spec):
            judging = await stack.enter_async_context(open_prepared_model(settings, settings.judge, masking, options))
            writing.judge = judging
        billed = writing.opened.is_billed or judging.opened.is_billed
        budget = TokenBudget(
            storage.token_ledger,
            per_person=_daily_limit(settings.daily_tokens_person, _TOKENS_PERSON, billed=billed),
            per_space=_daily_limit(settings.daily_tokens_space, _TOKENS_SPACE, billed=billed),
            per_answer=_max_answer_tokens(settings),
        )
        helped = ModelPlanner(
            planner,
            model,
            report=lambda why: log.warning("plan_model_not_used", reason=why),
            is_free=lambda: writing.turns.is_free,
        )
        yield AnswerModel(
            name=model.name,
            writer=ModelWriter(
                writing.fitter, report=writing.report_declined, needs_sources=settings.require_grounding
            ),
            budget=budget,
            judge=None if settings.judge == "none" else _judge(judging.opened.model),
            planner=helped if settings.planner_model else None,
            drafter=ProposalDrafter(
                model,
                budget,
                turns=writing.turns,
                report=lambda why: log.warning("draft_not_written", reason=why),
            ),
            turns=writing.turns,
        )


@asynccontextmanager
async def open_judge(settings: Settings) -> AsyncIterator[ModelJudge | None]:
    """Open the judge of the settings, for sentences that words do not decide; None without a model.

    Raises Misconfigured when a key is missing.
    """
    spec = model_spec(settings) if settings.judge == "auto" else settings.judge
    if spec in (EXTRACTIVE, "none"):
        yield None
        return
    async with open_language_model(settings, spec) as model:
        yield _judge(model)


@asynccontextmanager
async def open_language_model(settings: Settings, spec: str) -> AsyncIterator[LanguageModel]:
    """Open the model that `spec` names, not connected yet. Raises Misconfigured when its key is missing."""
    model = _make_guarded_model(settings, spec)
    try:
        yield model
    finally:
        await model.close()


def _judge(model: LanguageModel) -> ModelJudge:
    from pipeline.check.model_judge import ModelJudge

    return ModelJudge(model, report=lambda why: log.warning("judge_not_used", reason=why))


def _max_answer_tokens(settings: Settings) -> int:
    """Return the most tokens that one answer may cost: a plan, the draft with its searches, the repair, the reviews."""
    from pipeline.check.judge_prompt import MAX_CALL_TOKENS
    from pipeline.plan.model_planner import max_plan_tokens
    from pipeline.write.search_tool import MAX_SEARCHES

    review = 0 if settings.judge == "none" else _REVIEWS * MAX_CALL_TOKENS
    prompts = MAX_SEARCHES + 2 + 1  # the searches, one that asks for too many, the draft, what is written again
    written = prompts * ((settings.context_tokens or _CONTEXT_TOKENS) + settings.max_tokens)
    return written + max_plan_tokens() * settings.planner_model + review


def prompt_options(settings: Settings) -> PromptOptions:
    """Return the settings of every prompt."""
    from pipeline.write.prompts import UNPROVEN_TOKENS, AnswerMode, PromptOptions

    return PromptOptions(
        mode=AnswerMode(settings.mode),
        system_instructions=settings.system_instructions,
        context_tokens=settings.context_tokens or _CONTEXT_TOKENS,
        unproven_tokens=settings.context_tokens or UNPROVEN_TOKENS,
    )


def _daily_limit(limit: int | None, usual: int, *, billed: bool) -> int:
    """Return the tokens of a day, 0 for no limit."""
    if limit is None:
        return usual if billed else 0
    return limit


def model_spec(settings: Settings) -> str:
    """Return `provider:name`, or `extractive`; `auto` selects the provider whose key is set."""
    if settings.model != "auto":
        return settings.model
    if settings.anthropic_api_key:
        return _PREFERRED["anthropic"]
    return _PREFERRED["openai"] if settings.openai_api_key else EXTRACTIVE


def _make_guarded_model(settings: Settings, spec: str) -> LanguageModel:
    from bot.model_server import open_model_server

    return open_model_server(settings, spec, make_pii_finder(settings)).model
