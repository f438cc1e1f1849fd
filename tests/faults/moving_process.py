"""Moves and kills itself after some batches, within the next one: `python moving_process.py FROM TO BATCHES`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import Any

from storage import moving
from storage.moving import open_end


async def main(source: str, target: str, batches: int) -> None:
    write = moving._write

    def dying(*arguments: Any, **named: Any) -> None:
        nonlocal batches
        write(*arguments, **named)
        batches -= 1
        if batches < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    moving._write = dying
    moving.BATCH = 50
    async with open_end(source, embedder=str, make=False) as old, open_end(target, embedder=str, make=True) as new:
        await moving.move(old.engine, new.engine, old.name, lambda *_: None)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
