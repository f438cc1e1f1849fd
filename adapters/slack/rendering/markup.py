"""Escaping of foreign text: what documents, models and people wrote is readable and can do nothing.

There are two languages. *Markdown* is what the `markdown` block and streams take; it still reads `<!here>`-like tokens,
so angle brackets are escaped and ampersands are not (measured on a workspace: PostHog/posthog PR 95054). *mrkdwn* is
Slack's own, for `text`, `section` and `context`: `& < >` are escaped.

A link is live only when its target is one of `links`, byte for byte, or its words are. Every other address is shown as
code, which no client makes clickable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from adapters.chat.reply.splitting import strip_hidden
from pipeline.words.links import split_by_links
from pipeline.words.text import strip_invisible

_ADDRESS = re.compile(
    r"""(?xi)
    (?: (?<!\S) \S*? :/ \S*                                          # whatever holds a scheme://
      | www \. \S*
      | (?: mailto | tel | javascript | vbscript | data | file | slack | sms | xmpp ) : \S*
      | (?<![^\s@<>()\[\]]) [^\s@<>()\[\]]+ @ [\w\-]+ (?: [.。．｡] [\w\-]+ )+     # an email address
      | (?<![\w\-]) (?: [\w\-]+ [.。．｡] )+ [^\W\d_]{2,} (?!\w) (?: [/?\#:] \S* )?  # example.com/path
    )"""
)
_ADDRESS_HINT = re.compile(r"[:@]|[.。．｡]\S|www\.", re.IGNORECASE)
"""A part of every match of `_ADDRESS`: a sentence without it is not searched, which takes ten times as long."""
_TRAILING = ".,;:!?'\"*_~»”’"
_BLOCK_START = re.compile(r"(?m)^[ \t]*(?=#{1,6}(?:\s|$)|~~~|>|\||=+\s*$|-{3,}\s*$|\*{3,}\s*$|_{3,}\s*$)")
_ROUND = str.maketrans("[]", "()")
_NEVER_A_LINE_START = "\u200b"
_BACKSLASH = re.compile(r"\\(?=[!-/:-@\[-`{-~]|$)")
_EMPHASIS = re.compile(r"(?<!\s)[*~]|[*~](?!\s)|(?<![^\W_])_|_(?![^\W_])")
"""Characters that could begin or end bold, italic or struck text."""
_ESCAPABLE = re.compile(r"[\\`*_~\]<>]")
"""Characters that literal text has escaped, or replaced."""
_MARKUP = re.compile(r"[\n\\`*_~!\[\]<&]")
"""Characters that begin one of Markdown's inline rules."""
_INLINE = MarkdownIt("commonmark", {"html": False}).enable("strikethrough")
_INLINE.normalizeLink = lambda url: url  # type: ignore[method-assign] # compared byte for byte
_INLINE.validateLink = lambda url: True  # type: ignore[method-assign] # what is not permitted loses its target
_LINKABLE = re.compile(r"https?://[^\s<>|`\"\\^{}]+", re.IGNORECASE)


def escape_text(text: str) -> str:
    """Return any text as literal mrkdwn. Send it with `verbatim` or `parse="none"`, so that addresses stay text."""
    return strip_invisible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@lru_cache(maxsize=256)
def is_linkable(url: str) -> bool:
    """Return True if `url` can be linked without changing a byte of it."""
    is_plain = bool(_LINKABLE.fullmatch(url)) and strip_invisible(url) == url
    return is_plain and len(escape_text(url)) <= 2000 and _is_balanced(url)


def _is_balanced(url: str) -> bool:
    depth = 0
    for character in url:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


def escape_code(text: str) -> str:
    """Return code as it stands in a fence."""
    return _escape_angles(strip_invisible(text)).replace("```", "ˋˋˋ")


def render_inline(text: str, links: Mapping[str, str]) -> str:
    """Return one line of foreign Markdown with its emphasis, code and permitted links, and nothing else alive."""
    text = strip_hidden(text)
    if not _MARKUP.search(text):
        return _escape_line_start(_text(text, links).strip())
    tokens = _INLINE.parseInline(text)[0].children or []
    return _escape_line_start("".join(_render_tokens(tokens, links)).strip())


def _render_tokens(tokens: Sequence[Token], links: Mapping[str, str]) -> Iterator[str]:
    """Yield Markdown again. Adjacent text is escaped together, whatever stood between it before."""
    plain = ""
    closers: list[str] = []
    in_link = False
    for token in tokens:
        markup = ""
        match token.type:
            case "text" | "html_inline" | "text_special" | "image":
                plain += token.content
            case "softbreak" | "hardbreak":
                plain += " "
            case "code_inline":
                markup = _code_span(token.content)
            case "link_open":
                url = str(token.attrs.get("href", ""))
                live = links.get(url) == url and is_linkable(url)
                markup = "[" if live else ""
                closers.append(f"]({url})" if live else "")
            case "link_close":
                markup = closers.pop()
            case _:
                markup = token.markup
        if markup:
            yield _text(plain, {} if in_link else links)
            yield markup
            plain = ""
            in_link = any(closers)
    yield _text(plain, links)


def _text(text: str, links: Mapping[str, str]) -> str:
    out: list[str] = []
    end = 0
    for match in _ADDRESS.finditer(text) if _ADDRESS_HINT.search(text) else ():
        address = _without_trailing(match.group())
        out += [_render_words(text[end : match.start()], links), _address(address, links)]
        end = match.start() + len(address)
    return "".join([*out, _render_words(text[end:], links)])


def _render_words(text: str, links: Mapping[str, str]) -> str:
    """Return text without addresses, with the words that are links."""
    parts = split_by_links(text, {words: url for words, url in links.items() if words in text and is_linkable(url)})
    return "".join(_link(words, url) if url else _literal(words) for words, url in parts)


def _link(text: str, url: str) -> str:
    label = text.translate(_ROUND)
    return f"[{_escape_angles(label) if text == url else _literal(label)}]({url})"


def _without_trailing(address: str) -> str:
    """Return the address without the punctuation of the sentence; a closing bracket is dropped only where it was opened
    outside."""
    while True:
        shorter = address.rstrip(_TRAILING)
        if shorter.endswith(")") and not _is_balanced(shorter):
            shorter = shorter[:-1]
        if shorter == address:
            return address
        address = shorter


def _address(address: str, links: Mapping[str, str]) -> str:
    if links.get(address) == address and is_linkable(address):
        return _link(address, address)
    return _code_span(address)


def _code_span(text: str) -> str:
    """Return inline code; inside it only the start of Slack's tokens is escaped."""
    return f"`{text.replace('`', 'ˋ').replace('<', '&lt;').strip() or ' '}`"


def _literal(text: str) -> str:
    if not _ESCAPABLE.search(text):
        return text
    text = text.replace("`", "ˋ").replace("](", "] (").replace("]:", "] :")
    return _EMPHASIS.sub(r"\\\g<0>", _escape_angles(_BACKSLASH.sub(r"\\\\", text)))


def _escape_angles(text: str) -> str:
    return text.replace("<", "&lt;").replace(">", "&gt;")


def _escape_line_start(text: str) -> str:
    return _BLOCK_START.sub(_NEVER_A_LINE_START, text)
