"""The formats of files that are read: each is registered here, once, with its reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple

_HERE = Path(__file__).parent


class Call(Enum):
    """How a reader is called."""

    WHOLE = auto()
    """With the content."""
    IN_PARTS = auto()
    """With the content and a function that hears of its pages as they are read."""
    WITH_FILES = auto()
    """With the content and a function that reads the files that it holds."""


class FileFormat(NamedTuple):
    """A format of files and what reads it."""

    suffixes: tuple[str, ...]
    reader: str
    """Module and function in this package; the module is imported when the first such file is read."""
    call: Call = Call.WHOLE
    binary: bool = False
    sized: bool = True
    """False where the size of a file says nothing about its pages."""
    media_type: str = ""
    """As web servers and Google Drive send it with a file that has no suffix."""


_OFFICE = "application/vnd.openxmlformats-officedocument"
FORMATS = (
    FileFormat(
        (".md", ".markdown", ".mdx"),
        "text.markdown:read_markdown",
        Call.IN_PARTS,
        media_type="text/markdown",
    ),
    FileFormat((".txt", ".text"), "text.markdown:read_text", Call.IN_PARTS, media_type="text/plain"),
    FileFormat((".rst",), "text.rst:read_rst", media_type="text/x-rst"),
    FileFormat((".html", ".htm"), "html.reader:read_html", media_type="text/html"),
    FileFormat((".csv",), "text.csv:read_csv", media_type="text/csv"),
    FileFormat((".tsv",), "text.csv:read_csv", media_type="text/tab-separated-values"),
    FileFormat((".eml",), "text.mail:read_eml", Call.WITH_FILES),
    FileFormat((".ics",), "text.calendar:read_calendar"),
    FileFormat((".ipynb",), "text.notebook:read_notebook", Call.IN_PARTS),
    FileFormat((".json",), "text.structured_data:read_json"),
    FileFormat((".yaml",), "text.structured_data:read_yaml"),
    FileFormat((".pdf",), "pdf.reader:read_pdf", Call.IN_PARTS, binary=True, media_type="application/pdf"),
    FileFormat(
        (".docx",),
        "office.docx.reader:read_docx",
        Call.WITH_FILES,
        binary=True,
        sized=False,
        media_type=f"{_OFFICE}.wordprocessingml.document",
    ),
    FileFormat(
        (".pptx",),
        "office.pptx:read_pptx",
        binary=True,
        sized=False,
        media_type=f"{_OFFICE}.presentationml.presentation",
    ),
    FileFormat(
        (".xlsx",),
        "office.xlsx:read_xlsx",
        Call.IN_PARTS,
        binary=True,
        media_type=f"{_OFFICE}.spreadsheetml.sheet",
    ),
    FileFormat((".epub",), "office.epub:read_epub", Call.IN_PARTS, binary=True),
    FileFormat((".odt", ".ods", ".odp"), "office.odf:read_odf", Call.IN_PARTS, binary=True),
    FileFormat((".msg",), "text.outlook:read_msg", Call.WITH_FILES, binary=True, sized=False),
)


def checked(formats: Sequence[FileFormat], kin: Mapping[str, str]) -> dict[str, FileFormat]:
    """Return the formats by suffix. Raise ValueError where a suffix has two formats or no reader, so that a forgotten
    entry ends the program at its start and is not taken for a damaged file. `kin`: suffixes that are read like
    another."""
    by_suffix: dict[str, FileFormat] = {}
    for form in formats:
        if twice := by_suffix.keys() & set(form.suffixes):
            raise ValueError(f"{min(twice)} is registered twice")
        module = form.reader.partition(":")[0].replace(".", "/")
        if not (_HERE / module).with_suffix(".py").exists():
            raise ValueError(f"{form.suffixes[0]} has no reader: there is no adapters/files/{module}.py")
        by_suffix |= dict.fromkeys(form.suffixes, form)
    if astray := [suffix for suffix, like in kin.items() if like not in by_suffix]:
        raise ValueError(f"{astray[0]} is read like {kin[astray[0]]}, which has no reader")
    return by_suffix


SUFFIX_OF_MEDIA = {form.media_type: form.suffixes[0] for form in FORMATS if form.media_type}
