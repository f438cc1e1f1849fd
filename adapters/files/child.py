"""The process that reads binary formats: one file after another from standard input, under limits.

A request is a line of JSON (`suffix`, `size`) and the bytes of the file. A reply is its length in 8 bytes and
JSON: `{"content": ...}` or `{"refused": ..., "what_to_do": ...}`.
"""

from __future__ import annotations

import json
import math
import os
import resource
import sys
from typing import BinaryIO

from adapters.files.outline import Content
from pipeline.errors import Refused

CPU_SECONDS = 10
PAGE_SECONDS = 0.1
"""For a PDF, this much more for each page."""
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
        reply, intact = _answer(asked["suffix"], requests.read(asked["size"]))
        _send(replies, reply)
        if not intact:
            return


def _answer(suffix: str, content: bytes) -> tuple[bytes, bool]:
    """The reply, and whether the process is fit for another file."""
    try:
        return b'{"content":' + _read(suffix, content).model_dump_json().encode("utf-8", "replace") + b"}", True
    except Refused as error:
        return json.dumps({"refused": str(error), "what_to_do": error.what_to_do}).encode(), True
    except MemoryError:
        return b'{"refused": "reading it takes more memory than a document may", "what_to_do": "Split it."}', False
    except Exception:  # noqa: BLE001 whatever a library stumbles over is the file's fault
        return b'{"refused": "the file is damaged", "what_to_do": "Open and save it again, then retry."}', False


def _read(suffix: str, content: bytes) -> Content:
    started = _used()
    _allow(started + CPU_SECONDS)
    match suffix:
        case ".pdf":
            from adapters.files.pdf import read_pdf

            def on_pages(count: int) -> None:
                _allow(started + min(CPU_SECONDS + PAGE_SECONDS * count, MOST_SECONDS))

            return read_pdf(content, on_pages)
        case ".docx":
            from adapters.files.docx import read_docx

            return read_docx(content)
        case ".pptx":
            from adapters.files.pptx import read_pptx

            return read_pptx(content)
        case _:
            from adapters.files.xlsx import read_xlsx

            return read_xlsx(content)


def _used() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _allow(until: float) -> None:
    """The kernel ends this process once it has used `until` seconds of processor time."""
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(until), resource.RLIM_INFINITY))


def _send(replies: BinaryIO, reply: bytes) -> None:
    replies.write(len(reply).to_bytes(8, "big") + reply)
    replies.flush()
