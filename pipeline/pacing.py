"""Computation in small steps between which the event loop serves everything else."""

from __future__ import annotations

import asyncio
from collections import deque


class LoopPacer:
    """A pacer that lets one step of computation run in each pass of the event loop, in the order of the calls.

    Without it the steps of all answers under way run in one pass, and a message that comes in is acknowledged only
    after them. Its steps belong to one event loop.
    """

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._taken = False

    async def turn(self) -> None:
        """Wait until a step may run; at once where none has run in this pass."""
        loop = asyncio.get_running_loop()
        if self._taken:
            turn = loop.create_future()
            self._waiting.append(turn)
            await turn
            return
        self._taken = True
        loop.call_soon(self._begin_pass)

    def _begin_pass(self) -> None:
        """Let the next step run in the pass that follows."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():  # as it is where who waited was cancelled
                turn.set_result(None)
                turn.get_loop().call_soon(self._begin_pass)
                return
        self._taken = False
