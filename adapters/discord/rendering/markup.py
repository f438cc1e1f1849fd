"""Rendering of foreign text as Discord's Markdown: everything inert but bold, inline code and a cited source's own
address.

These must not come alive: mentions, masked links, bare addresses, invites, timestamps, headings, quotes, lists,
subtext, spoilers, fences, and characters that turn the direction of text or hide.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from adapters.chat.reply.splitting import strip_hidden
from pipeline.words.links import split_by_links
from pipeline.words.text import strip_invisible

_INLINE = re.compile(r"(`[^`\n]+`)|\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*|(\\[!-/:-@\[-`{-~])")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_SPECIAL = re.compile(r"[\\`*_~|<\[\](]")
r"""Characters to escape. The bracket too: Discord takes `\](` for the end of a link that began anywhere before."""
_LINE_START = re.compile(r"^(\s*)([#>+-]|\d+(?=[.)]))")
_BACKTICKS = re.compile(r"`(?=`)")
_MASS_MENTION = re.compile(r"@(?=everyone|here|[!&]?\d)", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s<>]+")
_SCHEME = re.compile(r"(?<![a-z0-9+.-])([0-9+.-]*)(?:[a-z][a-z0-9+.-]*)?://", re.IGNORECASE)
"""A pattern that matches only from the beginning of a word, so that a long one is not read again from each of its
letters."""
_INVITE = re.compile(r"(?<=discord|cordapp)\.(?=gg|com)", re.IGNORECASE)
_LINKABLE = re.compile(r"https?://[^\s<>()\\\"`|*\x00-\x20\x7f]+(\([^\s<>()\\\"`|*]*\)[^\s<>()\\\"`|*]*)*", re.ASCII)
_ROUND = str.maketrans("[]", "()")
MAX_URL_LENGTH = 512
_NO_LINKS: Mapping[str, str] = {}


def escape_text(text: str) -> str:
    """Return one line of plain text that shows as it is."""
    return _escape(strip_hidden(text))


def render_inline(text: str, links: Mapping[str, str] = _NO_LINKS) -> str:
    """Return one line of Markdown: bold and inline code stay, escaped characters are literal, words in `links` open
    their address, all else shows as it is."""
    text = strip_hidden(text)
    parts: list[str] = []
    plain, end = "", 0
    for match in _INLINE.finditer(text):
        plain += text[end : match.start()]
        end = match.end()
        code, bold, escaped = match.groups()
        if escaped:
            plain += escaped[1]
            continue
        rendered = f"`{_inert_code(code[1:-1])}`" if code else _bold(bold, links)
        parts += [_render_links(plain, links), rendered]
        plain = ""
    return "".join([*parts, _render_links(plain + text[end:], links)])


def _bold(text: str, links: Mapping[str, str]) -> str:
    plain = _ESCAPE.sub(r"\1", text)
    return f"**{_render_words(plain, links)}**"


def escape_code(text: str) -> str:
    """Return the inside of a fenced block: exact, but for fences, mentions, the colon of addresses, and the end of a
    link."""
    return _BACKTICKS.sub("`\u200b", _inert_code(strip_invisible(text)))


def render_link(label: str, address: str) -> str:
    """Return `label` as a link to `address`, or as plain text where the address could be read as another one."""
    if not is_linkable(address):
        return escape_text(label)
    return f"[{escape_text(label.translate(_ROUND)) or 'link'}](<{address}>)"


def is_linkable(address: str) -> bool:
    """Return True if Discord will open exactly this address and nothing else."""
    is_plain = len(address) <= MAX_URL_LENGTH and strip_hidden(address) == address
    return is_plain and _LINKABLE.fullmatch(address) is not None


def _render_links(text: str, links: Mapping[str, str]) -> str:
    if not links:
        return _escape(text)
    parts: list[str] = []
    end = 0
    for match in _ADDRESS.finditer(text):
        address = next((a for a in (match.group(), match.group().rstrip(".,;:!?)'\"")) if links.get(a) == a), "")
        if address and is_linkable(address):
            parts += [_render_words(text[end : match.start()], links), f"<{address}>"]
            end = match.start() + len(address)
    return "".join([*parts, _render_words(text[end:], links)])


def _render_words(text: str, links: Mapping[str, str]) -> str:
    """Return text without live addresses, with the words that are links."""
    parts = split_by_links(
        text, {words: url for words, url in links.items() if "://" not in words and is_linkable(url)}
    )
    return "".join(render_link(words, url) if url else _escape(words) for words, url in parts)


def _escape(text: str) -> str:
    text = _SPECIAL.sub(r"\\\g<0>", _without_schemes(text))
    text = _INVITE.sub(r"\\.", _MASS_MENTION.sub("@\u200b", text))
    return escape_line_start(text)


def escape_line_start(escaped: str) -> str:
    """Return `escaped` so that it may begin a line: no heading, quote, list or subtext."""
    return _LINE_START.sub(_escape_line_start, escaped)


def _escape_line_start(match: re.Match[str]) -> str:
    space, mark = match.groups()
    return f"{space}{mark}\\" if mark.isdigit() else f"{space}\\{mark}"


def _without_schemes(text: str) -> str:
    """Return `host/path` for `https://host/path`: still readable, no longer a link."""
    while (shorter := _SCHEME.sub(r"\1", text)) != text:
        text = shorter
    return text


def _inert_code(text: str) -> str:
    return _MASS_MENTION.sub(
        "@\u200b",
        # A link above may reach as far as `](`.
        text.replace("](", "]\u200b(").replace("://", "[:]//").replace("<@", "<\u200b@").replace("<#", "<\u200b#"),
    )
