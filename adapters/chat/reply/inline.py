"""What stands in a line of a reply: its words, the code in them, and where words lead. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from adapters.chat.reply.parts import Text
from pipeline.values import replace
from pipeline.words.links import linked

_MARKUP = re.compile(r"[\\`*_~\[\]<&!]")
"""What Markdown reads as more than itself within a line."""
_CODE = re.compile(r"`([^`\n]+)`")


class Run(NamedTuple):
    """Words of one look."""

    text: str
    url: str = ""
    """What a click on them opens."""
    code: bool = False


def runs(text: Text) -> Iterator[Run]:
    """The words of a text in order, for surfaces that need no markup."""
    links = {link.text: link.url for link in text.links}
    for words, code in _parts(text):
        if code:
            yield Run(words, code=True)
        else:
            yield from (Run(part, url) for part, url in linked(words, links))


def markdown(text: Text) -> str:
    """The words of a text as Markdown: what is a document's own text means nothing in it, but for its code."""
    return "".join(_code(words) if code else literal(words) if text.literal else words for words, code in _spans(text))


def heading(text: Text) -> str:
    """The same of what stands above others: of its markup only code is left, it is bold as a whole."""
    said = text if text.literal else replace(text, text=text.text.replace("**", ""), code=())
    return "".join(_code(words) if code else literal(words) for words, code in _parts(said))


def literal(text: str) -> str:
    """Any text as Markdown that shows it as it is."""
    return _MARKUP.sub(r"\\\g<0>", text)


def _code(words: str) -> str:
    return f"`{words.replace('`', 'ˋ')}`"


def _parts(text: Text) -> Iterator[tuple[str, bool]]:
    """The words and whether they are code; what stands between backticks is, unless the text is literal."""
    for words, code in _spans(text):
        if code or text.literal:
            yield words, code
            continue
        for number, part in enumerate(_CODE.split(words)):
            if part:
                yield part, number % 2 == 1


def _spans(text: Text) -> Iterator[tuple[str, bool]]:
    end = 0
    for start, stop in text.code:
        if start > end:
            yield text.text[end:start], False
        yield text.text[start:stop], True
        end = stop
    if end < len(text.text):
        yield text.text[end:], False
