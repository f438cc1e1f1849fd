"""Links, addresses, file names and mentions in a model's text: none may appear that the sources do not hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipeline.words.text import sentence_spans

_ADDRESS = re.compile(
    r"\]\s?\(\s*<?(?P<target>[^()\s>]+)"
    r"|(?P<scheme>\b(?:[a-z][a-z0-9+.-]{1,20}://|(?:javascript|vbscript|data|mailto|tel|sms|file):)[^\s<>\"'|)\]`]+)"
    r"|(?P<mention><[@#!&:a-z][^<>\n]{0,300}>|@(?:everyone|here|channel)\b)"
    r"|(?P<mail>[\w.+-]{1,80}@[\w.-]{1,80}\.[a-z]{2,24}\b)"
    r"|(?P<domain>\b(?:[\w-]{1,63}(?:\.|\[\.\])){1,32}[a-z]{2,24}\b(?:/[^\s<>\"')\]`]*)?)",
    re.IGNORECASE,
)
_RUN_ON = re.compile(r"(?<=[a-z\d])\.(?=[A-Z][a-z]*$)")
"""A full stop before a sentence without a space: `the machine.It is`."""


def drop_foreign_references(text: str, sources: Iterable[str]) -> str:
    """Return `text` without the sentences with a link, an address, a file name or a mention that no source has, case
    apart. A full stop without a space behind it makes no address: it gets one."""
    if not _ADDRESS.search(text):
        return text
    sources = tuple(sources)
    foreign = find_foreign_references(text, sources)
    for address in foreign:
        text = text.replace(address, _RUN_ON.sub(". ", address)) if address.count(".") == 1 else text
    if not foreign or not find_foreign_references(text, sources):
        return text
    return " ".join(
        text[start:end] for start, end in sentence_spans(text) if not find_foreign_references(text[start:end], sources)
    )


def find_foreign_references(text: str, sources: Sequence[str]) -> tuple[str, ...]:
    """Return the links, addresses, file names and mentions of `text` that stand in none of `sources`."""
    references = [
        (match[match.lastgroup or 0].rstrip(".,;:!?"), _preceding_mark(match)) for match in _ADDRESS.finditer(text)
    ]
    if not references:
        return ()
    all_text = "\n".join(sources)
    present = {reference for reference in set(references) if _contains_address(*reference, all_text)}
    return tuple(address for address, before in references if (address, before) not in present)


def _preceding_mark(match: re.Match[str]) -> str:
    """Return the `/` of a path or the `.` of a domain in front of a name."""
    start = match.start()
    return match.string[start - 1] if match["domain"] and start and match.string[start - 1] in "./" else ""


def _contains_address(address: str, before: str, source_text: str) -> bool:
    """Tell whether an address stands complete in a text: `acme.co` does not stand in `acme.com`, nor `acme.com` in
    `x.acme.com`."""
    opening = re.escape(before) or r"(?<![\w.@/-])"
    return re.search(rf"{opening}{re.escape(address)}(?![\w-]|\.\w)", source_text, re.IGNORECASE) is not None
