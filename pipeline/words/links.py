"""Links of documents that an answer may keep, those to the document's own host; and foreign text without active
markup."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from urllib.parse import urljoin, urlsplit

from pipeline.values import Block, Link, RetrievedChunk, replace
from pipeline.words.text import strip_invisible

# --- Links ----------------------------------------------------------------------------------------

_MAX_URL_LENGTH = 2000
"""Maximum length in characters of an address."""
_WEB_ADDRESS = re.compile(r"https?://[^\s<>|\"`\\^{}]+", re.IGNORECASE)
_LIKE_AN_ADDRESS = re.compile(r":/|@|\S\.[^\W\d_]{2,}")


def resolve_links(blocks: Iterable[Block], address: str) -> Iterator[Block]:
    """Yield the blocks with absolute links, and only those to the host of the document's own `address`."""
    for block in blocks:
        if not block.links:
            yield block
            continue
        absolute = (Link(text=link.text, url=_resolve(address, link.url)) for link in block.links)
        yield replace(block, links=tuple(link for link in absolute if is_same_host(link.url, address)))


def is_same_host(url: str, address: str) -> bool:
    """Tell whether `url` leads to the host of `address`, and its text shows that."""
    if len(url) > _MAX_URL_LENGTH or not _WEB_ADDRESS.fullmatch(url) or strip_invisible(url) != url:
        return False
    try:
        host, home = urlsplit(url).netloc, urlsplit(address).netloc
    except ValueError:
        return False
    return bool(host) and "@" not in host and host.lower() == home.lower()


def find_links(text: str, passages: Iterable[RetrievedChunk], quote: str) -> tuple[Link, ...]:
    """Return the links of `passages` whose words stand in `text`.

    Where the same words lead to several addresses, they get the one in the `quote`, if there is only one."""
    everywhere: dict[str, set[str]] = {}
    quoted: dict[str, set[str]] = {}
    for passage in passages:
        chunk = passage.chunk
        quote_start = chunk.text.find(quote) if quote else -1
        for start, end, url in chunk.links:
            words = chunk.text[start:end]
            if is_same_host(url, passage.document.url) and not _is_misleading(words, url):
                everywhere.setdefault(words, set()).add(url)
                if 0 <= quote_start <= start and end <= quote_start + len(quote):
                    quoted.setdefault(words, set()).add(url)
    unambiguous = {words: urls for words, urls in (everywhere | quoted).items() if len(urls) == 1}
    linked = dict.fromkeys(
        part for part, words in split_by_links(text, {words: words for words in unambiguous}) if words
    )
    return tuple(Link(text=words, url=next(iter(unambiguous[words]))) for words in linked)


def split_by_links(text: str, links: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the parts of `text`: the whole words of `links` with their address, the text between them with an empty
    one."""
    standing = sorted((words for words in links if words in text), key=len, reverse=True)
    if not standing:
        yield text, ""
        return
    end = 0
    for match in re.finditer("|".join(map(_whole_words_pattern, standing)), text):
        if match.start() > end:
            yield text[end : match.start()], ""
        yield match.group(), links[match.group()]
        end = match.end()
    if end < len(text):
        yield text[end:], ""


def _whole_words_pattern(words: str) -> str:
    """Return a pattern for `words` that are no part of a longer word or of an address. Scripts without upper and lower
    case may write words without space between them."""
    before = r"(?<![\w.@/!-])" if _has_word_boundary(words[0]) else r"(?<![.@/!])"
    behind = r"(?![\w-]|\.\w)" if _has_word_boundary(words[-1]) else ""
    return f"{before}{re.escape(words)}{behind}"


def _has_word_boundary(character: str) -> bool:
    return character.isdigit() or character.lower() != character.upper()


def _is_misleading(words: str, url: str) -> bool:
    """Tell whether `words` look like another address than `url`."""
    plain = unicodedata.normalize("NFKC", strip_invisible(words)).replace("。", ".")
    return words != url and bool(_LIKE_AN_ADDRESS.search(plain))


def _resolve(address: str, url: str) -> str:
    try:
        return urljoin(address, url)
    except ValueError:
        return ""


# --- Foreign text in which nothing works, should somebody show it as Markdown or HTML after all ---

_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_TRAILING_MARKS = ".,;:!?)'\""
"""Characters behind an address that are no part of it."""
_SCHEME = re.compile(
    r"(?<![a-z0-9+.-])([0-9+.-]*)(?:(?:[a-z][a-z0-9+.-]*)?://|(?:javascript|vbscript):|data:(?=[\w.+-]+/))",
    re.IGNORECASE,
)
"""A URL scheme. It matches only at the beginning of a word, so that a long word is not read again from each of its
letters."""
_MARKUP = re.compile(r"\](?=[(:])|<(?=[a-z/!?])|&(?=#)", re.IGNORECASE)
"""The first character of a link, of a link definition, of a tag and of a numeric character reference: a space behind it
disables each."""
_FENCE = re.compile(r"(`{2}|~{2})[`~]+")


def neutralize_markup(text: str, addresses: Collection[str] = ()) -> str:
    """Return `text` without hidden characters, with links, images and tags disabled, and with only `addresses` intact:
    other addresses lose their scheme."""
    text = strip_invisible(text)
    intact = {address for address in addresses if safe_web_address(address) and _disable_markup(address) == address}
    parts: list[str] = []
    end = 0
    for match in _ADDRESS.finditer(text) if intact else ():
        address = next(
            (candidate for candidate in (match.group(), match.group().rstrip(_TRAILING_MARKS)) if candidate in intact),
            "",
        )
        if address:
            parts += [_remove_schemes(text[end : match.start()]), address]
            end = match.start() + len(address)
    return _disable_markup("".join([*parts, _remove_schemes(text[end:])]))


def safe_web_address(url: str) -> str:
    """Return `url` where it is a web address whose text shows its target; else an empty string."""
    return url if is_same_host(url, url) else ""


def _remove_schemes(text: str) -> str:
    """Remove schemes in two passes, however they are nested: the second one separates schemes that the first one
    joined."""
    return _SCHEME.sub(r"\1 ", _SCHEME.sub(r"\1", text))


def _disable_markup(text: str) -> str:
    return _FENCE.sub(r"\1", _MARKUP.sub(r"\g<0> ", text))
