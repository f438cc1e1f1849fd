"""Links, addresses and mentions in what a model wrote: none may appear that its sources do not hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipeline.words.text import sentences

_ADDRESS = re.compile(
    r"\]\s?\(\s*<?(?P<target>[^()\s>]+)"
    r"|(?P<scheme>\b(?:[a-z][a-z0-9+.-]{1,20}://|(?:javascript|vbscript|data|mailto|tel|sms|file):)[^\s<>\"'|)\]`]+)"
    r"|(?P<mention><[@#!&:a-z][^<>\n]{0,300}>|@(?:everyone|here|channel)\b)"
    r"|(?P<mail>[\w.+-]{1,80}@[\w.-]{1,80}\.[a-z]{2,24}\b)"
    r"|(?P<domain>\b(?:[\w-]{1,63}(?:\.|\[\.\])){1,32}[a-z]{2,24}\b(?:/[^\s<>\"')\]`]*)?)",
    re.IGNORECASE,
)
_RUN_ON = re.compile(r"(?<=[a-z\d])\.(?=[A-Z][a-z]*$)")
"""Where a sentence begins without a space before it: `the machine.It is`."""


def known(text: str, sources: Iterable[str]) -> str:
    """`text` without the sentences that hold a link, an address, a file name or a mention that no source has, case
    apart. A full stop without a space behind it makes no address: it gets one."""
    if not _ADDRESS.search(text):
        return text
    sources = tuple(sources)
    found = strange(text, sources)
    for address in found:
        text = text.replace(address, _RUN_ON.sub(". ", address)) if address.count(".") == 1 else text
    if not found or not strange(text, sources):
        return text
    return " ".join(text[start:end] for start, end in sentences(text) if not strange(text[start:end], sources))


def strange(text: str, sources: Sequence[str]) -> tuple[str, ...]:
    """The links, addresses, file names and mentions of `text` that stand in none of `sources`."""
    found = [(match[match.lastgroup or 0].rstrip(".,;:!?"), _before(match)) for match in _ADDRESS.finditer(text)]
    if not found:
        return ()
    everything = "\n".join(sources)
    standing = {one for one in set(found) if _stands(*one, everything)}
    return tuple(address for address, before in found if (address, before) not in standing)


def _before(found: re.Match[str]) -> str:
    """The `/` of a path or the `.` of a part that a name begins behind."""
    start = found.start()
    return found.string[start - 1] if found["domain"] and start and found.string[start - 1] in "./" else ""


def _stands(address: str, before: str, known: str) -> bool:
    """As a whole: `acme.co` does not stand in `acme.com`, nor `acme.com` in `x.acme.com`."""
    begins = re.escape(before) or r"(?<![\w.@/-])"
    return re.search(rf"{begins}{re.escape(address)}(?![\w-]|\.\w)", known, re.IGNORECASE) is not None
