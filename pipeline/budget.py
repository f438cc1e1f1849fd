"""Daily token limits of language models, for each person and each space; beyond them answers are extracts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, date, datetime

from pipeline.ports import TokenLedger
from pipeline.values import Value


class Reservation(Value):
    """Tokens set aside for one answer."""

    subjects: tuple[str, ...]
    day: date
    tokens: int


@dataclass(frozen=True)
class TokenBudget:
    """Sets aside the most that an answer can cost before a model is asked, so that no limit is ever exceeded.

    `per_person` and `per_space` are tokens a day (UTC), 0 for no limit; `per_answer` is the most that one answer costs.
    An answer whose cost is never known keeps what was set aside for it: the process died, or the model was not waited
    for."""

    ledger: TokenLedger
    _: KW_ONLY
    per_person: int
    per_space: int
    per_answer: int
    today: Callable[[], date] = lambda: datetime.now(UTC).date()

    async def reserve(self, person: str, space: str) -> Reservation | None:
        """Set aside tokens for one answer; return None when the day's are spent. Raises Unavailable."""
        limits = {f"person {person}": self.per_person, f"space {space}": self.per_space}
        limits = {subject: limit for subject, limit in limits.items() if limit}
        day = self.today()
        if limits and not await self.ledger.reserve(limits, self.per_answer, day):
            return None
        return Reservation(subjects=tuple(limits), day=day, tokens=self.per_answer)

    async def settle(self, reservation: Reservation, spent: int) -> None:
        """Count what the answer did cost instead of what was set aside. Raises Unavailable."""
        if reservation.subjects:
            await self.ledger.adjust(reservation.subjects, spent - reservation.tokens, reservation.day)
