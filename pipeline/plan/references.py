"""What a message that asks nothing of its own points at: the message that it replies to, or the question above it."""

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
"""Words for answering, and whose question it is: of 24 replies that only point (`tests/quality/pointing.jsonl`) 22 are
understood, without these words 11, and of 16 that ask something themselves none is taken for one."""
_OPEN = word_pattern("when|where|who|whose|why|which|how(?! about)|wann|wo|wer|warum|wie")
"""What asks for something by itself: `how long?` of a remark is not the remark again."""
_TITLE = word_pattern("title|titel")
"""What began a thread, whatever was asked there since."""


def has_reference(text: str) -> bool:
    """Whether `text` may need what stands around it to be understood."""
    asked = extract_question(text)
    return is_follow_up(asked) or not _own(asked)


def resolve_reference(asked: str, around: ThreadContext) -> str:
    """The question of a message: `asked`, or where it names nothing of its own what it points at."""
    began = next(iter(around.messages), "")
    last = began if _TITLE.search(asked) else next(filter(has_question, reversed(around.messages)), began)
    above = around.replied_to or last
    return extract_question(above) if above and _points(asked, above) else asked


def compose_post_question(title: str, text: str) -> str:
    """What begins a post, under its title: the title alone where `text` names nothing of its own, and points at it."""
    asked = extract_question(text)
    return title if not _own(asked) and _points(asked, title) else f"{title}\n{text}".strip()


def _points(asked: str, above: str) -> bool:
    talk = detect_small_talk(asked)
    about_us = talk is SmallTalk.HELP and " " in asked
    if about_us or talk in (SmallTalk.THANKS, SmallTalk.GREETING, SmallTalk.SUMMARY) or _OPEN.search(asked):
        return False
    return not _own(asked) or (is_follow_up(asked) and has_question(above) and not has_question(asked))


def _own(asked: str) -> set[str]:
    """What it is about, besides that somebody is to answer."""
    return topic_terms(_ASKING.sub(" ", asked))
