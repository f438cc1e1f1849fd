"""EML and MSG -> blocks: a mail under its subject, and the files that it brings."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from pathlib import PurePath
from typing import NamedTuple

from adapters.files.outline import Content, Outline
from adapters.files.text.html import read_into
from adapters.files.text.markdown import read_text
from pipeline.errors import Refused
from pipeline.values import BlockKind

MOST_FILES = 100
_NO_DATE = 1601
"""The year in which the time of Outlook begins."""
Reads = Callable[[str, bytes], Content]
"""Reads a file by its name and content."""


class Mail(NamedTuple):
    subject: str
    known: tuple[tuple[str, str], ...]
    """Who wrote it, to whom, when."""
    html: str
    text: str
    files: Iterator[tuple[str, bytes]]


def read_eml(content: bytes, read: Reads) -> Content:
    """Raises Refused for what is no mail."""
    message = message_from_bytes(content.lstrip(), policy=policy.default)
    if not isinstance(message, EmailMessage) or not (message["from"] or message["subject"] or message["date"]):
        raise Refused("the file is no mail", what_to_do="Save the mail again as .eml.")
    bodies = {kind: message.get_body((kind,)) for kind in ("html", "plain")}
    html, text = (_said(body) if body else "" for body in bodies.values())
    known = tuple((name, str(message[name])) for name in ("From", "To", "Cc", "Date") if message[name])
    return filled_mail(Mail(str(message["subject"] or ""), known, html, text, _files(message)), read)


def read_msg(content: bytes, read: Reads) -> Content:
    from oxmsg import Message

    message = Message.load(io.BytesIO(content))
    headers = message.message_headers
    sent = message.sent_date
    known = {
        "From": message.sender or headers.get("From", ""),
        "To": headers.get("To", "") or ", ".join(f"{one.name} <{one.email_address}>" for one in message.recipients),
        "Date": headers.get("Date", "") or (f"{sent:%Y-%m-%d %H:%M}" if sent and sent.year > _NO_DATE else ""),
    }
    files = ((one.file_name or "", one.file_bytes or b"") for one in message.attachments)
    shown = tuple((name, said) for name, said in known.items() if said)
    return filled_mail(Mail(message.subject, shown, message.html_body or "", message.body or "", files), read)


def filled_mail(mail: Mail, read: Reads) -> Content:
    """The plain text where the mail has no other."""
    outline = Outline()
    outline.heading(1, mail.subject, title=True)
    for name, said in mail.known:
        outline.add(BlockKind.PROSE, f"{name}: {said}")
    before = outline.size
    if mail.html:
        read_into(outline, mail.html)
    if outline.size == before:
        outline.include(read_text(mail.text.encode()))
    for place, (name, content) in enumerate(mail.files, 1):
        name = PurePath(name.replace("\\", "/")).name or f"attachment {place}"
        if place > MOST_FILES:
            outline.unread(f"files after the first {MOST_FILES}")
            break
        _file(outline, name, content, read)
    return outline.content()


def _file(outline: Outline, name: str, content: bytes, read: Reads) -> None:
    try:
        outline.include(read(name, content), name)
    except MemoryError:
        raise
    except Refused as error:
        outline.unread(f"{name}: {error}")
    except Exception:  # noqa: BLE001 - whatever a library raises is that file's fault
        outline.unread(f"{name}: it is damaged")


def _said(body: MIMEPart) -> str:
    try:
        return str(body.get_content())
    except (LookupError, ValueError):  # a charset that nobody knows
        payload = body.get_payload(decode=True)
        return payload.decode("utf-8", "replace") if isinstance(payload, bytes) else ""


def _files(message: EmailMessage) -> Iterator[tuple[str, bytes]]:
    """The files of a mail, other mails too; pictures that stand in its text are none."""
    for part in message.iter_attachments():
        name = part.get_filename() or ""
        if part.get_content_type() == "message/rfc822":
            for inner in part.iter_parts():
                yield name or f"{inner['subject'] or 'mail'}.eml", inner.as_bytes()
        elif name and not (part.get_content_maintype() == "image" and part["content-id"]):
            payload = part.get_payload(decode=True)
            yield name, payload if isinstance(payload, bytes) else b""
