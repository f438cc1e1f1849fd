"""What to write, so that a gap closes."""

from __future__ import annotations

from adapters.chat.reply.cut import one_line
from pipeline.translations import ENGLISH, Words
from pipeline.values.insights import Gap, Lack
from pipeline.words import wording

_AT = {Lack.NOT_ANSWERED: wording.ADD_TO, Lack.UNHELPFUL: wording.CHECK_IN, Lack.LOW: wording.SAY_PLAINLY}

QUOTE = 160
"""Characters of what comes closest that are shown."""


def advice(gap: Gap, words: Words = ENGLISH) -> str:
    """What to do, with the name of the nearest document where there is one, and what comes closest."""
    to_do = words(_AT[gap.lack], title=gap.nearest.title) if gap.nearest else words(wording.WRITE_NEW)
    closest = gap.proposal.closest
    if closest is None:
        return to_do
    quote = one_line(closest.quote, QUOTE)
    return f"{to_do} {words(wording.CLOSEST_WORDS, title=closest.paper.title, quote=quote)}"


def draft(gap: Gap, words: Words = ENGLISH) -> str:
    """What could be written, as Markdown: the question, what comes closest, what is known and what is to be filled
    in."""
    question, proposal = " ".join(gap.group.question.split()), gap.proposal
    said = [*proposal.says, *(words(wording.CHECK_THIS, text=text) for text in proposal.unsure)]
    gaps = [f"- [ ] {words(wording.TO_FILL_IN, question=one)}" for one in proposal.open or (question,)]
    quote = f"> {proposal.closest.quote}" if proposal.closest else ""
    parts = (f"## {question}", words(wording.TO_BE_CHECKED), quote, " ".join(said), "\n".join(gaps))
    return "\n\n".join(filter(None, parts))
