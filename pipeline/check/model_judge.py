"""A judge that uses a language model, for sentences that the word check cannot decide."""

from __future__ import annotations

import asyncio
import math
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field

from pipeline.budget import estimate_failed_call, estimate_prompt_tokens
from pipeline.check.judge_prompt import MAX_PROMPT_TOKENS, PendingClaim, fit_claims, render_judge_messages
from pipeline.check.risk import find_unsupported_name, support_score
from pipeline.check.unusable_replies import PAUSE_SECONDS, UnusableReplies
from pipeline.check.verbatim import find_phrase, find_quote
from pipeline.check.verdicts import Verdict, verdicts_schema
from pipeline.check.word_check import judge_sentence
from pipeline.errors import CitewellError, PromptTooLong, UnusableResponse
from pipeline.evidence.injected_instructions import crop_passage, is_instruction_free
from pipeline.ports import LanguageModel
from pipeline.ports.reply_schema import (
    longest_prompt,
    max_reply_tokens,
    typical_reply_tokens,
)
from pipeline.values import NOT_CHECKED, Judgement, ModelCapacity, RetrievedChunk, SupportBasis, replace
from pipeline.words.qualifiers import is_qualifier_lost

JUDGE_QUOTE_MISSING = "what the judge rests on is not in the passages"
"""Reason where the passages do not have the judge's quote."""
CONDITION_LEFT_OUT = "it leaves out a condition that stands with it"
"""Reason where the judge quotes no more than the sentence itself."""
_REASONS = {"contradicted": "the passages say otherwise", "not there": "the passages do not say it"}


_DEADLINE_FACTOR = 2
"""Factor of the seconds that a reply takes at the model's measured speed, up to which it is awaited."""


@dataclass(frozen=True)
class ModelJudge:
    """A judge that reads sentences with the passages that their writer read, all in one call.

    Sentences that `judge_sentence` decides are not sent to it. A verdict of support counts only with a quote from a
    passage, and the quote stands for the whole units that it is part of. Without a verdict a sentence stays unsure, and
    `report` gets the reason. A reply is awaited for `deadline` seconds, or longer where the model is known to be slow.
    After replies that cannot be used it is not asked for a while."""

    model: LanguageModel
    _: KW_ONLY
    deadline: float = 5.0
    report: Callable[[str], None] = lambda _: None
    make_nonce: Callable[[], str] = lambda: secrets.token_hex(4)
    unusable: UnusableReplies = field(default_factory=lambda: UnusableReplies(time.monotonic))

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
        seconds: float = math.inf,
    ) -> tuple[list[Judgement], int]:
        """Return a judgement for each claim, and the tokens they cost: estimated where the model did not say.

        The names in `history_text`, the conversation so far, count as known. `seconds` is what the answer has left: the
        model is not asked where its reply cannot be had by then."""
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
        verdicts, tokens = await self._request_verdicts(sent, passages, question, seconds)
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
        self, claims: Sequence[PendingClaim], passages: Sequence[RetrievedChunk], question: str, seconds: float
    ) -> tuple[Mapping[int, Verdict], int]:
        """Return the verdicts by the number of their claim, and the tokens they cost."""
        schema, capacity = verdicts_schema(len(claims)), self.model.capacity
        max_tokens = max_reply_tokens(schema)
        typical = typical_reply_tokens(max_tokens)
        longest = longest_prompt(capacity, seconds, max_tokens=max_tokens, reply=typical)
        messages = render_judge_messages(
            claims, passages, question, self.make_nonce(), max_tokens=min(longest, MAX_PROMPT_TOKENS)
        )
        prompt = estimate_prompt_tokens(messages)
        if prompt > longest or seconds <= 0:
            self.report(f"the judge was not asked: {_describe_lack(prompt, typical, seconds, capacity)}")
            return {}, 0
        if not self.unusable.may_ask():
            return {}, 0
        needed = capacity.reading_seconds(prompt) + capacity.writing_seconds(typical)
        try:
            async with asyncio.timeout(min(seconds, max(self.deadline, _DEADLINE_FACTOR * needed))):
                reply, usage = await self.model.structured(messages, schema, max_tokens=max_tokens)
        except PromptTooLong as error:
            self.report(str(error))
            return {}, 0
        except UnusableResponse as error:
            self._count_unusable(f"the judge's reply did not fit: {error}")
            return {}, estimate_failed_call(error, messages, max_tokens=max_tokens)
        except (CitewellError, TimeoutError) as error:
            self.report(str(error) or "the judge took too long")
            failed = estimate_failed_call(error, messages, max_tokens=max_tokens)
            return {}, prompt if isinstance(error, TimeoutError) else failed
        verdicts = reply.by_claim(len(claims))
        if not verdicts:
            self._count_unusable(f"the judge's reply did not fit: no verdict for any of {len(claims)} claims")
        elif len(verdicts) < len(claims):
            self.report(f"the judge gave {len(verdicts)} of {len(claims)} verdicts")
        if verdicts:
            self.unusable.reset()
        return verdicts, usage.input_tokens + usage.output_tokens

    def _count_unusable(self, reason: str) -> None:
        pause = f"; it is asked again in {PAUSE_SECONDS / 60:.0f} minutes" if self.unusable.count() else ""
        self.report(reason + pause)

    def _apply_verdict(
        self,
        claim: str,
        verdict: Verdict,
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
        words = verdict.quote
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


def _describe_lack(prompt: float, reply: float, seconds: float, capacity: ModelCapacity) -> str:
    """Return what there is too little of for a reply: time, or the model's window."""
    if capacity.can_reply_within(seconds, prompt=prompt, reply=reply) and seconds > 0:
        return f"the sentences and their sources do not fit its window of {capacity.window} tokens"
    needed = capacity.reading_seconds(prompt) + capacity.writing_seconds(reply)
    return f"its reply takes about {needed:.0f} seconds, and the answer has {max(seconds, 0):.0f} left"
