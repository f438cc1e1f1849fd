"""Daily token limits of language models, for each person and each space; beyond them answers are extracts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, date, datetime

from pipeline.errors import CitewellError, PromptTooLong, UnusableResponse
from pipeline.ports import ChatMessage, TokenLedger
from pipeline.values import Value
from pipeline.words.text import estimate_tokens


class Reservation(Value):
    """Tokens set aside for one answer."""

    subjects: tuple[str, ...]
    day: date
    tokens: int


@dataclass
class TokenCounter:
    """The tokens that one answer has cost so far: as the model counted them, else estimated."""

    tokens: int = 0


@dataclass(frozen=True)
class TokenBudget:
    """Sets aside the most that an answer can cost before a model is asked, so that no limit is ever exceeded.

    `per_person` and `per_space` are tokens a day (UTC), 0 for no limit; `per_answer` is the most that one answer costs.
    At the end of an answer, however it ends, its cost replaces what was set aside: 0 where the model gave nothing, an
    estimate where the model did not say. Only an answer whose process died keeps what was set aside for it."""

    ledger: TokenLedger
    _: KW_ONLY
    per_person: int
    per_space: int
    per_answer: int
    today: Callable[[], date] = lambda: datetime.now(UTC).date()

    async def reserve(self, person: str, space: str) -> Reservation | None:
        """Set aside tokens for one answer; return None when the day's are spent. Raises Unavailable.

        A caller that is cancelled meanwhile has nothing set aside."""
        limits = {f"person {person}": self.per_person, f"space {space}": self.per_space}
        limits = {subject: limit for subject, limit in limits.items() if limit}
        day = self.today()
        reservation = Reservation(subjects=tuple(limits), day=day, tokens=self.per_answer)
        if not limits:
            return reservation
        reserving = asyncio.ensure_future(self.ledger.reserve(limits, self.per_answer, day))
        try:
            return reservation if await asyncio.shield(reserving) else None
        except asyncio.CancelledError:
            with suppress(CitewellError):
                if await reserving:
                    await self.settle(reservation, 0)
            raise

    async def settle(self, reservation: Reservation, spent: int) -> None:
        """Count what the answer did cost instead of what was set aside, also where the caller is cancelled meanwhile.
        Raises Unavailable."""
        if not reservation.subjects:
            return
        unspent = reservation.tokens - spent
        settling = asyncio.ensure_future(self.ledger.adjust(reservation.subjects, -unspent, reservation.day))
        try:
            await asyncio.shield(settling)
        except asyncio.CancelledError:
            with suppress(CitewellError):
                await settling
            raise


def estimate_prompt_tokens(messages: Sequence[ChatMessage]) -> int:
    """Estimate the tokens of a prompt."""
    return sum(estimate_tokens(message.content) for message in messages)


def estimate_failed_call(
    error: CitewellError | TimeoutError, messages: Sequence[ChatMessage], *, max_tokens: int
) -> int:
    """Estimate the tokens of a call that failed: the prompt and the longest reply where an unusable reply came, 0 where
    none came."""
    has_reply = isinstance(error, UnusableResponse) and not isinstance(error, PromptTooLong)
    return estimate_prompt_tokens(messages) + max_tokens if has_reply else 0
