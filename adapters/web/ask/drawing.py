"""The parts of a reply as HTML: what the templates are given for it."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.chat.reply import panels
from adapters.chat.reply.answer import reply, source
from adapters.chat.reply.parts import Look, Reply, Source
from adapters.web.pages import fragment
from pipeline.compose.cite import listed
from pipeline.translations import Words
from pipeline.values import Answer, CitationStyle, Value


class Beside(Value):
    """A source, and the passage that opens beside a sentence."""

    number: int
    mark: str
    source: Source
    passage: Reply


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


def drawn(parts: Reply, words: Words) -> str:
    """What there is of an answer."""
    return fragment("reply.html", words, part=parts)
