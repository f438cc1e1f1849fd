"""The text of a mail that Outlook keeps as packed RTF only -> HTML."""

from __future__ import annotations

import codecs
import re
import struct
from html import escape

_BEFORE = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans Serif"
    rb"SymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0" + b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
"""What the packer takes for written before the text (MS-OXRTFCP)."""
_PACKED = b"LZFu"
_MOST = 20_000_000
_TOKEN = re.compile(rb"\\([a-zA-Z]+)(-?\d{1,9})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)")
_UNSEEN = frozenset(b"fonttbl colortbl stylesheet info pict object header footer listtable themedata mmathPr".split())
_HIDDEN = frozenset(b"v deleted strike striked".split())
_BREAKS = {b"par": "<br>", b"line": "<br>", b"cell": " ", b"row": "<br>", b"tab": " ", b"emdash": "—", b"endash": "–"}


def as_html(packed: bytes) -> str:
    """What was HTML before it was RTF as that HTML; other text in lines."""
    text = _unpacked(packed)
    was_html = b"\\fromhtml" in text[:1000]
    page = re.search(rb"\\ansicpg(\d+)", text[:1000])
    encoding = _known(f"cp{page[1].decode()}") if page and len(page[1]) < 6 else "cp1252"
    out: list[str] = []
    letters = bytearray()
    """Of the code page, in which one may take two bytes."""
    groups: list[tuple[bool, bool, bool]] = []
    unseen, hidden, tag, only_rtf, skip = False, False, False, False, 0
    for found in _TOKEN.finditer(text + b"{"):
        if found.lastindex is None:  # the end of a line of the file
            continue
        word, given, byte, mark, brace, plain = found.groups()
        said = ""
        if (byte or plain) and skip:
            skip, plain = 0, plain[1:] if plain else b""
        elif byte:
            plain = bytes.fromhex(byte.decode())
        if plain:
            letters += plain
            continue
        if letters:
            known = letters.decode(encoding, "replace")
            if not (unseen or hidden or only_rtf):
                out.append(known if tag else escape(known))
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
            only_rtf = given != b"0"
        elif word in _UNSEEN:
            unseen = True
        elif word in _HIDDEN or word == b"plain":
            hidden = given != b"0" and word != b"plain"
        elif word == b"u" and given:
            said, skip = escape(chr(int(given) % 0x10000)), 1
        elif word in _BREAKS:
            said = "\n" if tag or (was_html and word != b"tab") else _BREAKS[word]
        elif mark:
            said = {b"~": "\xa0", b"_": "-"}.get(mark, mark.decode("latin-1") if mark in b"\\{}" else "")
        if said and not (unseen or hidden or only_rtf):
            out.append(said)
    return "".join(out).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _known(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return "cp1252"


def _unpacked(packed: bytes) -> bytes:
    """MS-OXRTFCP: each bit of a control byte says whether a byte follows, or a place in the last 4,096 and a length."""
    if packed[8:12] != _PACKED:
        return packed[16:]
    size = min(struct.unpack_from("<I", packed, 4)[0], _MOST)
    out = bytearray(_BEFORE)
    place = 16
    while place < len(packed) and len(out) < size + len(_BEFORE):
        control, place = packed[place], place + 1
        for bit in range(8):
            if not control >> bit & 1:
                out += packed[place : place + 1]
                place += 1
                continue
            pair = int.from_bytes(packed[place : place + 2], "big")
            place += 2
            back = (len(out) - (pair >> 4)) % 4096 or 4096
            if place > len(packed) or pair >> 4 == len(out) % 4096 or back > len(out):
                return bytes(out[len(_BEFORE) :])
            for _ in range((pair & 15) + 2):
                out.append(out[-back])
    return bytes(out[len(_BEFORE) :])
