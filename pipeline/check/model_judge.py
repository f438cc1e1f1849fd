"""A judge that uses a language model, for sentences that the word check cannot decide."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from pipeline.budget import estimate_failed_call, estimate_prompt_tokens
from pipeline.check.judge_prompt import (
    TOKENS_PER_VERDICT,
    PendingClaim,
    fit_claims,
    render_judge_messages,
)
from pipeline.check.risk import find_unsupported_name, support_score
from pipeline.check.verbatim import find_phrase, find_quote
from pipeline.check.word_check import judge_sentence
from pipeline.errors import CitewellError
from pipeline.evidence.injected_instructions import crop_passage, is_instruction_free
from pipeline.ports import LanguageModel
from pipeline.values import Judgement, RetrievedChunk, SupportBasis, replace
from pipeline.words.qualifiers import is_qualifier_lost

NOT_CHECKED = "it could not be checked"
"""Reason where the judge did not answer; the sentence stays unsure."""
JUDGE_QUOTE_MISSING = "what the judge rests on is not in the passages"
"""Reason where the passages do not have the judge's quote."""
CONDITION_LEFT_OUT = "it leaves out a condition that stands with it"
"""Reason where the judge quotes no more than the sentence itself."""
_REASONS = {"contradicted": "the passages say otherwise", "not there": "the passages do not say it"}


class _Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")

    claim: int
    words: str
    """Quote from a source. It is asked for first, so that the verdict follows from it."""
    verdict: Literal["supported", "contradicted", "not there"]


class _Verdicts(BaseModel):
    model_config = ConfigDict(extra="forbid")

    verdicts: list[_Verdict]

    @model_validator(mode="before")
    @classmethod
    def _wrap_single_verdict(cls, reply: Any) -> Any:
        """Accept a single verdict without the list around it, which small models give."""
        return {"verdicts": [{"claim": 1, **reply}]} if isinstance(reply, dict) and "verdict" in reply else reply

    def by_claim(self, count: int) -> Mapping[int, _Verdict]:
        """Return the verdict of each claim that has exactly one."""
        times = Counter(verdict.claim for verdict in self.verdicts)
        return {
            verdict.claim: verdict
            for verdict in self.verdicts
            if times[verdict.claim] == 1 and 1 <= verdict.claim <= count
        }


@dataclass(frozen=True)
class ModelJudge:
    """A judge that reads sentences with the passages that their writer read, all in one call within `deadline` seconds.

    Sentences that `judge_sentence` decides are not sent to it. A verdict of support counts only with a quote from a
    passage, and the quote stands for the whole units that it is part of. Without a verdict a sentence stays unsure, and
    `report` gets the reason."""

    model: LanguageModel
    _: KW_ONLY
    deadline: float = 5.0
    report: Callable[[str], None] = lambda _: None
    make_nonce: Callable[[], str] = lambda: secrets.token_hex(4)

    @property
    def name(self) -> str:
        return self.model.name

    async def review(
        self,
        claims: Sequence[PendingClaim],
        passages: Sequence[RetrievedChunk],
        *,
        question: str = "",
        history_text: str = "",
    ) -> tuple[list[Judgement], int]:
        """Return a judgement for each claim, and the tokens they cost: estimated where the model did not say.

        The names in `history_text`, the conversation so far, count as known."""
        judgements = [
            judge_sentence(claim.sentence, passages, question=question, header=claim.header, history_text=history_text)
            for claim in claims
        ]
        unsure = [
            n
            for n, judgement in enumerate(judgements)
            if judgement.support is SupportBasis.UNSURE and not judgement.is_injected
        ]
        sent = fit_claims([claims[n] for n in unsure])
        if not sent:
            return judgements, 0
        verdicts, tokens = await self._request_verdicts(sent, passages, question)
        for number, place in enumerate(unsure, start=1):
            claim = claims[place].claim
            if verdict := verdicts.get(number):
                ordered = sorted(passages, key=lambda passage: passage.chunk.id not in claims[place].sentence.chunk_ids)
                judgements[place] = self._apply_verdict(
                    claim, verdict, ordered, judgements[place], question, history_text
                )
            else:
                judgements[place] = replace(judgements[place], reason=NOT_CHECKED)
        return judgements, tokens

    async def _request_verdicts(
        self, claims: Sequence[PendingClaim], passages: Sequence[RetrievedChunk], question: str
    ) -> tuple[Mapping[int, _Verdict], int]:
        messages = render_judge_messages(claims, passages, question, self.make_nonce())
        max_tokens = 60 + TOKENS_PER_VERDICT * len(claims)
        try:
            async with asyncio.timeout(self.deadline):
                reply, usage = await self.model.structured(messages, _Verdicts, max_tokens=max_tokens)
        except (CitewellError, TimeoutError) as error:
            self.report(str(error) or "the judge took too long")
            failed = estimate_failed_call(error, messages, max_tokens=max_tokens)
            return {}, estimate_prompt_tokens(messages) if isinstance(error, TimeoutError) else failed
        verdicts = reply.by_claim(len(claims))
        if len(verdicts) < len(claims):
            self.report(f"the judge gave {len(verdicts)} of {len(claims)} verdicts")
        return verdicts, usage.input_tokens + usage.output_tokens

    def _apply_verdict(
        self,
        claim: str,
        verdict: _Verdict,
        passages: Sequence[RetrievedChunk],
        before: Judgement,
        question: str,
        history_text: str,
    ) -> Judgement:
        """Return the judgement of a claim by a verdict; a verdict of support needs a quote, and keeps the conditions
        beside it."""
        rejected = replace(before, support=SupportBasis.REFUSED, judge=self.name)
        if verdict.verdict != "supported":
            return replace(rejected, reason=_REASONS[verdict.verdict])
        words = verdict.words if len(verdict.words.split()) > 1 else ""
        quotes = [quote for quote in find_quote(words, passages) if all(is_instruction_free(*place) for place in quote)]
        if not quotes:
            return replace(rejected, reason=JUDGE_QUOTE_MISSING)
        excerpts = [crop_passage(*place) for place in quotes[0]]
        texts = [excerpt.chunk.text for excerpt in excerpts]
        statement = " … ".join(dict.fromkeys(texts))
        lost = is_qualifier_lost(claim, statement)
        if lost and find_phrase(words, claim):
            return replace(rejected, reason=CONDITION_LEFT_OUT)
        is_doubtful = lost or find_unsupported_name(claim, passages, f"{question}\n{history_text}")
        weakest = next((n for n, text in enumerate(texts) if is_qualifier_lost(claim, text)), 0)
        cited = [excerpts[weakest].chunk.id, *(place.passage.chunk.id for quote in quotes for place in quote)]
        return Judgement(
            support=SupportBasis.JUDGED,
            score=support_score(claim, excerpts, question),
            chunk_ids=tuple(dict.fromkeys(cited)),
            quote=texts[weakest],
            judge=self.name,
            omitted_conditions=texts[weakest] if is_doubtful else "",
        )
