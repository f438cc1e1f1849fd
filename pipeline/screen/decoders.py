"""Readable text behind base64, base32, hexadecimal, binary, character codes and Morse."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Sequence

Decoder = tuple[re.Pattern[str], Callable[[str], bytes]]

_LONG, _CODES = 16, 8
"""Characters of a word, and words that begin like a code, below which nothing can be encoded in a text."""
_CODE = frozenset("0123456789.-·•−–")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_BASE32 = re.compile(r"\b[A-Z2-7]{24,}={0,6}")
_HEX = re.compile(r"(?:(?:0x|\\x)?[0-9a-fA-F]{2}[\s,:;]?){12,}")
_BINARY = re.compile(r"(?:[01]{8}[\s,]?){8,}")
_DECIMAL = re.compile(r"(?:\b\d{2,3}[\s,;]+){11,}\d{2,3}\b")
_MORSE = re.compile(r"(?:[.\-·•−–]{1,6}(?:\s*/\s*|\s+|$)){10,}")
_MORSE_LETTERS = dict(
    zip(
        ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. "
        "--- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..".split(),
        "abcdefghijklmnopqrstuvwxyz",
        strict=True,
    )
)


def decoded(text: str) -> Iterator[str]:
    """Each readable text that a run of `text` is an encoding of."""
    words = text.split()
    long = [word for word in words if len(word) >= _LONG]
    yield from _each(_DENSE, "\n".join(long))
    if sum(map(_CODE.__contains__, (word[0] for word in words))) >= _CODES:
        yield from _each(_SPACED, text)


def _each(decoders: Sequence[Decoder], text: str) -> Iterator[str]:
    for pattern, decode in decoders:
        for found in pattern.finditer(text):
            if plain := _readable(decode, found.group()):
                yield plain


def _readable(decode: Callable[[str], bytes], run: str) -> str:
    try:
        plain = decode(run).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""
    letters = sum(c.isalpha() or c.isspace() for c in plain)
    return plain if len(plain) >= 6 and letters >= 0.8 * len(plain) else ""


def _from_base64(run: str) -> bytes:
    run = run.rstrip("=").translate(str.maketrans("-_", "+/"))
    return base64.b64decode(run + "=" * (-len(run) % 4))


def _from_base32(run: str) -> bytes:
    run = run.rstrip("=")
    return base64.b32decode(run + "=" * (-len(run) % 8))


def _from_hex(run: str) -> bytes:
    return bytes.fromhex(re.sub(r"0x|\\x|[^0-9a-fA-F]", "", run))


def _from_binary(run: str) -> bytes:
    return bytes(int(byte, 2) for byte in re.findall("[01]{8}", run))


def _from_decimal(run: str) -> bytes:
    return bytes(int(code) for code in re.findall(r"\d+", run))


def _from_morse(run: str) -> bytes:
    signs = run.translate(str.maketrans("·•−–", "..--"))
    words = (signs.split() for signs in re.split(r"\s*/\s*|\s{3,}", signs))
    return " ".join("".join(_MORSE_LETTERS.get(sign, "") for sign in word) for word in words).encode()


_DENSE: tuple[Decoder, ...] = (
    (_BASE64, _from_base64),
    (_BASE32, _from_base32),
    (_HEX, _from_hex),
    (_BINARY, _from_binary),
)
_SPACED: tuple[Decoder, ...] = (
    (_BINARY, _from_binary),
    (_HEX, _from_hex),
    (_DECIMAL, _from_decimal),
    (_MORSE, _from_morse),
)
