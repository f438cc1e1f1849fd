"""A model that behaves: from the first passages it is given it quotes the sentence that is nearest to the question."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pipeline.words.text import content_terms, sentence_spans
from tests.doubles.llm.faults import Act, Text

_PASSAGE = re.compile(r"<passage-\w+ (\d+)>[^\n]*\n(.*?)\n</passage-", re.DOTALL)
_QUESTION = re.compile(r"<question-\w+>\n(.*?)\n</question-", re.DOTALL)
_PIECE = 12


def quoting(*, passages: int = 2, seconds: float = 0.0) -> Callable[[dict[str, Any]], Act]:
    """What `LlmServer(otherwise=...)` takes; the answer is spread over `seconds`."""

    def answer(body: dict[str, Any]) -> Act:
        told = "\n".join(str(message["content"]) for message in body["messages"])
        asked = set(content_terms(" ".join(_QUESTION.findall(told))))
        quotes = [_quote(text, number, asked) for number, text in _PASSAGE.findall(told)[:passages]]
        written = " ".join(quotes) or "NOT_IN_DOCUMENTS"
        return Text(written, size=_PIECE, pause=seconds / max(-(-len(written) // _PIECE), 1))

    return answer


def _quote(text: str, number: str, asked: set[str]) -> str:
    said = [text[start:end] for start, end in sentence_spans(text)]
    nearest = max(said, key=lambda sentence: len(asked & set(content_terms(sentence))))
    return f"{nearest.rstrip('.')} [{number}]."
