"""MSG as blocks: a mail in Outlook's format, with the mails and files attached to it."""

from __future__ import annotations

import codecs
import io
import re
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_string, policy
from html import escape
from itertools import islice
from typing import Any

from adapters.files.content import OutlineBuilder, ParsedFile
from adapters.files.html.reader import append_html
from adapters.files.text.mail import (
    MAX_ATTACHMENTS,
    SHOWN_HEADERS,
    AttachmentReader,
    add_attachments,
    add_mail_text,
    decode_mail_header,
    start_mail,
)
from pipeline.errors import Refused

# --- Packed RTF -> HTML ---------------------------------------------------------------------------

_BEFORE = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans Serif"
    rb"SymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0" + b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
"""Text that the packer assumes before the text itself (MS-OXRTFCP)."""
_PACKED = b"LZFu"
_MAX_UNPACKED_BYTES = 20_000_000
_TOKEN = re.compile(rb"\\([a-zA-Z]+)(-?\d{1,9})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)")
_HIDDEN_GROUPS = frozenset(
    b"fonttbl colortbl stylesheet info pict object header footer listtable themedata mmathPr".split()
)
_HIDDEN_TEXT = frozenset(b"v deleted strike striked".split())
_BREAKS = {b"par": "<br>", b"line": "<br>", b"cell": " ", b"row": "<br>", b"tab": " ", b"emdash": "—", b"endash": "–"}


def rtf_to_html(packed: bytes) -> str:
    """Convert packed RTF to HTML: to the original HTML where the RTF was made from it, otherwise to lines."""
    text = _unpack_rtf(packed)
    was_html = b"\\fromhtml" in text[:1000]
    page = re.search(rb"\\ansicpg(\d+)", text[:1000])
    encoding = _known_encoding(f"cp{page[1].decode()}") if page and len(page[1]) < 6 else "cp1252"
    out: list[str] = []
    letters = bytearray()
    """Bytes in the code page, in which a letter may take two."""
    groups: list[tuple[bool, bool, bool]] = []
    unseen, hidden, tag, only_rtf, skip = False, False, False, False, 0
    for token in _TOKEN.finditer(text + b"{"):
        if token.lastindex is None:  # the end of a line of the file
            continue
        word, number, byte, mark, brace, plain = token.groups()
        output = ""
        if (byte or plain) and skip:
            skip, plain = 0, plain[1:] if plain else b""
        elif byte:
            plain = bytes.fromhex(byte.decode())
        if plain:
            letters += plain
            continue
        if letters:
            decoded = letters.decode(encoding, "replace")
            if not (unseen or hidden or only_rtf):
                out.append(decoded if tag else escape(decoded))
            letters.clear()
        if brace == b"{":
            groups.append((unseen, hidden, tag))
        elif brace and groups:
            unseen, hidden, tag = groups.pop()
        elif mark == b"*":
            unseen = True
        elif word == b"htmltag":
            unseen, tag = False, True
        elif word == b"htmlrtf":
            only_rtf = number != b"0"
        elif word in _HIDDEN_GROUPS:
            unseen = True
        elif word in _HIDDEN_TEXT or word == b"plain":
            hidden = number != b"0" and word != b"plain"
        elif word == b"u" and number:
            output, skip = escape(chr(int(number) % 0x10000)), 1
        elif word in _BREAKS:
            output = "\n" if tag or (was_html and word != b"tab") else _BREAKS[word]
        elif mark:
            output = {b"~": "\xa0", b"_": "-"}.get(mark, mark.decode("latin-1") if mark in b"\\{}" else "")
        if output and not (unseen or hidden or only_rtf):
            out.append(output)
    return "".join(out).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _known_encoding(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return "cp1252"


def _unpack_rtf(packed: bytes) -> bytes:
    """Unpack RTF (MS-OXRTFCP): each bit of a control byte says whether a byte follows, or a place in the last 4,096 and
    a length."""
    if packed[8:12] != _PACKED:
        return packed[16:]
    size = min(struct.unpack_from("<I", packed, 4)[0], _MAX_UNPACKED_BYTES)
    out = bytearray(_BEFORE)
    position = 16
    while position < len(packed) and len(out) < size + len(_BEFORE):
        control, position = packed[position], position + 1
        for bit in range(8):
            if not control >> bit & 1:
                out += packed[position : position + 1]
                position += 1
                continue
            pair = int.from_bytes(packed[position : position + 2], "big")
            position += 2
            # 12 bits of place in a ring of 4,096 bytes, and 4 bits of length; the same place as the end means the end
            distance = (len(out) - (pair >> 4)) % 4096 or 4096
            if position > len(packed) or pair >> 4 == len(out) % 4096 or distance > len(out):
                return bytes(out[len(_BEFORE) :])
            for _ in range((pair & 15) + 2):
                out.append(out[-distance])
    return bytes(out[len(_BEFORE) :])


# --- The mail -------------------------------------------------------------------------------------

_TEXT, _OLD_TEXT, _BYTES, _MAIL = 0x1F, 0x1E, 0x102, 0x0D
"""Kinds of properties: text, text in a code page, bytes, a mail in a mail."""
_SUBJECT, _HEADERS, _BODY, _RTF, _HTML = 0x37, 0x7D, 0x1000, 0x1009, 0x1013
_SENDER, _NAME, _ROLE = 0x0C1A, 0x3001, 0x0C15
_ADDRESSES = (0x5D01, 0x0C1F, 0x39FE, 0x3003)
"""Properties with the address of a sender, and of other people."""
_FILE, _FILE_NAME, _LONG_NAME, _FILE_KIND, _FILE_ID = 0x3701, 0x3704, 0x3707, 0x370E, 0x3712
_SENT, _RECEIVED, _START, _END, _CODE_PAGE, _BODY_PAGE = 0x39, 0x0E06, 0x60, 0x61, 0x3FFD, 0x3FDE
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_PAGES = {65001: "utf-8", 20127: "ascii", 1200: "utf-16-le", 54936: "gb18030", 50220: "iso2022_jp", 51932: "euc_jp"}
_MAX_DEPTH = 3
_MAX_RECIPIENTS = 200


def read_msg(content: bytes, read_attachment: AttachmentReader) -> ParsedFile:
    """Read a mail. Raises Refused for a file that is none."""
    from olefile import OleFileIO

    with OleFileIO(io.BytesIO(content)) as file:
        mail = _Folder(file, ())
        if not mail.numbers:
            raise Refused("the file is no mail", what_to_do="Save the mail again as .msg.")
        return _read_mail(mail, read_attachment)


def _read_mail(mail: _Folder, read: AttachmentReader) -> ParsedFile:
    headers = message_from_string(mail.read_text(_HEADERS), policy=policy.default)
    mail_headers = {name: decode_mail_header(headers, name) for name in SHOWN_HEADERS}
    sent_to: dict[int, list[str]] = {1: [], 2: []}
    for folder in islice(mail.subfolders("__recip_"), _MAX_RECIPIENTS) if not mail_headers["To"] else ():
        sent_to.setdefault(folder.numbers.get(_ROLE, 1) & 3, []).append(_format_person(folder, _NAME))
    shown_headers = {
        "From": mail_headers["From"] or _format_person(mail, _SENDER),
        "To": mail_headers["To"] or ", ".join(sent_to[1]),
        "Cc": mail_headers["Cc"] or ", ".join(sent_to[2]),
        "Date": mail_headers["Date"] or mail.format_time(_SENT) or mail.format_time(_RECEIVED),
        "Start": mail.format_time(_START),
        "End": mail.format_time(_END),
    }
    outline = start_mail(mail.read_text(_SUBJECT), shown_headers)
    before = outline.character_count
    html = mail.read_bytes(_HTML)
    packed = mail.read_bytes(_RTF)
    append_html(outline, mail.decode_text(html, _BODY_PAGE) if html else mail.read_text(_HTML))
    if outline.character_count == before:
        add_mail_text(outline, mail.read_text(_BODY))
    if outline.character_count == before and packed:
        append_html(outline, rtf_to_html(packed))
    files: list[tuple[str, bytes]] = []
    for folder in islice(mail.subfolders("__attach_"), MAX_ATTACHMENTS + 1):
        try:
            files += _read_attachment(outline, folder, read)
        except OSError:
            outline.note_unread("a file: it is damaged")
    add_attachments(outline, files, read)
    return outline.build()


def _read_attachment(outline: OutlineBuilder, folder: _Folder, read: AttachmentReader) -> Iterator[tuple[str, bytes]]:
    """Yield the attached file, except a picture in the mail's text. The text of an attached mail is appended."""
    name = folder.read_text(_LONG_NAME) or folder.read_text(_FILE_NAME)
    inner = _Folder(folder.file, (*folder.path, f"__substg1.0_{_FILE:04X}{_MAIL:04X}"))
    if inner.numbers and len(inner.path) > 2 * _MAX_DEPTH:
        outline.note_unread(f"{name or 'a mail'}: it stands in too many others")
    elif inner.numbers:
        outline.add_content(_read_mail(inner, read), name or inner.read_text(_SUBJECT) or "mail")
    elif not (folder.read_text(_FILE_ID) and folder.read_text(_FILE_KIND).startswith("image/")):
        yield name, folder.read_bytes(_FILE)


def _format_person(folder: _Folder, name: int) -> str:
    """Return a name and an address. Addresses of Exchange mean nothing to a reader and are left out."""
    person = folder.read_text(name).strip("' ")
    address = next((text for pid in _ADDRESSES if "@" in (text := folder.read_text(pid))), "")
    return f"{person} <{address}>" if person and address and address != person else person or address


class _Folder:
    """A mail, a person or an attached file: its properties by their numbers."""

    def __init__(self, file: Any, path: tuple[str, ...], within: _Folder | None = None) -> None:
        self.file, self.path = file, path
        self.numbers: dict[int, int] = {}
        """Properties of eight bytes or fewer."""
        self._pages = within.numbers if within else self.numbers
        stream = self._read_stream("__properties_version1.0")
        # the header has another length in each kind of folder, so the 16-byte entries are counted from the end
        for kind, pid, value in struct.iter_unpack("<HH4xQ", stream[len(stream) % 16 :]):
            self.numbers[pid] = value if kind == 0x40 else value & 0xFFFFFFFF

    def _read_stream(self, name: str) -> bytes:
        path = [*self.path, name]
        return bytes(self.file.openstream(path).read()) if self.file.exists(path) else b""

    def subfolders(self, start: str) -> Iterator[_Folder]:
        """Yield the folders in this one whose names begin with `start`."""
        depth = len(self.path)
        paths = self.file.listdir(streams=False, storages=True)
        for path in paths:
            if len(path) == depth + 1 and tuple(path[:depth]) == self.path and path[depth].startswith(start):
                yield _Folder(self.file, tuple(path), self)

    def read_bytes(self, pid: int) -> bytes:
        return self._read_stream(f"__substg1.0_{pid:04X}{_BYTES:04X}")

    def read_text(self, pid: int) -> str:
        if data := self._read_stream(f"__substg1.0_{pid:04X}{_TEXT:04X}"):
            return data.decode("utf-16-le", "replace").rstrip("\0")
        data = self._read_stream(f"__substg1.0_{pid:04X}{_OLD_TEXT:04X}").rstrip(b"\0")
        return self.decode_text(data, _BODY_PAGE if pid == _BODY else _CODE_PAGE)

    def decode_text(self, data: bytes, page: int) -> str:
        """Decode text in the code page that the mail names, or else in that of the West."""
        number = self._pages.get(page) or self._pages.get(_BODY_PAGE) or 1252
        latin = f"iso8859_{number - 28590}" if 28590 < number < 28606 else f"cp{number}"
        for name in (_PAGES.get(number, latin), "utf-8"):
            try:
                return data.decode(codecs.lookup(name).name)
            except (LookupError, UnicodeDecodeError):
                continue
        return data.decode("cp1252", "replace")

    def format_time(self, pid: int) -> str:
        try:
            time = _EPOCH + timedelta(microseconds=self.numbers.get(pid, 0) // 10)
        except OverflowError:
            return ""
        return f"{time:%Y-%m-%d %H:%M} UTC" if time.year > _EPOCH.year else ""
