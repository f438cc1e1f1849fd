"""What stands in a line of a reply: its words, the code in them, and where words lead. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from adapters.chat.reply.parts import ReplyText
from pipeline.values import replace
from pipeline.words.links import split_by_links

_MARKUP = re.compile(r"[\\`*_~\[\]<&!]")
"""What Markdown reads as more than itself within a line."""
_CODE = re.compile(r"`([^`\n]+)`")


class TextRun(NamedTuple):
    """Words of one look."""

    text: str
    url: str = ""
    """What a click on them opens."""
    is_code: bool = False


def text_runs(text: ReplyText) -> Iterator[TextRun]:
    """The words of a text in order, for surfaces that need no markup."""
    links = {link.text: link.url for link in text.links}
    for words, code in _parts(text):
        if code:
            yield TextRun(words, is_code=True)
        else:
            yield from (TextRun(part, url) for part, url in split_by_links(words, links))


def to_markdown(text: ReplyText) -> str:
    """The words of a text as Markdown: what is a document's own text means nothing in it, but for its code."""
    return "".join(
        _code(words) if code else escape_markdown(words) if text.is_literal else words for words, code in _spans(text)
    )


def heading_markdown(text: ReplyText) -> str:
    """The same of what stands above others: of its markup only code is left, it is bold as a whole."""
    said = text if text.is_literal else replace(text, text=text.text.replace("**", ""), code_spans=())
    return "".join(_code(words) if code else escape_markdown(words) for words, code in _parts(said))


def escape_markdown(text: str) -> str:
    """Any text as Markdown that shows it as it is."""
    return _MARKUP.sub(r"\\\g<0>", text)


def _code(words: str) -> str:
    return f"`{words.replace('`', 'ˋ')}`"


def _parts(text: ReplyText) -> Iterator[tuple[str, bool]]:
    """The words and whether they are code; what stands between backticks is, unless the text is literal."""
    for words, code in _spans(text):
        if code or text.is_literal:
            yield words, code
            continue
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
