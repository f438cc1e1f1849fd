"""Installations: the workspaces that people added the bot to, with encrypted tokens, and the states of installations
under way."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from datetime import timedelta

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from pipeline.errors import Misconfigured
from pipeline.rules.tenancy import ALL_WORKSPACES, workspace_scope
from pipeline.values import PlaceId
from pipeline.values.platform import Installation
from storage.database import Connection, Database, fetch_value
from storage.schema.tables import upsert_statement

# --- Encryption at rest: what is sealed is read by nobody who has the database alone --------------

ENCRYPTION_SETTING = "CITEWELL_ENCRYPTION_KEYS"
MAKE_KEY_COMMAND = "python3 -c 'import base64, os; print(base64.urlsafe_b64encode(os.urandom(32)).decode())'"


class TokenCipher:
    """Encrypts with the first of `keys` and decrypts with any. Raises Misconfigured for invalid keys."""

    def __init__(self, keys: Sequence[str]) -> None:
        if not keys:
            raise Misconfigured(ENCRYPTION_SETTING, "is not set", what_to_do=f"Make a key: {MAKE_KEY_COMMAND}")
        try:
            self._fernet = MultiFernet([Fernet(key) for key in keys])
        except ValueError as error:
            raise Misconfigured(
                ENCRYPTION_SETTING, "contains an invalid key", what_to_do=f"Make a key: {MAKE_KEY_COMMAND}"
            ) from error

    def encrypt(self, text: str) -> str:
        return self._fernet.encrypt(text.encode()).decode()

    def decrypt(self, sealed: str) -> str:
        """Return the plain text. Raises Misconfigured when no key fits, or the stored text was changed."""
        try:
            return self._fernet.decrypt(sealed).decode()
        except InvalidToken as error:
            raise Misconfigured(
                ENCRYPTION_SETTING,
                "none of the keys opens what the database holds",
                what_to_do="Add the key that it was written with, after the others and a comma.",
            ) from error

    def reencrypt(self, sealed: str) -> str:
        """Return the text encrypted with the first key. Raises as `decrypt` does."""
        return self.encrypt(self.decrypt(sealed))

    def decrypt_recent(self, sealed: str, *, within: timedelta, now: float) -> str | None:
        """Return a text encrypted `within` that time before `now` (seconds); None for anything else."""
        try:
            return self._fernet.decrypt_at_time(sealed, int(within.total_seconds()), int(now)).decode()
        except InvalidToken:
            return None


# --- Workspaces -----------------------------------------------------------------------------------

_KEEP = upsert_statement("installation")
STATE_LIFETIME = timedelta(minutes=10)
_STATE = "state "
"""The beginning of every state, so that no other encrypted text is one."""


class SQLInstallationStore:
    """The port `InstallationStore`. A state is stored only when it is used: issuing one, which anybody may request,
    writes nothing."""

    def __init__(self, database: Database, cipher: TokenCipher, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._cipher = cipher
        self._clock = clock

    async def put(self, installation: Installation) -> None:
        space, sealed = str(installation.space), self._cipher.encrypt(installation.model_dump_json())
        with workspace_scope(space):
            await self._database.write(lambda db: db.execute(_KEEP, (space, sealed)).rowcount, durable=True)

    async def get(self, space: PlaceId) -> Installation | None:
        query = "SELECT sealed FROM installation WHERE space = $1"
        with workspace_scope(str(space)):
            sealed = await self._database.read(lambda db: fetch_value(db, query, (str(space),)))
        return self._open(str(space), sealed) if sealed else None

    async def all(self) -> list[Installation]:
        return [self._open(space, sealed) for space, sealed in await self._rows()]

    async def reencrypt(self) -> None:
        renewed = [(self._cipher.reencrypt(sealed), space, sealed) for space, sealed in await self._rows()]
        change = "UPDATE installation SET sealed = $1 WHERE space = $2 AND sealed = $3"
        with workspace_scope(ALL_WORKSPACES):
            await self._database.write(lambda db: db.executemany(change, renewed), durable=True)

    def issue_state(self) -> str:
        return self._cipher.encrypt(_STATE + secrets.token_urlsafe(16))

    async def consume_state(self, state: str) -> bool:
        now = self._clock()
        opened = self._cipher.decrypt_recent(state, within=STATE_LIFETIME, now=now)
        if opened is None or not opened.startswith(_STATE):
            return False

        def work(db: Connection) -> bool:
            db.execute("DELETE FROM taken_state WHERE at < $1", (now - 2 * STATE_LIFETIME.total_seconds(),))
            statement = "INSERT INTO taken_state VALUES ($1, $2) ON CONFLICT (state) DO NOTHING"
            return db.execute(statement, (opened, now)).rowcount == 1

        return await self._database.write(work, durable=True)

    async def _rows(self) -> list[tuple[str, str]]:
        query = "SELECT space, sealed FROM installation ORDER BY space"
        with workspace_scope(ALL_WORKSPACES):
            return await self._database.read(lambda db: db.execute(query).fetchall())

    def _open(self, space: str, sealed: str) -> Installation:
        installation = Installation.model_validate_json(self._cipher.decrypt(sealed))
        if str(installation.space) != space:
            raise Misconfigured(
                ENCRYPTION_SETTING, f"what the database holds for {space} was sealed for another workspace"
            )
        return installation
