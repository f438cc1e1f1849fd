"""The one-time notice in a channel that it is read as a source. Pure."""

from __future__ import annotations

from pipeline.translations import TranslatableText, Translator
from pipeline.values import OFF_RECORD_TAG
from pipeline.values.posting import IndexingNotice

SOURCE_NOTICE = TranslatableText(
    "From now on what is said here is a source of my answers, for those who may read it here, for {days} days. "
    "What you react to with 🚫, or write with {word}, is left out; ✅ says what solved a question. Whoever asks me to "
    "forget them is left out of what was said so far."
)


def source_notice_text(notice: IndexingNotice) -> str:
    """Return the text of the notice in its language."""
    return Translator(notice.language)(SOURCE_NOTICE, days=notice.days, word=OFF_RECORD_TAG)
