"""The process that reads files: one file after another from standard input, under limits.

A request is a line of JSON (`suffix`, `size`, `cpu_seconds`) and the bytes of the file. A reply is its length in
8 bytes and JSON: `content`, or `refused` with `what_to_do`, and `spent` when the process should be replaced.
"""

from __future__ import annotations

import json
import math
import os
import resource
import sys
from typing import BinaryIO

from adapters.files.formats import BINARY_FORMATS, read_format
from adapters.files.outline import Content
from pipeline.errors import Refused

PAGE_SECONDS = 0.1
"""For a PDF, this much more processor time for each page."""
TEXT_SECONDS = 1e-5
"""For a text format, this much more for each byte: five times what a Markdown document takes."""
MOST_SECONDS = 120
MEMORY = 1_000_000_000
"""Bytes of address space, of which Python and the libraries take about a quarter."""
OPEN_FILES = 64


def main() -> None:
    """Serve until standard input ends."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    requests = sys.stdin.buffer
    while request := requests.readline():
        asked = json.loads(request)
        reply = _answer(asked["suffix"], requests.read(asked["size"]), asked["cpu_seconds"])
        _send(replies, json.dumps(reply).encode())


def _answer(suffix: str, content: bytes, cpu_seconds: float) -> dict[str, object]:
    try:
        return {"content": _read(suffix, content, cpu_seconds).model_dump(mode="json")}
    except Refused as error:
        return {"refused": str(error), "what_to_do": error.what_to_do}
    except MemoryError:
        return {"refused": "reading it takes more memory than a document may", "what_to_do": "Split it.", "spent": True}
    except Exception:  # noqa: BLE001 whatever a library stumbles over is the file's fault
        wrong = "the file is damaged" if suffix in BINARY_FORMATS else f"the file is not understood as {suffix}"
        return {"refused": wrong, "what_to_do": "Open and save it again, then retry."}


def _read(suffix: str, content: bytes, cpu_seconds: float) -> Content:
    started = _used()
    allowed = cpu_seconds + TEXT_SECONDS * len(content) if suffix not in BINARY_FORMATS else cpu_seconds
    _allow(started + min(allowed, MOST_SECONDS))

    def on_pages(count: int) -> None:
        _allow(started + min(cpu_seconds + PAGE_SECONDS * count, MOST_SECONDS))

    return read_format(suffix, content, on_pages)


def _used() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _allow(until: float) -> None:
    """The kernel ends this process once it has used `until` seconds of processor time."""
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(until), resource.RLIM_INFINITY))


def _send(replies: BinaryIO, reply: bytes) -> None:
    replies.write(len(reply).to_bytes(8, "big") + reply)
    replies.flush()
