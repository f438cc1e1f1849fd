"""Advice on what to write to close a knowledge gap."""

from __future__ import annotations

from adapters.chat.reply.splitting import sanitize_line
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values.insights import GapKind, KnowledgeGap
from pipeline.words import wording

_ADVICE = {
    GapKind.NOT_ANSWERED: wording.ADVICE_ADD_ANSWER,
    GapKind.UNHELPFUL: wording.ADVICE_CHECK_DOCUMENT,
    GapKind.LOW: wording.ADVICE_REPHRASE,
}

MAX_QUOTE_LENGTH = 160
"""Characters of the closest passage that are shown."""


def gap_advice(gap: KnowledgeGap, translator: Translator = ENGLISH_TRANSLATOR) -> str:
    """Return what to do, with the title of the nearest document if there is one, and the closest passage."""
    to_do = (
        translator(_ADVICE[gap.lack], title=gap.nearest.title)
        if gap.nearest
        else translator(wording.ADVICE_WRITE_DOCUMENT)
    )
    closest = gap.proposal.closest
    if closest is None:
        return to_do
    quote = sanitize_line(closest.quote, MAX_QUOTE_LENGTH)
    return f"{to_do} {translator(wording.CLOSEST_QUOTE, title=closest.paper.title, quote=quote)}"


def gap_draft(gap: KnowledgeGap, translator: Translator = ENGLISH_TRANSLATOR) -> str:
    """Return a draft of the missing document as Markdown: the question, the closest passage, what is known and what is
    to be filled in."""
    question, proposal = " ".join(gap.group.question.split()), gap.proposal
    statements = [*proposal.says, *(translator(wording.PROPOSAL_UNCHECKED, text=text) for text in proposal.unsure)]
    gaps = [
        f"- [ ] {translator(wording.PROPOSAL_GAP, question=question_left)}"
        for question_left in proposal.open or (question,)
    ]
    quote = f"> {proposal.closest.quote}" if proposal.closest else ""
    parts = (f"## {question}", translator(wording.PROPOSAL_NOTICE), quote, " ".join(statements), "\n".join(gaps))
    return "\n\n".join(filter(None, parts))
