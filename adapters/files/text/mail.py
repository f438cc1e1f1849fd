"""EML as blocks, and the parts that MSG shares with it: a mail under its subject, and the files attached to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from email import message_from_bytes, policy
from email.message import EmailMessage, Message, MIMEPart
from pathlib import PurePath

from adapters.files.content import OutlineBuilder, ParsedFile
from adapters.files.decode import decode_text
from adapters.files.html.reader import append_html
from adapters.files.parse_errors import catch_parse_errors
from adapters.files.text.markdown import read_text
from pipeline.errors import Refused
from pipeline.values import BlockKind, replace

MAX_ATTACHMENTS = 100
AttachmentReader = Callable[[str, bytes], ParsedFile]
"""Callback that reads a file by its name and content."""
SHOWN_HEADERS = ("From", "To", "Cc", "Date")
_QUOTE = re.compile(r"(?:> ?)*>[ \t]?")
_SIGNATURE = re.compile(r"-- ?")
_LOCKED = frozenset({"multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"})
_FOR_PROGRAMS = frozenset(
    """application/pgp-signature application/pkcs7-signature application/x-pkcs7-signature message/delivery-status
    message/disposition-notification text/rfc822-headers text/x-amp-html text/watch-html text/css
    text/javascript application/javascript""".split()
)
"""Parts beside the text that people read."""


def read_eml(content: bytes, read_attachment: AttachmentReader) -> ParsedFile:
    """Read a mail. Raises Refused for a file that is none."""
    if b"\0" in content[:100]:
        content = decode_text(content).encode()
    head, between, body = re.split(rb"(\r?\n\r?\n|\Z)", content.lstrip(), maxsplit=1)
    message = message_from_bytes(decode_text(head).encode() + between + body, policy=policy.default)
    headers = {name: decode_mail_header(message, name) for name in ("Subject", *SHOWN_HEADERS)}
    if not isinstance(message, EmailMessage) or not (any(headers.values()) or "MIME-Version" in message):
        raise Refused("the file is no mail", what_to_do="Save the mail again as .eml.")
    outline = start_mail(headers.pop("Subject"), headers)
    files: list[tuple[str, bytes]] = []
    _read_part(outline, message, files)
    add_attachments(outline, files, read_attachment)
    return outline.build()


def decode_mail_header(message: Message, name: str) -> str:
    """Return a header, decoded, or as it is written where Python's email fails on it."""
    with catch_parse_errors(lambda _: None):  # over addresses that are none
        return str(message[name] or "")
    return str(next((value for key, value in message.raw_items() if key.lower() == name.lower()), ""))


def start_mail(subject: str, headers: Mapping[str, str]) -> OutlineBuilder:
    """Return an outline with the subject of a mail, its sender, recipients and date."""
    outline = OutlineBuilder()
    outline.add_heading(1, subject, title=True)
    for name, value in headers.items():
        outline.add(BlockKind.PROSE, f"{name}: {' '.join(value.split())}" if value.strip() else "")
    return outline


def add_mail_text(outline: OutlineBuilder, text: str, *, flowed: bool = False) -> None:
    """Append plain text: quoted text as paragraphs of their own, nothing as a heading. With `flowed`, a line with a
    blank at its end continues in the next one (RFC 3676)."""
    lines: list[str] = []
    before = 0
    continues = False
    for line in text.replace("\0", "").splitlines():
        mark = _QUOTE.match(line)
        depth = mark[0].count(">") if mark else 0
        lines += [""] * (depth != before)
        before = depth
        rest = line[mark.end() :] if mark else line
        if continues and lines[-1]:
            lines[-1] += rest
        else:
            lines.append("" if _SIGNATURE.fullmatch(rest) else rest)
        continues = flowed and rest.endswith(" ")
    for block in read_text("\n".join(lines).encode("utf-8", "replace")).blocks:
        kind = BlockKind.PROSE if block.kind is BlockKind.HEADING else block.kind
        outline.add_content(ParsedFile(blocks=(replace(block, kind=kind, heading=()),)))


def add_attachments(
    outline: OutlineBuilder, files: Iterable[tuple[str, bytes]], read_attachment: AttachmentReader
) -> None:
    """Append files, each under its name. A file that cannot be read is noted as unread."""
    for number, (file_name, content) in enumerate(files, 1):
        name = PurePath(file_name.replace("\\", "/")).name or f"attachment {number}"
        if number > MAX_ATTACHMENTS:
            outline.note_unread(f"files after the first {MAX_ATTACHMENTS}")
            break
        try:
            with outline.skip_damaged(f"{name}: it is damaged"):
                outline.add_content(read_attachment(name, content), name)
        except Refused as error:
            outline.note_unread(f"{name}: {error}")


def _read_part(outline: OutlineBuilder, part: MIMEPart, files: list[tuple[str, bytes]]) -> None:
    """Append the text of a part of a mail, and its files to `files`."""
    kind, name = part.get_content_type(), part.get_filename() or ""
    attached = part.get_content_disposition() == "attachment" or bool(name)
    within = kind.startswith(("image/", "font/")) and (part["content-id"] or part["content-location"])
    if kind in _FOR_PROGRAMS or name.endswith(".p7s") or within:
        return
    match kind.partition("/")[0]:
        case _ if kind in _LOCKED:
            outline.note_unread("text that is encrypted or signed")
        case "multipart" if kind == "multipart/alternative":
            _read_alternative(outline, list(part.iter_parts()), files)
        case "multipart":
            for inner in part.iter_parts():
                _read_part(outline, inner, files)
        case "message" if kind == "message/rfc822":
            for inner in part.iter_parts():
                try:
                    files.append((name or f"{inner['subject'] or 'mail'}.eml", inner.as_bytes()))
                except (UnicodeError, LookupError):
                    outline.note_unread(f"{name or 'a mail'}: it is damaged")
        case "text" if not attached and kind == "text/html":
            append_html(outline, _decode_part(part))
        case "text" if not attached and kind != "text/calendar":
            add_mail_text(outline, _decode_part(part), flowed=part.get_param("format") == "flowed")
        case _:
            payload = part.get_payload(decode=True)
            name = name or ("invitation.ics" if kind == "text/calendar" else "")
            files.append((name, payload if isinstance(payload, bytes) else b""))


def _read_alternative(outline: OutlineBuilder, ways: list[MIMEPart], files: list[tuple[str, bytes]]) -> None:
    """Append the last alternative that has content, and an invitation beside it."""
    for way in ways:
        if way.get_content_type() == "text/calendar":
            _read_part(outline, way, files)
    before = outline.character_count
    for way in reversed(ways):
        if outline.character_count == before and way.get_content_type() != "text/calendar":
            _read_part(outline, way, files)


def _decode_part(part: MIMEPart) -> str:
    """Return the text of a part: in its charset where that fits, else decoded like a text file."""
    payload = part.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else b""
    try:
        return content.decode(part.get_content_charset() or "ascii")
    except (LookupError, ValueError):
        return decode_text(content.replace(b"\0", b""))
