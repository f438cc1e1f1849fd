"""Files of every format as disks, programs and people with bad intentions leave them, made again from a number."""

from __future__ import annotations

import io
import json
import random
import re
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from adapters.files.formats import WEB_PAGE

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
OFFICE = (".docx", ".pptx", ".xlsx")
_NUMBER = re.compile(rb"\d+")
NUMBERS = (b"0", b"-1", b"65536", b"2147483648", b"-9223372036854775809", b"1e999", b"NaN", b"9" * 30, b"9" * 5_000)
ENTITIES = (
    b'<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;&b;&b;">]>',
    b'<!DOCTYPE a SYSTEM "file:///etc/passwd">',
    b'<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1:1/">%x;]>',
    b"&b;&#0;&#xD800;&#x110000;&#9999999999;",
    b"<![CDATA[ ]]]]><!--  -- -->",
    b'<?xml version="1.1" encoding="utf-7"?>',
)
TOKENS = (
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", "\u202e\u2028\x85".encode(), b"\r"),
    *(b"`" * 99, b"*" * 99, b"[" * 99, b"> " * 99, b"- " * 99, b"|" * 99, b'"', b"\\", b"<" * 99, b"{{", b"::\n\n  "),
    *(b"<ol start=" + b"9" * 30 + b"><li>a", b"<table><tr><td colspan=99999999>", b"99999999999999999999. a\n"),
    *(b".. |a| replace:: |a|\n\n|a| ", b".. include:: /etc/passwd\n", b".. csv-table::\n   :file: /etc/passwd\n"),
    *(
        b"[a]: <b\n",
        b"obj",
        b"endstream",
        b"<< /Length 99999999999 >>",
        b"/Kids [1 0 R 3 0 R]",
        b"/Filter [/LZWDecode]",
    ),
)

STORED = b"""<h1>R&amp;D &ndash; Leave</h1><p>Ask&nbsp;<ac:link><ri:user ri:account-id="5b10:w" /></ac:link> or see
<ac:link><ri:page ri:content-title="A &amp; B" ri:space-key="ENG" /></ac:link> by <time datetime="2026-03-01" />.</p>
<ac:structured-macro ac:name="info"><ac:parameter ac:name="title">Mind</ac:parameter><ac:rich-text-body><p>It is.</p>
</ac:rich-text-body></ac:structured-macro><ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[a > b]]>
</ac:plain-text-body></ac:structured-macro><ac:task-list><ac:task><ac:task-body>Order</ac:task-body></ac:task>
</ac:task-list><table><tbody><tr><th colspan="2">Days</th></tr><tr><td>30</td><td>all</td></tr></tbody></table>
<ac:image ac:alt="the plan"><ri:attachment ri:filename="plan.png" /></ac:image>"""
"""A page in Confluence's storage format."""


def samples() -> Mapping[str, bytes]:
    """A sound file of each format, by its suffix."""
    names = (
        *("remote-work.md", "sick-leave.txt", "security-incidents.rst", "expenses.html", "holidays-2026.csv"),
        *("laptop-setup.pdf", "contractor-terms.docx", "town-hall.pptx", "travel-rates.xlsx"),
    )
    found = {Path(name).suffix: (HANDBOOK / name).read_bytes() for name in names}
    line = {"doc_id": "a", "text": found[".md"].decode(), "title": "Remote work", "url": "https://a.example/"}
    return {**found, WEB_PAGE: found[".html"], ".jsonl": json.dumps(line).encode()}


def mutated(suffix: str, whole: bytes, other: bytes, number: int) -> bytes:
    """`whole` changed in one to three ways, some with a piece of `other`, which is of any format."""
    drawn = random.Random(f"{suffix} {number}")
    for _ in range(drawn.randint(1, 3)):
        if suffix in OFFICE and drawn.random() < 0.7:
            whole = _repacked(whole, other, drawn)
        else:
            whole = drawn.choice(_WAYS)(whole, other, drawn)
    return whole


def _flipped(whole: bytes, other: bytes, drawn: random.Random) -> bytes:
    changed = bytearray(whole)
    for _ in range(drawn.choice((1, 8, 100))):
        if changed:
            changed[drawn.randrange(len(changed))] ^= 1 << drawn.randrange(8)
    return bytes(changed)


def _truncated(whole: bytes, other: bytes, drawn: random.Random) -> bytes:
    start, end = sorted(drawn.randint(0, len(whole)) for _ in range(2))
    return drawn.choice((whole[:end], whole[start:], whole[:start] + whole[end:]))


def _spliced(whole: bytes, other: bytes, drawn: random.Random) -> bytes:
    return whole[: drawn.randint(0, len(whole))] + other[drawn.randint(0, len(other)) :]


def _repeated(whole: bytes, other: bytes, drawn: random.Random) -> bytes:
    start, end = sorted(drawn.randint(0, len(whole)) for _ in range(2))
    block = whole[start : min(end, start + 2_000)]
    return whole[:start] + block * drawn.choice((2, 10, 50)) + whole[start:]


def _inserted(whole: bytes, other: bytes, drawn: random.Random) -> bytes:
    place = drawn.randint(0, len(whole))
    token = drawn.choice((*TOKENS, *ENTITIES, drawn.randbytes(8)))
    return whole[:place] + token * drawn.choice((1, 1, 20)) + whole[place:]


def _renumbered(whole: bytes, other: bytes, drawn: random.Random) -> bytes:
    places = list(_NUMBER.finditer(whole))
    if not places:
        return whole
    place = drawn.choice(places)
    return whole[: place.start()] + drawn.choice(NUMBERS) + whole[place.end() :]


def _recoded(whole: bytes, other: bytes, drawn: random.Random) -> bytes:
    coding = drawn.choice(("utf-16", "utf-16-le", "utf-32", "utf-7", "cp037", "cp1252"))
    return whole.decode("utf-8", "replace").encode(coding, "replace")


_WAYS: tuple[Callable[[bytes, bytes, random.Random], bytes], ...] = (
    *(_flipped, _truncated, _spliced, _repeated, _inserted, _renumbered, _recoded),
)


def _repacked(whole: bytes, other: bytes, drawn: random.Random) -> bytes:
    """An archive whose members were swapped, renamed, doubled, changed, or swell; or whose directory lies."""
    try:
        with zipfile.ZipFile(io.BytesIO(whole)) as file:
            members = [(name, file.read(name)) for name in file.namelist()]
    except Exception:  # noqa: BLE001 an earlier change broke it
        return _flipped(whole, other, drawn)
    if not members:
        return whole
    one, two = drawn.randrange(len(members)), drawn.randrange(len(members))
    (name, part), (second, another) = members[one], members[two]
    match drawn.randrange(8):
        case 0:
            members[one], members[two] = (name, another), (second, part)
        case 1:
            members[one] = (drawn.choice((second, f"../{name}", f"/{name}", name.upper(), "\0", "")), part)
        case 2:
            members.append((name, another))
        case 3:
            members.pop(one)
        case 4:
            members[one] = (name, part + drawn.choice((b" ", b"\0", b"<a>")) * 3_000_000)
        case 5:
            place = part.find(b">") + 1
            members[one] = (name, part[:place] + drawn.choice(ENTITIES) + part[place:])
        case 6:
            return _lying(whole, drawn)
        case _:
            members[one] = (name, drawn.choice(_WAYS)(part, other, drawn))
    return _packed(members)


def _packed(members: list[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, part in members:
            info = zipfile.ZipInfo(name or "a")
            info.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(info, part)
    return out.getvalue()


def _lying(whole: bytes, drawn: random.Random) -> bytes:
    """A number of four bytes in the directory is another."""
    changed = bytearray(whole)
    entries = [found.start() for found in re.finditer(b"PK\x01\x02", whole)] or [0]
    place = drawn.choice(entries) + drawn.choice((16, 20, 24, 42))
    changed[place : place + 4] = struct.pack("<I", drawn.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF, drawn.getrandbits(32))))
    return bytes(changed)
