"""The question inside a message: without mentions, quoted lines, greetings and polite wrappers."""

from __future__ import annotations

import re

from pipeline.phrases import any_of

_MENTION = re.compile(r"<[@!&][^<>\s]*>|^\s*@[\w.-]+[,:]?\s+")
_QUOTED_LINE = re.compile(r"^[^\S\n]*>[^\n]*\n", re.MULTILINE)
_OUTER_QUOTES = re.compile(r"^[\"“”«»'`]++([^\"“”«»'`]*+)[\"“”«»'`]++([?.!]?)$")
_OPENING = re.compile(
    any_of(r"""
    (?:hi|hello|hey|good morning|hallo|bonjour|hola)(?: (?:there|all|team|bot|everyone|citewell))?\s*[,!.:]+\s*
    (?:hey |hi |hello )?citewell\s*[,:]\s*
    (?:please|pls|quick question|question|frage|bitte)\s*[:,]?\s+(?=\S+\s+\S)
    (?:can|could|would|will) (?:you|u|someone|anyone|anybody) (?:(?:please|pls|kindly) )?(?:tell|remind) (?:me|us)\s
    (?:can|could|would|will) (?:you|u|someone|anyone|anybody) (?:(?:please|pls|kindly) )?let (?:me|us) know\s
    (?:please )?(?:tell|remind) (?:me|us) (?=\S+\s+\S)
    (?:do|does) (?:you|anyone|anybody|someone) know (?=\S+\s+\S)
    (?:i|we) (?:want|need|wish) to (?:know|find out|understand|learn)\s
    (?:i|we)(?: would|['’]d) (?:like|love) to (?:know|find out|understand|learn)\s
    (?:i|we)(?: (?:am|was|are|were)|['’](?:m|re)) (?:just )?wondering\s
    (?:kannst du|können sie|könnten sie|könntest du) (?:mir|uns) (?:bitte )?(?:sagen|erklären)\s*,?\s*
    (?:peux[- ]tu|pouvez[- ]vous|pourriez[- ]vous) (?:me|nous) dire\s
    (?:puedes|podrías|puede) decir(?:me|nos)\s
    (?:about|if|whether|ob)\s
"""),
    re.IGNORECASE,
)
_ASKED = re.compile(r"[^ ?!.]")
_CONDITION = re.compile(r"(?:about|if|whether|ob)\s", re.IGNORECASE)
_CLOSING = re.compile(
    r"(?: ?[,.!?] ?(?:please|pls|bitte)"
    r"|(?<![ ,.!])[ ,.!]++(?:thx|danke|merci|gracias|(?:thanks|thank you)(?: in advance)?))"
    r"[ !.]*+(\?*+)[ !.]*+$",
    re.IGNORECASE,
)


def clean(text: str) -> str:
    """`text` in one line without what wraps the question; never empty unless `text` is. Linear in its length."""
    text = _MENTION.sub(" ", text)
    text = " ".join(_QUOTED_LINE.sub("", text).split() or text.split())
    quoted = _OUTER_QUOTES.match(text)
    if quoted and quoted.group(1).strip():
        text = quoted.group(1).strip() + quoted.group(2)
    return _unwrap(text).strip()


def _unwrap(text: str) -> str:
    start = 0
    while opened := _OPENING.match(text, start):
        if not _ASKED.search(text, opened.end()) or (not start and _CONDITION.match(text)):
            break
        start = opened.end()
    text = text[start:]
    closed = _CLOSING.search(text)
    return text[: closed.start()] + closed.group(1) if closed and text[: closed.start()].strip() else text
