"""Addresses where people read the files of a folder or repository, fragments that lead into them, and access to the
original file."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Sequence
from io import BufferedReader
from pathlib import Path, PurePath
from typing import BinaryIO
from urllib.parse import quote, unquote, urljoin, urlsplit

from adapters.files.formats import JSON_LINES
from pipeline.values import Block, BlockKind, Document, Link, replace

# --- Addresses and links --------------------------------------------------------------------------

PATH_PLACEHOLDER = "{path}"
_MARKDOWN = frozenset({".md", ".markdown"})
_PLAIN_TEXT = frozenset({".txt", ".text"})
_MARKERS = " \t#>*+-•0123456789.)"
_COMPARISONS = 1_000_000
"""Comparisons of blocks with lines in one file: where every line has a block, one comparison a line is enough."""
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")


def file_url(base_url: str, path: str) -> str:
    """Return the address of a file: `base_url` with the file's path in the place of `{path}`, or appended."""
    template = base_url if PATH_PLACEHOLDER in base_url else f"{base_url.rstrip('/')}/{PATH_PLACEHOLDER}"
    return template.replace(PATH_PLACEHOLDER, quote(path))


def resolve_file_links(blocks: Sequence[Block], path: str, base_url: str) -> tuple[Block, ...]:
    """Return the blocks of the file at `path` with links to other files replaced by the addresses where people read
    those."""
    return tuple(
        replace(block, links=tuple(_resolve_link(link, path, base_url) for link in block.links))
        if block.links
        else block
        for block in blocks
    )


def _resolve_link(link: Link, path: str, base_url: str) -> Link:
    """Resolve one link. A path from the root of a repository begins with a slash, as on GitHub and GitLab."""
    try:
        url = urlsplit(link.url)
        file = unquote(urlsplit(urljoin(f"/{quote(path)}", url.path)).path).lstrip("/")
    except ValueError:
        return link
    if url.scheme or url.netloc or not url.path:
        return link
    return Link(text=link.text, url=urljoin(file_url(base_url, file), f"#{url.fragment}" if url.fragment else ""))


def add_fragments(blocks: Sequence[Block], name: str, text: bytes) -> tuple[Block, ...]:
    """Return the blocks with the fragments by which GitHub, GitLab, Gitea and PDF viewers lead to them: slugs of
    headings in Markdown, lines of plain text and CSV, pages. A block that has a fragment keeps it."""
    suffix = PurePath(name).suffix.lower()
    if suffix in _MARKDOWN:
        anchors = _heading_slugs(blocks)
    elif suffix in _PLAIN_TEXT:
        anchors = _line_anchors(blocks, text.decode("utf-8", "replace").splitlines())
    elif suffix == ".csv":
        anchors = [f"L{block.row}" if block.row else "" for block in blocks]
    elif suffix == ".pdf":
        anchors = [f"page={block.page}" if block.page else "" for block in blocks]
    else:
        return tuple(blocks)
    return tuple(
        replace(block, anchor=anchor) if anchor and not block.anchor else block
        for block, anchor in zip(blocks, anchors, strict=True)
    )


def _heading_slugs(blocks: Sequence[Block]) -> list[str]:
    """Return slugs as GitHub makes them: the second `Setup` is `setup-1`."""
    counts: Counter[str] = Counter()
    slugs = []
    for block in blocks:
        slug = _NOT_IN_SLUG.sub("", block.text.lower()).replace(" ", "-") if block.kind is BlockKind.HEADING else ""
        slugs.append(f"{slug}-{counts[slug]}" if slug and counts[slug] else slug)
        counts[slug] += 1
    return slugs


def _line_anchors(blocks: Sequence[Block], lines: Sequence[str]) -> list[str]:
    """Return the line where each block begins; an empty string for a block that cannot be found after the one before,
    or would take too long to find."""
    plain = [" ".join(line.lstrip(_MARKERS).split()) for line in lines]
    position, comparisons_left = 0, _COMPARISONS
    anchors = []
    for block in blocks:
        text = " ".join(block.text.lstrip(_MARKERS).split())
        end = min(len(plain), position + comparisons_left)
        line = next((n for n in range(position, end) if plain[n] and _shares_beginning(text, plain[n])), None)
        comparisons_left -= (end if line is None else line + 1) - position
        anchors.append("" if line is None else f"L{line + 1}")
        position = position if line is None else line
    return anchors


def _shares_beginning(text: str, line: str) -> bool:
    return text.startswith(line) or line.startswith(text)


# --- The original file ----------------------------------------------------------------------------


def has_original_file(document: Document) -> bool:
    """Return True where the document was read from a file of its own that still exists; lines of JSON Lines files were
    not."""
    return _file(document) is not None


def open_original(document: Document) -> BinaryIO | None:
    """Open the document's file at its beginning; None where its content has changed, or it lies outside of what was
    indexed. The whole file is read once, for its hash."""
    path = _file(document)
    if path is None:
        return None
    try:
        # a pipe that was put there must not be waited for
        file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode) and _digest(file) == document.version:
        file.seek(0)
        return file
    file.close()
    return None


def _file(document: Document) -> Path | None:
    source = Path(document.source)
    if not source.is_absolute():
        return None
    try:
        path = (source if source.is_file() else source / document.filename).resolve(strict=True)
    except (OSError, ValueError):
        return None
    is_own_file = path.is_relative_to(source) and path.is_file() and path.suffix.lower() not in JSON_LINES
    return path if is_own_file else None


def _digest(file: BufferedReader) -> str:
    return hashlib.file_digest(file, "sha256").hexdigest()
