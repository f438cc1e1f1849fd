"""What there is in the spaces of a Confluence, and which of it everyone there may read."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.values import Value


class WikiPage(Value):
    id: str
    title: str
    space: str
    webui: str
    """Its path below the site."""
    version: int
    updated: str
    """ISO date."""
    labels: frozenset[str] = frozenset()


class AttachedFile(Value):
    id: str
    page: str
    name: str
    webui: str
    download: str
    """Path below the API."""
    version: int
    size: int
    """Bytes."""


class PageNode(Value):
    """A page, or what pages stand below."""

    parent: str | None
    closed: bool
    """It says by itself that not everyone in the space may read it."""


class SpaceListing(Value):
    pages: tuple[WikiPage, ...]
    attachments: tuple[AttachedFile, ...]
    closed: frozenset[str]
    """Ids of the pages that not everyone in their space may read."""
    missing: tuple[str, ...] = ()
    """Keys of spaces that are not there, or not for this account."""


class PageText(Value):
    storage: str
    new_editor: bool
    owner: str = ""
    """Account id."""


def closed(nodes: Mapping[str, PageNode]) -> frozenset[str]:
    """Those that are closed, stand below one that is, or below one that is not among `nodes`."""
    known: dict[str, bool] = {}
    for start in nodes:
        path: list[str] = []
        at: str | None = start
        while at is not None and at not in known and at not in path:
            path.append(at)
            node = nodes.get(at)
            if node is None or node.closed:
                known[at] = True
                break
            at = node.parent
        verdict = at is not None and known.get(at, True)
        known.update((name, verdict) for name in path)
    return frozenset(name for name in nodes if known[name])
