"""The verdicts of a judge: the schema of its reply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from pipeline.ports.reply_schema import limit_entries, list_limit, number_limit, text_limit

MAX_CLAIMS = 24
"""Maximum number of claims of a call."""
MAX_QUOTE = 160
"""Maximum number of characters of a quote: 15 words of ten letters each."""


class Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")

    claim: Annotated[int, number_limit(MAX_CLAIMS, least=1)]
    words: Annotated[str, text_limit(MAX_QUOTE)]
    """Quote from a source. It is asked for first, so that the verdict follows from it."""
    verdict: Literal["supported", "contradicted", "not there"]

    @property
    def quote(self) -> str:
        """The words, without the last one where a server cut it at the limit; empty for a single word."""
        words = self.words.split()
        whole = words[:-1] if len(self.words) == MAX_QUOTE else words
        return " ".join(whole) if len(whole) > 1 else ""


class Verdicts(BaseModel):
    model_config = ConfigDict(extra="forbid")

    verdicts: Annotated[list[Verdict], list_limit(MAX_CLAIMS)]

    @model_validator(mode="before")
    @classmethod
    def _wrap_single_verdict(cls, reply: Any) -> Any:
        """Accept a single verdict without the list around it, which small models give."""
        return {"verdicts": [{"claim": 1, **reply}]} if isinstance(reply, dict) and "verdict" in reply else reply

    def by_claim(self, count: int) -> Mapping[int, Verdict]:
        """Return the verdict of each claim that has exactly one."""
        times = Counter(verdict.claim for verdict in self.verdicts)
        return {
            verdict.claim: verdict
            for verdict in self.verdicts
            if times[verdict.claim] == 1 and 1 <= verdict.claim <= count
        }


def verdicts_schema(count: int) -> type[Verdicts]:
    """Return the schema of the verdicts on so many claims."""
    return limit_entries(Verdicts, "verdicts", count)
