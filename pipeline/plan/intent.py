"""The kind of answer that a question wants, and its format, by the wording."""

from __future__ import annotations

from pipeline.values import AnswerFormat, Intent
from pipeline.words.text import word_pattern

_INTENTS = (
    (
        Intent.COMPARISON,
        word_pattern(r"""
            compar(?:e|es|ed|ing|ison)|differences? (?:between|of|in)|different from|differ|vs\.?|versus|better than
            which [^,?]{1,60}, [^,?]{1,60} or
        """),
    ),
    (
        Intent.SUMMARY,
        word_pattern(r"summar(?:y|i[sz]e|ies)|overview|(?:main|key) points"),
    ),
    (
        Intent.PROCEDURE,
        word_pattern(r"""
            how to|how (?:do|can|could|should|would|must) (?:i|we|you|one|people|someone|employees|users)
            steps?|procedure|process
        """),
    ),
    (
        Intent.AGGREGATION,
        word_pattern(r"across (?:all|our|every)"),
    ),
    (
        Intent.LIST,
        word_pattern(r"list|enumerate|name (?:all|every)|what are all|what (?:kinds|types|sorts) of"),
    ),
)
_FORMATS = (
    (AnswerFormat.TABLE, word_pattern("(?:as|in|with) (?:a )?table")),
    (AnswerFormat.STEPS, word_pattern("step[- ]by[- ]step|in steps")),
    (AnswerFormat.BULLETS, word_pattern("(?:as|in|with) (?:a )?(?:bullets?|list)")),
)
_BY_INTENT = {
    Intent.COMPARISON: AnswerFormat.TABLE,
    Intent.PROCEDURE: AnswerFormat.STEPS,
    Intent.LIST: AnswerFormat.BULLETS,
    Intent.AGGREGATION: AnswerFormat.BULLETS,
}


def detect_intent(question: str) -> Intent:
    """Return the intent of a question; factual when no wording tells otherwise."""
    return next((intent for intent, pattern in _INTENTS if pattern.search(question)), Intent.FACTUAL)


def detect_answer_format(question: str, intent: Intent) -> AnswerFormat | None:
    """Return the format that is asked for in words, else the one that suits the intent, if there is one."""
    requested = next((form for form, pattern in _FORMATS if pattern.search(question)), None)
    return requested or _BY_INTENT.get(intent)
