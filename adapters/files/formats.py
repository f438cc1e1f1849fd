"""Which module reads which format; a format's libraries are loaded when it is first met."""

from __future__ import annotations

from functools import partial

from adapters.files.kinds import JSON_LINES, KIN, SITEMAP, STORED_PAGE, WEB_PAGE, format_of
from adapters.files.leads import Leads
from adapters.files.outline import TEXT_PAGE, Content, Progress, unheard
from pipeline.errors import Refused

WHOLE = (
    *(".rst", ".html", ".htm", ".csv", ".tsv", ".eml", ".ics", ".json", ".yaml"),
    WEB_PAGE,
    STORED_PAGE,
    *JSON_LINES,
)
"""Formats that are not read in parts."""

_DEEPEST = 3
"""Files that a file may stand in."""


def read_format(suffix: str, content: bytes, on_pages: Progress = unheard, *, depth: int = 0) -> Content:
    """A file as blocks, for JSON Lines one line of it; `on_pages` hears of pages as they are read, or at once of all
    where a library reads the whole. `depth`: how many files it stands in.

    Raises Refused, and whatever a library raises over a file that is not what its suffix says.
    """
    suffix = KIN.get(suffix, suffix)
    if suffix in WHOLE:
        on_pages(len(content) // TEXT_PAGE, 0)
    match suffix:
        case ".md" | ".markdown" | ".mdx":
            from adapters.files.text.markdown import read_markdown

            return read_markdown(content, on_pages)
        case ".txt" | ".text":
            from adapters.files.text.markdown import read_text

            return read_text(content, on_pages)
        case ".rst":
            from adapters.files.text.rst import read_rst

            return read_rst(content)
        case ".html" | ".htm":
            from adapters.files.text.html import read_html

            return read_html(content)
        case ".web-page":
            from adapters.files.text.web_page import read_page

            return read_page(content)
        case ".stored-page":
            from adapters.files.stored import StoredPage
            from adapters.files.text.storage_format import read_stored

            return read_stored(StoredPage.model_validate_json(content))
        case ".csv" | ".tsv":
            from adapters.files.text.csv import read_csv

            return read_csv(content)
        case ".jsonl" | ".ndjson":
            from adapters.files.text.jsonl import read_content, read_line

            return read_content(read_line(content))
        case ".pdf":
            from adapters.files.office.pdf import read_pdf

            return read_pdf(content, on_pages)
        case ".docx":
            from adapters.files.office.docx import read_docx

            return read_docx(content)
        case ".pptx":
            from adapters.files.office.pptx import read_pptx

            return read_pptx(content)
        case ".xlsx":
            from adapters.files.office.xlsx import read_xlsx

            return read_xlsx(content, on_pages)
        case ".odt" | ".ods" | ".odp":
            from adapters.files.office.odf import read_odf

            return read_odf(content, on_pages)
        case ".epub":
            from adapters.files.office.epub import read_epub

            return read_epub(content, on_pages)
        case ".ipynb":
            from adapters.files.text.notebook import read_notebook

            return read_notebook(content, on_pages)
        case ".json" | ".yaml":
            from adapters.files.text.records import read_json, read_yaml

            return read_json(content) if suffix == ".json" else read_yaml(content)
        case ".ics":
            from adapters.files.text.calendar import read_calendar

            return read_calendar(content)
        case ".msg":
            from adapters.files.office.outlook import read_msg

            return read_msg(content, partial(_held, depth + 1))
        case _:
            from adapters.files.text.mail import read_eml

            return read_eml(content, partial(_held, depth + 1))


def _held(depth: int, name: str, content: bytes) -> Content:
    """A file that another one holds."""
    if depth > _DEEPEST:
        raise Refused("it stands in too many others")
    return read_format(format_of(name, content), content, depth=depth)


def read_leads(suffix: str, content: bytes) -> Leads:
    """Where a page or a sitemap leads, or whom a page of Confluence names. Raises Refused, and whatever a library
    raises."""
    if suffix == STORED_PAGE:
        from adapters.files.text.storage_format import mentioned

        return Leads(people=mentioned(content.decode()))
    from adapters.files.text.leads import read_head, read_sitemap

    return read_sitemap(content) if suffix == SITEMAP else read_head(content)
