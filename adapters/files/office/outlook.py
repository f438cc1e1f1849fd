"""MSG -> blocks: a mail as Outlook keeps it, with the mails and files that it brings."""

from __future__ import annotations

import codecs
import io
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_string, policy
from itertools import islice
from typing import Any

from adapters.files.office.rtf import as_html
from adapters.files.outline import Content, Outline
from adapters.files.text.html import read_into
from adapters.files.text.mail import MOST_FILES, SHOWN, Reads, add_files, add_text, header, opened
from pipeline.errors import Refused

_TEXT, _OLD_TEXT, _BYTES, _MAIL = 0x1F, 0x1E, 0x102, 0x0D
"""Kinds of properties: text, text in a code page, bytes, a mail in a mail."""
_SUBJECT, _HEADERS, _BODY, _RTF, _HTML = 0x37, 0x7D, 0x1000, 0x1009, 0x1013
_SENDER, _NAME, _ROLE = 0x0C1A, 0x3001, 0x0C15
_ADDRESSES = (0x5D01, 0x0C1F, 0x39FE, 0x3003)
"""Of a sender, of somebody else."""
_FILE, _FILE_NAME, _LONG_NAME, _FILE_KIND, _FILE_ID = 0x3701, 0x3704, 0x3707, 0x370E, 0x3712
_SENT, _RECEIVED, _START, _END, _CODE_PAGE, _BODY_PAGE = 0x39, 0x0E06, 0x60, 0x61, 0x3FFD, 0x3FDE
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_PAGES = {65001: "utf-8", 20127: "ascii", 1200: "utf-16-le", 54936: "gb18030", 50220: "iso2022_jp", 51932: "euc_jp"}
_DEEPEST = 3
_MOST_PEOPLE = 200


def read_msg(content: bytes, read: Reads) -> Content:
    """Raises Refused for what is no mail."""
    from olefile import OleFileIO

    with OleFileIO(io.BytesIO(content)) as file:
        mail = _Folder(file, ())
        if not mail.numbers:
            raise Refused("the file is no mail", what_to_do="Save the mail again as .msg.")
        return _read(mail, read)


def _read(mail: _Folder, read: Reads) -> Content:
    headers = message_from_string(mail.text(_HEADERS), policy=policy.default)
    said = {name: header(headers, name) for name in SHOWN}
    sent_to: dict[int, list[str]] = {1: [], 2: []}
    for one in islice(mail.held("__recip_"), _MOST_PEOPLE) if not said["To"] else ():
        sent_to.setdefault(one.numbers.get(_ROLE, 1) & 3, []).append(_person(one, _NAME))
    known = {
        "From": said["From"] or _person(mail, _SENDER),
        "To": said["To"] or ", ".join(sent_to[1]),
        "Cc": said["Cc"] or ", ".join(sent_to[2]),
        "Date": said["Date"] or mail.moment(_SENT) or mail.moment(_RECEIVED),
        "Start": mail.moment(_START),
        "End": mail.moment(_END),
    }
    outline = opened(mail.text(_SUBJECT), known)
    before = outline.size
    html = mail.raw(_HTML)
    packed = mail.raw(_RTF)
    read_into(outline, mail.decoded(html, _BODY_PAGE) if html else mail.text(_HTML))
    if outline.size == before:
        add_text(outline, mail.text(_BODY))
    if outline.size == before and packed:
        read_into(outline, as_html(packed))
    files: list[tuple[str, bytes]] = []
    for one in islice(mail.held("__attach_"), MOST_FILES + 1):
        try:
            files += _brought(outline, one, read)
        except OSError:
            outline.unread("a file: it is damaged")
    add_files(outline, files, read)
    return outline.content()


def _brought(outline: Outline, one: _Folder, read: Reads) -> Iterator[tuple[str, bytes]]:
    """The file that a mail brings, but for a picture in its text; of a mail what it says is appended."""
    name = one.text(_LONG_NAME) or one.text(_FILE_NAME)
    inner = _Folder(one.file, (*one.path, f"__substg1.0_{_FILE:04X}{_MAIL:04X}"))
    if inner.numbers and len(inner.path) > 2 * _DEEPEST:
        outline.unread(f"{name or 'a mail'}: it stands in too many others")
    elif inner.numbers:
        outline.include(_read(inner, read), name or inner.text(_SUBJECT) or "mail")
    elif not (one.text(_FILE_ID) and one.text(_FILE_KIND).startswith("image/")):
        yield name, one.raw(_FILE)


def _person(folder: _Folder, name: int) -> str:
    """A name and an address; those of Exchange say nothing to a reader."""
    said = folder.text(name).strip("' ")
    address = next((found for pid in _ADDRESSES if "@" in (found := folder.text(pid))), "")
    return f"{said} <{address}>" if said and address and address != said else said or address


class _Folder:
    """A mail, a person or an attached file: its properties by their numbers."""

    def __init__(self, file: Any, path: tuple[str, ...], within: _Folder | None = None) -> None:
        self.file, self.path = file, path
        self.numbers: dict[int, int] = {}
        """Those of eight bytes or fewer."""
        self._pages = within.numbers if within else self.numbers
        listed = self._stream("__properties_version1.0")
        for kind, pid, value in struct.iter_unpack("<HH4xQ", listed[len(listed) % 16 :]):
            self.numbers[pid] = value if kind == 0x40 else value & 0xFFFFFFFF

    def _stream(self, name: str) -> bytes:
        path = [*self.path, name]
        return bytes(self.file.openstream(path).read()) if self.file.exists(path) else b""

    def held(self, start: str) -> Iterator[_Folder]:
        """The folders in this one whose names start so."""
        depth = len(self.path)
        listed = self.file.listdir(streams=False, storages=True)
        for path in listed:
            if len(path) == depth + 1 and tuple(path[:depth]) == self.path and path[depth].startswith(start):
                yield _Folder(self.file, tuple(path), self)

    def raw(self, pid: int) -> bytes:
        return self._stream(f"__substg1.0_{pid:04X}{_BYTES:04X}")

    def text(self, pid: int) -> str:
        if found := self._stream(f"__substg1.0_{pid:04X}{_TEXT:04X}"):
            return found.decode("utf-16-le", "replace").rstrip("\0")
        found = self._stream(f"__substg1.0_{pid:04X}{_OLD_TEXT:04X}").rstrip(b"\0")
        return self.decoded(found, _BODY_PAGE if pid == _BODY else _CODE_PAGE)

    def decoded(self, found: bytes, page: int) -> str:
        """Text in the code page that the mail names, in its own or else in that of the West."""
        number = self._pages.get(page) or self._pages.get(_BODY_PAGE) or 1252
        latin = f"iso8859_{number - 28590}" if 28590 < number < 28606 else f"cp{number}"
        for name in (_PAGES.get(number, latin), "utf-8"):
            try:
                return found.decode(codecs.lookup(name).name)
            except (LookupError, UnicodeDecodeError):
                continue
        return found.decode("cp1252", "replace")

    def moment(self, pid: int) -> str:
        try:
            found = _EPOCH + timedelta(microseconds=self.numbers.get(pid, 0) // 10)
        except OverflowError:
            return ""
        return f"{found:%Y-%m-%d %H:%M} UTC" if found.year > _EPOCH.year else ""
