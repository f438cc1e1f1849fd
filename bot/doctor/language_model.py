"""Check of the language model: a prompt as long as a question's, and what it tells of the model and its server."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from bot.config.settings import Settings
from bot.model_server import OpenedModel, open_model_server
from bot.models import make_pii_finder, prompt_options
from pipeline.errors import CitewellError, PromptTooLong
from pipeline.values import Finding, ModelCapacity
from pipeline.values.diagnostics import error_finding, ok_finding, warning_finding
from pipeline.write.prompt_fitting import PromptFitter
from pipeline.write.prompt_limit import PromptLimit

SECONDS = 60.0
"""Seconds that the check takes at most: a model that needs longer is of no use."""
_ATTEMPTS = 3
MIN_PROMPT_TOKENS = 500
"""Tokens of a prompt with the short rules, a question and one passage."""
MODEL_FIX = "Check the address, the key and the name of the model in CITEWELL_MODEL; until then answers are extracts."
SLOW_FIX = (
    "Run a smaller model or a faster machine, or set CITEWELL_FIRST_SENTENCE_SECONDS higher: "
    "docs/operations/own-server.md. Until then answers are extracts."
)


async def check_language_model(settings: Settings, spec: str) -> Finding:
    """Try the model that `spec` names with a prompt of the length that a question may have."""
    opened = open_model_server(settings, spec, make_pii_finder(settings))
    fitter = PromptFitter(
        opened.model, prompt_options(settings), reply=settings.max_tokens, seconds=settings.first_sentence_seconds
    )
    try:
        async with asyncio.timeout(SECONDS):
            limit, first = await _try_model(opened, fitter)
    except (CitewellError, TimeoutError) as error:
        fix = error.what_to_do if isinstance(error, CitewellError) else SLOW_FIX
        return error_finding("language model", str(error) or f"{spec} did not answer in time", fix or MODEL_FIX)
    finally:
        await opened.model.close()
    told = f"{spec} answers: {describe_capacity(opened.model.capacity, limit, first)}"
    if limit.prompt < MIN_PROMPT_TOKENS:
        return warning_finding("language model", f"{told}. That is too little for a passage: it is not asked", SLOW_FIX)
    return ok_finding("language model", told)


async def _try_model(opened: OpenedModel, fitter: PromptFitter) -> tuple[PromptLimit, float]:
    """Return the limits of a prompt and the seconds to the first word. A prompt that is refused as too long tells the
    window, and is tried again."""
    await opened.examine()
    for _ in range(_ATTEMPTS - 1):
        with suppress(PromptTooLong):
            return await _measure(opened, fitter)
    return await _measure(opened, fitter)


async def _measure(opened: OpenedModel, fitter: PromptFitter) -> tuple[PromptLimit, float]:
    opened.meter.learn(window=await fitter.warm_up(), slots=None, takes_tools=None)
    return await fitter.try_prompt()


def describe_capacity(capacity: ModelCapacity, limit: PromptLimit, first: float) -> str:
    """Return what was measured of a model, and what its server told; `first` is the seconds to the first word."""
    reads, writes, slots = capacity.read_per_second, capacity.write_per_second, capacity.slots
    facts = [
        f"reads {reads:,.0f} tokens a second" if reads else "",
        f"writes {writes:,.0f}" if writes else "",
        f"prompts of at most {limit.prompt:,} tokens",
        f"first word after {first:.1f} s",
        f"window of {capacity.window:,} tokens" if capacity.window else "",
        f"{slots} question{'s' if slots > 1 else ''} at a time" if slots else "",
        "" if capacity.takes_tools else "takes no tools, so it cannot search",
    ]
    return ", ".join(filter(None, facts))
