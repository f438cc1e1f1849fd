"""What a file of Google Drive is read as."""

from __future__ import annotations

import re
from pathlib import PurePath

from adapters.files.kinds import BINARY_FORMATS, TEXT_FORMATS
from adapters.sources.google_drive.listing import FolderEntry

_GOOGLE = "application/vnd.google-apps."
_OFFICE = "application/vnd.openxmlformats-officedocument."
EXPORTS = {
    f"{_GOOGLE}document": ("text/markdown", ".md"),
    f"{_GOOGLE}spreadsheet": (f"{_OFFICE}spreadsheetml.sheet", ".xlsx"),
    f"{_GOOGLE}presentation": (f"{_OFFICE}presentationml.presentation", ".pptx"),
}
"""What each is exported as. Of a Doc, Markdown keeps what the other formats lose: which row of a table is its header
and which list stands in which, and its links lead where they say instead of through a redirect of Google's."""
AS_TEXT = frozenset({f"{_GOOGLE}document", f"{_GOOGLE}presentation"})
"""Exported as plain text when they are too large with their pictures."""
_SUFFIXES = {
    "application/pdf": ".pdf",
    f"{_OFFICE}wordprocessingml.document": ".docx",
    f"{_OFFICE}presentationml.presentation": ".pptx",
    f"{_OFFICE}spreadsheetml.sheet": ".xlsx",
    "text/csv": ".csv",
    "text/html": ".html",
    "text/markdown": ".md",
    "text/plain": ".txt",
    "text/tab-separated-values": ".tsv",
}
"""For files whose names do not end in that of a format."""
_PICTURE = re.compile(rb"!\[([^\[\]]*)\]\[image\d+\]")
_PICTURE_DATA = re.compile(rb"\[image\d+\]: ?<data:")
_NUMBERED = re.compile(rb"[ \t]*(?:\d+\.|[*-])[ \t]+(#{1,6} .*)", re.DOTALL)


def suffix_of(entry: FolderEntry) -> str:
    """Of the format that the file is read as; empty when it is of none."""
    if entry.mime in EXPORTS:
        return EXPORTS[entry.mime][1]
    by_name = PurePath(entry.name).suffix.lower()
    return by_name if by_name in (*TEXT_FORMATS, *BINARY_FORMATS) else _SUFFIXES.get(entry.mime, "")


def cleaned(markdown: bytes) -> bytes:
    """A Doc as Google exports it, of its pictures only what stands for them, and with its headings as other Markdown
    has them: Google puts numbered ones into lists, and ids of its own behind them."""
    return b"\n".join(map(_cleaned_line, markdown.split(b"\n")))


def _cleaned_line(line: bytes) -> bytes:
    if _PICTURE_DATA.match(line):
        return b""
    if numbered := _NUMBERED.fullmatch(line):
        line = numbered[1]
    if line.startswith(b"#"):
        heading, _, heading_id = line.rstrip().rpartition(b" {#")
        if heading and heading_id.endswith(b"}") and b" " not in heading_id:
            line = heading
    return _PICTURE.sub(rb"\1", line)
