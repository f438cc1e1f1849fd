"""Bytes of a text file -> text, whatever it was written with."""

from __future__ import annotations

import codecs

from pipeline.errors import Refused

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 4096


def decode(content: bytes) -> str:
    """By byte order mark, then UTF-8, then UTF-16 without a mark, then Windows-1252.

    Raises Refused for what is not text.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, "replace")
    sample = content[:_SAMPLE]
    if b"\0" in sample:
        return _utf16(content, sample)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _utf16(content: bytes, sample: bytes) -> str:
    """Text of mostly Latin letters has its zero bytes on one side of each pair."""
    pairs = len(sample) // 2
    for offset, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if sample[offset::2].count(0) > 0.6 * pairs and sample[1 - offset :: 2].count(0) < 0.05 * pairs:
            return content.decode(encoding, "replace")
    raise Refused("the file is not text", what_to_do="Save it as a document in one of the supported formats.")
