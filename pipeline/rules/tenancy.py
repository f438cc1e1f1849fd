"""For whom the work at hand is done: the one workspace whose rows may be touched, where the database keeps to it.

It holds for a task and for the tasks that this one begins. A process begins as its operator, who may touch everything;
whoever listens to others or answers them begins as nobody, and names the workspace before anything is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

EVERYTHING = "*"
"""Of all workspaces: the terminal, the schedule, whose turn it is, what is forgotten."""
NOBODY = ""
_workspace: ContextVar[str] = ContextVar("workspace", default=EVERYTHING)


class Reach(NamedTuple):
    """The collections whose documents a workspace may have in its answers."""

    names: frozenset[str]
    others: bool
    """All but these; else only these."""
    rows: bool = False
    """Rows of all workspaces, too: people of each are there, and only the rules tell what they may see."""


ALL = Reach(frozenset(), others=True, rows=True)
NONE = Reach(frozenset(), others=False)
Reaches = Callable[[str], Reach]
"""By workspace (`slack:T1`, `discord:1`, `discord:dm`)."""


def workspace() -> str:
    """That of the work at hand."""
    return _workspace.get()


@contextmanager
def bound(workspace: str) -> Iterator[None]:
    """What is done inside is done for this workspace, for NOBODY, or for EVERYTHING."""
    token = _workspace.set(workspace)
    try:
        yield
    finally:
        _workspace.reset(token)


def bind(workspace: str) -> None:
    """The same until the task ends."""
    _workspace.set(workspace)
