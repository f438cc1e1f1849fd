"""Which links of a document's text may be opened in an answer: those to the document's own host."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import urljoin, urlsplit

from pipeline.values import Block, Link, RetrievedChunk, replace
from pipeline.words.text import visible

_LONGEST = 2000
"""Characters of an address."""
_PLAIN = re.compile(r"https?://[^\s<>|\"`\\^{}]+", re.IGNORECASE)
_LIKE_AN_ADDRESS = re.compile(r":/|@|\S\.[^\W\d_]{2,}")


def with_links(blocks: Iterable[Block], address: str) -> Iterator[Block]:
    """The same blocks; their links absolute, and only those to the host of the document's own `address`."""
    for block in blocks:
        if not block.links:
            yield block
            continue
        absolute = (Link(text=link.text, url=_absolute(address, link.url)) for link in block.links)
        yield replace(block, links=tuple(link for link in absolute if at_home(link.url, address)))


def at_home(url: str, address: str) -> bool:
    """Whether `url` leads to the host of `address`, and a reader sees where it leads."""
    if len(url) > _LONGEST or not _PLAIN.fullmatch(url) or visible(url) != url:
        return False
    try:
        host, home = urlsplit(url).netloc, urlsplit(address).netloc
    except ValueError:
        return False
    return bool(host) and "@" not in host and host.lower() == home.lower()


def said(text: str, passages: Iterable[RetrievedChunk], quote: str) -> tuple[Link, ...]:
    """The links of `passages` whose words stand in `text`.

    Where the same words lead to several addresses, they lead to the one in the `quote`, if there is but one."""
    everywhere: dict[str, set[str]] = {}
    quoted: dict[str, set[str]] = {}
    for passage in passages:
        chunk = passage.chunk
        begins = chunk.text.find(quote) if quote else -1
        for start, end, url in chunk.links:
            words = chunk.text[start:end]
            if at_home(url, passage.document.url) and not _misleading(words, url):
                everywhere.setdefault(words, set()).add(url)
                if 0 <= begins <= start and end <= begins + len(quote):
                    quoted.setdefault(words, set()).add(url)
    clear = {words: urls for words, urls in (everywhere | quoted).items() if len(urls) == 1}
    standing = dict.fromkeys(part for part, words in linked(text, {words: words for words in clear}) if words)
    return tuple(Link(text=words, url=next(iter(clear[words]))) for words in standing)


def linked(text: str, links: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """`text` in parts: whole words that `links` names with their address, all between them with an empty one."""
    standing = sorted((words for words in links if words in text), key=len, reverse=True)
    if not standing:
        yield text, ""
        return
    end = 0
    for match in re.finditer("|".join(map(_whole, standing)), text):
        if match.start() > end:
            yield text[end : match.start()], ""
        yield match.group(), links[match.group()]
        end = match.end()
    if end < len(text):
        yield text[end:], ""


def _whole(words: str) -> str:
    """A pattern for `words` that are no part of a longer word or of an address. Scripts without upper and lower case
    may write words without space between them."""
    before = r"(?<![\w.@/!-])" if _bounded(words[0]) else r"(?<![.@/!])"
    behind = r"(?![\w-]|\.\w)" if _bounded(words[-1]) else ""
    return f"{before}{re.escape(words)}{behind}"


def _bounded(character: str) -> bool:
    return character.isdigit() or character.lower() != character.upper()


def _misleading(words: str, url: str) -> bool:
    """Whether `words` look like another address than `url`."""
    plain = unicodedata.normalize("NFKC", visible(words)).replace("。", ".")
    return words != url and bool(_LIKE_AN_ADDRESS.search(plain))


def _absolute(address: str, url: str) -> str:
    try:
        return urljoin(address, url)
    except ValueError:
        return ""
