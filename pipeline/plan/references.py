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
    question = extract_question(text)
    return is_follow_up(question) or not _own_terms(question)


def resolve_reference(question: str, around: ThreadContext) -> str:
    """Return the question of a message: `question`, or where it names nothing of its own the question that it refers
    to."""
    first = next(iter(around.messages), "")
    last = first if _TITLE.search(question) else next(filter(has_question, reversed(around.messages)), first)
    referenced = around.replied_to or last
    return extract_question(referenced) if referenced and _is_reference_to(question, referenced) else question


def compose_post_question(title: str, text: str) -> str:
    """Return the question of a post's first message: its title alone where `text` names nothing of its own and refers
    to it."""
    question = extract_question(text)
    return title if not _own_terms(question) and _is_reference_to(question, title) else f"{title}\n{text}".strip()


def _is_reference_to(question: str, referenced: str) -> bool:
    talk = detect_small_talk(question)
    about_us = talk is SmallTalk.HELP and " " in question
    if about_us or talk in (SmallTalk.THANKS, SmallTalk.GREETING, SmallTalk.SUMMARY) or _OPEN.search(question):
        return False
    return not _own_terms(question) or (
        is_follow_up(question) and has_question(referenced) and not has_question(question)
    )


def _own_terms(question: str) -> set[str]:
    """Return the terms of a question, besides words for answering."""
    return topic_terms(_ASKING.sub(" ", question))
