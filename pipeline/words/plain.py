"""Foreign text as plain text in which nothing works, should somebody show it as Markdown or HTML after all."""

from __future__ import annotations

import re
from collections.abc import Collection

from pipeline.words.links import at_home
from pipeline.words.text import visible

_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_BEHIND = ".,;:!?)'\""
"""What ends a sentence, and no address."""
_SCHEME = re.compile(
    r"(?<![a-z0-9+.-])([0-9+.-]*)(?:(?:[a-z][a-z0-9+.-]*)?://|(?:javascript|vbscript):|data:(?=[\w.+-]+/))",
    re.IGNORECASE,
)
"""Begins at the beginning of a word only, so that a long one is not read again from each of its letters."""
_MARKUP = re.compile(r"\](?=[(:])|<(?=[a-z/!?])|&(?=#)", re.IGNORECASE)
"""The first character of what makes a link, the definition of one, a tag and a character by its number: a space behind
it, and it makes none."""
_FENCE = re.compile(r"(`{2}|~{2})[`~]+")


def plain(text: str, addresses: Collection[str] = ()) -> str:
    """`text` without what hides, with links, images and tags taken apart, and of addresses only `addresses` whole: the
    others are words without their scheme."""
    text = visible(text)
    whole = {address for address in addresses if web_address(address) and _apart(address) == address}
    parts: list[str] = []
    end = 0
    for match in _ADDRESS.finditer(text) if whole else ():
        address = next((one for one in (match.group(), match.group().rstrip(_BEHIND)) if one in whole), "")
        if address:
            parts += [_without_schemes(text[end : match.start()]), address]
            end = match.start() + len(address)
    return _apart("".join([*parts, _without_schemes(text[end:])]))


def web_address(url: str) -> str:
    """`url` where it is one of the web, and a reader sees where it leads; else nothing."""
    return url if at_home(url, url) else ""


def _without_schemes(text: str) -> str:
    """In two passes, however they are nested: what came together by the first is set apart by the second."""
    return _SCHEME.sub(r"\1 ", _SCHEME.sub(r"\1", text))


def _apart(text: str) -> str:
    return _FENCE.sub(r"\1", _MARKUP.sub(r"\g<0> ", text))
