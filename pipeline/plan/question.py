"""Extraction of the question from a message, without mentions, quoted lines, greetings and other text; and its form."""

from __future__ import annotations

import re
import unicodedata

from pipeline.evidence.question_analysis import analyze_question
from pipeline.plan.follow_up import is_follow_up
from pipeline.plan.smalltalk import SmallTalk, small_talk_pattern
from pipeline.words.text import alternatives_pattern, sentence_spans, split_words

_MENTION = re.compile(
    r"<(?:[@!&#]|a?:\w+:|t:)[^<>\s]*>|^\s*(?:[@#][^\W\d][\w.-]*[,:]?\s+)+|(?<=[?？])(?:\s+(?:cc\b:?|[@#][^\W\d][\w.-]*))+\s*$"
)
"""Mentions as Slack and Discord write them: people, groups, channels, custom emoji, times; by name where they stand in
front of the question or behind it."""
_QUOTED_LINE = re.compile(r"^[^\S\n]*>[^\n]*\n", re.MULTILINE)
_OUTER_QUOTES = re.compile(r"^[\"“”«»'`]++([^\"“”«»'`]*+)[\"“”«»'`]++([?.!]?)$")
_FENCE = re.compile(r"^[^\S\n]*```|```[^\S\n]*$|(?<=[.?!])\s*```", re.MULTILINE)
"""A fence where a line or a sentence ends: inside one, code is a word of it."""
_LINK = re.compile(r"(?:(?:<https?://[^<>]*>|https?://\S+)\s*)+")
_ASKS = ("?", "？", "؟")
_FIRST_EMOJI, _JOINERS = "\u2190", "\u200d\ufe0f"
_OPENING = re.compile(
    alternatives_pattern(rf"""
    {small_talk_pattern(SmallTalk.GREETING)}(?: (?:there|all|team|everyone|citewell))?\s*[,!.:]+\s*
    citewell\s*[,:]\s*
    (?:please|pls|bitte|quick question|question)\s*[:,]?\s+(?=\S+\s+\S)
    (?:(?:can|could|would) (?:you|someone|anyone) (?:please )?|please )?(?:tell me|let me know)[:,]?\s(?=\S+\s+\S)
    do(?:es)? (?:you|anyone|someone) know (?=\S+\s+\S)
    (?:i|we)(?: (?:want|need|wish)| would like|['’]d like) to (?:know|find out|understand|learn)\s
    (?:i|we)(?: (?:am|was|are|were)|['’](?:m|re)) (?:just )?wondering\s
    (?:kannst du|können sie|könnten sie) (?:mir|uns) (?:bitte )?sagen\s*,?\s*
    (?:peux-tu|pouvez-vous|pourriez-vous) me dire\s|(?:puedes|podrías|puede) decirme\s|puoi dirmi\s|pode me dizer\s
    (?:about|if|whether|ob)\s
"""),
    re.IGNORECASE,
)
_ASKED = re.compile(r"[^ ?!.]")
_CONDITION = re.compile(r"(?:about|if|whether|ob)\s", re.IGNORECASE)
_CLOSING = re.compile(
    r"(?: ?[,.!?] ?(?:please|pls|bitte)"
    r"|(?<![ ,.!])[ ,.!]++(?:thx|danke|merci|gracias|grazie|obrigad[oa]|(?:thanks|thank you)(?: in advance)?))"
    r"[ !.]*+(\?*+)[ !.]*+$",
    re.IGNORECASE,
)


def extract_question(text: str) -> str:
    """Return the question of `text` in one line, without what wraps it or stands beside it; never empty unless `text`
    is.

    Linear in its length."""
    text = _MENTION.sub(" ", text)
    text = _QUOTED_LINE.sub("", text) if _QUOTED_LINE.sub("", text).split() else text
    text = _without_surroundings(_without_emoji(text))
    quoted = _OUTER_QUOTES.match(text)
    if quoted and quoted.group(1).strip():
        text = quoted.group(1).strip() + quoted.group(2)
    return _unwrap(text).strip()


def _without_emoji(text: str) -> str:
    return text if text.isascii() else "".join(c for c in text if not _is_emoji(c))


def _is_emoji(c: str) -> bool:
    return c in _JOINERS or (c >= _FIRST_EMOJI and unicodedata.category(c) in ("So", "Sk"))


def _without_surroundings(text: str) -> str:
    """Return `text` in one line without the code, the links and the sentences of another script that stand beside a
    question; with them where the question needs them to be understood (`What does this mean? ...`)."""
    prose = _FENCE.split(text)[::2]
    sentences = [piece[start:end] for piece in prose for start, end in sentence_spans(piece)]
    question_scripts = _scripts("".join(sentence for sentence in sentences if sentence.endswith(_ASKS)))
    kept_text = " ".join(
        " ".join(
            s for s in sentences if not _LINK.fullmatch(s) and not _scripts(s).isdisjoint(question_scripts)
        ).split()
    )
    return kept_text if question_scripts and not is_follow_up(kept_text) else " ".join(text.replace("```", " ").split())


def _scripts(text: str) -> set[str]:
    """Return the scripts in `text`: `LATIN`, `ARABIC`; a digit may belong to any, and counts as Latin."""
    return {"LATIN" if c.isascii() else unicodedata.name(c, " ").split(" ")[0] for c in set(text) if c.isalnum()}


def _unwrap(text: str) -> str:
    start = 0
    while opening := _OPENING.match(text, start):
        if not _ASKED.search(text, opening.end()) or (not start and _CONDITION.match(text)):
            break
        start = opening.end()
    text = text[start:]
    closing = _CLOSING.search(text)
    return text[: closing.start()] + closing.group(1) if closing and text[: closing.start()].strip() else text


# --- The form of a question, which distinguishes it from a remark ---------------------------------
# The figures are of tests/quality/overheard.jsonl, 200 asides and 100 questions without a mention, both halves.

_INTERROGATIVES = tuple(
    "what how when where who whom whose why which wer was wo wann wie warum welche welcher welches".split()
)
_OPENS = 2
"""Words at the beginning of a sentence of which one is an interrogative: `by when`, `for how long`."""
_SHORTEST = 4
"""Letters from which an interrogative is recognised with one missing or two exchanged: with `wich` and `waht` 97
questions of 100 are recognised, without 92."""


def has_question(text: str) -> bool:
    """Return whether a sentence of `text` has the form of a question: a question mark, or a verb or an interrogative in
    front."""
    return any(_is_question_form(text[start:end]) for start, end in sentence_spans(text))


def _is_question_form(sentence: str) -> bool:
    opening = [word.lower() for word in split_words(sentence)[:_OPENS]]
    return (
        sentence.rstrip(" )\"”'").endswith(("?", "？", "؟"))
        or analyze_question(sentence).is_yes_no
        or any(_is_misspelling_of(word, interrogative) for word in opening for interrogative in _INTERROGATIVES)
    )


def _is_misspelling_of(word: str, interrogative: str) -> bool:
    """Return whether `word` is `interrogative`, spelt right, without one letter but the first, or with two
    exchanged."""
    if word == interrogative or len(interrogative) < _SHORTEST:
        return word == interrogative
    if len(word) == len(interrogative) - 1:
        return any(interrogative[:n] + interrogative[n + 1 :] == word for n in range(1, len(interrogative)))
    exchanged = sum(a != b for a, b in zip(word, interrogative, strict=False)) == 2
    return exchanged and len(word) == len(interrogative) and sorted(word) == sorted(interrogative)
