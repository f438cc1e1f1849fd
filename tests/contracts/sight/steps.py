"""What people, programs and editors do, one step at a time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tests.contracts.sight.asking import Asking
from tests.contracts.sight.below import Below
from tests.contracts.sight.documents import Documents
from tests.contracts.sight.kept import Kept
from tests.contracts.sight.memory import Memory
from tests.contracts.sight.pages import Pages
from tests.contracts.sight.programs import Programs
from tests.contracts.sight.world import World

Act = Callable[[], Awaitable[None]]


class Steps:
    def __init__(self, world: World, memory: Memory) -> None:
        self._dice = world.dice
        self._acts = acts(world, memory)

    async def step(self) -> None:
        """One of them."""
        (act,) = self._dice.choices([one for one, _ in self._acts], [weight for _, weight in self._acts])
        await act()


def acts(world: World, memory: Memory) -> tuple[tuple[Act, int], ...]:
    """Each with how often it is done, against the others."""
    documents, asking, below = Documents(world, memory), Asking(world, memory), Below(world, memory)
    kept, pages, programs = Kept(world, memory), Pages(world, memory), Programs(world, memory)
    return (
        (documents.index, 8),
        (documents.move, 2),
        (documents.remove, 2),
        (documents.join_or_leave, 4),
        (asking.ask, 20),
        (below.passages, 12),
        (below.rate, 3),
        (below.hand_off, 3),
        (below.resolve, 2),
        (below.wish, 2),
        (below.tell, 1),
        (below.take_back, 2),
        (kept.export, 4),
        (kept.forget, 1),
        (kept.insights, 2),
        (kept.digest, 1),
        (pages.page, 10),
        (pages.pressed, 8),
        (pages.link, 12),
        (programs.key, 1),
        (programs.api, 14),
        (programs.mcp, 10),
    )
