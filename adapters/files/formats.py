"""The format of a file, by its content and else by its name."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import PurePath

from pydantic import Field

from adapters.files.format_registry import FORMATS, FileFormat, checked
from pipeline.errors import Refused
from pipeline.values import Value

FORMAT_ALIASES = {
    **dict.fromkeys((".docm", ".dotx", ".dotm"), ".docx"),
    **dict.fromkeys((".pptm", ".potx", ".potm", ".ppsx", ".ppsm"), ".pptx"),
    **dict.fromkeys((".xlsm", ".xltx", ".xltm"), ".xlsx"),
    **dict.fromkeys((".ott", ".fodt"), ".odt"),
    **dict.fromkeys((".ots", ".fods"), ".ods"),
    **dict.fromkeys((".otp", ".fodp"), ".odp"),
    ".yml": ".yaml",
    **dict.fromkeys((".mht", ".mhtml"), ".eml"),
    ".xhtml": ".html",
    ".geojson": ".json",
}
"""Formats that are read like another: with macros, templates, shows, flat files, saved web pages."""
LEGACY_FORMATS = {
    **dict.fromkeys((".doc", ".dot", ".wpd", ".wps", ".pages"), ".docx"),
    **dict.fromkeys((".xls", ".xlt", ".xlsb", ".numbers"), ".xlsx"),
    **dict.fromkeys((".ppt", ".pps", ".key"), ".pptx"),
    **dict.fromkeys((".pub", ".vsd", ".vsdx", ".xps"), ".pdf"),
}
"""Formats that are not read, and the format to save them in."""
_TEXT_KIN = (".xhtml", ".mht", ".mhtml", ".geojson", ".yml", ".fodt", ".fods", ".fodp")
JSON_LINES = (".jsonl", ".ndjson")
"""Suffixes of files that are read a line at a time."""
WEB_PAGE, SITEMAP, CONFLUENCE_STORAGE = ".web-page", ".sitemap", ".stored-page"
"""Suffixes that no file has: HTML with a site around its content, a list of the pages of a site, a page of Confluence
(JSON of `ConfluenceStoragePage`)."""
BY_SUFFIX = checked(
    (
        *FORMATS,
        FileFormat(JSON_LINES, "text.jsonl:read_json_document"),
        FileFormat((WEB_PAGE,), "html.web_page:read_web_page"),
        FileFormat((CONFLUENCE_STORAGE,), "html.confluence_storage:read_confluence_page"),
    ),
    FORMAT_ALIASES,
)
TEXT_FORMATS = (*(suffix for form in FORMATS if not form.binary for suffix in form.suffixes), *_TEXT_KIN)
BINARY_FORMATS = (
    *(suffix for form in FORMATS if form.binary for suffix in form.suffixes),
    *(name for name in FORMAT_ALIASES if name not in _TEXT_KIN),
)
SUPPORTED_FORMATS = (*TEXT_FORMATS, *BINARY_FORMATS, *JSON_LINES)
PANDOC_FORMATS = {
    ".org": "org",
    **dict.fromkeys((".mediawiki", ".wiki"), "mediawiki"),
    **dict.fromkeys((".adoc", ".asciidoc"), "asciidoc"),
    **dict.fromkeys((".tex", ".latex"), "latex"),
    ".rtf": "rtf",
    **dict.fromkeys((".docbook", ".dbk"), "docbook"),
    ".textile": "textile",
    **dict.fromkeys((".typ", ".typst"), "typst"),
    ".fb2": "fb2",
    ".opml": "opml",
    ".dokuwiki": "dokuwiki",
}
"""Suffixes of the formats that pandoc reads, where it is installed, and pandoc's names for them."""
OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ZIP_MAGIC = b"PK\x03\x04"
_PARTS = {b"word/document": ".docx", b"ppt/presentation.xml": ".pptx", b"xl/workbook.xml": ".xlsx"}
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument."
_MIMETYPES = {
    b"application/epub+zip": ".epub",
    _OPEN_DOCUMENT + b"text": ".odt",
    _OPEN_DOCUMENT + b"spreadsheet": ".ods",
    _OPEN_DOCUMENT + b"presentation": ".odp",
    _OPEN_DOCUMENT + b"graphics": ".odp",
}
_OLDER = {"PowerPoint Document": ".ppt", "WordDocument": ".doc", "Workbook": ".xls", "Book": ".xls"}
"""Streams of the Office formats before 2007."""
_DIRECTORY_END = struct.Struct("<4s4H2LH")
_MAX_DIRECTORY_END = 66_000
_START = 2_000
"""Bytes at the start of a text in which it names its kind."""


def detect_file_format(name: str, content: bytes) -> str:
    """Return the suffix of the format that `content` is in. Raises Refused for a format that is not read."""
    suffix = PurePath(name).suffix.lower()
    if content.startswith(b"%PDF-"):
        return ".pdf"
    if content.startswith(ZIP_MAGIC):
        suffix = _detect_zip_format(content) or suffix
    elif content.startswith(OLE_MAGIC):
        suffix = _detect_ole_format(content, suffix)
    elif content.startswith(b"{\\rtf"):
        suffix = ".rtf"
    elif suffix in LEGACY_FORMATS:  # programs name what they export as if it were of Office
        start = content[:_START].lstrip().lower()
        suffix = ".html" if b"<html" in start else ".eml" if b"mime-version:" in start else suffix
    if suffix in LEGACY_FORMATS:
        raise Refused(f"the file is a {suffix}, which is not read", what_to_do=f"Save it as {LEGACY_FORMATS[suffix]}.")
    if suffix not in SUPPORTED_FORMATS and suffix not in PANDOC_FORMATS:
        raise Refused(
            f"{suffix or 'a name without a suffix'} is not a supported format",
            what_to_do=f"Supported are {', '.join(name for name in SUPPORTED_FORMATS if name not in FORMAT_ALIASES)}.",
        )
    return FORMAT_ALIASES.get(suffix, suffix)


def _detect_zip_format(content: bytes) -> str:
    """Return the suffix of a ZIP archive by its parts, or an empty text where they do not tell it."""
    if content[30:38] == b"mimetype":
        start = content[38:200]
        suffixes = [suffix for kind, suffix in _MIMETYPES.items() if start.startswith(kind)]
        if suffixes:
            return suffixes[0]
    directory = _zip_directory(content)
    if b"xl/workbook.bin" in directory:
        return ".xlsb"
    if b"META-INF/container.xml" in directory:
        return ".epub"
    return next((suffix for part, suffix in _PARTS.items() if part in directory), "")


def _zip_directory(content: bytes) -> bytes:
    """Return the names of the entries of a ZIP archive, without those of archives inside it."""
    end = content.rfind(b"PK\x05\x06", max(0, len(content) - _MAX_DIRECTORY_END))
    if 0 <= end <= len(content) - _DIRECTORY_END.size:
        *_, size, start, _ = _DIRECTORY_END.unpack_from(content, end)
        if start + size <= end:
            return content[start : start + size]
    return content


def _detect_ole_format(content: bytes, suffix: str) -> str:
    """Return the suffix of an OLE compound file, of which only Outlook mails are read. Raises Refused for one of an
    unknown program."""
    if _encode_stream_name("__properties_version1.0") in content:
        return ".msg"
    if _encode_stream_name("EncryptedPackage") in content:
        raise Refused("the file is protected by a password", what_to_do="Remove the password.")
    suffixes = [older for stream, older in _OLDER.items() if _encode_stream_name(stream) in content]
    if suffixes or suffix in LEGACY_FORMATS:  # one may stand in another
        return suffix if suffix in LEGACY_FORMATS else suffixes[0]
    raise Refused("the file is in a format of an older program", what_to_do="Save it as .docx, .pptx, .xlsx or .pdf.")


def _encode_stream_name(name: str) -> bytes:
    """Return a stream's name as the file stores it, with its end, so that `Book` does not match `Workbook`."""
    return name.encode("utf-16-le") + b"\0\0"


# --- A page as Confluence stores it ---------------------------------------------------------------


class ConfluenceStoragePage(Value):
    """A page of Confluence in the storage format, with the names and addresses that it refers to but does not
    contain."""

    storage: str
    title: str = ""
    names: Mapping[str, str] = Field(default_factory=dict)
    """Names of people, by account id or user key."""
    url: str = ""
    """Address at which people read the pages of that Confluence."""
    space: str = ""
    """Key of the page's own space."""
    new_editor: bool = True
