"""A model that behaves: it quotes the first sentence of the first passages it is given, with their numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pipeline.text import sentences
from tests.doubles.llm.faults import Act, Text

_PASSAGE = re.compile(r"<passage-\w+ (\d+)>[^\n]*\n(.*?)\n</passage-", re.DOTALL)
_PIECE = 12


def quoting(*, passages: int = 2, seconds: float = 0.0) -> Callable[[dict[str, Any]], Act]:
    """What `LlmServer(otherwise=...)` takes; the answer is spread over `seconds`."""

    def answer(body: dict[str, Any]) -> Act:
        told = "\n".join(str(message["content"]) for message in body["messages"])
        quotes = [_quote(text, number) for number, text in _PASSAGE.findall(told)[:passages]]
        written = " ".join(quotes) or "NOT_IN_DOCUMENTS"
        return Text(written, size=_PIECE, pause=seconds / max(-(-len(written) // _PIECE), 1))

    return answer


def _quote(text: str, number: str) -> str:
    start, end = sentences(text)[0]
    return f"{text[start:end].rstrip('.')} [{number}]."
