"""Daily limits on what language models may cost, for each person and each space; beyond them the passages answer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime

from pipeline.ports import TokenLedger
from pipeline.values import Value


class Reservation(Value):
    """Tokens set aside for one answer."""

    subjects: tuple[str, ...]
    day: date
    tokens: int


class TokenBudget:
    """Sets aside the most that an answer can cost before a model is asked, so that no limit is ever passed.

    `person` and `space` are tokens a day (UTC), 0 for no limit; `answer` is the most that one answer costs. An answer
    whose cost is never known keeps what was set aside for it: the process died, or the model was not waited for."""

    def __init__(
        self,
        ledger: TokenLedger,
        *,
        person: int,
        space: int,
        answer: int,
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        self._ledger = ledger
        self._person = person
        self._space = space
        self._answer = answer
        self._today = today

    async def reserve(self, person: str, space: str) -> Reservation | None:
        """Tokens for one answer, or None when the day's are spent. Raises Unavailable."""
        limits = {f"person {person}": self._person, f"space {space}": self._space}
        limits = {subject: limit for subject, limit in limits.items() if limit}
        day = self._today()
        if limits and not await self._ledger.reserve(limits, self._answer, day):
            return None
        return Reservation(subjects=tuple(limits), day=day, tokens=self._answer)

    async def settle(self, reservation: Reservation, spent: int) -> None:
        """Count what the answer did cost instead of what was set aside. Raises Unavailable."""
        if reservation.subjects:
            await self._ledger.adjust(reservation.subjects, spent - reservation.tokens, reservation.day)
