"""Moves and kills itself after some batches, within the next one: `python moving_process.py FROM TO BATCHES`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import Any

from storage import data_migration
from storage.data_migration import open_endpoint


async def main(source: str, target: str, batches: int) -> None:
    write = data_migration._write

    def dying(*arguments: Any, **named: Any) -> None:
        nonlocal batches
        write(*arguments, **named)
        batches -= 1
        if batches < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    data_migration._write = dying
    data_migration.COPY_BATCH = 50
    async with (
        open_endpoint(source, embedder=str, make=False) as old,
        open_endpoint(target, embedder=str, make=True) as new,
    ):
        await data_migration.copy_data(old.engine, new.engine, old.name, lambda *_: None)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
