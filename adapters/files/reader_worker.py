"""The process that reads files: one file after another from standard input, under limits.

A request is a line of JSON (`suffix`, `size`, `cpu_seconds`, and `leads`, true for links instead of the content) and
the bytes of the file. A reply is a frame, its length in 8 bytes and JSON: `content` with the number of `frames` that
follow and of `blocks` in them, or `leads`, or `refused` with `what_to_do`, and `spent` when the process should be
replaced.
"""

from __future__ import annotations

import gc
import json
import math
import os
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import assert_never

from adapters.files.content import (
    TEXT_PAGE_SIZE,
    PackedBlocks,
    PageLinks,
    ParsedFile,
    ProgressCallback,
    ignore_progress,
    pack_blocks,
)
from adapters.files.format_registry import Call
from adapters.files.formats import (
    BINARY_FORMATS,
    BY_SUFFIX,
    CONFLUENCE_STORAGE,
    FORMAT_ALIASES,
    PANDOC_FORMATS,
    SITEMAP,
    WEB_PAGE,
    detect_file_format,
)
from adapters.files.parse_errors import catch_parse_errors
from pipeline.errors import Refused

# --- The reader of a format; its libraries are loaded when the format is first met ----------------

_MAX_DEPTH = 3
"""Files that may stand around a file."""


def read_format(
    suffix: str, content: bytes, on_pages: ProgressCallback = ignore_progress, *, depth: int = 0
) -> ParsedFile:
    """Read a file into blocks, for JSON Lines one line of it. `on_pages` is called as pages are read, or once for all
    where a library reads the whole. `depth` counts the files around it.

    Raises Refused, and whatever a library raises over a file that is not what its suffix says.
    """
    form = BY_SUFFIX[FORMAT_ALIASES.get(suffix, suffix)]
    read = _load_reader(form.reader)
    if form.sized and form.call is not Call.IN_PARTS:
        on_pages(len(content) // TEXT_PAGE_SIZE, 0)
    match form.call:
        case Call.WHOLE:
            return read(content)
        case Call.IN_PARTS:
            return read(content, on_pages)
        case Call.WITH_FILES:
            return read(content, partial(_read_embedded, depth + 1))
    assert_never(form.call)


def _load_reader(name: str) -> Callable[..., ParsedFile]:
    module, _, function = name.partition(":")
    reader: Callable[..., ParsedFile] = getattr(import_module(f"adapters.files.{module}"), function)
    return reader


def _read_embedded(depth: int, name: str, content: bytes) -> ParsedFile:
    """Read a file inside another one."""
    if depth > _MAX_DEPTH:
        raise Refused("it stands in too many others")
    suffix = detect_file_format(name, content)
    if suffix in PANDOC_FORMATS:
        raise Refused(f"a {suffix} file within another is not read")
    return read_format(suffix, content, depth=depth)


def read_links(suffix: str, content: bytes) -> PageLinks:
    """Return the links of a page or a sitemap, or the people that a page of Confluence names. Raises Refused, and
    whatever a library raises."""
    if suffix == CONFLUENCE_STORAGE:
        from adapters.files.html.confluence_storage import find_mentions

        return PageLinks(account_ids=find_mentions(content.decode()))
    from adapters.files.text.page_links import read_html_links, read_sitemap

    if suffix == SITEMAP:
        return read_sitemap(content)
    if suffix == WEB_PAGE:
        return read_html_links(content)
    raise ValueError(f"{suffix} leads nowhere")


# --- The process ----------------------------------------------------------------------------------

CPU_SECONDS_PER_PAGE = 0.1
"""Additional processor time for each page that was read, of a PDF, a text or a workbook's cells: five times the time of
a Markdown document."""
MAX_CPU_SECONDS = 120
MAX_TEXT_CPU_SECONDS = 50
"""Processor time for a text format, so that it is read within a minute."""
MAX_MEMORY_BYTES = 1_000_000_000
"""Bytes of address space, of which Python and the libraries take about a quarter."""
MAX_OPEN_FILES = 64
TOO_LONG_MESSAGE = "reading it takes more processor time than a document may"
SPLIT_HINT = "Split or simplify it."


def main() -> None:
    """Serve until standard input ends."""
    replies = os.fdopen(os.dup(1), "wb")
    # what a library prints must not stand between the replies
    os.dup2(2, 1)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (MAX_OPEN_FILES, MAX_OPEN_FILES))
    gc.set_threshold(100_000)  # what readers make has few cycles, and looking for them takes a tenth of the time
    requests = sys.stdin.buffer
    while request := requests.readline():
        fields = json.loads(request)
        content = requests.read(fields["size"])
        reply, frames = _answer(fields["suffix"], content, fields["cpu_seconds"], leads=fields["leads"])
        for frame in (json.dumps(reply).encode(), *frames):
            replies.write(len(frame).to_bytes(8, "big") + frame)
        replies.flush()


def _answer(
    suffix: str, content: bytes, cpu_seconds: float, *, leads: bool
) -> tuple[dict[str, object], Sequence[bytes]]:
    try:
        with refuse_parse_errors(suffix):
            on_pages = _limit_cpu(suffix, cpu_seconds)
            if leads:
                on_pages(len(content) // TEXT_PAGE_SIZE, 0)
                return {"leads": read_links(suffix, content).model_dump(mode="json")}, ()
            parsed = read_format(suffix, content, on_pages)
            blocks = parsed.blocks
            frames = blocks.frames if isinstance(blocks, PackedBlocks) else (pack_blocks(list(blocks)),)
            summary = parsed.model_dump(mode="json", exclude={"blocks"})
            return {"content": summary, "frames": len(frames), "blocks": len(blocks)}, frames
    except Refused as error:
        return {"refused": str(error), "what_to_do": error.what_to_do}, ()
    except MemoryError:
        refused = "reading it takes more memory than a document may"
        return {"refused": refused, "what_to_do": "Split it.", "spent": True}, ()


@contextmanager
def refuse_parse_errors(suffix: str) -> Iterator[None]:
    """Turn every error of a library inside the block into Refused: it is the file's fault."""

    def refuse(error: Exception) -> None:
        wrong = "the file is damaged" if suffix in BINARY_FORMATS else f"the file is not understood as {suffix}"
        raise Refused(wrong, what_to_do="Open and save it again, then retry.") from error

    with catch_parse_errors(refuse):
        yield


def _limit_cpu(suffix: str, cpu_seconds: float) -> ProgressCallback:
    """Limit the processor time of the file that is read now. The returned callback grants more for each page."""
    started = _used_cpu_seconds()
    limit = MAX_CPU_SECONDS if suffix in BINARY_FORMATS else MAX_TEXT_CPU_SECONDS
    _set_cpu_limit(started + cpu_seconds)

    def on_pages(count: int, total: int) -> None:
        used = _used_cpu_seconds() - started
        if used > cpu_seconds / 2 and used * total > limit * count:  # the rest, read as fast, would take too long
            raise Refused(TOO_LONG_MESSAGE, what_to_do=SPLIT_HINT)
        _set_cpu_limit(started + min(cpu_seconds + CPU_SECONDS_PER_PAGE * count, limit))

    return on_pages


def _used_cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _set_cpu_limit(until: float) -> None:
    """Let the kernel end this process once it has used `until` seconds of processor time."""
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(until), resource.RLIM_INFINITY))
