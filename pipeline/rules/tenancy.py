"""The workspace that the current task works for: the only one whose rows it may touch, where the database enforces
that.

It holds for a task and for the tasks that this one begins. A process begins as its operator, who may touch everything;
a task that serves others begins with `NO_WORKSPACE`, and names the workspace before anything is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

ALL_WORKSPACES = "*"
"""Scope of work for all workspaces: the terminal, the schedule, the scheduling of the inbox, retention."""
NO_WORKSPACE = ""
_workspace: ContextVar[str] = ContextVar("workspace", default=ALL_WORKSPACES)


class VisibleCollections(NamedTuple):
    """The collections whose documents the answers of a workspace may use."""

    names: frozenset[str]
    is_exclusion: bool
    """True for all collections but these, False for only these."""
    all_workspaces: bool = False
    """True where rows of all workspaces are visible: people of each are there, and only the rules decide what they
    see."""


ALL_COLLECTIONS = VisibleCollections(frozenset(), is_exclusion=True, all_workspaces=True)
NO_COLLECTIONS = VisibleCollections(frozenset(), is_exclusion=False)
VisibilityResolver = Callable[[str], VisibleCollections]
"""Returns the visible collections of a workspace (`slack:T1`, `discord:1`, `discord:dm`)."""


def current_workspace() -> str:
    """Return the workspace that the current task works for."""
    return _workspace.get()


@contextmanager
def workspace_scope(workspace: str) -> Iterator[None]:
    """Run the block for this workspace, for `NO_WORKSPACE`, or for `ALL_WORKSPACES`."""
    token = _workspace.set(workspace)
    try:
        yield
    finally:
        _workspace.reset(token)


def set_workspace(workspace: str) -> None:
    """Set the workspace until the task ends."""
    _workspace.set(workspace)
