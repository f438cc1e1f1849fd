"""The process that reads files: one file after another from standard input, under limits.

A request is a line of JSON (`suffix`, `size`, `cpu_seconds`, and whether `leads` are wanted not the content) and
the bytes of the file. A reply is a frame, its length in 8 bytes and JSON: `content` with how many `frames` of `blocks`
follow and how many those are, or `leads`, or `refused` with `what_to_do`, and `spent` when it should be replaced.
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

from adapters.files.content import (
    TEXT_PAGE_SIZE,
    PackedBlocks,
    PageLinks,
    ParsedFile,
    ProgressCallback,
    ignore_progress,
    pack_blocks,
)
from adapters.files.formats import (
    BINARY_FORMATS,
    CONFLUENCE_STORAGE,
    FORMAT_ALIASES,
    JSON_LINES,
    PANDOC_FORMATS,
    SITEMAP,
    WEB_PAGE,
    detect_file_format,
)
from adapters.files.parse_errors import catch_parse_errors
from pipeline.errors import Refused

# --- Which module reads which format; a format's libraries are loaded when it is first met --------

_DEEPEST = 3
"""Files that a file may stand in."""
_IN_PARTS = {
    **dict.fromkeys((".md", ".markdown", ".mdx"), "text.markdown:read_markdown"),
    **dict.fromkeys((".txt", ".text"), "text.markdown:read_text"),
    **dict.fromkeys((".odt", ".ods", ".odp"), "office.odf:read_odf"),
    ".pdf": "pdf.reader:read_pdf",
    ".xlsx": "office.xlsx:read_xlsx",
    ".epub": "office.epub:read_epub",
    ".ipynb": "text.notebook:read_notebook",
}
_WHOLE = {
    **dict.fromkeys((".html", ".htm"), "html.reader:read_html"),
    **dict.fromkeys((".csv", ".tsv"), "text.csv:read_csv"),
    **dict.fromkeys(JSON_LINES, "text.jsonl:read_json_document"),
    ".pptx": "office.pptx:read_pptx",
    ".rst": "text.rst:read_rst",
    ".ics": "text.calendar:read_calendar",
    ".json": "text.structured_data:read_json",
    ".yaml": "text.structured_data:read_yaml",
    WEB_PAGE: "html.web_page:read_web_page",
}
_WITH_FILES = {
    ".docx": "office.docx.reader:read_docx",
    ".eml": "text.mail:read_eml",
    ".msg": "text.outlook:read_msg",
}
_UNHEARD = (".docx", ".pptx", ".msg")
"""Formats of which the size says nothing about the pages."""


def read_format(
    suffix: str, content: bytes, on_pages: ProgressCallback = ignore_progress, *, depth: int = 0
) -> ParsedFile:
    """A file as blocks, for JSON Lines one line of it; `on_pages` hears of pages as they are read, or at once of all
    where a library reads the whole. `depth`: how many files it stands in.

    Raises Refused, and whatever a library raises over a file that is not what its suffix says.
    """
    suffix = FORMAT_ALIASES.get(suffix, suffix)
    if suffix in _IN_PARTS:
        return _reader(_IN_PARTS[suffix])(content, on_pages)
    if suffix not in _UNHEARD:
        on_pages(len(content) // TEXT_PAGE_SIZE, 0)
    if suffix in _WITH_FILES:
        return _reader(_WITH_FILES[suffix])(content, partial(_held, depth + 1))
    if suffix == CONFLUENCE_STORAGE:
        from adapters.files.formats import ConfluenceStoragePage
        from adapters.files.html.confluence_storage import read_storage_page

        return read_storage_page(ConfluenceStoragePage.model_validate_json(content))
    return _reader(_WHOLE[suffix])(content)


def _reader(name: str) -> Callable[..., ParsedFile]:
    module, _, function = name.partition(":")
    found: Callable[..., ParsedFile] = getattr(import_module(f"adapters.files.{module}"), function)
    return found


def _held(depth: int, name: str, content: bytes) -> ParsedFile:
    """A file that another one holds."""
    if depth > _DEEPEST:
        raise Refused("it stands in too many others")
    suffix = detect_file_format(name, content)
    if suffix in PANDOC_FORMATS:
        raise Refused(f"a {suffix} file within another is not read")
    return read_format(suffix, content, depth=depth)


def read_links(suffix: str, content: bytes) -> PageLinks:
    """Where a page or a sitemap leads, or whom a page of Confluence names. Raises Refused, and whatever a library
    raises."""
    if suffix == CONFLUENCE_STORAGE:
        from adapters.files.html.confluence_storage import find_mentions

        return PageLinks(account_ids=find_mentions(content.decode()))
    from adapters.files.text.page_links import read_html_links, read_sitemap

    return read_sitemap(content) if suffix == SITEMAP else read_html_links(content)


# --- The process ----------------------------------------------------------------------------------

CPU_SECONDS_PER_PAGE = 0.1
"""This much more processor time for each page that was read, of a PDF, a text or a workbook's cells: five times what
a Markdown document takes."""
MAX_CPU_SECONDS = 120
MAX_TEXT_CPU_SECONDS = 50
"""For a text format, so that it is read within a minute."""
MAX_MEMORY_BYTES = 1_000_000_000
"""Bytes of address space, of which Python and the libraries take about a quarter."""
MAX_OPEN_FILES = 64
TOO_LONG_MESSAGE = "reading it takes more processor time than a document may"
SPLIT_HINT = "Split or simplify it."


def main() -> None:
    """Serve until standard input ends."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (MAX_OPEN_FILES, MAX_OPEN_FILES))
    gc.set_threshold(100_000)  # what readers make has few cycles, and looking for them takes a tenth of the time
    requests = sys.stdin.buffer
    while request := requests.readline():
        asked = json.loads(request)
        content = requests.read(asked["size"])
        reply, frames = _answer(asked["suffix"], content, asked["cpu_seconds"], leads=asked["leads"])
        for frame in (json.dumps(reply).encode(), *frames):
            replies.write(len(frame).to_bytes(8, "big") + frame)
        replies.flush()


def _answer(
    suffix: str, content: bytes, cpu_seconds: float, *, leads: bool
) -> tuple[dict[str, object], Sequence[bytes]]:
    try:
        with refuse_parse_errors(suffix):
            on_pages = _limited(suffix, cpu_seconds)
            if leads:
                on_pages(len(content) // TEXT_PAGE_SIZE, 0)
                return {"leads": read_links(suffix, content).model_dump(mode="json")}, ()
            found = read_format(suffix, content, on_pages)
            blocks = found.blocks
            frames = blocks.frames if isinstance(blocks, PackedBlocks) else (pack_blocks(list(blocks)),)
            known = found.model_dump(mode="json", exclude={"blocks"})
            return {"content": known, "frames": len(frames), "blocks": len(blocks)}, frames
    except Refused as error:
        return {"refused": str(error), "what_to_do": error.what_to_do}, ()
    except MemoryError:
        refused = "reading it takes more memory than a document may"
        return {"refused": refused, "what_to_do": "Split it.", "spent": True}, ()


@contextmanager
def refuse_parse_errors(suffix: str) -> Iterator[None]:
    """Raises Refused for whatever a library stumbles over: it is the file's fault."""

    def refuse(error: Exception) -> None:
        wrong = "the file is damaged" if suffix in BINARY_FORMATS else f"the file is not understood as {suffix}"
        raise Refused(wrong, what_to_do="Open and save it again, then retry.") from error

    with catch_parse_errors(refuse):
        yield


def _limited(suffix: str, cpu_seconds: float) -> ProgressCallback:
    """Limits the processor time of what is read now; what is returned hears of pages, and gives more for them."""
    started = _used()
    most = MAX_CPU_SECONDS if suffix in BINARY_FORMATS else MAX_TEXT_CPU_SECONDS
    _allow(started + cpu_seconds)

    def on_pages(count: int, of: int) -> None:
        used = _used() - started
        if used > cpu_seconds / 2 and used * of > most * count:  # the rest, read as fast, would take too long
            raise Refused(TOO_LONG_MESSAGE, what_to_do=SPLIT_HINT)
        _allow(started + min(cpu_seconds + CPU_SECONDS_PER_PAGE * count, most))

    return on_pages


def _used() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _allow(until: float) -> None:
    """The kernel ends this process once it has used `until` seconds of processor time."""
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(until), resource.RLIM_INFINITY))
