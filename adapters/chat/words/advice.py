"""What to write, so that a gap closes."""

from __future__ import annotations

from pipeline.translations import ENGLISH, Words
from pipeline.values.insights import Gap, Lack
from pipeline.words import wording

_AT = {Lack.NOT_ANSWERED: wording.ADD_TO, Lack.UNHELPFUL: wording.CHECK_IN, Lack.LOW: wording.SAY_PLAINLY}


def advice(gap: Gap, words: Words = ENGLISH) -> str:
    """One sentence, that names the nearest document where there is one."""
    if gap.nearest is None:
        return words(wording.WRITE_NEW)
    return words(_AT[gap.lack], title=gap.nearest.title)
