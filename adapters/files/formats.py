"""Which module reads which format; a format's libraries are loaded when it is first met."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module

from adapters.files.kinds import JSON_LINES, KIN, PANDOC_FORMATS, SITEMAP, STORED_PAGE, WEB_PAGE, format_of
from adapters.files.leads import Leads
from adapters.files.outline import TEXT_PAGE, Content, Progress, unheard
from pipeline.errors import Refused

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
    **dict.fromkeys((".html", ".htm"), "text.html:read_html"),
    **dict.fromkeys((".csv", ".tsv"), "text.csv:read_csv"),
    **dict.fromkeys(JSON_LINES, "text.jsonl:read_document"),
    ".pptx": "office.pptx:read_pptx",
    ".rst": "text.rst:read_rst",
    ".ics": "text.calendar:read_calendar",
    ".json": "text.records:read_json",
    ".yaml": "text.records:read_yaml",
    WEB_PAGE: "text.web_page:read_page",
}
_WITH_FILES = {
    ".docx": "office.docx:read_docx",
    ".eml": "text.mail:read_eml",
    ".msg": "office.outlook:read_msg",
}
_UNHEARD = (".docx", ".pptx", ".msg")
"""Formats of which the size says nothing about the pages."""


def read_format(suffix: str, content: bytes, on_pages: Progress = unheard, *, depth: int = 0) -> Content:
    """A file as blocks, for JSON Lines one line of it; `on_pages` hears of pages as they are read, or at once of all
    where a library reads the whole. `depth`: how many files it stands in.

    Raises Refused, and whatever a library raises over a file that is not what its suffix says.
    """
    suffix = KIN.get(suffix, suffix)
    if suffix in _IN_PARTS:
        return _reader(_IN_PARTS[suffix])(content, on_pages)
    if suffix not in _UNHEARD:
        on_pages(len(content) // TEXT_PAGE, 0)
    if suffix in _WITH_FILES:
        return _reader(_WITH_FILES[suffix])(content, partial(_held, depth + 1))
    if suffix == STORED_PAGE:
        from adapters.files.stored import StoredPage
        from adapters.files.text.storage_format import read_stored

        return read_stored(StoredPage.model_validate_json(content))
    return _reader(_WHOLE[suffix])(content)


def _reader(name: str) -> Callable[..., Content]:
    module, _, function = name.partition(":")
    found: Callable[..., Content] = getattr(import_module(f"adapters.files.{module}"), function)
    return found


def _held(depth: int, name: str, content: bytes) -> Content:
    """A file that another one holds."""
    if depth > _DEEPEST:
        raise Refused("it stands in too many others")
    suffix = format_of(name, content)
    if suffix in PANDOC_FORMATS:
        raise Refused(f"a {suffix} file within another is not read")
    return read_format(suffix, content, depth=depth)


def read_leads(suffix: str, content: bytes) -> Leads:
    """Where a page or a sitemap leads, or whom a page of Confluence names. Raises Refused, and whatever a library
    raises."""
    if suffix == STORED_PAGE:
        from adapters.files.text.storage_format import mentioned

        return Leads(people=mentioned(content.decode()))
    from adapters.files.text.leads import read_head, read_sitemap

    return read_sitemap(content) if suffix == SITEMAP else read_head(content)
