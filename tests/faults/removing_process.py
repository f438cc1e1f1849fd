"""Indexes two documents, removes one, and kills itself after some of the removal's transactions:
`python removing_process.py DATA WORD TRANSACTIONS`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import TypeVar

from storage.database import TransactionFunction
from storage.open import open_storage
from storage.sqlite.database import SQLiteDatabase
from tests.doubles.samples import chunks, document, matrices

T = TypeVar("T")
PASSAGES = 100


class Mortal(SQLiteDatabase):
    """Its process ends once this many transactions are committed."""

    left = -1

    async def write(self, work: TransactionFunction[T], *, durable: bool = False) -> T:
        outcome = await super().write(work, durable=durable)
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return outcome


async def main(data: Path, word: str, transactions: int) -> None:
    """With 0 transactions, to the end."""
    async with open_storage(data) as storage:
        library = storage.library
        await library.replace_document(document("kept"), chunks("kept", ["A pigeon flew over Texas"]), matrices(1), "m")
        texts = [f"The {word} flew over Texas {number} times" for number in range(PASSAGES)]
        await library.replace_document(document("gone"), chunks("gone", texts), matrices(PASSAGES), "m")
        await storage.database.purge_deleted()
        storage.database.__class__ = Mortal
        storage.database.left = transactions  # type: ignore[attr-defined]
        await library.remove_documents(["gone"])


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
