"""Links, addresses and mentions in what a model wrote: none may appear that its sources do not hold."""

from __future__ import annotations

import re
from collections.abc import Iterable

_ADDRESS = re.compile(
    r"\]\s?\(\s*<?(?P<target>[^()\s>]+)"
    r"|(?P<scheme>\b(?:[a-z][a-z0-9+.-]{1,20}://|(?:javascript|vbscript|data|mailto|tel|sms|file):)[^\s<>\"'|)\]`]+)"
    r"|(?P<mention><[@#!&:a-z][^<>\n]{0,300}>|@(?:everyone|here|channel)\b)"
    r"|(?P<mail>[\w.+-]{1,80}@[\w.-]{1,80}\.[a-z]{2,24}\b)"
    r"|(?P<domain>\b(?:[\w-]{1,63}(?:\.|\[\.\])){1,32}[a-z]{2,24}\b(?:/[^\s<>\"')\]`]*)?)",
    re.IGNORECASE,
)


def strange(text: str, sources: Iterable[str]) -> tuple[str, ...]:
    """The links, addresses, file names and mentions of `text` that stand in none of `sources`, case apart."""
    found = [match[match.lastgroup or 0].rstrip(".,;:!?") for match in _ADDRESS.finditer(text)]
    if not found:
        return ()
    known = "\n".join(sources)
    standing = {address for address in set(found) if _stands(address, known)}
    return tuple(address for address in found if address not in standing)


def _stands(address: str, known: str) -> bool:
    """As a whole: `acme.co` does not stand in `acme.com`, nor `acme.com` in `x.acme.com`."""
    whole = rf"(?<![\w.@/-]){re.escape(address)}(?![\w-]|\.\w)"
    return re.search(whole, known, re.IGNORECASE) is not None
