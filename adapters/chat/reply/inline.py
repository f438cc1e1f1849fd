"""Inline content of a reply: words, code and links. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from adapters.chat.reply.parts import ReplyText
from pipeline.values import replace
from pipeline.words.links import split_by_links

_MARKUP = re.compile(r"[\\`*_~\[\]<&!]")
"""Characters that have a meaning within a line of Markdown."""
_CODE = re.compile(r"`([^`\n]+)`")


class TextRun(NamedTuple):
    """Words of one style."""

    text: str
    url: str = ""
    """The address that a click on them opens."""
    is_code: bool = False


def text_runs(text: ReplyText) -> Iterator[TextRun]:
    """Yield the words of a text in order, for surfaces that need no markup."""
    links = {link.text: link.url for link in text.links}
    for words, code in _words_and_code(text):
        if code:
            yield TextRun(words, is_code=True)
        else:
            yield from (TextRun(part, url) for part, url in split_by_links(words, links))


def to_markdown(text: ReplyText) -> str:
    """Return a text as Markdown. Literal text of a document is escaped, except its code."""
    return "".join(
        _code(words) if code else escape_markdown(words) if text.is_literal else words for words, code in _spans(text)
    )


def heading_markdown(text: ReplyText) -> str:
    """Return a heading as Markdown. Of its markup only code is kept: it is bold as a whole."""
    unmarked = text if text.is_literal else replace(text, text=text.text.replace("**", ""), code_spans=())
    return "".join(_code(words) if code else escape_markdown(words) for words, code in _words_and_code(unmarked))


def escape_markdown(text: str) -> str:
    """Return Markdown that shows any text as it is."""
    return _MARKUP.sub(r"\\\g<0>", text)


def _code(text: str) -> str:
    return f"`{text.replace('`', 'ˋ')}`"


def _words_and_code(text: ReplyText) -> Iterator[tuple[str, bool]]:
    """Yield the words and whether they are code. Words between backticks are code unless the text is literal."""
    for words, code in _spans(text):
        if code or text.is_literal:
            yield words, code
            continue
        # A split by a group yields text and code in turn.
        for number, part in enumerate(_CODE.split(words)):
            if part:
                yield part, number % 2 == 1


def _spans(text: ReplyText) -> Iterator[tuple[str, bool]]:
    end = 0
    for start, stop in text.code_spans:
        if start > end:
            yield text.text[end:start], False
        yield text.text[start:stop], True
        end = stop
    if end < len(text.text):
        yield text.text[end:], False
