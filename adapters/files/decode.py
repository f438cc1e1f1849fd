"""Decode the bytes of a text file, whatever encoding it was written with."""

from __future__ import annotations

import codecs
import re

from pipeline.errors import Refused

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 4096
_GUESSED = 65_536
"""Bytes by which a code page is recognised."""
_CODE_PAGES = ("cp932", "gb18030", "big5", "euc_kr", "cp1250", "cp1251", "cp1253", "koi8_r")
"""Encodings that Excel and editors use outside of Western Europe. UTF-8 and Windows-1252 come first."""
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1a]")
_TORN = re.compile(r"[^\W\d_][¡-©«-¹»-¿×÷][^\W\d_]|[£¥³¹¿¯¼¾][a-zà-ÿ]|[a-zà-ÿ][ŠŒŽŸÀ-Þ]")
"""Patterns that no word of Western Europe has: a sign or a capital in its midst."""


def decode_text(content: bytes) -> str:
    """Decode text by its byte order mark, then as UTF-8, then as UTF-16 without a mark, then as Windows-1252 unless
    that tears words apart.

    Raises Refused for content that is not text.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, "replace")
    sample = content[:_SAMPLE]
    if b"\0" in sample:
        return _decode_utf16(content, sample)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("utf-8", "replace")
        if text.count("\ufffd") * 4 < sum(letter > "\x7f" for letter in text):  # but for a few bytes
            return text
        text = content.decode("cp1252", "replace")
        return text if _is_western(text[:_GUESSED]) else content.decode(_guess_code_page(content[:_GUESSED]), "replace")


def _is_western(text: str) -> bool:
    letters = sum(map(str.isalpha, text))
    high = sum(letter > "\x7f" and letter.isalpha() for letter in text)
    return high * 3 <= letters and "\ufffd" not in text and not _TORN.search(text)


def _guess_code_page(sample: bytes) -> str:
    from charset_normalizer import from_bytes

    match = from_bytes(sample, cp_isolation=list(_CODE_PAGES)).best()
    return match.encoding if match else "cp1250"


def _decode_utf16(content: bytes, sample: bytes) -> str:
    """Decode UTF-16 without a mark: text of mostly Latin letters has its zero bytes on one side of each pair."""
    pairs = len(sample) // 2
    for offset, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        # every other byte from `offset` on: the high bytes of Latin letters
        if sample[offset::2].count(0) > 0.6 * pairs and sample[1 - offset :: 2].count(0) < 0.05 * pairs:
            return content.decode(encoding, "replace")
    if sample.count(0) * 10 < len(sample) and not _CONTROL.search(sample):
        return decode_text(content.replace(b"\0", b""))
    raise Refused("the file is not text", what_to_do="Save it as a document in one of the supported formats.")
