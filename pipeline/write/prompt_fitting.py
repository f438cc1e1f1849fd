"""The prompt of an answer, as long as the model's speed and window allow, and its beginning read ahead of questions."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import KW_ONLY, dataclass, field
from typing import NamedTuple

from pipeline.ports import ChatMessage, LanguageModel, StreamEnd
from pipeline.values import RetrievedChunk, Turn, Value, WritingBrief
from pipeline.words.text import estimate_tokens
from pipeline.write.kept_prompts import KeptPrompts
from pipeline.write.prompt_limit import PromptLimit, fit_request
from pipeline.write.prompts import (
    ANSWER_RULES,
    AnswerPrompt,
    PromptOptions,
    PromptPassage,
    render_answer_prompt,
    render_system_prompt,
)
from pipeline.write.search_tool import SEARCH_BUDGET_DIVISOR

WARM_UP_REQUEST = "Write the numbers from 1 to 20."
"""Request behind the rules when nobody asks: it measures the model."""
_WARM_UP_TOKENS = 32
_PLAUSIBLE_RATIO = (0.4, 2.0)
"""Tokens for each estimated one between which a server's count is believed; SmolLM2 counts .8 of English prose."""
_CUT_SHARE = 0.9
"""Share of the tokens that are expected of a prompt below which it was cut."""
_FILLER = f"{ANSWER_RULES}\n"
"""Text of some 450 tokens whose reading tells the speed."""
_PROBE_SECONDS = 3.0
"""Seconds within which a prompt of full length must be read to be tried when nobody asks."""


def _nonce_maker() -> Callable[[str], str]:
    """Return a function from a text to a mark that nobody outside can guess: equal texts have equal marks."""
    secret = secrets.token_bytes(16)
    return lambda text: hashlib.blake2b(text.encode(errors="replace"), key=secret, digest_size=4).hexdigest()


class FittedPrompt(Value):
    """A prompt with the limits that it was fitted to."""

    prompt: AnswerPrompt
    limit: PromptLimit
    spare: int
    """Tokens that are left for the results of searches."""
    kept: int
    """Tokens of passages that the server has probably cached."""


@dataclass(frozen=True)
class PromptFitter:
    """Fits prompts to `model`. `seconds` is the usual time to the first sentence, `reply` the most tokens of a reply.

    A model that cannot read a whole prompt within `seconds` is slow: it gets the short rules, fewer passages, and in a
    follow-up the passages of the conversation's last prompt first, which its server has cached."""

    model: LanguageModel
    options: PromptOptions
    _: KW_ONLY
    reply: int = 1000
    seconds: float = 10.0
    make_nonce: Callable[[str], str] = field(default_factory=_nonce_maker)
    """Makes the mark of a conversation's prompts."""
    _kept: KeptPrompts = field(default_factory=KeptPrompts)

    @property
    def is_slow(self) -> bool:
        """True where the model cannot read a prompt of the usual length in time."""
        speed = self.model.capacity.read_per_second
        return speed is not None and speed * self.seconds < self.options.context_tokens

    def mark(self, brief: WritingBrief) -> str:
        """Return the mark of a question's fences: the same throughout a conversation."""
        return self.make_nonce(brief.conversation or brief.question)

    def kept_chunks(self, conversation: str) -> Sequence[str]:
        """Return the ids of the chunks in the conversation's last prompt, where they are worth being read again."""
        return self._kept.chunk_ids(conversation) if self.is_slow else ()

    def keep(self, conversation: str, prompt: AnswerPrompt) -> None:
        """Keep the passages of a prompt that is sent."""
        self._kept.keep(conversation, prompt.numbered if self.is_slow else ())

    def fit(
        self,
        brief: WritingBrief,
        passages: Sequence[RetrievedChunk],
        history: Sequence[Turn],
        *,
        seconds: float | None,
        searches: bool = False,
        spare: int = 0,
    ) -> FittedPrompt:
        """Render the prompt whose first sentence comes within `seconds` (None: whenever). `spare` tokens stay unused,
        and with `searches` those for their results."""
        kept = self._recall(brief.conversation, passages) if self.is_slow else ()
        fitted = self._render(brief, passages, history, kept, seconds, searches=searches, spare=spare)
        if kept and not any(piece.shows(passages[0]) for piece in fitted.prompt.numbered):
            return self._render(brief, passages, history, (), seconds, searches=searches, spare=spare)
        return fitted

    def confirm(self, fitted: FittedPrompt, cached: int | None) -> None:
        """Take note of how much of a prompt the server had cached; None where it did not say."""
        if fitted.kept and cached is not None:
            self._kept.holds = cached * 2 >= fitted.kept

    def _render(
        self,
        brief: WritingBrief,
        passages: Sequence[RetrievedChunk],
        history: Sequence[Turn],
        kept: Sequence[PromptPassage],
        seconds: float | None,
        *,
        searches: bool,
        spare: int,
    ) -> FittedPrompt:
        is_slow = self.is_slow
        limit = self._limit(seconds=seconds, cached=self._cached_tokens(kept) if is_slow else 0)
        can_search = searches and self.model.capacity.takes_tools and not limit.by_speed
        for_searches = limit.prompt // SEARCH_BUDGET_DIVISOR if can_search else 0
        prompt = render_answer_prompt(
            brief,
            passages,
            history,
            self.options,
            self.mark(brief),
            limit=limit.prompt - spare - for_searches,
            kept=kept,
            short_rules=is_slow,
        )
        return FittedPrompt(prompt=prompt, limit=limit, spare=for_searches, kept=_block_tokens(kept))

    def _recall(self, conversation: str, passages: Sequence[RetrievedChunk]) -> Sequence[PromptPassage]:
        """Return what the server has probably cached of the conversation's last prompt, unless it is most of what a
        prompt may hold."""
        holds = self._kept.holds and self.model.capacity.cached_share is not None
        kept = self._kept.recall(conversation, passages) if holds or self._kept.latest == conversation else ()
        window = self.model.capacity.window or self.options.context_tokens
        return kept if 2 * _block_tokens(kept) < min(window, self.options.context_tokens) else ()

    def _cached_tokens(self, kept: Sequence[PromptPassage]) -> int:
        """Return the tokens of a prompt's beginning that the server has cached: none where that is not known."""
        if self.model.capacity.cached_share is None and not kept:
            return 0
        system = estimate_tokens(render_system_prompt(self.options, short_rules=True))
        return system + _block_tokens(kept)

    async def warm_up(self) -> int | None:
        """Have the server read the beginning of all prompts, so that it is cached and the speed is known. A server of
        the team's own that is quick is tried with a whole prompt. Return its window where it cut that prompt, as Ollama
        does without a word. Raises what the model raises."""
        window = None
        short = await self._request_numbers()
        if not (self.is_slow or self.model.capacity.is_billed):
            most = self.options.context_tokens
            whole = await self._request_numbers(
                self._limit(seconds=None).prompt if self.model.capacity.window else most
            )
            window = _cut_to(short, whole)
        if self.is_slow:
            await self._request_numbers()  # now with the short rules
        return window

    async def try_prompt(self) -> tuple[PromptLimit, float]:
        """Have the model read a prompt as long as one may be, and return its limits and the seconds to the first word.
        Raises what the model raises."""
        limit = self._limit(seconds=self.seconds)
        return limit, (await self._request_numbers(limit.prompt)).seconds

    def _limit(self, *, seconds: float | None, cached: int = 0) -> PromptLimit:
        return fit_request(
            self.model.capacity,
            prompt=self.options.context_tokens,
            unproven=self.options.unproven_tokens,
            reply=self.reply,
            seconds=seconds,
            cached=cached,
        )

    async def _request_numbers(self, tokens: int = 0) -> _Trial:
        """Ask for something short behind a text of about `tokens` that no server has cached."""
        system = render_system_prompt(self.options, short_rules=self.is_slow)
        fitting = (tokens - estimate_tokens(system)) // estimate_tokens(_FILLER)
        text = f"Code: {secrets.token_hex(4)}\n{_FILLER * max(1, fitting)}{WARM_UP_REQUEST}"
        messages = (ChatMessage(role="system", content=system), ChatMessage(role="user", content=text))
        started, first, counted = time.monotonic(), 0.0, 0
        async with aclosing(self.model.stream(messages, max_tokens=_WARM_UP_TOKENS)) as pieces:
            async for piece in pieces:
                first = first or time.monotonic() - started
                counted = piece.input_tokens if isinstance(piece, StreamEnd) else counted
        return _Trial(estimate_tokens(system) + estimate_tokens(text), counted, first)


def _block_tokens(kept: Sequence[PromptPassage]) -> int:
    return sum(estimate_tokens(piece.block) for piece in kept)


class _Trial(NamedTuple):
    """One request that measures a model: tokens of its prompt, estimated and as the server counts them, and the seconds
    to the first word."""

    estimated: int
    counted: int
    seconds: float


def _cut_to(short: _Trial, whole: _Trial) -> int | None:
    """Return the tokens to which a server cut the longer of two prompts in the same words; None where it did not, or
    where its counts cannot be true."""
    ratio = short.counted / short.estimated
    cut = whole.counted < _CUT_SHARE * ratio * whole.estimated
    return whole.counted if cut and _PLAUSIBLE_RATIO[0] <= ratio <= _PLAUSIBLE_RATIO[1] and whole.counted > 0 else None
