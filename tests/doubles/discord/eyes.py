"""How Discord's clients would read a message: what is text, which addresses a click opens, and who is notified.

Written apart from the code under test, after the rules of Discord's own parser (a fork of simple-markdown) as they
are known, and on the strict side: what might be live in some client counts as live, at every position.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tests.doubles.discord.world import Payload, walk

_FENCE = re.compile(r"```(?:([a-z0-9_+\-.#]+?)\n)?\n*([^\n][\s\S]*?)\n*```", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([^0-9A-Za-z\s])")
_CODE = re.compile(r"(`+)([\s\S]*?[^`])\1(?!`)")
_AUTOLINK = re.compile(r"<([^: >]+:/[^ >]+)>|<((?:mailto|tel|sms):[^ >]+)>|<([^ >]+@[^ >]+\.[^ >]+)>")
_ADDRESS = re.compile(r"(?:https?|steam|discord)://[^\s<]*", re.IGNORECASE)
_MASKED = re.compile(
    r"\[((?:\[[^\]]*\]|[^\[\]]|\](?=[^\[]*\]))*)\]"
    r"\(\s*<?((?:\([^)]*\)|[^\s\\]|\\.)*?)>?(?:\s+['\"]([\s\S]*?)['\"])?\s*\)"
)
_PING = re.compile(r"<(?:@[!&]?|#)\d+>|@everyone|@here", re.IGNORECASE)
_ALIVE = re.compile(r"<(?:t:-?\d+|a?:\w+:\d+|/[^>]+:\d+|id:\w+)[^>]*>")
_INVITE = re.compile(r"(?:discord(?:app)?\.(?:com/invite|gg))/\w+", re.IGNORECASE)
_LINE = re.compile(r"^(?:-# |#{1,3} |>>> |> |\s*[-*] |\s*\d+\. )", re.MULTILINE)
_MARKUP = re.compile(r"\*\*|__|~~|\|\||[*_]")


class Seen(NamedTuple):
    text: str
    links: frozenset[str]
    pings: frozenset[str]
    alive: frozenset[str]
    """Timestamps, emoji, command mentions: not harmful, but not ours."""
    lines: tuple[str, ...]
    """Headings, quotes, lists and small print: the marks at the beginnings of lines."""


def look(text: str) -> Seen:
    """Read one text display or message content."""
    out: list[str] = []
    links: set[str] = set()
    pings: set[str] = set()
    alive: set[str] = set()
    marks: list[str] = []
    at = 0
    while at < len(text):
        if (at == 0 or text[at - 1] == "\n") and (mark := _LINE.match(text, at)):
            marks.append(mark.group().strip())
            at = mark.end()
            continue
        if found := _FENCE.match(text, at) or _CODE.match(text, at):
            out.append(found.group(2))
        elif found := _ESCAPE.match(text, at):
            out.append(found.group(1))
        elif found := _MASKED.match(text, at):
            links.add(found.group(2))
            inside = look(found.group(1))
            out.append(inside.text)
            links |= inside.links
            pings |= inside.pings
        elif found := _AUTOLINK.match(text, at):
            links.add(next(group for group in found.groups() if group))
            out.append(found.group())
        elif found := _PING.match(text, at):
            pings.add(found.group())
        elif found := _ALIVE.match(text, at):
            alive.add(found.group())
        elif found := _ADDRESS.match(text, at) or _INVITE.match(text, at):
            links.add(found.group())
            out.append(found.group())
        elif found := _MARKUP.match(text, at):
            pass
        else:
            out.append(text[at])
            at += 1
            continue
        at = found.end()
    return Seen("".join(out), frozenset(links), frozenset(pings), frozenset(alive), tuple(marks))


def texts(message: Payload) -> list[str]:
    """What is parsed as Markdown in a message: its content and its text displays."""
    shown = [item["content"] for item in walk(message.get("components") or []) if item["type"] == 10]
    return [text for text in [message.get("content") or "", *shown] if text]


def labels(message: Payload) -> list[str]:
    """The labels of the buttons."""
    return [item["label"] for item in walk(message.get("components") or []) if item["type"] == 2]
