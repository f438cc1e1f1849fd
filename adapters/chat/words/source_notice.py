"""What those in a channel are told once: that it is read. Pure."""

from __future__ import annotations

from pipeline.translations import Message, Words
from pipeline.values import KEPT_OUT
from pipeline.values.posting import SourceNotice

SOURCE = Message(
    "From now on what is said here is a source of my answers, for those who may read it here, for {days} days. "
    "What you react to with 🚫, or write with {word}, is left out; ✅ says what solved a question. Whoever asks me to "
    "forget them is left out of what was said so far."
)


def text(notice: SourceNotice) -> str:
    """In its language."""
    return Words(notice.language)(SOURCE, days=notice.days, word=KEPT_OUT)
