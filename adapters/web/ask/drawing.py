"""The parts of a reply as HTML: what the templates are given for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from adapters.chat.reply import labels, panels
from adapters.chat.reply.answer import reply, source
from adapters.chat.reply.parts import Look, Reply, Source, Text
from adapters.web.pages import fragment
from pipeline.compose.cite import listed
from pipeline.translations import Words
from pipeline.values import Answer, CitationStyle, Value
from pipeline.words.links import linked
from pipeline.words.text import visible

_LINKABLE = re.compile(r"https?://[^\s\x00-\x20\x7f]+", re.ASCII | re.IGNORECASE)


class Beside(Value):
    """A source, and the passage that opens beside a sentence."""

    number: int
    mark: str
    source: Source
    passage: Reply


def opened(url: str) -> str:
    """`url` where a browser may be led there; else nothing."""
    return url if _LINKABLE.fullmatch(url) and visible(url) == url else ""


def spans(text: Text) -> Iterator[tuple[str, str]]:
    """The words of a text, each run with the address that it leads to; with none, mostly."""
    if text.url:
        yield text.text, opened(text.url)
        return
    for words, url in linked(text.text, {link.text: link.url for link in text.links}):
        yield words, opened(url)


def shown(answer: Answer, look: Look) -> Reply:
    return reply(answer, look)


def beside(answer: Answer, words: Words) -> Sequence[Beside]:
    """Each source of an answer, with what stands there."""
    style = answer.citation_style if answer.citation_style is CitationStyle.FOOTNOTE else CitationStyle.NUMBERED
    return [
        Beside(
            number=one.number,
            mark=listed(one.number, style),
            source=source(one, style, speech=words),
            passage=panels.passage(one, words),
        )
        for one in answer.sources
    ]


def drawn(parts: Reply, words: Words, **more: Any) -> str:
    """A reply by itself: a draft, a panel."""
    return fragment("reply.html", words, part=parts, **{"labels": labels.LABELS, **more})
