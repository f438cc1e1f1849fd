"""Which documents and sources a name stands for that somebody typed."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from bot.documents.indexing import is_path
from pipeline.values import Document
from pipeline.words.text import one_line

_HINTS = 3


def select(listed: Sequence[Document], name: str) -> list[Document]:
    """The documents that `name` stands for: an id, the path of a file, or of a folder and all below it.

    Where nothing is at that path, it may also be a file or folder as it is listed, if that of one source only, or a
    title that one document has."""
    place = _place(name)
    found = [
        one for one in listed if name in (one.id, one_line(one.id)) or place in (path_of(one), *path_of(one).parents)
    ]
    if found or _is_there(place):
        return found
    found = [one for one in listed if Path(name) in _names(one)]
    if found:
        return found if len({one.source for one in found}) == 1 else []
    found = [one for one in listed if one_line(one.title) == name]
    return found if len(found) == 1 else []


def path_of(document: Document) -> Path:
    """Where the document's file is."""
    source = Path(document.source)
    return source if source.name == document.filename else source / document.filename


def named(sources: set[Path], name: str) -> set[Path]:
    """The sources at a path and below it."""
    place = _place(name)
    return {source for source in sources if place in (source, *source.parents)}


def ended(sources: set[Path], named: set[Path]) -> set[Path]:
    """Those of `named` that no other source is around: that one brings the files back, and they must come back into
    their own collection."""
    return {source for source in named if (sources - named).isdisjoint(source.parents)}


def comes_back(document: Document, sources: set[Path]) -> bool:
    """Whether its file is still there, in one of the sources; what is fetched is taken to be."""
    path = path_of(document)
    if not is_path(document.source):
        return Path(document.source) in sources
    return not sources.isdisjoint((path, *path.parents)) and _is_there(path)


def hint(listed: Sequence[Document], name: str) -> str:
    """Why `name` stands for no document, and what may have been meant."""
    ids = defaultdict(list)
    for one in listed:
        for key in {one.id, one.id.partition("/")[2], *map(str, _names(one)), one.title}:
            ids[key].append(one.id)
    near = [name] if name in ids else difflib.get_close_matches(name, ids, n=_HINTS, cutoff=0.6)
    meant = list(dict.fromkeys(one for key in near for one in ids[key]))[:_HINTS]
    problem = "stands for several documents" if near == [name] and len(ids[name]) > 1 else "is not indexed"
    return f"{name} {problem}. " + (
        f"Did you mean {' or '.join(meant)}?" if meant else "To list what is: citewell documents"
    )


def _names(document: Document) -> list[Path]:
    """Its file and the folders around that, as they are listed."""
    path = Path(one_line(document.filename))
    return [path, *path.parents[:-1]]


def _place(name: str) -> Path | None:
    try:
        return Path(name).expanduser().resolve()
    except (OSError, RuntimeError):  # RuntimeError: a loop of links, or no such user after `~`
        return None


def _is_there(path: Path | None) -> bool:
    """Also where that cannot be seen."""
    try:
        return path is not None and path.exists()
    except OSError:
        return True
