"""Formats that pandoc reads where it is installed. It runs as a program of its own, under limits like those of the
readers."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process

from adapters.files.formats import PANDOC_FORMATS, SUPPORTED_FORMATS
from pipeline.errors import Refused

PANDOC_SECONDS = 60.0
PANDOC_CPU_SECONDS = 50
MAX_PANDOC_BYTES = 20_000_000
"""Bytes of a file; pandoc keeps some hundred times as much in memory."""
MAX_PANDOC_HTML = 100_000_000
_MEMORY = "-M900m"
_UNKNOWN_FORMAT, _NO_MEMORY = 21, 251
_CHUNK = 1 << 20
_REPLACED = re.compile(rb"(\\u-?\d+) ?([^\\{}\r\n])")
"""A character in RTF and its replacement for programs without Unicode. Where the replacement is no code, pandoc
swallows one character more."""
_START = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[1]),) * 2)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
os.execv(sys.argv[2], sys.argv[2:])
"""


def supported_suffixes() -> tuple[str, ...]:
    """Return the suffixes of all formats that are read on this machine."""
    return (*SUPPORTED_FORMATS, *PANDOC_FORMATS) if shutil.which("pandoc") else SUPPORTED_FORMATS


async def pandoc_to_html(suffix: str, content: bytes) -> bytes:
    """Convert a file to HTML by pandoc, which may open no file and no connection. Raises Refused with the reason."""
    program = shutil.which("pandoc")
    if not program:
        raise Refused(f"{suffix} is read by pandoc, which is not installed", what_to_do="Install it from pandoc.org.")
    if suffix == ".rtf" and b"\\uc0" not in content:
        content = _REPLACED.sub(lambda match: b"%s\\'%02x" % (match[1], match[2][0]), content)
    form = PANDOC_FORMATS[suffix]
    options = ("--sandbox", "--standalone", "--mathjax", "--wrap=none", "--from", form, "--to", "html5")
    command = (sys.executable, "-I", "-c", _START, str(PANDOC_CPU_SECONDS), program, "+RTS", _MEMORY, "-RTS", *options)
    process = await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env={"LC_ALL": "C.UTF-8"}, cwd="/", start_new_session=True
    )
    try:
        async with asyncio.timeout(PANDOC_SECONDS):
            html = await _convert(process, content)
            status = await process.wait()
    except TimeoutError as error:
        raise Refused("reading it took too long", what_to_do="Split it into smaller files.") from error
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    if status == _UNKNOWN_FORMAT:
        raise Refused(f"the pandoc that is installed is too old to read {suffix}", what_to_do="Install a newer one.")
    if status in {-signal.SIGXCPU, -signal.SIGKILL, _NO_MEMORY}:
        raise Refused("reading it takes more time or memory than a document may", what_to_do="Split or simplify it.")
    if status:
        raise Refused(
            f"pandoc does not understand the file as {suffix}",
            what_to_do="Install a newer pandoc, or save it as .docx.",
        )
    return html


async def _convert(process: Process, content: bytes) -> bytes:
    assert process.stdin
    assert process.stdout
    sending = asyncio.create_task(_send(process.stdin, content))
    html = bytearray()
    try:
        while chunk := await process.stdout.read(_CHUNK):
            html += chunk
            if len(html) > MAX_PANDOC_HTML:
                raise Refused("more came out of it than a document may hold", what_to_do="Split it into smaller files.")
    finally:
        sending.cancel()
    return bytes(html)


async def _send(stream: asyncio.StreamWriter, content: bytes) -> None:
    with contextlib.suppress(ConnectionError):  # it may end before it has read everything
        stream.write(content)
        await stream.drain()
        stream.close()
