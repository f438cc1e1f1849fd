"""Encryption at rest: what is sealed is read by nobody who has the database alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from pipeline.errors import Misconfigured

SETTING = "CITEWELL_ENCRYPTION_KEYS"
MAKE_ONE = "python3 -c 'import base64, os; print(base64.urlsafe_b64encode(os.urandom(32)).decode())'"


class Seal:
    """Seals with the first of `keys` and opens with any. Raises Misconfigured for keys that are none."""

    def __init__(self, keys: Sequence[str]) -> None:
        if not keys:
            raise Misconfigured(SETTING, "is not set", what_to_do=f"Make a key: {MAKE_ONE}")
        try:
            self._fernet = MultiFernet([Fernet(key) for key in keys])
        except ValueError as error:
            raise Misconfigured(
                SETTING, "holds something that is no key", what_to_do=f"Make a key: {MAKE_ONE}"
            ) from error

    def seal(self, text: str) -> str:
        return self._fernet.encrypt(text.encode()).decode()

    def open(self, sealed: str) -> str:
        """Raises Misconfigured where none of the keys fits, or somebody changed what is kept."""
        try:
            return self._fernet.decrypt(sealed).decode()
        except InvalidToken as error:
            raise Misconfigured(
                SETTING,
                "none of the keys opens what the database holds",
                what_to_do="Add the key that it was written with, after the others and a comma.",
            ) from error

    def renewed(self, sealed: str) -> str:
        """The same under the first key. Raises as `open`."""
        return self.seal(self.open(sealed))

    def opens(self, sealed: str, *, within: timedelta, now: float) -> str | None:
        """What was sealed `within` that time before `now` (seconds); None for anything else."""
        try:
            return self._fernet.decrypt_at_time(sealed, int(within.total_seconds()), int(now)).decode()
        except InvalidToken:
            return None
