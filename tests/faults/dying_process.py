"""Does one thing to a data folder and kills itself on the way: `python dying_process.py DATA THING [PERSON]`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

from storage.open import Storage, open_storage
from storage.sqlite import backup
from storage.sqlite.backup_erasure import SQLiteBackupErasure


def die(*_: object) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


async def back_up(storage: Storage) -> None:
    """Until the copy is complete but for its name."""
    backup._sync = die
    await storage.back_up()


async def forget(storage: Storage) -> None:
    """Until the person is erased in the database but in no backup."""
    SQLiteBackupErasure.erase = die  # type: ignore[method-assign]
    await storage.personal_data.forget(sys.argv[3])


async def main(data: Path, thing: str) -> None:
    async with open_storage(data) as storage:
        await {"back up": back_up, "forget": forget}[thing](storage)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
