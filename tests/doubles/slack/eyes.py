"""How Slack's clients would read a message: which addresses a click opens, and who is notified.

Written apart from the code under test, after Slack's formatting page and CommonMark, and on the strict side:
what might be live in some client counts as live."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from markdown_it import MarkdownIt

from tests.doubles.slack.rules import Json

_PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
_PARSER.validateLink = lambda url: True  # type: ignore[method-assign]
_PARSER.normalizeLink = lambda url: url  # type: ignore[method-assign]
_BARE = re.compile(r"(?i)(?:[a-z][a-z0-9+.-]*://|www\.|mailto:|javascript:)\S*")


def links(blocks: Iterable[Json], text: str = "") -> set[str]:
    """Every address that a click could open."""
    found = set(_tokens(text, "http")) | set(_tokens(text, "mailto"))
    for kind, piece in marked_up(blocks):
        if kind == "markdown":
            found |= set(_markdown_links(piece))
        else:
            found |= set(_tokens(piece, "http")) | set(_tokens(piece, "mailto"))
    return {link.replace("&amp;", "&") for link in found}


def pings(blocks: Iterable[Json], text: str = "") -> set[str]:
    """Every token that would notify somebody or name a channel."""
    pieces = [piece for _, piece in marked_up(blocks)] + [text]
    return {token for piece in pieces for token in re.findall(r"<\s*[@!#][^>]*>?", piece)}


def marked_up(blocks: Iterable[Json]) -> Iterator[tuple[str, str]]:
    """The texts in which Slack looks for markup, with its kind; rich text and plain text are literal."""
    for block in blocks:
        match block["type"]:
            case "markdown":
                yield "markdown", block["text"]
            case "section" | "header":
                yield from _object(block["text"])
            case "context":
                for element in block["elements"]:
                    yield from _object(element)


def readable(value: Any) -> str:
    """Everything a person can read in blocks, as written."""
    return "\n".join(_texts(value)).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _object(text: Json) -> Iterator[tuple[str, str]]:
    if text["type"] == "mrkdwn":
        yield "mrkdwn", text["text"]
        if not text.get("verbatim"):
            yield "markdown", text["text"]


def _tokens(text: str, scheme: str) -> list[str]:
    return [target for target, _ in re.findall(rf"<({scheme}[^>|]*)(\|[^>]*)?>", text)]


def _markdown_links(text: str) -> Iterator[str]:
    for token in _PARSER.parse(text):
        if token.type == "html_block":
            yield "<html>"
        for part in token.children or ():
            if part.type in ("link_open", "image"):
                yield str(part.attrs.get("href") or part.attrs.get("src"))
            elif part.type == "html_inline":
                yield "<html>"
        yield from _bare(token.children or ())


def _bare(parts: Iterable[Any]) -> Iterator[str]:
    """Addresses standing in plain text, outside of links and code."""
    inside = 0
    for part in parts:
        inside += {"link_open": 1, "link_close": -1}.get(part.type, 0)
        if part.type == "text" and not inside:
            yield from _BARE.findall(part.content)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("text"), str):
            yield value["text"]
        for part in value.values():
            yield from _texts(part) if isinstance(part, dict | list) else ()
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
