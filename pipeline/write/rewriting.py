"""The request to write rejected sentences of a draft again, and its reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict

from pipeline.ports import ChatMessage
from pipeline.ports.reply_schema import limit_entries, list_limit, number_limit, text_limit
from pipeline.values import DraftSentence, join_cells
from pipeline.words.text import truncate_to_tokens
from pipeline.write.citation_marks import split_marks
from pipeline.write.draft_parser import ParsedSentence

REWRITE_SENTENCE_TOKENS = 150
"""Token limit of a rejected sentence."""
_REWRITE_CHARACTERS = 450
"""Maximum number of characters of its rewrite."""
MAX_REWRITES = 12
"""Maximum number of sentences that are rewritten."""


class Again(BaseModel):
    model_config = ConfigDict(extra="forbid")

    number: Annotated[int, number_limit(999)]
    text: Annotated[str, text_limit(_REWRITE_CHARACTERS)]


class Rewritten(BaseModel):
    model_config = ConfigDict(extra="forbid")

    sentences: Annotated[list[Again], list_limit(MAX_REWRITES)]


def rewritten_schema(count: int) -> type[Rewritten]:
    """Return the schema of a reply that has so many rejected sentences again."""
    return limit_entries(Rewritten, "sentences", min(count, MAX_REWRITES))


_REWRITE_TASK = """These sentences of the draft are not shown, since the passages do not support them as they stand:
{refused}
Write each of them again so that a passage states all of it: in the passage's own words, with its conditions, and with \
the number of that passage [n] at the end. Where no passage states it, give an empty text.
Answer with one JSON object: {{"sentences": [{{"number": the sentence's number, "text": "..."}}]}}"""


def rewrite_messages(draft: Sequence[DraftSentence], refused: Mapping[int, str], mark: str) -> list[ChatMessage]:
    """Return the messages that follow the prompt of a draft: the draft, and the reasons why sentences of it were
    rejected."""
    reasons = "\n".join(
        f"<claim-{mark}> {number}: {reason}\n"
        f"{truncate_to_tokens(draft[number].text, REWRITE_SENTENCE_TOKENS)}\n</claim-{mark}>"
        for number, reason in list(refused.items())[:MAX_REWRITES]
    )
    draft_text = "\n".join(sentence.text for sentence in draft)
    return [
        ChatMessage(role="assistant", content=draft_text),
        ChatMessage(role="user", content=_REWRITE_TASK.format(refused=reasons)),
    ]


def parse_rewrite(
    rewritten: Rewritten, draft: Sequence[DraftSentence], refused: Mapping[int, str]
) -> dict[int, ParsedSentence]:
    """Return the rewritten sentences by the number of the sentence that each replaces and whose kind it keeps."""
    replacements: dict[int, ParsedSentence] = {}
    for sentence in rewritten.sentences:
        text, numbers = split_marks(" ".join(sentence.text.split()))
        if text and sentence.number in refused and sentence.number not in replacements:
            original = draft[sentence.number]
            cells = tuple(cell.strip() for cell in text.strip("| ").split("|")) if original.cells else ()
            replacements[sentence.number] = ParsedSentence(
                text=join_cells(cells) if cells else text,
                kind=original.kind,
                numbers=numbers,
                opens=original.opens,
                section=original.section,
                cells=cells,
            )
    return replacements
