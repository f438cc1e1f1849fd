"""The one-time notice in a channel that it is read as a source. Pure."""

from __future__ import annotations

from pipeline.translations import TranslatableText, Translator
from pipeline.values import OFF_RECORD_TAG
from pipeline.values.posting import IndexingNotice

SOURCE_NOTICE = TranslatableText(
    "From now on, messages here are a source of my answers for {days} days, for people who may read "
    "this channel. I leave out messages that you mark with 🚫 or write with {word}. Mark what solved a "
    "question with ✅. If you ask me to forget you, I leave out what you wrote so far."
)


def source_notice_text(notice: IndexingNotice) -> str:
    """Return the text of the notice in its language."""
    return Translator(notice.language)(SOURCE_NOTICE, days=notice.days, word=OFF_RECORD_TAG)
