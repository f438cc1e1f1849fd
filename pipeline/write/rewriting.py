"""What a model is told when sentences of its draft do not stand, and what it writes in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from pipeline.ports import ChatMessage
from pipeline.values import Sentence, row_text
from pipeline.words.tokens import shorten
from pipeline.write.marks import extract
from pipeline.write.markup import Marked

SENTENCE = 150
"""Tokens of a sentence, as it was and as it is written again."""
MOST = 12
"""Sentences that are written again."""


class Again(BaseModel):
    model_config = ConfigDict(extra="forbid")

    number: int
    text: str


class Rewritten(BaseModel):
    model_config = ConfigDict(extra="forbid")

    sentences: list[Again]


_TASK = """These sentences of the draft are not shown, since the passages do not support them as they stand:
{refused}
Write each of them again so that a passage states all of it: in the passage's own words, with its conditions, and with \
the number of that passage [n] at the end. Where no passage states it, give an empty text.
Answer with one JSON object: {{"sentences": [{{"number": the sentence's number, "text": "..."}}]}}"""


def request(draft: Sequence[Sentence], refused: Mapping[int, str], mark: str) -> list[ChatMessage]:
    """The draft, and what is wrong with it, behind the prompt that it was written for."""
    told = "\n".join(
        f"<claim-{mark}> {number}: {reason}\n{shorten(draft[number].text, SENTENCE)}\n</claim-{mark}>"
        for number, reason in list(refused.items())[:MOST]
    )
    written = "\n".join(sentence.text for sentence in draft)
    return [
        ChatMessage(role="assistant", content=written),
        ChatMessage(role="user", content=_TASK.format(refused=told)),
    ]


def read(found: Rewritten, draft: Sequence[Sentence], refused: Mapping[int, str]) -> dict[int, Marked]:
    """What was written again, by the number of the sentence that it stands for, which it is of one kind with."""
    again: dict[int, Marked] = {}
    for one in found.sentences:
        text, numbers = extract(" ".join(one.text.split()))
        if text and one.number in refused and one.number not in again:
            before = draft[one.number]
            cells = tuple(cell.strip() for cell in text.strip("| ").split("|")) if before.cells else ()
            again[one.number] = Marked(
                text=row_text(cells) if cells else text,
                kind=before.kind,
                numbers=numbers,
                opens=before.opens,
                section=before.section,
                cells=cells,
            )
    return again
