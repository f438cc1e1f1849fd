"""A language model reads what words cannot decide: are the sentences what the passages say?"""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from pipeline.check.judge_prompt import (
    MAX_CALL_TOKENS,
    TOKENS_PER_VERDICT,
    PendingClaim,
    fit_claims,
    render_judge_messages,
)
from pipeline.check.risk import find_unsupported_name, support_score
from pipeline.check.verbatim import find_phrase, find_quote
from pipeline.check.word_check import judge_sentence
from pipeline.errors import CitewellError, Unavailable
from pipeline.evidence.injected_instructions import crop_passage, is_instruction_free
from pipeline.ports import LanguageModel
from pipeline.values import Judgement, RetrievedChunk, SupportBasis, replace
from pipeline.words.qualifiers import is_qualifier_lost

NOT_CHECKED = "it could not be checked"
"""The reason where the judge did not answer; the sentence stays unsure."""
JUDGE_QUOTE_MISSING = "what the judge rests on is not in the passages"
"""The reason where the judge contradicts itself."""
CONDITION_LEFT_OUT = "it leaves out a condition that stands with it"
"""The reason where the judge rests on no more than the sentence itself."""
_WHY = {"contradicted": "the passages say otherwise", "not there": "the passages do not say it"}


class _Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")

    claim: int
    words: str
    """Asked for first, so that the verdict follows from it."""
    verdict: Literal["supported", "contradicted", "not there"]


class _Verdicts(BaseModel):
    model_config = ConfigDict(extra="forbid")

    verdicts: list[_Verdict]

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, found: Any) -> Any:
        """Small models give a single verdict without the list around it."""
        return {"verdicts": [{"claim": 1, **found}]} if isinstance(found, dict) and "verdict" in found else found

    def by_claim(self, count: int) -> Mapping[int, _Verdict]:
        """The verdict of each claim that has exactly one."""
        times = Counter(one.claim for one in self.verdicts)
        return {one.claim: one for one in self.verdicts if times[one.claim] == 1 and 1 <= one.claim <= count}


@dataclass(frozen=True)
class ModelJudge:
    """Reads sentences with the passages that their writer read: all in one call within `deadline` seconds.

    What `judge` decides is not asked about. A verdict of support counts only with words that stand in a passage, and
    these stand for the whole units that they are of. Without a verdict a sentence stays unsure, and `report` is told
    why."""

    model: LanguageModel
    _: KW_ONLY
    deadline: float = 5.0
    report: Callable[[str], None] = lambda _: None
    make_nonce: Callable[[], str] = lambda: secrets.token_hex(4)

    @property
    def name(self) -> str:
        return self.model.name

    async def review(
        self, said: Sequence[PendingClaim], passages: Sequence[RetrievedChunk], *, question: str = "", heard: str = ""
    ) -> tuple[list[Judgement], int]:
        """A judgement for each, and the tokens they cost: the most that it can be where the model did not say.

        `heard`: what was said before, of which names are known."""
        found = [
            judge_sentence(one.sentence, passages, question=question, header=one.header, heard=heard) for one in said
        ]
        unsure = [n for n, one in enumerate(found) if one.support is SupportBasis.UNSURE and not one.is_injected]
        asked = fit_claims([said[n] for n in unsure])
        if not asked:
            return found, 0
        verdicts, tokens = await self._asked(asked, passages, question)
        for number, place in enumerate(unsure, start=1):
            claim = said[place].claim
            if verdict := verdicts.get(number):
                ordered = sorted(passages, key=lambda one: one.chunk.id not in said[place].sentence.chunk_ids)
                found[place] = self._judged(claim, verdict, ordered, found[place], question, heard)
            else:
                found[place] = replace(found[place], reason=NOT_CHECKED)
        return found, tokens

    async def _asked(
        self, said: Sequence[PendingClaim], passages: Sequence[RetrievedChunk], question: str
    ) -> tuple[Mapping[int, _Verdict], int]:
        try:
            async with asyncio.timeout(self.deadline):
                told, usage = await self.model.structured(
                    render_judge_messages(said, passages, question, self.make_nonce()),
                    _Verdicts,
                    max_tokens=60 + TOKENS_PER_VERDICT * len(said),
                )
        except (CitewellError, TimeoutError) as error:
            self.report(str(error) or "the judge took too long")
            return {}, 0 if isinstance(error, Unavailable) else MAX_CALL_TOKENS
        verdicts = told.by_claim(len(said))
        if len(verdicts) < len(said):
            self.report(f"the judge gave {len(verdicts)} of {len(said)} verdicts")
        return verdicts, usage.input_tokens + usage.output_tokens

    def _judged(
        self,
        claim: str,
        verdict: _Verdict,
        passages: Sequence[RetrievedChunk],
        before: Judgement,
        question: str,
        heard: str,
    ) -> Judgement:
        refused = replace(before, support=SupportBasis.REFUSED, judge=self.name)
        if verdict.verdict != "supported":
            return replace(refused, reason=_WHY[verdict.verdict])
        words = verdict.words if len(verdict.words.split()) > 1 else ""
        places = [one for one in find_quote(words, passages) if all(is_instruction_free(*place) for place in one)]
        if not places:
            return replace(refused, reason=JUDGE_QUOTE_MISSING)
        rests = [crop_passage(*place) for place in places[0]]
        texts = [one.chunk.text for one in rests]
        said = " … ".join(dict.fromkeys(texts))
        short = is_qualifier_lost(claim, said)
        if short and find_phrase(words, claim):
            return replace(refused, reason=CONDITION_LEFT_OUT)
        doubted = short or find_unsupported_name(claim, passages, f"{question}\n{heard}")
        most = next((n for n, text in enumerate(texts) if is_qualifier_lost(claim, text)), 0)
        cited = [rests[most].chunk.id, *(place.passage.chunk.id for one in places for place in one)]
        return Judgement(
            support=SupportBasis.JUDGED,
            score=support_score(claim, rests, question),
            chunk_ids=tuple(dict.fromkeys(cited)),
            quote=texts[most],
            judge=self.name,
            omitted_conditions=texts[most] if doubted else "",
        )
