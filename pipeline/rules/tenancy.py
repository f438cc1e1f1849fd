"""For whom the work at hand is done: the one workspace whose rows may be touched, where the database keeps to it.

It holds for a task and for the tasks that this one begins. A process begins as its operator, who may touch everything;
whoever listens to others or answers them begins as nobody, and names the workspace before anything is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

ALL_WORKSPACES = "*"
"""Of all workspaces: the terminal, the schedule, whose turn it is, what is forgotten."""
NO_WORKSPACE = ""
_workspace: ContextVar[str] = ContextVar("workspace", default=ALL_WORKSPACES)


class VisibleCollections(NamedTuple):
    """The collections whose documents a workspace may have in its answers."""

    names: frozenset[str]
    is_exclusion: bool
    """All but these; else only these."""
    all_workspaces: bool = False
    """Rows of all workspaces, too: people of each are there, and only the rules tell what they may see."""


ALL_COLLECTIONS = VisibleCollections(frozenset(), is_exclusion=True, all_workspaces=True)
NO_COLLECTIONS = VisibleCollections(frozenset(), is_exclusion=False)
VisibilityResolver = Callable[[str], VisibleCollections]
"""By workspace (`slack:T1`, `discord:1`, `discord:dm`)."""


def current_workspace() -> str:
    """That of the work at hand."""
    return _workspace.get()


@contextmanager
def workspace_scope(workspace: str) -> Iterator[None]:
    """What is done inside is done for this workspace, for NOBODY, or for EVERYTHING."""
    token = _workspace.set(workspace)
    try:
        yield
    finally:
        _workspace.reset(token)


def set_workspace(workspace: str) -> None:
    """The same until the task ends."""
    _workspace.set(workspace)
