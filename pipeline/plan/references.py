"""References of a message to another one: to the message that it replies to, or to the question above it."""

from __future__ import annotations

from pipeline.plan.follow_up import is_follow_up, topic_terms
from pipeline.plan.question import extract_question, has_question
from pipeline.plan.smalltalk import SmallTalk, detect_small_talk
from pipeline.values import ThreadContext
from pipeline.words.text import word_pattern

_ASKING = word_pattern(r"""
    answer(?:ed|s)?|ideas?|thoughts?|thinks?|says?|questions?|above|title|turn|see|look|check|reply|respond|pls
    (?:be)?antworten?|sagen?|frage|titel|idee|schau\w*|weißt|kannst|könnt(?:e|est|et)?|bitte|das|dazu|mal|du|ihr
    (?:someone|anyone|somebody|anybody|\w+)['’]s
""")
"""Words for answering, and for the author of the question: of 24 replies that only point
(`tests/quality/pointing.jsonl`) 22 are understood, without these words 11, and of 16 that ask something themselves none
is taken for one."""
_OPEN = word_pattern("when|where|who|whose|why|which|how(?! about)|wann|wo|wer|warum|wie")
"""Words that ask for something by themselves: `how long?` of a remark is not the remark again."""
_TITLE = word_pattern("title|titel")
"""Words for the message that began a thread, whatever was asked there since."""


def has_reference(text: str) -> bool:
    """Return whether `text` may need the messages around it to be understood."""
    asked = extract_question(text)
    return is_follow_up(asked) or not _own(asked)


def resolve_reference(asked: str, around: ThreadContext) -> str:
    """Return the question of a message: `asked`, or where it names nothing of its own the question that it refers
    to."""
    began = next(iter(around.messages), "")
    last = began if _TITLE.search(asked) else next(filter(has_question, reversed(around.messages)), began)
    above = around.replied_to or last
    return extract_question(above) if above and _points(asked, above) else asked


def compose_post_question(title: str, text: str) -> str:
    """Return the question of a post's first message: its title alone where `text` names nothing of its own and refers
    to it."""
    asked = extract_question(text)
    return title if not _own(asked) and _points(asked, title) else f"{title}\n{text}".strip()


def _points(asked: str, above: str) -> bool:
    talk = detect_small_talk(asked)
    about_us = talk is SmallTalk.HELP and " " in asked
    if about_us or talk in (SmallTalk.THANKS, SmallTalk.GREETING, SmallTalk.SUMMARY) or _OPEN.search(asked):
        return False
    return not _own(asked) or (is_follow_up(asked) and has_question(above) and not has_question(asked))


def _own(asked: str) -> set[str]:
    """Return the terms of a question, besides words for answering."""
    return topic_terms(_ASKING.sub(" ", asked))
