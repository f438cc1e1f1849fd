"""What a message that asks nothing of its own points at: the message that it replies to, or the question above it."""

from __future__ import annotations

from pipeline.plan.followup import leans, own_terms
from pipeline.plan.question import clean, questions
from pipeline.plan.smalltalk import Talk, small_talk
from pipeline.values import Around
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


def looks_back(text: str) -> bool:
    """Whether `text` may need what stands around it to be understood."""
    asked = clean(text)
    return leans(asked) or not _own(asked)


def meant(asked: str, around: Around) -> str:
    """The question of a message: `asked`, or where it names nothing of its own what it points at."""
    began = next(iter(around.said), "")
    last = began if _TITLE.search(asked) else next(filter(questions, reversed(around.said)), began)
    above = around.pointed or last
    return clean(above) if above and _points(asked, above) else asked


def under(title: str, text: str) -> str:
    """What begins a post, under its title: the title alone where `text` names nothing of its own, and points at it."""
    asked = clean(text)
    return title if not _own(asked) and _points(asked, title) else f"{title}\n{text}".strip()


def _points(asked: str, above: str) -> bool:
    talk = small_talk(asked)
    about_us = talk is Talk.HELP and " " in asked
    if about_us or talk in (Talk.THANKS, Talk.GREETING, Talk.SUMMARY) or _OPEN.search(asked):
        return False
    return not _own(asked) or (leans(asked) and questions(above) and not questions(asked))


def _own(asked: str) -> set[str]:
    """What it is about, besides that somebody is to answer."""
    return own_terms(_ASKING.sub(" ", asked))
