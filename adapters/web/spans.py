"""Words of foreign texts, and where they may lead."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adapters.chat.reply.inline import Run, runs
from adapters.chat.reply.parts import Text
from pipeline.words.text import visible

_LINKABLE = re.compile(r"https?://[^\s\x00-\x20\x7f]+", re.ASCII | re.IGNORECASE)


def opened(url: str) -> str:
    """`url` where a browser may be led there; else nothing."""
    return url if _LINKABLE.fullmatch(url) and visible(url) == url else ""


def spans(text: Text) -> Iterator[Run]:
    """The words of a text, each run with the address that it leads to; with none, mostly."""
    for run in [Run(text.text, text.url)] if text.url else runs(text):
        yield run._replace(url=opened(run.url))
