"""Which links of a document's text may be opened in an answer, those to its own host; and foreign text in which
nothing works."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from urllib.parse import urljoin, urlsplit

from pipeline.values import Block, Link, RetrievedChunk, replace
from pipeline.words.text import strip_invisible

# --- Links ----------------------------------------------------------------------------------------

_LONGEST = 2000
"""Characters of an address."""
_PLAIN = re.compile(r"https?://[^\s<>|\"`\\^{}]+", re.IGNORECASE)
_LIKE_AN_ADDRESS = re.compile(r":/|@|\S\.[^\W\d_]{2,}")


def resolve_links(blocks: Iterable[Block], address: str) -> Iterator[Block]:
    """The same blocks; their links absolute, and only those to the host of the document's own `address`."""
    for block in blocks:
        if not block.links:
            yield block
            continue
        absolute = (Link(text=link.text, url=_absolute(address, link.url)) for link in block.links)
        yield replace(block, links=tuple(link for link in absolute if is_same_host(link.url, address)))


def is_same_host(url: str, address: str) -> bool:
    """Whether `url` leads to the host of `address`, and a reader sees where it leads."""
    if len(url) > _LONGEST or not _PLAIN.fullmatch(url) or strip_invisible(url) != url:
        return False
    try:
        host, home = urlsplit(url).netloc, urlsplit(address).netloc
    except ValueError:
        return False
    return bool(host) and "@" not in host and host.lower() == home.lower()


def find_links(text: str, passages: Iterable[RetrievedChunk], quote: str) -> tuple[Link, ...]:
    """The links of `passages` whose words stand in `text`.

    Where the same words lead to several addresses, they lead to the one in the `quote`, if there is but one."""
    everywhere: dict[str, set[str]] = {}
    quoted: dict[str, set[str]] = {}
    for passage in passages:
        chunk = passage.chunk
        begins = chunk.text.find(quote) if quote else -1
        for start, end, url in chunk.links:
            words = chunk.text[start:end]
            if is_same_host(url, passage.document.url) and not _misleading(words, url):
                everywhere.setdefault(words, set()).add(url)
                if 0 <= begins <= start and end <= begins + len(quote):
                    quoted.setdefault(words, set()).add(url)
    clear = {words: urls for words, urls in (everywhere | quoted).items() if len(urls) == 1}
    standing = dict.fromkeys(part for part, words in split_by_links(text, {words: words for words in clear}) if words)
    return tuple(Link(text=words, url=next(iter(clear[words]))) for words in standing)


def split_by_links(text: str, links: Mapping[str, str]) -> Iterator[tuple[str, str]]:
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
    plain = unicodedata.normalize("NFKC", strip_invisible(words)).replace("。", ".")
    return words != url and bool(_LIKE_AN_ADDRESS.search(plain))


def _absolute(address: str, url: str) -> str:
    try:
        return urljoin(address, url)
    except ValueError:
        return ""


# --- Foreign text in which nothing works, should somebody show it as Markdown or HTML after all ---

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


def neutralize_markup(text: str, addresses: Collection[str] = ()) -> str:
    """`text` without what hides, with links, images and tags taken apart, and of addresses only `addresses` whole: the
    others are words without their scheme."""
    text = strip_invisible(text)
    whole = {address for address in addresses if safe_web_address(address) and _apart(address) == address}
    parts: list[str] = []
    end = 0
    for match in _ADDRESS.finditer(text) if whole else ():
        address = next((one for one in (match.group(), match.group().rstrip(_BEHIND)) if one in whole), "")
        if address:
            parts += [_without_schemes(text[end : match.start()]), address]
            end = match.start() + len(address)
    return _apart("".join([*parts, _without_schemes(text[end:])]))


def safe_web_address(url: str) -> str:
    """`url` where it is one of the web, and a reader sees where it leads; else nothing."""
    return url if is_same_host(url, url) else ""


def _without_schemes(text: str) -> str:
    """In two passes, however they are nested: what came together by the first is set apart by the second."""
    return _SCHEME.sub(r"\1 ", _SCHEME.sub(r"\1", text))


def _apart(text: str) -> str:
    return _FENCE.sub(r"\1", _MARKUP.sub(r"\g<0> ", text))
