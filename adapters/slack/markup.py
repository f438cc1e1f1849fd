"""Foreign text made inert: what documents, models and people wrote can be read, and can do nothing.

Two languages are written here. *Markdown* is what the `markdown` block and streams take; it still reads
`<!here>`-like tokens, so angle brackets are escaped and ampersands are not (measured on a workspace:
PostHog/posthog PR 95054). *mrkdwn* is Slack's own, for `text`, `section` and `context`: `& < >` are escaped.

A link is live only when its target is one of `links`, byte for byte. Every other address is shown as code,
which no client makes clickable.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from pipeline.values import row_cells, row_text

_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_ADDRESS = re.compile(
    r"""(?xi)
    (?: (?<!\S) \S*? :/ \S*                                          # whatever holds a scheme://
      | www \. \S*
      | (?: mailto | tel | javascript | vbscript | data | file | slack | sms | xmpp ) : \S*
      | (?<![^\s@<>()\[\]]) [^\s@<>()\[\]]+ @ [\w\-]+ (?: [.。．｡] [\w\-]+ )+     # an email address
      | (?<![\w\-]) (?: [\w\-]+ [.。．｡] )+ [^\W\d_]{2,} (?!\w) (?: [/?\#:] \S* )?  # example.com/path
    )"""
)
_TRAILING = ".,;:!?'\"*_~»”’"
_BLOCK_START = re.compile(r"(?m)^[ \t]*(?=#{1,6}(?:\s|$)|~~~|>|\||=+\s*$|-{3,}\s*$|\*{3,}\s*$|_{3,}\s*$)")
_NEVER_A_LINE_START = "\u200b"
_INLINE = MarkdownIt("commonmark", {"html": False}).enable("strikethrough")
_INLINE.normalizeLink = lambda url: url  # type: ignore[method-assign] # compared byte for byte
_INLINE.validateLink = lambda url: True  # type: ignore[method-assign] # what is not permitted loses its target
_LINKABLE = re.compile(r"https?://[^\s<>|`\"\\^{}]+", re.IGNORECASE)


def clean(text: str) -> str:
    """Without control characters, direction overrides and invisible tags; line ends stay."""
    return _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n"))


def one_line(text: str) -> str:
    """Cleaned, with all white space as single spaces."""
    return " ".join(clean(text).split())


def cut(text: str, limit: int) -> str:
    """One line of at most `limit` characters, with an ellipsis where something is left out."""
    line = one_line(text)
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def mrkdwn(text: str) -> str:
    """Any text as literal mrkdwn. Send it with `verbatim` or `parse="none"`, so that addresses stay text."""
    return clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def linkable(url: str) -> bool:
    """Whether `url` can be linked without changing a byte of it."""
    whole = bool(_LINKABLE.fullmatch(url)) and clean(url) == url
    return whole and len(mrkdwn(url)) <= 2000 and _balanced(url)


def _balanced(url: str) -> bool:
    depth = 0
    for character in url:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


def code(text: str, language: str = "") -> tuple[str, str]:
    """The content and the language of a fence that can hold `text`; the fence itself is `cite.body`'s."""
    return _angles(clean(text)).replace("```", "ˋˋˋ"), re.sub(r"[^\w+#.\-]", "", language)[:20]


def inline(text: str, links: Collection[str]) -> str:
    """One line of foreign Markdown with its emphasis, code and permitted links, and nothing else alive."""
    tokens = _INLINE.parseInline(one_line(text))[0].children or []
    return _guard("".join(_emit(tokens, links)).strip())


def block(text: str, links: Collection[str]) -> str:
    """Several lines of Markdown, each made inert."""
    return "\n".join(inline(line, links) for line in clean(text).split("\n"))


def cell(text: str, links: Collection[str]) -> str:
    """The cells of a table row, joined by ` | `, each made inert."""
    return row_text(inline(part, links).replace("|", "∣") or " " for part in row_cells(one_line(text)))


def _emit(tokens: Sequence[Token], links: Collection[str]) -> Iterator[str]:
    """Markdown again. Text that will stand together is looked at together, whatever stood between it before."""
    plain = ""
    closers: list[str] = []
    inside = False
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
                live = url in links and linkable(url)
                markup = "[" if live else ""
                closers.append(f"]({url})" if live else "")
            case "link_close":
                markup = closers.pop()
            case _:
                markup = token.markup
        if markup:
            yield _text(plain, () if inside else links)
            yield markup
            plain = ""
            inside = any(closers)
    yield _text(plain, links)


def _text(text: str, links: Collection[str]) -> str:
    out: list[str] = []
    end = 0
    for match in _ADDRESS.finditer(text):
        address = _without_trailing(match.group())
        out += [_literal(text[end : match.start()]), _address(address, links)]
        end = match.start() + len(address)
    return "".join([*out, _literal(text[end:])])


def _without_trailing(address: str) -> str:
    """Punctuation of the sentence around it left out, a closing bracket only where it was opened outside."""
    while True:
        shorter = address.rstrip(_TRAILING)
        if shorter.endswith(")") and not _balanced(shorter):
            shorter = shorter[:-1]
        if shorter == address:
            return address
        address = shorter


def _address(address: str, links: Collection[str]) -> str:
    if address in links and linkable(address):
        return f"[{_literal(address)}]({address})"
    return _code_span(address)


def _code_span(text: str) -> str:
    return f"`{_angles(text.replace('`', 'ˋ').strip()) or ' '}`"


def _literal(text: str) -> str:
    text = text.replace("`", "ˋ").replace("](", "] (").replace("]:", "] :")
    return _angles(re.sub(r"\\(?=[!-/:-@\[-`{-~]|$)", r"\\\\", text))


def _angles(text: str) -> str:
    return text.replace("<", "&lt;").replace(">", "&gt;")


def _guard(text: str) -> str:
    return _BLOCK_START.sub(_NEVER_A_LINE_START, text)
